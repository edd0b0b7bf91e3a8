"""Cuts a stream of bytes into server-sent events; no I/O.

A line ends at CR, LF or CRLF and at nothing else: U+2028 and its kin are text
(https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). A network read may
end anywhere, inside a UTF-8 sequence and between CR and LF too, so lines are cut as bytes and decoded whole.
One difference to the standard: an event that the stream's end leaves without its blank line is handed out,
because servers do end so; it is read only if it is whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..._errors import ProviderError
from ..dialects.base import ServerEvent

__all__ = ["EVENT_CAP", "LINE_CAP", "Comment", "EventReader", "Frame"]

LINE_CAP = 4 * 1024 * 1024
EVENT_CAP = 16 * 1024 * 1024

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Comment:
    """A line that means nothing but that the server is alive."""

    text: str


Frame: TypeAlias = ServerEvent | Comment


class EventReader:
    """Cuts a stream of bytes into events; how the bytes were sliced changes nothing.

    A line or an event that is too long ends the reading: what came before it is returned, and the
    next call raises `ProviderError`.
    """

    def __init__(self, *, line_cap: int = LINE_CAP, event_cap: int = EVENT_CAP) -> None:
        self._line_cap = line_cap
        self._event_cap = event_cap
        self._quick_cap = min(line_cap, event_cap)
        self._failure: ProviderError | None = None
        self._begin()

    def _begin(self) -> None:
        self._partial: list[bytes] = []
        self._partial_length = 0
        self._after_cr = False
        self._at_start = True
        self._name = ""
        self._lines: list[str] = []
        self._event_length = 0

    @property
    def at_rest(self) -> bool:
        """Whether the next byte begins an event."""
        waits = self._partial or self._lines or self._name or self._at_start or self._after_cr
        return not (waits or self._failure)

    def feed(self, chunk: bytes) -> list[Frame]:
        """The events and comments that these bytes complete."""
        if self._failure:
            raise self._failure
        if self._after_cr and chunk.startswith(b"\n"):
            self._after_cr = False
            chunk = chunk[1:]
        if not chunk:
            return []
        if (quick := self._quick(chunk)) is not None:
            return quick
        self._after_cr = chunk.endswith(b"\r")
        lines = chunk.splitlines()  # on bytes this knows CR, LF and CRLF only
        rest = b"" if chunk.endswith((b"\r", b"\n")) else lines.pop()
        frames: list[Frame] = []
        for line in lines:
            self._take(line, frames)
        self._keep(rest)
        return frames

    def _quick(self, chunk: bytes) -> list[Frame] | None:
        """The short way: whole events of one line of data each, as nearly all reads are; else nothing."""
        if not self.at_rest or not chunk.endswith(b"\n\n") or len(chunk) > self._quick_cap or b"\r" in chunk:
            return None
        frames: list[Frame] = []
        for event in chunk[:-2].split(b"\n\n"):
            name, data = "message", event
            if event.startswith(b"event: "):
                title, _, data = event.partition(b"\n")
                name = title[7:].decode("utf-8", "replace") or name
            if not data.startswith(b"data: ") or b"\n" in data:
                return None
            frames.append(ServerEvent(name, data[6:].decode("utf-8", "replace")))
        return frames

    def flush(self) -> list[Frame]:
        """What the end of the stream completes; afterwards the reader is as new."""
        if self._failure:
            raise self._failure
        frames: list[Frame] = []
        if self._partial:
            self._take(b"", frames)
        self._dispatch(frames)
        self._begin()
        if self._failure:
            raise self._failure
        return frames

    def _keep(self, rest: bytes) -> None:
        """Hold the beginning of a line until its end arrives."""
        if rest and not self._failure:
            self._partial.append(rest)
            self._partial_length += len(rest)
            if self._partial_length > self._line_cap:
                self._fail("line", self._line_cap)

    def _take(self, line: bytes, frames: list[Frame]) -> None:
        """One whole line, of which the first part may have come earlier."""
        if self._failure:
            return
        if self._partial:
            self._partial.append(line)
            line = b"".join(self._partial)
            self._partial = []
            self._partial_length = 0
        if len(line) > self._line_cap:
            self._fail("line", self._line_cap)
            return
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if not line:
            self._dispatch(frames)
        elif line.startswith(b":"):
            frames.append(Comment(_decode(line[1:])))
        else:
            self._field(line)

    def _field(self, line: bytes) -> None:
        """A name and a value; names we do not know, `id` and `retry` among them, mean nothing here."""
        name, _, value = line.partition(b":")
        if name == b"data":
            text = _decode(value)
            self._event_length += len(text) + 1
            if self._event_length > self._event_cap:
                self._fail("event", self._event_cap)
            self._lines.append(text)
        elif name == b"event":
            self._name = _decode(value)

    def _dispatch(self, frames: list[Frame]) -> None:
        """A blank line ends the event; one without data is none."""
        if self._lines and not self._failure:
            data = self._lines[0] if len(self._lines) == 1 else "\n".join(self._lines)
            frames.append(ServerEvent(self._name or "message", data))
            self._lines = []
            self._event_length = 0
        self._name = ""

    def _fail(self, what: str, cap: int) -> None:
        self._partial = []
        self._lines = []
        self._failure = ProviderError(
            f"The server sent a {what} of more than {cap} bytes.",
            user_message="The provider's answer cannot be read. Try another model.",
        )


def _decode(value: bytes) -> str:
    return value.removeprefix(b" ").decode("utf-8", "replace")
