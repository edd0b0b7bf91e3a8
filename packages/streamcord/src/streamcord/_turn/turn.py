"""`say` and `Turn`: run one answer from a source to a transport.

Two tasks with an outbox between them: the reader (`source_reader.py`) feeds the pipeline, the sender sends the
planned messages. Typing delays do not stall the provider: the reader waits only while the outbox is full, and
that time does not count as silence of the source. Every exit goes through `_finish`: received text is delivered
or accounted for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from types import TracebackType
from typing import TYPE_CHECKING

from .._delivery.clock import DeliveryClock, Sleep
from .._delivery.live.message import for_transport
from .._delivery.transport import Clocked, PlaceholderTransport
from .._events import Source
from .._exceptions import DeliveryError
from .._journal.restore_turn import TurnRecord
from .._moderation import Moderator
from .._render.renderer import Renderer
from .._result import TurnResult
from .._settings import NO_CONTEXT, AnswerContext, Settings
from .._stop import Stop, StopMode
from .._text.rules.custom_rules import Rule
from .accounting import build_result
from .arguments import as_source, as_transport, check_functions, check_inputs, open_target
from .closing import cancel_and_wait, discard_source, wait_briefly
from .event_router import EventRouter
from .idle_timer import IdleTimer
from .observers import Observer
from .rendering import choose_drawings, make_sender, message_tools
from .source_reader import SourceReader

if TYPE_CHECKING:
    from .._discord.interaction import Target
    from .._journal.turn_journal import TurnJournal
    from .._providers.sdk_streams import SdkStream

_DEFAULTS = Settings()
UNBOUNDED_STOPS = {StopMode.FLUSH, StopMode.HAND_OVER}


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
            await open_target(transport),
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
    """A running answer, for programs that do something else while it is sent.

    `say` builds a turn and runs it to its end. Use `Turn` to start an answer in the background, and stop
    it or wait for it later. The block ends when the turn has ended; an exception inside of it cancels the turn.

    Args:
        transport: Where to send; this and all other arguments are those of `say`.
        source: The model's stream.
        settings: How the answer is split, changed and paced.
        context: Persona, people, emoji and earlier messages of this answer.
        random: Source of randomness for pauses and humanizing.
        stop: Ends the turn from outside; by default a new one, see the attribute `stop`.
        show: Whether to send messages; if false, the text is only in the result.
        observe: Called with every source event, every pipeline event and every receipt.
        sleep: Replaces `asyncio.sleep`, for tests.
        clock: Replaces the clock of the event loop, for tests.
        rules: Functions that change the text.
        renderers: Render tables and code blocks as images.
        moderators: Check every message before it is sent.
        journal: One turn of a journal, which lets another process resume the answer.

    Raises:
        TypeError: An argument cannot be used; the message says what to write instead.

    Example:
        async with Turn(channel, source) as turn:
            await question_was_deleted.wait()
            turn.stop.ask(StopMode.NOW)
        print(turn.result.ending)

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
        source = as_source(source)
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
        check_functions(random, observe, sleep, clock)
        target = as_transport(transport)
        settings = settings or (journal.settings if journal else None) or _DEFAULTS
        context = context or (journal.context if journal else None) or NO_CONTEXT
        settings = choose_drawings(for_transport(settings, target, show=show), renderers)
        if sleep is None and isinstance(target, Clocked):
            sleep = target.sleep
        self.stop = stop or Stop()
        """Ends the turn from outside."""
        self.result: TurnResult | None = None
        """How the turn ended; None while it runs."""
        # Whether we made the stop and must close it.
        self._owns_stop = stop is None
        self._settings = settings
        self._target = target
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
        # Why the turn failed: it was cancelled, or a message could not be delivered.
        self._error: BaseException | None = None
        # Why reading was given up; decides the ending, but is not raised.
        self._idle_error: TimeoutError | None = None
        # The stop mode that was carried out; later ones are ignored.
        self._stop_applied: StopMode | None = None
        # Whether the caller has awaited `finished`, which raises the error itself.
        self._result_taken = False
        # Set whenever a task ends, a stop arrives or the source falls silent.
        self._changed = asyncio.Event()
        delivery_clock = DeliveryClock(sleep, clock)
        # A renderer of the caller draws files, too.
        drawn_by = renderers if getattr(target, "takes_files", False) else ()
        tools = message_tools(settings, context, drawn_by, moderators)
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
        self._reader = SourceReader(
            source, settings, self._router, self._record, self.stop, on_change=self._changed.set
        )
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
        """Wait for the end of the turn.

        Returns:
            How the turn ended.

        Raises:
            RuntimeError: The turn was not started with `async with`.
            DeliveryError: A message could not be delivered; `.result` holds the result.
            Exception: Any other error of the source, after the received text was delivered.

        """
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
        # A turn that another process began continues after the messages that arrived.
        self._sender.resume_from(*await self._record.restore())
        self._error = self._record.error
        timer = self._reader.start()
        if self._settings.sends_are_progress:
            self._router.on_sent = lambda: timer.record_event(progress=True)
        sender = asyncio.create_task(self._sender.run())
        sender.add_done_callback(lambda _: self._changed.set())
        self.stop.listen(self._on_stop)
        try:
            await self._wait_until_read(sender, timer)
        except asyncio.CancelledError as error:
            self._error = error
        result = self.result = await self._finish(sender)
        # After a stop, an error of the source is our own doing; a cancellation is the caller's and is raised.
        failure = self._failure
        if failure is not None and (self._stop_applied is None or not isinstance(failure, Exception)):
            _attach(failure, result)
            raise failure
        return result

    @property
    def _failure(self) -> BaseException | None:
        """The error to raise at the end; one of the delivery takes precedence over one of the source."""
        return self._error or self._reader.error

    async def _wait_until_read(self, sender: asyncio.Task[None], timer: IdleTimer) -> None:
        """Wait until reading has ended: source, sender, timeout or stop."""
        with timer:
            while not (self._reader.ended or sender.done() or timer.expired or self.stop.mode):
                self._changed.clear()
                await self._changed.wait()
        if timer.expired and not self._reader.ended:
            self._idle_error = TimeoutError(f"{timer.reason} {timer.expired:g} s")
            if timer.expired == self._settings.turn_timeout:
                self._sender.expedite()

    def _on_stop(self) -> None:
        """Pause the sender at once, because the stop may forbid what waits in the outbox."""
        if self._stop_applied is None:
            self._sender.pause_sending()
        self._changed.set()

    # --- The end --------------------------------------------------------------------------------

    async def _finish(self, sender: asyncio.Task[None]) -> TurnResult:
        """Deliver or account for the rest, close the source and build the result."""
        self._reader.dismiss()
        try:
            self._queue_rest()
            await self._reader.close()
            await self._drain(sender)
        except asyncio.CancelledError as error:
            self._error = error
        self._router.outbox.close()
        self._sender.expedite()
        reason = "cancelled" if isinstance(self._failure, asyncio.CancelledError) else "undelivered"
        self._router.drop_all(reason, in_flight=self._sender.in_flight, pieces=self._sender.pieces)
        await self._shut_down(sender)
        # Again, because a message in flight may have failed while the tasks ended.
        self._router.drop_all(reason)
        self._record.close(self._failure, self.stop)
        await self._release()
        # A stop of the caller may be used for more than this turn, for example a retry.
        self.stop.listen(None)
        if self._owns_stop:
            self.stop.close()
        router = self._router
        result = build_result(
            router.stats, router.output, self._failure or self._idle_error, self.stop, router.secrets.hide
        )
        find = getattr(self._target, "partial_message", None)
        if find is None:
            return result
        return replace(result, messages=tuple(filter(None, map(find, result.receipts))))

    def _queue_rest(self) -> None:
        """Flush the pipeline into the outbox, as far as a stop or a cancellation allows."""
        if isinstance(self._failure, asyncio.CancelledError):
            raise self._failure
        if self.stop.mode is not None:
            self._apply_stop(self.stop.mode)
        else:
            self._router.flush()

    async def _drain(self, sender: asyncio.Task[None]) -> None:
        """Wait until all messages are sent, or apply a stop that arrives meanwhile."""
        self._router.outbox.close()
        while not sender.done():
            if self.stop.mode is not None:
                self._apply_stop(self.stop.mode)
            self._changed.clear()
            await self._changed.wait()
        if sender.cancelled():
            raise asyncio.CancelledError
        if error := sender.exception():
            # A delivery error takes precedence over an error of the source; a bug in the sender does not.
            self._error = error if isinstance(error, DeliveryError) else self._failure or error

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

    async def _shut_down(self, sender: asyncio.Task[None]) -> None:
        """End both tasks; let a message in flight finish first, so that its outcome is known."""
        self._reader.cancel()
        seconds = self._settings.closing_timeout
        steps: list[Callable[[], Awaitable[None]]] = [
            lambda: cancel_and_wait(sender, seconds),
            self._reader.close,
        ]
        if self._sender.in_flight:
            steps.insert(0, lambda: wait_briefly(sender, seconds))
        for step in steps:
            # A cancellation ends the wait for one step; the other task must end as well.
            try:
                await step()
            except asyncio.CancelledError as error:
                self._error = error

    async def _release(self) -> None:
        """Wait for the observer; remove what the transport shows until the first message if there is none."""
        seconds = self._settings.closing_timeout
        try:
            await self._router.observers.close(seconds)
            if isinstance(self._target, PlaceholderTransport) and self._is_without_message:
                async with asyncio.timeout(seconds):
                    await self._target.withdraw_placeholder()
        except asyncio.CancelledError as error:
            self._error = error
        except (DeliveryError, TimeoutError):
            # It was a courtesy; the answer has ended anyway.
            return

    @property
    def _is_without_message(self) -> bool:
        """Whether the answer has ended, here and everywhere, and nothing was sent."""
        return not (self._router.output.receipts or self._record.is_left)


def _attach(error: BaseException, result: TurnResult) -> None:
    """Set `error.result`, if the class of the exception allows new attributes."""
    with suppress(AttributeError):
        error.result = result  # type: ignore[attr-defined]
