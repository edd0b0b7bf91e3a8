"""`say` and `Turn`: one answer from a source to a transport, and the only place that sees both ends.

Two tasks and an outbox between them: the reader feeds the pipeline, the courier takes what it planned. Delays
do not stall the provider; the reader waits only while the outbox is full, and that time is no silence.
The reader also closes the source, since many sources may be closed only by the task that reads them.
Every exit goes through one `_finish`: what was received is delivered or accounted for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from random import Random
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .._core.rules.own_rules import Rule
from .._delivery import Clocked
from .._delivery.live.growing_message import for_transport
from .._delivery.outbox import Pace, Sleep
from .._errors import DeliveryError
from .._events import OWN_EVENTS, KeepAlive, Message, ProviderEvent, Source, ToolCall
from .._journal.restoring import TurnRecord
from .._moderation.moderators import Moderator
from .._providers.source_wrappers import end_at
from .._render import Renderer
from .._result import TurnResult
from .._settings import Settings
from .._stop import Stop, StopMode
from .event_router import EventRouter, Observer, in_pieces
from .inputs import (
    SilenceTimer,
    as_transport,
    cancel_and_wait,
    check_inputs,
    close_stream,
    discard_source,
    is_foreign,
    wait_briefly,
)
from .ledger import sum_up
from .sending import make_courier, message_tools

if TYPE_CHECKING:
    from .._discord.interaction import Target
    from .._journal.turn_journal import TurnJournal
    from .._providers.sdk_streams import ForeignStream

__all__ = ["Observer", "Turn", "say"]

_DEFAULTS = Settings()
FLUSHING = {StopMode.FLUSH, StopMode.HAND_OVER}
_BREATH = 256
"""A source that never waits lets others run after so many events."""


async def say(  # noqa: PLR0913
    transport: Target,
    source: Source | ForeignStream,
    *,
    settings: Settings | None = None,
    random: Random | None = None,
    stop: Stop | None = None,
    show: bool = True,
    observe: Observer | None = None,
    sleep: Sleep | None = None,
    clock: Callable[[], float] | None = None,
    rules: Sequence[Rule] = (),
    renderers: Sequence[Renderer] | None = None,
    moderators: Sequence[Moderator] = (),
    journal: TurnJournal | None = None,
) -> TurnResult:
    """Send what `source` streams to `transport` as messages, and tell how it went.

        await say(message.channel, my_model(message.content))

    transport: where to: a channel, message or interaction of discord.py as it is, a `DiscordChannel` or
        `DiscordInteraction` where more is to be said about it, or any object with `send` and `typing`.
        A message is replied to.
    source: any async iterator of text or events, or a stream of the openai, anthropic, google-genai or
        litellm SDK, of LangChain or pydantic-ai. It is closed at the end, by the task that read it.
    settings: how the answer is cut, changed and paced; the defaults of `Settings` if left out.
    random: draws the pauses and what else is left to chance; give one with a seed for equal runs.
    stop: ends the turn from outside, see `Stop.ask`.
    show: whether anything is sent; if not, the words are in the result only.
    observe: called with everything that the source says, that becomes of it, and that arrives.
    sleep, clock: how to wait and what time it is, for tests; a transport that has `sleep` is asked to wait.
    rules: functions of your own that change words, see `Rule`; one that raises changes nothing and is told.
    renderers: who draws pictures of tables and code blocks, see `Renderer`; what is installed, if left out.
    moderators: look at every message before it is sent, see `Moderator`; one that holds something back ends
        the answer with a notice and `Moderated`, or only that message if `blocked` is `continue`.
    journal: keeps what is needed to go on after the death of this process, see `open_journal`; a turn of
        `unfinished` is gone on with, with its own settings unless others are given.

    Returns the `TurnResult`: how it ended, what was really sent, thought and asked for. Words that were
    received are delivered even if the source then fails; what it raised is raised after that, with the result
    in `.result`. What cannot be read or sent to is a `TypeError` that says what to write, before anything is
    sent.
    """
    try:
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
            rules=rules,
            renderers=renderers,
            moderators=moderators,
            journal=journal,
        )
    except (TypeError, DeliveryError):
        await discard_source(source)
        raise
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
        transport: Target,
        source: Source | ForeignStream,
        *,
        settings: Settings | None = None,
        random: Random | None = None,
        stop: Stop | None = None,
        show: bool = True,
        observe: Observer | None = None,
        sleep: Sleep | None = None,
        clock: Callable[[], float] | None = None,
        rules: Sequence[Rule] = (),
        renderers: Sequence[Renderer] | None = None,
        moderators: Sequence[Moderator] = (),
        journal: TurnJournal | None = None,
    ) -> None:
        check_inputs(source, settings, stop, journal, rules=rules, renderers=renderers, moderators=moderators)
        target = as_transport(transport)
        settings = settings or (journal.settings if journal else None) or _DEFAULTS
        settings = for_transport(settings, target, show=show)
        if sleep is None and isinstance(target, Clocked):
            sleep = target.sleep
        self.stop = stop or Stop()
        self._owns_stop = stop is None
        self.result: TurnResult | None = None
        self._source = source
        self._settings = settings
        time = clock or asyncio.get_running_loop().time
        began = time()
        random = journal.begin(settings, random, target) if journal else random or Random()
        self._router = EventRouter(
            settings,
            random,
            lambda: time() - began,
            show=show,
            observe=observe,
            rules=rules,
            hear=journal.hear if journal else None,
        )
        self._outbox = self._router.outbox
        self._error: BaseException | None = None
        self._silence: TimeoutError | None = None
        self._obeyed: StopMode | None = None
        self._over = self._read_out = self._told = False
        self._news = asyncio.Event()
        pace = Pace(sleep, clock)
        tools = message_tools(settings, renderers, moderators)
        self._courier = make_courier(
            target, self._router, pace, settings, tools, typing=show, journal=journal
        )
        self._record = TurnRecord(journal, self._router, target, pace)
        self._timer: SilenceTimer
        self._reading: object = None
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
        self._courier.go_on(*await self._record.restore())
        self._timer = SilenceTimer(
            lambda: self._outbox.full, settings.idle_timeout, settings.silence_timeout, self._news.set
        )
        reader = self._spawn(self._read())
        courier = self._spawn(self._courier.run())
        self.stop.listen(self._hear_stop)
        try:
            await self._attend(courier)
        except asyncio.CancelledError as error:
            self._error = error
        result = self.result = await self._finish(reader, courier)
        if self._error is not None and (self._obeyed is None or not isinstance(self._error, Exception)):
            _attach(self._error, result)
            raise self._error
        return result

    # --- Reading --------------------------------------------------------------------------------

    async def _attend(self, courier: asyncio.Task[None]) -> None:
        """Wait until reading is over, for whatever reason."""
        with self._timer as timer:
            while not (self._read_out or courier.done() or timer.expired or self.stop.mode):
                self._news.clear()
                await self._news.wait()
        if timer.expired and not self._read_out:
            self._silence = TimeoutError(f"the source was silent for {timer.expired:g} s")

    def _hear_stop(self) -> None:
        """A stop was asked for: from this moment nothing is sent that it may forbid."""
        if self._obeyed is None:
            self._courier.hold()
        self._news.set()

    async def _read(self) -> None:
        """Read the source to its end, and close it, in one task."""
        stream: AsyncIterator[Any] | None = None
        try:
            stream = self._reading = self._open()
            if self._record.is_open:
                await self._feed(stream)
                self._record.note_end(read_out=not self._over)
                await self._read_out_gently()
        except BaseException as error:
            # Once the turn is over, it is we who cancel this task.
            self._error = self._error or (None if self._over else error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._read_out = True
            self._news.set()
            failure = await close_stream(stream, self._settings.closing_timeout)
            self._reading = None
            self._error = self._error or failure

    def _open(self) -> AsyncIterator[Any]:
        """The source's iterator; stop strings are looked for in words, so objects are translated first."""
        stops = self._settings.stop_strings
        if not (stops or is_foreign(self._source)):
            return aiter(self._source)
        from .._providers.sdk_streams import recognize, translate  # noqa: PLC0415  (few need it)

        stream = recognize(self._source)
        return end_at(translate(stream), stops) if stops else stream

    async def _feed(self, stream: AsyncIterator[Any]) -> None:
        """Feed the pipeline until the source ends or the text itself halts the answer."""
        count = 0
        router, timer, outbox = self._router, self._timer, self._outbox
        heard, shown = router.heard, router.shown
        async for event in stream:
            if self._over:
                return
            count += 1
            if router.feed_at_once(event):
                timer.note(progress=type(event) is not KeepAlive or heard.runs_tools)
            elif isinstance(event, OWN_EVENTS):
                timer.note(progress=True)
                await self._feed_pieces(event)
            else:
                await self._feed_foreign(event, stream)
                return
            if shown.halt or self._over:
                return
            if outbox.full:
                await outbox.wait_for_room()
                timer.note(progress=True)
            if count % _BREATH == 0 or type(event) is ToolCall:
                await asyncio.sleep(0)

    async def _feed_foreign(self, first: object, stream: AsyncIterator[Any]) -> None:
        """The same for a source of objects that are not ours."""
        from .._providers.sdk_streams import read_chunks  # noqa: PLC0415  (few need it)

        async with aclosing(read_chunks(first, stream)) as events:
            await self._feed(events)

    async def _feed_pieces(self, event: str | ProviderEvent | Message) -> None:
        """Feed the pipeline with an event of any kind and length, with breaths for others."""
        for piece in in_pieces(event):
            if self._over:
                return
            # Also behind a cap: what was received is accounted for to its last word.
            self._router.begin_feed(piece)
            await self._go_on()
            if piece is not event:
                await asyncio.sleep(0)

    async def _read_out_gently(self) -> None:
        """Make messages of much that is still held, with breaths for others; little waits for the end."""
        if not (self._over or self.stop.mode or self._router.halted) and self._router.holds_much():
            self._router.begin_flush()
            await self._go_on()

    async def _go_on(self) -> None:
        """Make messages of what was read, with a breath for others after each share."""
        while self._router.go_on():  # noqa: ASYNC110  (there is nothing to wait for)
            await asyncio.sleep(0)

    # --- The end --------------------------------------------------------------------------------

    async def _finish(self, reader: asyncio.Task[None], courier: asyncio.Task[None]) -> TurnResult:
        """Deliver or account for the rest, see the source closed, sum up."""
        self._over = True
        try:
            self._queue_rest()
            await self._end_reading(reader)
            await self._drain(courier)
        except asyncio.CancelledError as error:
            self._error = error
        self._outbox.close()
        self._courier.hurry()
        reason = "cancelled" if isinstance(self._error, asyncio.CancelledError) else "undelivered"
        self._router.drop_all(reason, in_flight=self._courier.in_flight, pieces=self._courier.pieces)
        await self._put_to_rest(reader, courier)
        self._router.drop_all(reason)
        self._record.close(self._error, self.stop)
        # A stop that was given may serve more than this: a second try, say.
        self.stop.listen(None)
        if self._owns_stop:
            self.stop.close()
        router = self._router
        return sum_up(
            router.heard, router.shown, self._error or self._silence, self.stop, router.secrets.hide
        )

    def _queue_rest(self) -> None:
        """The pipeline's last words into the outbox, as far as a stop or a cancellation allows."""
        if isinstance(self._error, asyncio.CancelledError):
            raise self._error
        if self.stop.mode is not None:
            self._obey(self.stop.mode)
        else:
            self._router.flush()

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
        self._record.note_stop(mode)
        self._router.cut(mode, in_flight=self._courier.in_flight, pieces=self._courier.pieces)
        # At a shutdown everything may still go out; who stops a turn does not wait for long.
        self._courier.hurry(None if mode in FLUSHING else self._settings.closing_timeout)
        self._courier.release()

    async def _put_to_rest(self, reader: asyncio.Task[None], courier: asyncio.Task[None]) -> None:
        """End what still runs; a message in flight may arrive first, so that nobody has to guess."""
        if not self._read_out:
            reader.cancel()
        seconds = self._settings.closing_timeout
        steps: list[Callable[[], Awaitable[None]]] = [
            lambda: cancel_and_wait(courier, seconds),
            lambda: self._end_reading(reader),
        ]
        if self._courier.in_flight:
            steps.insert(0, lambda: wait_briefly(courier, seconds))
        for step in steps:
            try:
                await step()
            except asyncio.CancelledError as error:
                self._error = error

    async def _end_reading(self, reader: asyncio.Task[None]) -> None:
        """Wait until the reader has closed its source; one that does not let go is left behind."""
        seconds = self._settings.closing_timeout
        await (wait_briefly(reader, seconds) if self._read_out else cancel_and_wait(reader, seconds))
        stream, self._reading = self._reading, None
        if stream is not None and not reader.done():
            await close_stream(stream, seconds, still_read=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._news.set())
        return task


def _attach(error: BaseException, result: TurnResult) -> None:
    """Hang the result on the exception, if its class has room for one."""
    with suppress(AttributeError):
        error.result = result  # type: ignore[attr-defined]
