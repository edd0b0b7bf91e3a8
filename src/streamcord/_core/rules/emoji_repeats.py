"""Rule 3: a custom emoji of our last messages is not used again.

`:name:` is a shortcode if it stands between characters that belong to no word, so that `12:30:45` and
`std::vector::x` are text; several may touch each other.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from .removal import remove

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..passage import Edit
    from ..reading import Reading

__all__ = ["drop_repeats", "find_emoji", "names_used"]

_TOKEN = re.compile(
    r"<a?:(?P<tag>[A-Za-z0-9_]{1,64}):(?P<id>\d{0,24})>|(?<![\w:])(?P<run>(?::[A-Za-z0-9_]{2,64}:)++)(?![\w:])"
)
_CODE = re.compile(r":([A-Za-z0-9_]{2,64}):")


def find_emoji(text: str) -> Iterator[tuple[int, int, str, str | None]]:
    """Custom emoji: where each starts and ends, its name, and its id if it is a tag."""
    for found in _TOKEN.finditer(text):
        if found["run"] is None:
            yield *found.span(), found["tag"], found["id"]
        else:
            for code in _CODE.finditer(text, *found.span()):
                yield *code.span(), code[1], None


def names_used(messages: Sequence[str], lookback: int) -> frozenset[str]:
    """The names of the emoji in our last messages."""
    recent = messages[-lookback:] if lookback else ()
    return frozenset(name.lower() for message in recent for _, _, name, _ in find_emoji(message))


def drop_repeats(reading: Reading, used: frozenset[str]) -> list[Edit]:
    """Edits that remove repeats, none if only punctuation would remain."""
    text = reading.text
    found = [
        (start, end)
        for start, end, name, _ in find_emoji(text)
        if name.lower() in used and reading.free(start)
    ]
    edits = remove(text, found) if found else []
    return edits if edits and _says_something(text, edits) else []


def _says_something(text: str, edits: Sequence[Edit]) -> bool:
    at = 0
    for start, end, _ in [*edits, (len(text), len(text), "")]:
        if any(unicodedata.category(c)[0] not in "PZC" for c in text[at:start]):
            return True
        at = end
    return False
