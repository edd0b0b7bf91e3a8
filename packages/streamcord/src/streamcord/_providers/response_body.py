"""Read the body of an HTTP response with aiohttp, with a timeout for each read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import aiohttp

from .._events import ProviderEvent, TextDelta
from .._exceptions import ProviderError
from .response_reader import ResponseReader

_TIMED_OUT = "The provider fell silent"
_CLOSED = "The connection closed"


class ResponseBody:
    """The events of one response.

    Call `read` until `at_end`, then `flush`, then `finish`, and `close` in any case.
    """

    def __init__(self, response: aiohttp.ClientResponse, reader: ResponseReader) -> None:
        self.at_end = False
        """Whether there is nothing more to read."""
        self._response = response
        self._content = response.content
        self._reader = reader
        # Why the body ended, for the error if the answer is incomplete.
        self._end_reason = ""

    async def read(self) -> list[ProviderEvent]:
        """Wait for the next bytes and return the events that they complete.

        Text deltas of one read are joined: how a provider slices its text means nothing.
        """
        time = asyncio.get_running_loop().time
        began = time()
        try:
            async with asyncio.timeout(self._reader.read_timeout):
                chunk = await self._content.readany()
        except TimeoutError:
            self._end(_TIMED_OUT)
            return []
        except (aiohttp.ClientError, OSError) as error:
            self._end(f"The connection broke ({type(error).__name__})")
            return []
        if not chunk:
            if self._content.at_eof():
                self._end(_CLOSED)
            return []
        events = self._reader.feed(chunk, time() - began)
        self.at_end = self._reader.ended
        return list(_join_text(events))

    def _end(self, reason: str) -> None:
        self._end_reason = reason
        self.at_end = True

    @property
    def continuation(self) -> Sequence[Mapping[str, Any]]:
        """What must be sent back so that a paused answer continues; empty if it is complete."""
        return self._reader.continuation

    @property
    def broke_off(self) -> bool:
        """Whether the connection ended, or fell silent, before the provider said that the answer is over."""
        return bool(self._end_reason)

    def flush(self) -> list[ProviderEvent]:
        """Return the events that the end of the body completes."""
        return self._reader.flush()

    def finish(self) -> list[ProviderEvent]:
        """Return the terminal event.

        Raises:
            ProviderError: The answer is incomplete or failed. If a timeout was the reason, its cause is a
                `TimeoutError`.

        """
        try:
            return self._reader.finish(self._end_reason or "The provider ended")
        except ProviderError as error:
            if self._end_reason == _TIMED_OUT and error.__cause__ is None:
                error.__cause__ = TimeoutError(_TIMED_OUT)
            failure = error
        # Raised outside of the `except`, so that the error carries no context.
        raise failure

    def close(self) -> None:
        """Release the connection: aiohttp keeps it if the body was read to its end, and closes it otherwise."""
        self._response.release()


async def read_error_body(response: aiohttp.ClientResponse, timeout_s: float, max_bytes: int) -> bytes:
    """Return at most `max_bytes` of a body that is not an event stream; each read may take `timeout_s`."""
    body = bytearray()
    try:
        while len(body) < max_bytes and not response.content.at_eof():
            async with asyncio.timeout(timeout_s):
                body += await response.content.readany()
    except (aiohttp.ClientError, OSError):
        # A part of the error message is better than none. (`TimeoutError` is an `OSError`.)
        pass
    return bytes(body[:max_bytes])


def _join_text(events: list[ProviderEvent]) -> Iterator[ProviderEvent]:
    """Join adjacent text deltas."""
    for is_text, group in groupby(events, lambda event: type(event) is TextDelta):
        if is_text:
            yield TextDelta("".join([event.text for event in group]))  # type: ignore[union-attr]
        else:
            yield from group
