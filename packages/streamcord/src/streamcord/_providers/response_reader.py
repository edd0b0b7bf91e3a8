"""Decode the body of a response into events, and say how long the next read may take. No I/O.

A status of 200 promises nothing: the body may be an error in JSON or a web page. Its first character tells,
because an event stream cannot begin with a brace, a bracket or a `<`. Content types are wrong too often.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._events import ProviderEvent
from .._exceptions import ProviderError, RequestRejected, SettingsError
from .apis.base import KEEP_ALIVE, Decoder, ServerEvent
from .error_mapping import ErrorPayload, parse_error_payload, to_error
from .sse import Comment, Frame, SSEDecoder

MAX_PAGE_BYTES = 64 * 1024
"""How much of a body is read that is not an event stream."""

MAX_BODY_BYTES = 256 * 1024 * 1024
"""Default limit of an event stream."""

_MAX_TIMEOUT_S = 86_400
_MAX_SNIPPET_BYTES = 300
_WHITE = b" \t\r\n\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long to wait for a provider, in seconds.

    Example:
        HttpProvider("openai", model="gpt-5", timeouts=Timeouts(idle=30.0))

    """

    connect: float = 10.0
    """To connect."""
    idle: float = 120.0
    """For the first byte and for any further byte."""
    silent: float = 300.0
    """For output, while only keep-alives arrive."""
    closing: float = 5.0
    """For the end of the stream, after the answer is complete."""

    def __post_init__(self) -> None:
        for name in ("connect", "idle", "silent", "closing"):
            if not 0 < getattr(self, name) <= _MAX_TIMEOUT_S:
                raise SettingsError(
                    name, f"more than 0 and at most {_MAX_TIMEOUT_S} seconds", getattr(self, name)
                )


class ResponseReader:
    """Turns the bytes of one response into events: SSE decoder, then the API adapter's decoder.

    Keep-alives do not count as output: if only they arrive for `Timeouts.silent` seconds, `read_timeout`
    becomes 0. Only time spent waiting for bytes counts, not the time that the caller takes for the events.
    """

    def __init__(
        self, decoder: Decoder, timeouts: Timeouts | None = None, *, max_body_bytes: int = MAX_BODY_BYTES
    ) -> None:
        self._sse = SSEDecoder()
        self._decoder = decoder
        self._timeouts = timeouts or Timeouts()
        self._max_body_bytes = max_body_bytes
        self._received_bytes = 0
        # The beginning of a body that is not an event stream, but JSON or HTML.
        self._page: bytearray | None = None
        # Whether the first character was seen, which tells whether the body is an event stream.
        self._sniffed = False
        # Seconds since the last output; keep-alives do not reset it.
        self._silent_s = 0.0

    @property
    def ended(self) -> bool:
        """Whether reading more bytes is useless."""
        return self._decoder.ended or (self._page is not None and len(self._page) >= MAX_PAGE_BYTES)

    @property
    def continuation(self) -> Sequence[Mapping[str, Any]]:
        """What must be sent back so that a paused answer continues; empty if it is complete."""
        return self._decoder.continuation

    @property
    def read_timeout(self) -> float:
        """Seconds that the next read may take."""
        timeouts = self._timeouts
        if self._decoder.finishing:
            return timeouts.closing
        return max(0.0, min(timeouts.idle, timeouts.silent - self._silent_s))

    def feed(self, chunk: bytes, waited_s: float = 0.0) -> list[ProviderEvent]:
        """Return the events that these bytes complete.

        Args:
            chunk: Bytes of the body, sliced in any way.
            waited_s: How long the read took, in seconds.

        Raises:
            ProviderError: The body is too long, or contains a line that is too long.

        """
        self._silent_s += waited_s
        self._count_bytes(chunk)
        if not self._sniffed and (first := chunk.lstrip(_WHITE)[:1]):
            self._sniffed = True
            self._page = bytearray() if first in b"{[<" else None
        if self._page is not None:
            self._page += chunk[: MAX_PAGE_BYTES - len(self._page)]
            return []
        return self._decode(self._sse.feed(chunk))

    def flush(self) -> list[ProviderEvent]:
        """Return what the end of the body completes: an event that lacks its blank line, if its JSON is whole."""
        return self._decode([frame for frame in self._sse.flush() if _is_complete(frame)])

    def finish(self, reason: str = "The connection closed") -> list[ProviderEvent]:
        """Return the terminal event.

        Args:
            reason: Why the body ended, for the error message if the answer is incomplete.

        Raises:
            ProviderError: The provider reported an error, or the answer is incomplete.

        """
        if self._page is not None:
            raise _page_error(bytes(self._page))
        return self._decoder.flush(reason)

    def _count_bytes(self, chunk: bytes) -> None:
        self._received_bytes += len(chunk)
        if self._max_body_bytes and self._received_bytes > self._max_body_bytes:
            raise ProviderError(
                f"The provider sent more than {self._max_body_bytes} bytes.",
                user_message="The provider's answer did not end. Ask for less at once.",
            )

    def _decode(self, frames: list[Frame]) -> list[ProviderEvent]:
        decoder = self._decoder
        out: list[ProviderEvent] = []
        for frame in frames:
            if isinstance(frame, Comment):
                # One keep-alive says as much as several in a row.
                if out[-1:] != [KEEP_ALIVE]:
                    out.append(KEEP_ALIVE)
                continue
            events = decoder.feed(frame)
            if events != [KEEP_ALIVE]:
                self._silent_s = 0.0
            if not (events or decoder.finishing or decoder.ended):
                # A fragment, for example of a tool call: the caller should know that the provider is alive.
                events = [KEEP_ALIVE]
            out += events
            if decoder.ended:
                break
        return out


def _is_complete(frame: Frame) -> bool:
    """Whether an event at the end of the body is whole, and not cut off inside its JSON."""
    return isinstance(frame, ServerEvent) and (frame.data == "[DONE]" or _parse_json(frame.data) is not None)


def _parse_json(text: str | bytes) -> Any:  # noqa: ANN401
    """Return the JSON value of a text, or None if it is invalid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def parse_error_body(body: bytes) -> ErrorPayload:
    """Return the error that the body of a failed response describes."""
    if not body.strip():
        return ErrorPayload()
    if body.lstrip(_WHITE).startswith(b"<"):
        return ErrorPayload("it sent a web page")
    error = parse_error_payload(_parse_json(body), failed=True)
    return error or ErrorPayload(body[:_MAX_SNIPPET_BYTES].decode("utf-8", "replace"))


def _page_error(page: bytes) -> ProviderError:
    """Return the error for a body with status 200 that is not an event stream."""
    if error := parse_error_payload(_parse_json(page)):
        return to_error(error)
    what = "a web page" if page.lstrip(_WHITE).startswith(b"<") else "one piece of JSON"
    return RequestRejected(
        f"The server answered with {what} instead of a stream of events.",
        user_message="That address does not stream answers. Check the base URL and the model.",
    )
