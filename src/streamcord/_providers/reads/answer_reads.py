"""Reads the body of one response as it arrives, on aiohttp: what each read says, and why it ended."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import aiohttp

from ..._errors import ProviderError
from ..._events import ProviderEvent, TextDelta
from ..response_reader import ResponseReader
from .read_timer import ReadTimer

__all__ = ["AnswerReads", "read_page"]

_SILENT = "The provider fell silent"
_CLOSED = "The connection closed"


class AnswerReads:
    """Asked for `next` until it is `over`, then for what the end completes and for the terminal event.

    Nearly every read is a few words: nothing else is done for one than to find them.
    """

    def __init__(self, response: aiohttp.ClientResponse, answer: ResponseReader) -> None:
        self.over = False
        """Whether there is nothing more to read."""
        self._response = response
        self._content = response.content
        self._answer = answer
        self._why = ""
        self._timer = _timer(response)

    async def next(self) -> list[ProviderEvent]:
        """What the next bytes say."""
        self._timer.begin(self._answer.limit)
        try:
            chunk = await self._content.readany()
        except (aiohttp.ClientError, OSError) as error:
            self._end(_reason(error))
            return []
        self._timer.end()
        return self._answer.hear(chunk) or self._read(chunk)

    def _read(self, chunk: bytes) -> list[ProviderEvent]:
        """The long way."""
        if not chunk:
            self._end(_CLOSED if self._content.at_eof() else "")
            return []
        said = self._answer.read(chunk, self._timer.waited)
        self.over = self._answer.ended
        return said if len(said) < 2 else list(_in_one(said))

    def _end(self, why: str) -> None:
        self._why = why
        self.over = bool(why)

    def flush(self) -> list[ProviderEvent]:
        """What the end of the bytes completes."""
        return self._answer.flush()

    def finish(self) -> list[ProviderEvent]:
        """The terminal event; raises why there is none."""
        try:
            return self._answer.finish(self._why or "The provider ended")
        except ProviderError as error:
            if self._why == _SILENT and error.__cause__ is None:
                error.__cause__ = TimeoutError(_SILENT)
            failure = error
        raise failure

    def close(self) -> None:
        """Let go of the connection: back into the pool if it was read to its end, else closed."""
        self._timer.close()
        self._response.release()


async def read_page(response: aiohttp.ClientResponse, seconds: float, cap: int) -> bytes:
    """So much of a body that is no answer; each read may take so long."""
    page = bytearray()
    timer = _timer(response)
    try:
        while len(page) < cap and not response.content.at_eof():
            timer.begin(seconds)
            page += await response.content.readany()
            timer.end()
    except (aiohttp.ClientError, OSError):
        pass  # what came before says more than that there is no more
    finally:
        timer.close()
    return bytes(page[:cap])


def _timer(response: aiohttp.ClientResponse) -> ReadTimer:
    """Ends the read of a response that takes too long."""
    return ReadTimer(lambda: response.content.set_exception(TimeoutError(_SILENT)))


def _reason(error: Exception) -> str:
    # `TimeoutError` is an `OSError`, and it is ours.
    return _SILENT if isinstance(error, TimeoutError) else f"The connection broke ({type(error).__name__})"


def _in_one(batch: list[ProviderEvent]) -> Iterator[ProviderEvent]:
    """The same events, but words that came in one read are one event: how they are sliced means nothing."""
    for is_words, group in groupby(batch, lambda event: type(event) is TextDelta):
        if is_words:
            yield TextDelta("".join([event.text for event in group]))  # type: ignore[union-attr]
        else:
            yield from group
