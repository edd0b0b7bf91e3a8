"""Read one answer over as many connections as it takes.

OpenAI (`background`, for five minutes) and Google (`last_event_id`) keep the events of an answer, so a connection that
broke is replaced by another one that begins after the last event that was read. Nothing is generated twice. Text that
was passed on after that event is compared with what comes now: another text is another answer.

https://platform.openai.com/docs/guides/background#streaming-a-background-response
https://ai.google.dev/api/interactions-api
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from .._events import Finish, KeepAlive, ProviderEvent, Seam, StreamPosition, TextDelta
from .._exceptions import ProviderError, RequestRejected, Truncated
from .apis.base import ApiAdapter, Decoder, Request, truncated
from .response_body import ResponseBody

RECONNECT_PAUSES_S = (0.0, 0.5, 1.0, 2.0, 4.0)
"""Pauses before attempts to take up a stream that did not advance."""

Open = Callable[[Request, Decoder], Awaitable[ResponseBody]]


@dataclass(frozen=True, slots=True)
class Pause:
    """The end of a response that is not the end of the answer."""

    finish: Finish
    content: Sequence[Mapping[str, Any]]


class ResumableStream:
    """The events of one response.

    Args:
        api: The adapter of the API.
        open_: Sends a request and returns its response.
        owner: Named in positions, so that only this API at this host takes them up.
        model: Named in the seams.

    """

    def __init__(self, api: ApiAdapter, open_: Open, owner: str, model: str) -> None:
        self._api = api
        self._open = open_
        self._owner = owner
        self._model = model
        # The last position that was told.
        self._position: StreamPosition | None = None
        # Text that was passed on before by another reader, and comes again now.
        self._repeated = ""
        # Yielded before the first event of a connection that took up the stream.
        self._seam: Seam | None = None

    async def events(
        self, request: Request, *, resumable: bool
    ) -> AsyncGenerator[ProviderEvent | Pause, None]:
        """Yield a new answer; with `resumable` a broken connection is replaced."""
        decoder = self._api.decoder()
        body = await self._open(request, decoder)
        async with aclosing(self._read(body, decoder if resumable else None)) as events:
            async for event in events:
                yield event

    async def resume(self, position: StreamPosition) -> AsyncGenerator[ProviderEvent | Pause, None]:
        """Yield the rest of an answer after this position.

        Raises:
            ProviderError: The provider does not have it any more.

        """
        decoder: Decoder = self._api.decoder(position)  # type: ignore[call-arg]
        body = await self._open(self._reopen(position), decoder)
        self._repeated = position.since
        self._seam = Seam("resumed", "Interrupted", self._model)
        async with aclosing(self._read(body, decoder)) as events:
            async for event in events:
                yield event

    def _reopen(self, position: StreamPosition) -> Request:
        reopen: Callable[[StreamPosition], Request] = self._api.reopen  # type: ignore[attr-defined]
        return reopen(position)

    async def _read(
        self, body: ResponseBody, decoder: Decoder | None
    ) -> AsyncGenerator[ProviderEvent | Pause, None]:
        """Yield the events of a response; if its connection breaks, a decoder reads on with the next one."""
        attempts, before = 0, ""
        try:
            while True:
                while not body.at_end:
                    for event in self._pass(await body.read(), decoder):
                        yield event
                for event in self._pass(body.flush(), decoder):
                    yield event
                place = decoder.take_up() if decoder and body.broke_off else None
                if place is None:
                    break
                attempts = attempts if place.after == before else 0
                before = place.after
                # A server that is silent looks like one that works.
                yield KeepAlive()
                rest, attempts = await self._reconnect(place, decoder, attempts)
                if rest is None:
                    break
                body.close()
                body = rest
            for event in self._pass(body.finish(), None):
                paused = isinstance(event, Finish) and body.continuation
                yield Pause(event, paused) if isinstance(event, Finish) and paused else event
        finally:
            body.close()

    async def _reconnect(
        self, place: StreamPosition, decoder: Decoder | None, attempts: int
    ) -> tuple[ResponseBody | None, int]:
        """Return another connection that takes up the stream, if there is one, and how many were tried."""
        for pause in RECONNECT_PAUSES_S[attempts:]:
            attempts += 1
            await asyncio.sleep(pause)
            try:
                assert decoder is not None
                body = await self._open(self._reopen(place), decoder)
            except RequestRejected:
                break
            except ProviderError:
                continue
            self._seam = Seam("resumed", Truncated.__name__, self._model)
            return body, attempts
        return None, attempts

    def _pass(self, events: Sequence[ProviderEvent], decoder: Decoder | None) -> list[ProviderEvent]:
        """Return new events, and after them the position that they have led to."""
        passed: list[ProviderEvent] = []
        for event in events:
            if isinstance(event, TextDelta):
                if text := self._without_repeated(event.text):
                    passed.append(TextDelta(text))
            else:
                if isinstance(event, Finish) and self._repeated:
                    raise truncated("The provider took its stream up again, and said less than before.")
                passed.append(event)
        if self._seam is not None and any(not isinstance(event, KeepAlive) for event in passed):
            passed.insert(0, self._seam)
            self._seam = None
        if decoder is not None and (place := decoder.position) is not None:
            place = replace(place, owner=self._owner)
            if place != self._position and not self._repeated:
                self._position = place
                passed.append(place)
        return passed

    def _without_repeated(self, text: str) -> str:
        if not self._repeated:
            return text
        length = min(len(self._repeated), len(text))
        if self._repeated[:length] != text[:length]:
            raise truncated("The provider took its stream up again, and said something else than before.")
        self._repeated = self._repeated[length:]
        return text[length:]
