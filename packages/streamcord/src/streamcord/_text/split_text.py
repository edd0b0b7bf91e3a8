"""Split a whole text into messages, for any platform and any limit."""

from __future__ import annotations

from .._events import Degree
from .._settings import Settings
from .layout.cut_to_limit import cut_to_limit
from .layout.splitter import trim
from .spoilers.isolation import isolate
from .traced_text import TracedText

# Nothing is changed: no rule runs, and tables stay as written.
_AS_WRITTEN = Settings(degree=Degree.NONE, rules=False, tables="off")


def split(text: str, limit: int = 2000) -> list[str]:
    """Split Markdown into texts of at most `limit` characters, each of which renders as before.

    Cuts are made between paragraphs, then lines, then sentences, then words. A code block or spoiler that is cut is
    closed and opened again; nothing else is changed, and only white space at the cuts is left out.

    Args:
        text: The text.
        limit: The longest part: 2000 for Discord, 4096 for Telegram, 280 for a post.

    Returns:
        The parts; none for blank text.

    Raises:
        ValueError: The limit is less than 1.
        TypeError: The text is not a string, or the limit is not an int.

    Example:
        >>> split("One sentence. Another one.", limit=15)
        ['One sentence.', 'Another one.']

    """
    if not isinstance(text, str):
        raise TypeError(f"split() needs a str, not {type(text).__name__}")
    if not isinstance(limit, int):
        raise TypeError(f"limit must be an int, not {type(limit).__name__}")
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    whole = TracedText.from_spans(text, ((0, len(text)),))
    parts = (
        piece for part in cut_to_limit(whole, limit, _AS_WRITTEN) for piece in isolate(part, _AS_WRITTEN)
    )
    return [content for part in parts if (content := trim(part.text))]
