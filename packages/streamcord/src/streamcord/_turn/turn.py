"""`say` and `Turn`: run one answer from a source to a transport.

Two tasks with an outbox between them: the reader feeds the pipeline, the sender sends the planned messages.
Typing delays do not stall the provider: the reader waits only while the outbox is full, and that time does
not count as silence of the source. The reader also closes the source, because many sources may be closed only
by the task that reads them. Every exit goes through `_finish`: received text is delivered or accounted for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from random import Random
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .._delivery.clock import DeliveryClock, Sleep
from .._delivery.live.message import for_transport
from .._delivery.transport import Clocked
from .._events import KeepAlive, Message, ProviderEvent, Source, ToolCall
from .._events.message import SOURCE_EVENTS
from .._exceptions import DeliveryError
from .._journal.resume import TurnRecord
from .._moderation import Moderator
from .._providers.stop_sequences import stop_at
from .._render.renderer import Renderer
from .._result import TurnResult
from .._settings import NO_CONTEXT, AnswerContext, Settings
from .._stop import Stop, StopMode
from .._text.rules.custom_rules import Rule
from .accounting import build_result
from .arguments import as_transport, check_inputs, is_sdk_stream
from .closing import cancel_and_wait, close_stream, discard_source, wait_briefly
from .event_router import EventRouter, Observer, in_pieces
from .idle_timer import IdleTimer
from .rendering import make_sender, message_tools

if TYPE_CHECKING:
    from .._discord.interaction import Target
    from .._journal.turn_journal import TurnJournal
    from .._providers.sdk_streams import SdkStream

__all__ = ["Observer", "Turn", "say"]

_DEFAULTS = Settings()
UNBOUNDED_STOPS = {StopMode.FLUSH, StopMode.HAND_OVER}
YIELD_EVERY_EVENTS = 256
"""A source that never waits yields to the event loop after this many events."""


async def say(  # noqa: PLR0913
    transport: Target,
    source: Source | SdkStream,
    *,
    settings: Settings | None = None,
    context: AnswerContext | None = None,
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
    """Send a model's stream to Discord as messages and return how the answer ended.

    Text that was received is delivered even if the source fails afterwards.

    Args:
        transport: Where to send: a message, channel or interaction of discord.py, a `DiscordChannel` or
            `DiscordInteraction`, or any object with `send` and `typing`. A message is replied to.
        source: Any async iterator of text or events, or a stream of the openai, anthropic, google-genai or
            litellm SDK, of LangChain or of pydantic-ai. It is closed at the end, by the task that read it.
        settings: How the answer is split, changed and paced; by default `Settings()`.
        context: What belongs to this answer alone: persona, people, emoji, earlier messages.
        random: Source of randomness for pauses and humanizing; pass a seeded one for equal runs.
        stop: Ends the turn from outside, see `Stop.ask`.
        show: Whether to send messages; if false, the text is only in the result.
        observe: Called with every source event, every pipeline event and every receipt.
        sleep: Replaces `asyncio.sleep`, for tests; by default the transport's own `sleep`, if it has one.
        clock: Replaces the clock of the event loop, for tests.
        rules: Functions that change the text, see `Rule`. If one raises, the text stays unchanged and the error
            is logged.
        renderers: Render tables and code blocks as images, see `Renderer`; by default the installed ones.
        moderators: Check every message before it is sent, see `Moderator`. A blocked message ends the answer with
            a notice and `Moderated`; with `on_filtered="continue"` only that message is left out.
        journal: One turn of a journal, which lets another process resume the answer after a crash, see
            `open_journal`. A turn of `unfinished` is resumed with its own settings and context by default.

    Returns:
        The result: the ending, the sent messages, reasoning, tool calls and token usage.

    Raises:
        TypeError: The transport, the source or another argument cannot be used. Nothing is sent; the message says
            what to write instead.
        DeliveryError: A message could not be delivered; `.result` holds the result.
        Exception: Any other error of the source, after the received text was delivered; `.result` holds the result.

    Example:
        result = await say(message, my_model(message.content))
        print(result.ending)

    """
    try:
        turn = Turn(
            transport,
            source,
            settings=settings,
            context=context,
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
    """A running turn: the pipeline between a source and a transport, and the accounts of both.

        async with Turn(channel, source) as turn:
            ...                          # it runs; turn.stop.ask(StopMode.NOW) ends it
        turn.result                      # once the block has ended

    `stop` ends it from outside. With `show=False` the text goes to the result only: no message, no typing.

    It has more than 15 attributes because it owns both tasks and every way in which they can end. The flags
    are independent of each other: the source may end before or after the turn starts to finish.
    """

    def __init__(  # noqa: PLR0913
        self,
        transport: Target,
        source: Source | SdkStream,
        *,
        settings: Settings | None = None,
        context: AnswerContext | None = None,
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
        check_inputs(
            source,
            settings,
            context,
            stop,
            journal,
            rules=rules,
            renderers=renderers,
            moderators=moderators,
        )
        target = as_transport(transport)
        settings = settings or (journal.settings if journal else None) or _DEFAULTS
        context = context or (journal.context if journal else None) or NO_CONTEXT
        settings = for_transport(settings, target, show=show)
        if sleep is None and isinstance(target, Clocked):
            sleep = target.sleep
        self.stop = stop or Stop()
        # Whether we made the stop and must close it.
        self._owns_stop = stop is None
        # Set when the turn has ended.
        self.result: TurnResult | None = None
        self._source = source
        self._settings = settings
        time = clock or asyncio.get_running_loop().time
        began = time()
        random = journal.begin(settings, random, target, context) if journal else random or Random()
        self._router = EventRouter(
            settings,
            random,
            lambda: time() - began,
            show=show,
            observe=observe,
            rules=rules,
            context=context,
            journal_event=journal.record_event if journal else None,
        )
        self._outbox = self._router.outbox
        # What the turn raises at its end.
        self._error: BaseException | None = None
        # Why reading was given up; decides the ending, but is not raised.
        self._idle_error: TimeoutError | None = None
        # The stop mode that was carried out; later ones are ignored.
        self._stop_applied: StopMode | None = None
        # Whether `_finish` has begun: nothing more is fed, and errors of the reader are our own doing.
        self._finishing = False
        # Whether the reader got the last event, or failed; it may still be closing the source.
        self._source_ended = False
        # Whether the caller has awaited `finished`, which raises the error itself.
        self._result_taken = False
        # Set whenever a task ends, a stop arrives or the source falls silent.
        self._changed = asyncio.Event()
        delivery_clock = DeliveryClock(sleep, clock)
        tools = message_tools(settings, context, renderers, moderators)
        self._sender = make_sender(
            target,
            self._router,
            delivery_clock,
            settings,
            tools,
            typing=show,
            journal=journal,
            people=context.people,
        )
        self._record = TurnRecord(journal, self._router, target, delivery_clock)
        self._timer: IdleTimer
        # The iterator while the reader has not closed it.
        self._open_stream: object = None
        # The task of `run`, if the turn is used as a context manager.
        self._running: asyncio.Task[TurnResult] | None = None

    async def __aenter__(self) -> Turn:
        self._running = asyncio.create_task(self.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._running is not None
        if error is None:
            if not self._result_taken:
                await self.finished()
            return
        self._running.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await self._running

    async def finished(self) -> TurnResult:
        """Wait for the end; raises what the source raised."""
        if self._running is None:
            raise RuntimeError("the turn has not begun: write `async with Turn(...) as turn`")
        self._result_taken = True
        try:
            return await asyncio.shield(self._running)
        except asyncio.CancelledError:
            self._running.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._running
            raise

    async def run(self) -> TurnResult:
        """Read and send until both are done, then return the result or raise what went wrong."""
        settings = self._settings
        self._sender.resume_from(*await self._record.restore())
        self._timer = IdleTimer(
            lambda: self._outbox.full, settings.idle_timeout, settings.silence_timeout, self._changed.set
        )
        reader = self._spawn(self._read())
        sender = self._spawn(self._sender.run())
        self.stop.listen(self._on_stop)
        try:
            await self._wait_until_read(sender)
        except asyncio.CancelledError as error:
            self._error = error
        result = self.result = await self._finish(reader, sender)
        if self._error is not None and (self._stop_applied is None or not isinstance(self._error, Exception)):
            _attach(self._error, result)
            raise self._error
        return result

    # --- Reading --------------------------------------------------------------------------------

    async def _wait_until_read(self, sender: asyncio.Task[None]) -> None:
        """Wait until reading has ended: source, sender, timeout or stop."""
        with self._timer as timer:
            while not (self._source_ended or sender.done() or timer.expired or self.stop.mode):
                self._changed.clear()
                await self._changed.wait()
        if timer.expired and not self._source_ended:
            self._idle_error = TimeoutError(f"the source was silent for {timer.expired:g} s")

    def _on_stop(self) -> None:
        """Pause the sender at once, because the stop may forbid what waits in the outbox."""
        if self._stop_applied is None:
            self._sender.pause_sending()
        self._changed.set()

    async def _read(self) -> None:
        """Read the source to its end and close it, both in this task."""
        stream: AsyncIterator[Any] | None = None
        try:
            stream = self._open_stream = self._open()
            if self._record.is_open:
                await self._feed(stream)
                self._record.on_source_end(read_out=not self._finishing)
                await self._drain_cooperatively()
        except BaseException as error:
            # Once the turn is finishing, we have cancelled this task ourselves.
            self._error = self._error or (None if self._finishing else error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._source_ended = True
            self._changed.set()
            failure = await close_stream(stream, self._settings.closing_timeout)
            self._open_stream = None
            self._error = self._error or failure

    def _open(self) -> AsyncIterator[Any]:
        """Return the source's iterator; stop strings need text, so SDK objects are translated first."""
        stops = self._settings.stop_strings
        if not (stops or is_sdk_stream(self._source)):
            return aiter(self._source)
        from .._providers.sdk_streams import recognize, translate  # noqa: PLC0415  (few need it)

        stream = recognize(self._source)
        if not stops:
            return stream
        return stop_at(translate(stream), stops, on_stop=self._router.on_stop_sequence)

    async def _feed(self, stream: AsyncIterator[Any]) -> None:
        """Feed the pipeline until the source ends or the text itself halts the answer."""
        count = 0
        router, timer, outbox = self._router, self._timer, self._outbox
        stats, output = router.stats, router.output
        async for event in stream:
            if self._finishing:
                return
            count += 1
            if not isinstance(event, SOURCE_EVENTS):
                await self._feed_sdk_stream(event, stream)
                return
            # A keep-alive counts as progress only while the model waits for its tools.
            timer.record_event(progress=type(event) is not KeepAlive or stats.runs_tools)
            await self._feed_pieces(event)
            if output.halt or self._finishing:
                return
            if outbox.full:
                await outbox.wait_for_space()
                timer.record_event(progress=True)
            if count % YIELD_EVERY_EVENTS == 0 or type(event) is ToolCall:
                await asyncio.sleep(0)

    async def _feed_sdk_stream(self, first: object, stream: AsyncIterator[Any]) -> None:
        """Feed the pipeline from a stream of SDK objects."""
        from .._providers.sdk_streams import read_chunks  # noqa: PLC0415  (few need it)

        async with aclosing(read_chunks(first, stream)) as events:
            await self._feed(events)

    async def _feed_pieces(self, event: str | ProviderEvent | Message) -> None:
        """Feed one event, long text in pieces, and yield to the event loop between them."""
        for piece in in_pieces(event):
            if self._finishing:
                return
            # Also after the message cap: all received text must be accounted for.
            self._router.feed_deferred(piece)
            await self._process_backlog()
            if piece is not event:
                await asyncio.sleep(0)

    async def _drain_cooperatively(self) -> None:
        """Flush a large buffer in batches; a small one is flushed by `_queue_rest`."""
        if not (self._finishing or self.stop.mode or self._router.halted) and self._router.holds_much():
            self._router.flush_deferred()
            await self._process_backlog()

    async def _process_backlog(self) -> None:
        """Process the backlog of the pipeline and yield to the event loop after each batch."""
        while self._router.process_batch():  # noqa: ASYNC110  (there is nothing to wait for)
            await asyncio.sleep(0)

    # --- The end --------------------------------------------------------------------------------

    async def _finish(self, reader: asyncio.Task[None], sender: asyncio.Task[None]) -> TurnResult:
        """Deliver or account for the rest, close the source and build the result."""
        self._finishing = True
        try:
            self._queue_rest()
            await self._end_reading(reader)
            await self._drain(sender)
        except asyncio.CancelledError as error:
            self._error = error
        self._outbox.close()
        self._sender.expedite()
        reason = "cancelled" if isinstance(self._error, asyncio.CancelledError) else "undelivered"
        self._router.drop_all(reason, in_flight=self._sender.in_flight, pieces=self._sender.pieces)
        await self._shut_down(reader, sender)
        self._router.drop_all(reason)
        self._record.close(self._error, self.stop)
        # A stop of the caller may be used for more than this turn, for example a retry.
        self.stop.listen(None)
        if self._owns_stop:
            self.stop.close()
        router = self._router
        return build_result(
            router.stats, router.output, self._error or self._idle_error, self.stop, router.secrets.hide
        )

    def _queue_rest(self) -> None:
        """Flush the pipeline into the outbox, as far as a stop or a cancellation allows."""
        if isinstance(self._error, asyncio.CancelledError):
            raise self._error
        if self.stop.mode is not None:
            self._apply_stop(self.stop.mode)
        else:
            self._router.flush()

    async def _drain(self, sender: asyncio.Task[None]) -> None:
        """Wait until all messages are sent, or apply a stop that arrives meanwhile."""
        self._outbox.close()
        while not sender.done():
            if self.stop.mode is not None:
                self._apply_stop(self.stop.mode)
            self._changed.clear()
            await self._changed.wait()
        if sender.cancelled():
            raise asyncio.CancelledError
        if error := sender.exception():
            # A delivery error takes precedence over an error of the source.
            self._error = error if isinstance(error, DeliveryError) else self._error or error

    def _apply_stop(self, mode: StopMode) -> None:
        """Keep what the stop allows, send it without delay, and account for the rest."""
        if self._stop_applied is not None:
            return
        self._stop_applied = mode
        self._record.on_stop(mode)
        self._router.cut(mode, in_flight=self._sender.in_flight, pieces=self._sender.pieces)
        # A flush may take as long as it needs; other stops bound the request in flight.
        self._sender.expedite(None if mode in UNBOUNDED_STOPS else self._settings.closing_timeout)
        self._sender.resume_sending()

    async def _shut_down(self, reader: asyncio.Task[None], sender: asyncio.Task[None]) -> None:
        """End both tasks; let a message in flight finish first, so that its outcome is known."""
        if not self._source_ended:
            reader.cancel()
        seconds = self._settings.closing_timeout
        steps: list[Callable[[], Awaitable[None]]] = [
            lambda: cancel_and_wait(sender, seconds),
            lambda: self._end_reading(reader),
        ]
        if self._sender.in_flight:
            steps.insert(0, lambda: wait_briefly(sender, seconds))
        for step in steps:
            try:
                await step()
            except asyncio.CancelledError as error:
                self._error = error

    async def _end_reading(self, reader: asyncio.Task[None]) -> None:
        """Wait until the reader has closed the source; abandon it after `closing_timeout`."""
        seconds = self._settings.closing_timeout
        await (wait_briefly(reader, seconds) if self._source_ended else cancel_and_wait(reader, seconds))
        stream, self._open_stream = self._open_stream, None
        if stream is not None and not reader.done():
            await close_stream(stream, seconds, still_read=True)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._changed.set())
        return task


def _attach(error: BaseException, result: TurnResult) -> None:
    """Set `error.result`, if the class of the exception allows new attributes."""
    with suppress(AttributeError):
        error.result = result  # type: ignore[attr-defined]
