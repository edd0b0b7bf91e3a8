"""`say` and `Turn`: one answer from a source to a transport, and the only place that sees both ends.

Two tasks and an outbox between them: the reader feeds the pipeline, the sender takes what it planned. Delays
do not stall the provider; the reader waits only while the outbox is full, and that time is no silence.
Every exit goes through one `_finish`: what was received is delivered or accounted for, the source is closed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from random import Random
from types import TracebackType
from typing import Any, TypeAlias

from .core.pipeline import Pipeline
from .delivery import Clocked, Transport
from .errors import DeliveryError
from .events import Boundary, KeepAlive, Message, ProviderEvent, Receipt, TextDelta, ToolCall, TurnEvent
from .farewell import close, dismiss, grant
from .ledger import Heard, Shown, sum_up
from .outbox import Outbox
from .posting import as_messages, rest_as_file
from .result import TurnResult
from .sender import Pace, Sender, Sleep
from .settings import Settings
from .stop import Stop, StopMode
from .watch import Watch

__all__ = ["Observer", "Source", "Turn", "say"]

Source: TypeAlias = AsyncIterable[str | ProviderEvent | Message]
"""Anything that says something; a `Message` in it is posted as it is, in its place."""
Observer: TypeAlias = Callable[[str | ProviderEvent | TurnEvent | Receipt], object]
"""Sees everything: what the source said, what the pipeline made of it, what arrived."""

_DEFAULTS = Settings()
_BREATH = 256
"""A source that never waits lets others run after so many events."""
_log = logging.getLogger("streamcord")


async def say(  # noqa: PLR0913
    transport: Transport,
    source: Source,
    *,
    settings: Settings = _DEFAULTS,
    random: Random | None = None,
    stop: Stop | None = None,
    show: bool = True,
    observe: Observer | None = None,
    sleep: Sleep | None = None,
    clock: Callable[[], float] | None = None,
) -> TurnResult:
    """Send what `source` streams to `transport` as messages, and tell how it went.

    Words that were received are delivered even if the source then fails; what it raised is raised
    after that and carries the result as `.result`. A transport with a clock of its own is waited for on it.
    """
    turn = Turn(
        transport,
        source,
        settings=settings,
        random=random,
        stop=stop,
        show=show,
        observe=observe,
        sleep=sleep,
        clock=clock,
    )
    return await turn.run()


class Turn:
    """A running turn: a pipeline between two ends, and its books.

        async with Turn(channel, source) as turn:
            ...                          # it runs; turn.stop.ask(StopMode.NOW) ends it
        turn.result                      # once the block has ended

    `stop` ends it from outside. With `show` off the words go to the result only: no message, no typing.
    """

    def __init__(  # noqa: PLR0913
        self,
        transport: Transport,
        source: Source,
        *,
        settings: Settings = _DEFAULTS,
        random: Random | None = None,
        stop: Stop | None = None,
        show: bool = True,
        observe: Observer | None = None,
        sleep: Sleep | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        if sleep is None and isinstance(transport, Clocked):
            sleep = transport.sleep
        self.stop = stop or Stop()
        self._owns_stop = stop is None
        self.result: TurnResult | None = None
        self._source = source
        self._settings = settings
        self._pipeline = Pipeline(settings, random or Random())
        self._show = show
        self._observe = observe
        self._clock = clock or asyncio.get_running_loop().time
        self._began = self._clock()
        self._outbox = Outbox(settings.outbox_length)
        self._heard = Heard()
        self._shown = Shown()
        self._error: BaseException | None = None
        self._silence: TimeoutError | None = None
        self._obeyed: StopMode | None = None
        self._over = self._closed = self._told = False
        self._news = asyncio.Event()
        self._sender = Sender(
            transport,
            self._outbox,
            Pace(sleep, clock),
            self._note_sent,
            typing=show and settings.typing != "off",
        )
        self._watch: Watch
        self._running: asyncio.Task[TurnResult] | None = None

    async def __aenter__(self) -> Turn:
        self._running = asyncio.create_task(self.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._running is not None
        if error is None:
            if not self._told:
                await self.finished()
            return
        self._running.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._running

    async def finished(self) -> TurnResult:
        """Wait for the end; raises what the source raised."""
        if self._running is None:
            raise RuntimeError("the turn has not begun: write `async with Turn(...) as turn`")
        self._told = True
        try:
            return await asyncio.shield(self._running)
        except asyncio.CancelledError:
            self._running.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._running
            raise

    async def run(self) -> TurnResult:
        """Read, send, finish."""
        stream = aiter(self._source)
        settings = self._settings
        self._watch = Watch(
            lambda: self._outbox.full, settings.idle_timeout, settings.silence_timeout, self._news.set
        )
        reader = self._spawn(self._read(stream))
        sender = self._spawn(self._sender.run())
        self.stop.listen(self._hear_stop)
        try:
            await self._attend(reader, sender)
        except asyncio.CancelledError as error:
            self._error = error
        result = self.result = await self._finish(stream, reader, sender)
        if self._error is not None and (self._obeyed is None or not isinstance(self._error, Exception)):
            _attach(self._error, result)
            raise self._error
        return result

    # --- Reading --------------------------------------------------------------------------------

    async def _attend(self, reader: asyncio.Task[None], sender: asyncio.Task[None]) -> None:
        """Wait until reading is over, for whatever reason, and note the reason."""
        with self._watch as watch:
            while not (reader.done() or sender.done() or watch.expired or self.stop.mode):
                self._news.clear()
                await self._news.wait()
        if reader.done():
            self._error = asyncio.CancelledError() if reader.cancelled() else reader.exception()
        elif watch.expired:
            self._silence = TimeoutError(f"the source was silent for {watch.expired:g} s")

    def _hear_stop(self) -> None:
        """A stop was asked for: from this moment nothing is sent that it may forbid."""
        if self._obeyed is None:
            self._sender.hold()
        self._news.set()

    async def _read(self, stream: AsyncIterator[str | ProviderEvent | Message]) -> None:
        """Read until the source ends or the text itself halts the answer."""
        count = 0
        async for event in stream:
            if self._over:
                return
            count += 1
            alive_only = isinstance(event, KeepAlive) and not self._heard.runs_tools
            self._watch.note(progress=not alive_only)
            self._hear(event)
            if self._shown.halt is not None:
                return
            if self._outbox.full:
                await self._outbox.wait_for_room()
                self._watch.note(progress=True)
            if isinstance(event, ToolCall) or count % _BREATH == 0:
                await asyncio.sleep(0)

    def _hear(self, event: str | ProviderEvent | Message) -> None:
        self._see(event)
        if isinstance(event, Message):
            self._take(self._pipeline.flush(Boundary.ATTACHMENT))
            for message in as_messages(event, self._settings):
                self._queue(message)
            return
        self._heard.note(event, self._clock() - self._began)
        match event:
            case (str() as text) | TextDelta(text):
                self._take(self._pipeline.feed(text))
            case ToolCall():
                self._take(self._pipeline.flush(Boundary.TOOL_CALL))
            case _:
                pass

    def _take(self, events: Iterable[TurnEvent]) -> None:
        for event in events:
            self._see(event)
            if isinstance(event, Message):
                self._queue(event)
            else:
                self._shown.note(event)

    def _queue(self, message: Message) -> None:
        if self._show:
            self._outbox.put(message)
        else:
            self._shown.note_told(message)

    # --- The end --------------------------------------------------------------------------------

    async def _finish(
        self,
        stream: AsyncIterator[str | ProviderEvent | Message],
        reader: asyncio.Task[None],
        sender: asyncio.Task[None],
    ) -> TurnResult:
        """Deliver or account for the rest, close the source, sum up."""
        self._over = True
        try:
            self._queue_rest()
            await dismiss(reader, self._settings.closing_timeout)
            await self._close(stream, reader)
            await self._drain(sender)
        except asyncio.CancelledError as error:
            self._error = error
        self._outbox.close()
        self._sender.hurry()
        reason = "cancelled" if isinstance(self._error, asyncio.CancelledError) else "undelivered"
        self._lose(self._remaining(Boundary.FINAL), reason)
        await self._put_to_rest(stream, reader, sender)
        self._lose(self._outbox.take_all(), reason)
        # A stop that was given may serve more than this: a second try, say.
        self.stop.listen(None)
        if self._owns_stop:
            self.stop.close()
        self._shown.segments = self._pipeline.segments
        return sum_up(self._heard, self._shown, self._error or self._silence, self.stop)

    def _queue_rest(self) -> None:
        """The pipeline's last words into the outbox, as far as a stop or a cancellation allows."""
        if isinstance(self._error, asyncio.CancelledError):
            raise self._error
        if self.stop.mode is not None:
            self._obey(self.stop.mode)
            return
        self._take(self._pipeline.flush())
        capped = self._show and self._settings.rest_as_file and self._shown.halt is not None
        if capped and (rest := rest_as_file(self._shown)):
            self._queue(rest)

    async def _drain(self, sender: asyncio.Task[None]) -> None:
        """Wait until all is sent, for as long as nobody asks for less."""
        self._outbox.close()
        while not sender.done():
            if self.stop.mode is not None:
                self._obey(self.stop.mode)
            self._news.clear()
            await self._news.wait()
        if sender.cancelled():
            raise asyncio.CancelledError
        if error := sender.exception():
            # Where the words could not go is worse news than why they ended.
            self._error = error if isinstance(error, DeliveryError) else self._error or error

    def _obey(self, mode: StopMode) -> None:
        """Say what the stop allows, without delay, and account for the rest."""
        if self._obeyed is not None:
            return
        self._obeyed = mode
        if mode is StopMode.FLUSH:
            self._take(self._pipeline.flush())
        else:
            waiting = self._remaining(Boundary.TOOL_CALL)
            if mode is StopMode.AFTER_THIS and waiting:
                self._outbox.put(replace(waiting.pop(0), delay=0.0))
            self._lose(waiting, "stop")
        self._sender.hurry()
        self._sender.release()

    def _remaining(self, boundary: Boundary) -> list[Message]:
        """What waits and is not in flight, and what the pipeline still holds, in order."""
        waiting = self._outbox.take_all(but_first=self._sender.in_flight)
        for event in self._pipeline.flush(boundary):
            self._see(event)
            if not isinstance(event, Message):
                self._shown.note(event)
            elif self._show:
                waiting.append(event)
            else:
                self._shown.note_told(event)
        return waiting

    async def _put_to_rest(
        self, stream: object, reader: asyncio.Task[None], sender: asyncio.Task[None]
    ) -> None:
        """End what still runs; a message in flight may arrive first, so that nobody has to guess."""
        reader.cancel()
        seconds = self._settings.closing_timeout
        steps: list[Callable[[], Awaitable[None]]] = [
            lambda: dismiss(sender, seconds),
            lambda: dismiss(reader, seconds),
            lambda: self._close(stream, reader),
        ]
        if self._sender.in_flight:
            steps.insert(0, lambda: grant(sender, seconds))
        for step in steps:
            try:
                await step()
            except asyncio.CancelledError as error:
                self._error = error

    async def _close(self, stream: object, reader: asyncio.Task[None]) -> None:
        if not self._closed:
            error = await close(stream, self._settings.closing_timeout, left=not reader.done())
            self._closed = True
            self._error = self._error or error

    # --- Books ----------------------------------------------------------------------------------

    def _note_sent(self, receipt: Receipt) -> None:
        self._shown.note_sent(receipt, self._clock() - self._began)
        self._see(receipt)

    def _lose(self, messages: Iterable[Message], reason: str) -> None:
        for message in messages:
            self._shown.note_lost(message, reason)

    def _see(self, event: str | ProviderEvent | TurnEvent | Receipt) -> None:
        if self._observe is None:
            return
        try:
            self._observe(event)
        except Exception:
            # Who only looks on must not end what he looks at.
            _log.exception("an observer failed")

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._news.set())
        return task


def _attach(error: BaseException, result: TurnResult) -> None:
    """Hang the result on the exception, if its class has room for one."""
    with suppress(AttributeError):
        error.result = result  # type: ignore[attr-defined]
