"""`say` and `Turn`: one answer from a source to a transport, and the only place that sees both ends.

Two tasks and an outbox between them: the reader feeds the pipeline, the courier takes what it planned. Delays
do not stall the provider; the reader waits only while the outbox is full, and that time is no silence.
Every exit goes through one `_finish`: what was received is delivered or accounted for, the source is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from random import Random
from types import TracebackType
from typing import Any, TypeAlias

from .._core.layout.reshape import join, resplit
from .._delivery.courier import Courier, Craft
from .._delivery.pace import Pace, Sleep
from .._delivery.transport import Clocked, Transport
from .._errors import DeliveryError
from .._events import KeepAlive, Message, ProviderEvent, ToolCall
from .._providers.stop_strings import end_at
from .._render.renderer import Renderer
from .._result import TurnResult
from .._settings import Settings
from .._stop import Stop, StopMode
from .drawn_parts import Studio
from .event_router import Editor, Observer
from .idle_watch import Watch
from .ledger import sum_up
from .shutdown import close, dismiss, grant

__all__ = ["Observer", "Source", "Turn", "say"]

Source: TypeAlias = AsyncIterable[str | ProviderEvent | Message]
"""Anything that says something; a `Message` in it is posted as it is, in its place."""

_DEFAULTS = Settings()
_BREATH = 256
"""A source that never waits lets others run after so many events."""


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
    renderers: Sequence[Renderer] | None = None,
) -> TurnResult:
    """Send what `source` streams to `transport` as messages, and tell how it went.

    Words that were received are delivered even if the source then fails; what it raised is raised
    after that and carries the result as `.result`. A transport with a clock of its own is waited for on it.
    Tables are drawn by `renderers`: what is installed, if none are given.
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
        renderers=renderers,
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
        renderers: Sequence[Renderer] | None = None,
    ) -> None:
        if sleep is None and isinstance(transport, Clocked):
            sleep = transport.sleep
        self.stop = stop or Stop()
        self._owns_stop = stop is None
        self.result: TurnResult | None = None
        self._source = source
        self._settings = settings
        time = clock or asyncio.get_running_loop().time
        began = time()
        self._editor = Editor(
            settings, random or Random(), lambda: time() - began, show=show, observe=observe
        )
        self._outbox = self._editor.outbox
        self._error: BaseException | None = None
        self._silence: TimeoutError | None = None
        self._obeyed: StopMode | None = None
        self._over = self._closed = self._told = False
        self._news = asyncio.Event()
        self._courier = Courier(
            transport,
            self._outbox,
            Pace(sleep, clock),
            self._editor,
            _craft(settings, renderers),
            settings,
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
        settings = self._settings
        stops = settings.stop_strings
        stream = aiter(end_at(self._source, stops) if stops else self._source)
        self._watch = Watch(
            lambda: self._outbox.full, settings.idle_timeout, settings.silence_timeout, self._news.set
        )
        reader = self._spawn(self._read(stream))
        courier = self._spawn(self._courier.run())
        self.stop.listen(self._hear_stop)
        try:
            await self._attend(reader, courier)
        except asyncio.CancelledError as error:
            self._error = error
        result = self.result = await self._finish(stream, reader, courier)
        if self._error is not None and (self._obeyed is None or not isinstance(self._error, Exception)):
            _attach(self._error, result)
            raise self._error
        return result

    # --- Reading --------------------------------------------------------------------------------

    async def _attend(self, reader: asyncio.Task[None], courier: asyncio.Task[None]) -> None:
        """Wait until reading is over, for whatever reason, and note the reason."""
        with self._watch as watch:
            while not (reader.done() or courier.done() or watch.expired or self.stop.mode):
                self._news.clear()
                await self._news.wait()
        if reader.done():
            self._error = asyncio.CancelledError() if reader.cancelled() else reader.exception()
        elif watch.expired:
            self._silence = TimeoutError(f"the source was silent for {watch.expired:g} s")

    def _hear_stop(self) -> None:
        """A stop was asked for: from this moment nothing is sent that it may forbid."""
        if self._obeyed is None:
            self._courier.hold()
        self._news.set()

    async def _read(self, stream: AsyncIterator[str | ProviderEvent | Message]) -> None:
        """Read until the source ends or the text itself halts the answer."""
        count = 0
        async for event in stream:
            if self._over:
                return
            count += 1
            alive_only = isinstance(event, KeepAlive) and not self._editor.heard.runs_tools
            self._watch.note(progress=not alive_only)
            self._editor.feed(event)
            if self._editor.shown.halt is not None:
                return
            if self._outbox.full:
                await self._outbox.wait_for_room()
                self._watch.note(progress=True)
            if isinstance(event, ToolCall) or count % _BREATH == 0:
                await asyncio.sleep(0)

    # --- The end --------------------------------------------------------------------------------

    async def _finish(
        self,
        stream: AsyncIterator[str | ProviderEvent | Message],
        reader: asyncio.Task[None],
        courier: asyncio.Task[None],
    ) -> TurnResult:
        """Deliver or account for the rest, close the source, sum up."""
        self._over = True
        try:
            self._queue_rest()
            await dismiss(reader, self._settings.closing_timeout)
            await self._close(stream, reader)
            await self._drain(courier)
        except asyncio.CancelledError as error:
            self._error = error
        self._outbox.close()
        self._courier.hurry()
        reason = "cancelled" if isinstance(self._error, asyncio.CancelledError) else "undelivered"
        self._editor.drop_all(reason, in_flight=self._courier.in_flight)
        await self._put_to_rest(stream, reader, courier)
        self._editor.drop_all(reason)
        # A stop that was given may serve more than this: a second try, say.
        self.stop.listen(None)
        if self._owns_stop:
            self.stop.close()
        editor = self._editor
        return sum_up(editor.heard, editor.shown, self._error or self._silence, self.stop)

    def _queue_rest(self) -> None:
        """The pipeline's last words into the outbox, as far as a stop or a cancellation allows."""
        if isinstance(self._error, asyncio.CancelledError):
            raise self._error
        if self.stop.mode is not None:
            self._obey(self.stop.mode)
        else:
            self._editor.flush()

    async def _drain(self, courier: asyncio.Task[None]) -> None:
        """Wait until all is sent, for as long as nobody asks for less."""
        self._outbox.close()
        while not courier.done():
            if self.stop.mode is not None:
                self._obey(self.stop.mode)
            self._news.clear()
            await self._news.wait()
        if courier.cancelled():
            raise asyncio.CancelledError
        if error := courier.exception():
            # Where the words could not go is worse news than why they ended.
            self._error = error if isinstance(error, DeliveryError) else self._error or error

    def _obey(self, mode: StopMode) -> None:
        """Say what the stop allows, without delay, and account for the rest."""
        if self._obeyed is not None:
            return
        self._obeyed = mode
        self._editor.cut(mode, in_flight=self._courier.in_flight)
        # At a shutdown everything may still go out; who stops a turn does not wait for long.
        self._courier.hurry(None if mode is StopMode.FLUSH else self._settings.closing_timeout)
        self._courier.release()

    async def _put_to_rest(
        self, stream: object, reader: asyncio.Task[None], courier: asyncio.Task[None]
    ) -> None:
        """End what still runs; a message in flight may arrive first, so that nobody has to guess."""
        reader.cancel()
        seconds = self._settings.closing_timeout
        steps: list[Callable[[], Awaitable[None]]] = [
            lambda: dismiss(courier, seconds),
            lambda: dismiss(reader, seconds),
            lambda: self._close(stream, reader),
        ]
        if self._courier.in_flight:
            steps.insert(0, lambda: grant(courier, seconds))
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

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._news.set())
        return task


def _craft(settings: Settings, renderers: Sequence[Renderer] | None) -> Craft:
    """What the courier may need of the core and of the renderers, as plain functions."""
    return Craft(
        draw=Studio(settings, renderers).draw,
        resplit=lambda message, limit: resplit(message, limit, settings),
        join=lambda first, second: join(first, second, settings.message_length, settings),
    )


def _attach(error: BaseException, result: TurnResult) -> None:
    """Hang the result on the exception, if its class has room for one."""
    with suppress(AttributeError):
        error.result = result  # type: ignore[attr-defined]
