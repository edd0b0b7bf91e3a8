"""Turns the bytes of one response into events, and knows how long to wait for the next ones; no I/O.

A status of 200 promises nothing: the body may be an error in JSON or a web page. Its first character tells,
since an event stream cannot begin with a brace, a bracket or a `<`; content types lie too often to be asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .._errors import ProviderError, Rejected, SettingsError
from .._events import ProviderEvent
from .dialects.base import KEEP_ALIVE, Decoder, ServerEvent
from .provider_errors import Complaint, find_complaint, to_error
from .reads.event_frames import Comment, EventReader, Frame

__all__ = [
    "BODY_CAP",
    "PAGE_CAP",
    "ResponseReader",
    "Timeouts",
    "read_complaint",
]

PAGE_CAP = 64 * 1024
BODY_CAP = 256 * 1024 * 1024
TRIES = 4
"""So many events of one read are read the long way before the short way is given up for the rest."""

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
        self._room = body_cap or 1 << 62
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
        room = self._room - len(chunk)
        if not self._at_rest or room < 0 or not chunk.endswith(self._blank):
            return []
        said = self._decoder.hear(chunk)
        if said:
            self._room = room
            if self._silent:
                self._note_silence(0.0)
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
        self._read_events(self._hear_whole(chunk, out) if self._at_rest else chunk, out)
        self._at_rest = self._frames.at_rest
        self._note_silence(self._silent)
        return out

    def _count(self, chunk: bytes) -> None:
        self._room -= len(chunk)
        if self._room < 0:
            raise ProviderError(
                f"The provider sent more than {self._body_cap} bytes.",
                user_message="The provider's answer did not end. Ask for less at once.",
            )

    def _note_line_end(self, chunk: bytes) -> None:
        """As a read ends, so do all lines of a server; if that is wrong, the short way does not serve."""
        if chunk.endswith(b"\n\n"):
            self._blank, self._decoder.line_end = b"\n\n", "\n"
        elif chunk.endswith(b"\r\n\r\n"):
            self._blank, self._decoder.line_end = b"\r\n\r\n", "\r\n"

    def _read_events(self, chunk: bytes, out: list[ProviderEvent]) -> None:
        """Read event by event, until the short way serves for the whole ones behind, or does not for long."""
        for _ in range(TRIES):
            cut = chunk.find(self._blank) + len(self._blank)
            if not len(self._blank) <= cut < len(chunk):
                break
            self._take(self._frames.feed(chunk[:cut]), out)
            if self._decoder.ended or not self._frames.at_rest:
                return
            chunk = self._hear_whole(chunk[cut:], out)
        if chunk:
            self._take(self._frames.feed(chunk), out)

    def _hear_whole(self, chunk: bytes, out: list[ProviderEvent]) -> bytes:
        """What is left of a read that begins with an event, once the short way was tried for whole ones."""
        cut = chunk.rfind(self._blank) + len(self._blank)
        if cut < len(self._blank) or not (said := self._decoder.hear(chunk[:cut])):
            return chunk
        self._silent = 0.0
        out += said
        return chunk[cut:]

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
