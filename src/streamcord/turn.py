"""`say`: one answer from a source to a transport, and the only place that sees both ends.

Every exit goes through one `finish`: what was received is delivered or accounted for, the source is closed.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import TypeAlias

from .core.pipeline import Pipeline
from .core.splitter import Splitter
from .delivery import Clocked, Transport
from .errors import DeliveryError
from .events import Boundary, Message, ProviderEvent, Table, TextDelta, ToolCall, TurnEvent
from .ledger import Heard, Shown, sum_up
from .render import Renderer, draw_files, find_renderers
from .result import TurnResult
from .settings import Settings

__all__ = ["Source", "say"]

Source: TypeAlias = AsyncIterable[str | ProviderEvent]
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

_DEFAULTS = Settings()


async def say(
    transport: Transport,
    source: Source,
    *,
    settings: Settings = _DEFAULTS,
    random: Random | None = None,
    sleep: Sleep | None = None,
    clock: Callable[[], float] = time.monotonic,
    renderers: Sequence[Renderer] | None = None,
) -> TurnResult:
    """Send what `source` streams to `transport` as messages, and tell how it went.

    Words that were received are delivered even if the source then fails; what it raised is raised
    after that and carries the result as `.result`. A transport with a clock of its own is waited for on it.
    Tables are drawn by `renderers`: what is installed, if none are given.
    """
    if sleep is None:
        sleep = transport.sleep if isinstance(transport, Clocked) else asyncio.sleep
    turn = _Turn(transport, Pipeline(settings, random or Random()), sleep, clock)
    turn.studio = _Studio(settings, renderers)
    stream = aiter(source)
    try:
        await turn.read(stream)
    except (Exception, asyncio.CancelledError) as error:
        turn.error = error
    result = await turn.finish(stream)
    if turn.error is not None:
        _attach(turn.error, result)
        raise turn.error
    return result


class _Turn:
    """The running turn: a pipeline between two ends, the messages not yet sent, and its books."""

    def __init__(
        self, transport: Transport, pipeline: Pipeline, sleep: Sleep, clock: Callable[[], float]
    ) -> None:
        self.error: BaseException | None = None
        self.studio = _Studio(_DEFAULTS, ())
        self._transport = transport
        self._pipeline = pipeline
        self._sleep = sleep
        self._clock = clock
        self._began = clock()
        self._outbox: deque[Message] = deque()
        self._heard = Heard()
        self._shown = Shown()

    async def read(self, stream: AsyncIterator[str | ProviderEvent]) -> None:
        """Read until the source ends or the text itself halts the answer."""
        async for event in stream:
            self._heard.note(event, self._now())
            match event:
                case (str() as text) | TextDelta(text):
                    self._take(self._pipeline.feed(text))
                case ToolCall():
                    self._take(self._pipeline.flush(Boundary.TOOL_CALL))
                case _:
                    continue
            await self._deliver()
            if self._shown.halt is not None:
                return

    async def finish(self, stream: AsyncIterator[str | ProviderEvent]) -> TurnResult:
        """Deliver or account for the rest, close the source, sum up."""
        self._take(self._pipeline.flush())
        try:
            if not isinstance(self.error, (DeliveryError, asyncio.CancelledError)):
                await self._deliver()
        except (Exception, asyncio.CancelledError) as error:
            self.error = self.error or error
        reason = "cancelled" if isinstance(self.error, asyncio.CancelledError) else "undelivered"
        while self._outbox:
            self._shown.note_lost(self._outbox.popleft(), reason)
        await self._close(stream)
        return sum_up(self._heard, self._shown, self.error)

    def _take(self, events: list[TurnEvent]) -> None:
        for event in events:
            if isinstance(event, Message):
                self._outbox.append(event)
            else:
                self._shown.note(event)

    async def _deliver(self) -> None:
        while self._outbox:
            # It leaves the outbox when it has arrived, so that `finish` accounts for the one that failed.
            message = self._outbox[0]
            if message.delay > 0:
                await self._transport.typing()
                await self._sleep(message.delay)
            first, *more = await self.studio.draw(message)
            receipt = await self._transport.send(first)
            for rest in more:
                await self._transport.send(rest)
            self._outbox.popleft()
            # The books keep what was planned: the model is to remember its table, not our picture of it.
            planned = receipt if first is message else replace(receipt, message=message)
            self._shown.note_sent(planned, self._now())

    async def _close(self, stream: AsyncIterator[str | ProviderEvent]) -> None:
        close = getattr(stream, "aclose", None)
        if close is None:
            return
        try:
            await close()
        except (Exception, asyncio.CancelledError) as error:
            self.error = self.error or error

    def _now(self) -> float:
        return self._clock() - self._began


class _Studio:
    """Draws tables in a thread; says in words what cannot be drawn."""

    def __init__(self, settings: Settings, renderers: Sequence[Renderer] | None) -> None:
        self._settings = settings
        self._renderers = renderers

    async def draw(self, message: Message) -> list[Message]:
        """The message as it is sent; several, if its words are too many for one."""
        if not any(isinstance(file, Table) for file in message.files):
            return [message]
        renderers = find_renderers() if self._renderers is None else self._renderers
        drawn = await asyncio.to_thread(draw_files, message, renderers)
        if len(drawn.content) <= self._settings.message_length:
            return [drawn]
        parts = Splitter(self._settings).split(drawn.content)
        return [
            replace(drawn, content=parts[0]),
            *(Message(part, speaker=drawn.speaker) for part in parts[1:]),
        ]


def _attach(error: BaseException, result: TurnResult) -> None:
    """Hang the result on the exception, if its class has room for one."""
    with suppress(AttributeError):
        error.result = result  # type: ignore[attr-defined]
