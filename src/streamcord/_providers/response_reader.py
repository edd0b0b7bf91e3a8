"""Turns the bytes of one response into events, and knows how long to wait for the next ones; no I/O.

Framing: a line ends at CR, LF or CRLF and at nothing else: U+2028 and its kin are text
(https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). A network read may
end anywhere, inside a UTF-8 sequence and between CR and LF too, so lines are cut as bytes and decoded whole.
One difference to the standard: an event that the stream's end leaves without its blank line is handed out,
because servers do end so; it is read only if it is whole.

A status of 200 promises nothing: the body may be an error in JSON or a web page. Its first character tells,
since an event stream cannot begin with a brace, a bracket or a `<`; content types lie too often to be asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from .._errors import ProviderError, Rejected, SettingsError
from .._events import ProviderEvent
from .dialects.base import KEEP_ALIVE, Decoder, ServerEvent
from .provider_errors import Complaint, find_complaint, to_error

__all__ = [
    "BODY_CAP",
    "PAGE_CAP",
    "Comment",
    "EventReader",
    "Frame",
    "ResponseReader",
    "Timeouts",
    "read_complaint",
]

PAGE_CAP = 64 * 1024
BODY_CAP = 256 * 1024 * 1024

_ALIVE: list[ProviderEvent] = [KEEP_ALIVE]
_WHITE = b" \t\r\n\xef\xbb\xbf"
_SNIPPET = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How many seconds we wait for what."""

    connect: float = 10.0
    """For the connection."""
    idle: float = 120.0
    """For the first and for any next byte."""
    silent: float = 300.0
    """For words, while only signs of life arrive."""
    closing: float = 5.0
    """For the end of the stream, once the answer is complete."""

    def __post_init__(self) -> None:
        for name in ("connect", "idle", "silent", "closing"):
            if not 0 < getattr(self, name) <= 86_400:
                raise SettingsError(name, "more than 0 and at most 86400 seconds", getattr(self, name))


class ResponseReader:
    """Reads one response; `limit` is how long the next bytes may take.

    A stream that only shows signs of life is silent; time that nobody waited does not count.
    """

    def __init__(
        self, decoder: Decoder, timeouts: Timeouts | None = None, *, body_cap: int = BODY_CAP
    ) -> None:
        self._frames = EventReader()
        self._decoder = decoder
        self._timeouts = timeouts or Timeouts()
        self._body_cap = body_cap
        self._length = 0
        self._page: bytearray | None = None
        self._sniffed = False
        self._at_rest = False
        self._blank = b"\n\n"
        self.limit = 0.0
        """Seconds that the next bytes may take."""
        self._note_silence(0.0)

    @property
    def ended(self) -> bool:
        """Whether reading on is of no use."""
        return self._decoder.ended or (self._page is not None and len(self._page) >= PAGE_CAP)

    def _note_silence(self, seconds: float) -> None:
        """So long nothing but signs of life came; how long the next bytes may take follows from it."""
        self._silent = seconds
        times = self._timeouts
        left = max(0.0, min(times.idle, times.silent - seconds))
        self.limit = times.closing if self._decoder.finishing else left

    def feed(self, chunk: bytes, waited: float = 0.0) -> list[ProviderEvent]:
        """What these bytes say, for which somebody waited so many seconds."""
        return self.hear(chunk) or self.read(chunk, waited)

    def hear(self, chunk: bytes) -> list[ProviderEvent]:
        """The short way, for nearly all reads: whole events that are all like the last one; else nothing."""
        if not self._at_rest or not chunk.endswith(self._blank) or len(chunk) > LINE_CAP:
            return []
        said = self._decoder.hear(_as_text(chunk))
        if said:
            if self._silent:
                self._note_silence(0.0)
            self._count(chunk)
        return said

    def read(self, chunk: bytes, waited: float = 0.0) -> list[ProviderEvent]:
        """The long way, for bytes of any kind, for which somebody waited so many seconds."""
        self._silent += waited
        self._count(chunk)
        if not self._sniffed and (head := chunk.lstrip(_WHITE)[:1]):
            self._sniffed = True
            self._page = bytearray() if head in b"{[<" else None
        if self._page is not None:
            self._page += chunk[: PAGE_CAP - len(self._page)]
            return []
        self._note_line_end(chunk)
        out: list[ProviderEvent] = []
        if not self._at_rest:
            self._end_event(chunk, out)
        elif chunk.endswith(self._blank):
            self._take(self._frames.feed(chunk), out)  # the short way was tried
        else:
            self._read_whole(chunk, out)
        self._at_rest = self._frames.at_rest
        self._note_silence(self._silent)
        return out

    def _note_line_end(self, chunk: bytes) -> None:
        """As a read ends, so do all lines of a server; if that is wrong, the short way does not serve."""
        if chunk.endswith(b"\n\n"):
            self._blank, self._decoder.line_end = b"\n\n", "\n"
        elif chunk.endswith(b"\r\n\r\n"):
            self._blank, self._decoder.line_end = b"\r\n\r\n", "\r\n"

    def _count(self, chunk: bytes) -> None:
        self._length += len(chunk)
        if self._length > self._body_cap > 0:
            raise ProviderError(
                f"The provider sent more than {self._body_cap} bytes.",
                user_message="The provider's answer did not end. Ask for less at once.",
            )

    def _end_event(self, chunk: bytes, out: list[ProviderEvent]) -> None:
        """Read the end of an event that an earlier read began, and what is behind it."""
        cut = chunk.find(self._blank) + len(self._blank)
        begun, chunk = (chunk[:cut], chunk[cut:]) if cut >= len(self._blank) else (chunk, b"")
        self._take(self._frames.feed(begun), out)
        if chunk and self._frames.at_rest:
            self._read_whole(chunk, out)

    def _read_whole(self, chunk: bytes, out: list[ProviderEvent]) -> None:
        """Read what begins with an event: the short way as far as events are whole, if it serves."""
        cut = chunk.rfind(self._blank) + len(self._blank)
        if len(self._blank) <= cut <= LINE_CAP and (said := self._decoder.hear(_as_text(chunk[:cut]))):
            self._silent = 0.0
            out += said
            chunk = chunk[cut:]
        if chunk:
            self._take(self._frames.feed(chunk), out)

    def flush(self) -> list[ProviderEvent]:
        """What the end of the bytes completes: an event that lacked only its blank line, not half of one."""
        out: list[ProviderEvent] = []
        self._take([frame for frame in self._frames.flush() if _is_whole(frame)], out)
        return out

    def finish(self, why: str = "The connection closed") -> list[ProviderEvent]:
        """The terminal event; raises why there is none."""
        if self._page is not None:
            raise _misplaced(bytes(self._page))
        return self._decoder.flush(why)

    def _take(self, frames: list[Frame], out: list[ProviderEvent]) -> None:
        """Read events one by one."""
        decoder = self._decoder
        for frame in frames:
            if isinstance(frame, Comment):
                if out[-1:] != [KEEP_ALIVE]:
                    out.append(KEEP_ALIVE)
                continue
            events = decoder.feed(frame)
            if events != _ALIVE:
                self._silent = 0.0
            if not (events or decoder.finishing or decoder.ended):
                events = _ALIVE  # a piece of something: whoever waits shall know that we live
            out += events
            if decoder.ended:
                break


def _is_whole(frame: Frame) -> bool:
    return isinstance(frame, ServerEvent) and (frame.data == "[DONE]" or _json(frame.data) is not None)


def _json(text: str | bytes) -> Any:  # noqa: ANN401
    """The value in a text, or `None`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def read_complaint(body: bytes) -> Complaint:
    """What a body says that is no event stream."""
    if not body.strip():
        return Complaint()
    if body.lstrip(_WHITE).startswith(b"<"):
        return Complaint("it sent a web page")
    complaint = find_complaint(_json(body), failed=True)
    return complaint or Complaint(body[:_SNIPPET].decode("utf-8", "replace"))


def _misplaced(page: bytes) -> ProviderError:
    """The error for a body that came with status 200 and is no stream of events."""
    if complaint := find_complaint(_json(page)):
        return to_error(complaint)
    what = "a web page" if page.lstrip(_WHITE).startswith(b"<") else "one piece of JSON"
    return Rejected(
        f"The server answered with {what} instead of a stream of events.",
        user_message="That address does not stream answers. Check the base URL and the model.",
    )


# --- Framing -------------------------------------------------------------------------------------------

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


def _as_text(chunk: bytes) -> str:
    """Whole events as text; nothing if they are not UTF-8."""
    try:
        return chunk.decode()
    except UnicodeDecodeError:
        return ""


def _decode(value: bytes) -> str:
    return value.removeprefix(b" ").decode("utf-8", "replace")
