"""Make messages of the pictures that a model generates: file names, types and descriptions."""

from __future__ import annotations

import re

from .._events import Attachment, Boundary, GeneratedImage, Message

MAX_ALT_CHARS = 300
MAX_IMAGES = 10
"""Pictures of one answer; a model that makes more has lost its way."""

# The first bytes of the formats that Discord shows.
_FORMATS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif"))
_MARKUP = re.compile(r"[*_~|`#>\[\]]+|\(<?https?:[^)]*\)")
# A description is not hidden as the text is.
_SPOILER = re.compile(r"\|\|.*?\|\|", re.DOTALL)


class ImageNamer:
    """Numbers the pictures of one answer and describes each by the words before it."""

    def __init__(self) -> None:
        self._count = 0
        # The last message of the answer: what the model thinks or was not allowed to say is not in it.
        self._shown = ""
        # The last message that was made.
        self._made: Message | None = None

    def on_text(self, text: str) -> None:
        """Remember the text that is shown before the next picture."""
        self._shown = text

    def is_own(self, message: Message) -> bool:
        """Whether a message was made of the last picture."""
        return message is self._made

    def as_message(self, image: GeneratedImage) -> Message | None:
        """Return the picture as a message, or a notice that it cannot be shown; nothing for what is far too much."""
        self._count += 1
        if self._count > MAX_IMAGES + 1:
            return None
        ending = _ending(image.content)
        problem = image.problem or ("" if ending else "cannot be read")
        if self._count > MAX_IMAGES:
            problem = f"is left out: an answer shows at most {MAX_IMAGES}"
        if problem:
            self._made = Message(
                f"-# A picture in this answer {problem}.", boundary=Boundary.ATTACHMENT, notice=True
            )
        else:
            number = f"-{self._count}" if self._count > 1 else ""
            file = Attachment(f"picture{number}.{ending}", image.content, self._alt(image))
            self._made = Message("", files=(file,), boundary=Boundary.ATTACHMENT)
        return self._made

    def _alt(self, image: GeneratedImage) -> str:
        """Return the description: the provider's, else the last line of the model before the picture."""
        if image.alt.strip():
            return image.alt
        shown = _SPOILER.sub("…", self._shown)
        lines = [line for one in shown.splitlines() if (line := _MARKUP.sub("", one).strip())]
        words = " ".join(lines[-1].split())[-MAX_ALT_CHARS:] if lines else ""
        return f"A picture made by the model. {words}".strip()


def _ending(content: bytes) -> str:
    """Return the file extension by the content; empty for what Discord does not show."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((ending for start, ending in _FORMATS if content.startswith(start)), "")
