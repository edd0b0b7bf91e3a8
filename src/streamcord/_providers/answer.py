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
from .dialects.base import KEEP_ALIVE, Decoder
from .provider_errors import Complaint, find_complaint, to_error
from .sse import Comment, EventReader, Frame, ServerEvent

__all__ = ["BODY_CAP", "PAGE_CAP", "AnswerReader", "Timeouts", "read_complaint"]

PAGE_CAP = 64 * 1024
BODY_CAP = 256 * 1024 * 1024

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


class AnswerReader:
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
        self._silent = 0.0
        self._page: bytearray | None = None
        self._sniffed = False

    @property
    def ended(self) -> bool:
        """Whether reading on is of no use."""
        return self._decoder.ended or (self._page is not None and len(self._page) >= PAGE_CAP)

    @property
    def limit(self) -> float:
        """Seconds that the next bytes may take."""
        if self._decoder.finishing:
            return self._timeouts.closing
        return max(0.0, min(self._timeouts.idle, self._timeouts.silent - self._silent))

    def feed(self, chunk: bytes, waited: float = 0.0) -> list[ProviderEvent]:
        """What these bytes say, for which somebody waited so many seconds."""
        self._silent += waited
        self._length += len(chunk)
        if self._body_cap and self._length > self._body_cap:
            raise ProviderError(
                f"The provider sent more than {self._body_cap} bytes.",
                user_message="The provider's answer did not end. Ask for less at once.",
            )
        if not self._sniffed and (head := chunk.lstrip(_WHITE)[:1]):
            self._sniffed = True
            self._page = bytearray() if head in b"{[<" else None
        if self._page is not None:
            self._page += chunk[: PAGE_CAP - len(self._page)]
            return []
        return self._events(self._frames.feed(chunk))

    def flush(self) -> list[ProviderEvent]:
        """What the end of the bytes completes: an event that lacked only its blank line, not half of one."""
        return self._events([frame for frame in self._frames.flush() if _is_whole(frame)])

    def finish(self, why: str = "The connection closed") -> list[ProviderEvent]:
        """The terminal event; raises why there is none."""
        if self._page is not None:
            raise _misplaced(bytes(self._page))
        return self._decoder.flush(why)

    def _events(self, frames: list[Frame]) -> list[ProviderEvent]:
        out: list[ProviderEvent] = []
        for frame in frames:
            if isinstance(frame, Comment):
                if out[-1:] != [KEEP_ALIVE]:
                    out.append(KEEP_ALIVE)
                continue
            events = self._decoder.feed(frame)
            if events != [KEEP_ALIVE]:
                self._silent = 0.0
            if not (events or self._decoder.finishing or self._decoder.ended):
                events = [KEEP_ALIVE]  # a piece of something: whoever waits shall know that we live
            out += events
            if self._decoder.ended:
                break
        return out


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
    """The error that a body is which came with status 200 in the place of a stream."""
    if complaint := find_complaint(_json(page)):
        return to_error(complaint)
    what = "a web page" if page.lstrip(_WHITE).startswith(b"<") else "one piece of JSON"
    return Rejected(
        f"The server answered with {what} instead of a stream of events.",
        user_message="That address does not stream answers. Check the base URL and the model.",
    )
