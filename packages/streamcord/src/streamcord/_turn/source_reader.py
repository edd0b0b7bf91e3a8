"""Read the source of a turn and feed its text into the pipeline.

The task that reads the source also closes it, because many sources may be closed only by that task. Long text is
fed in pieces, and the task yields to the event loop between them, so that one answer never blocks the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from .._events import Ask, Attachment, Degree, Flush, KeepAlive, Message, ProviderEvent, Source, ToolCall
from .._events.message import SOURCE_EVENTS
from .._journal.restore_turn import TurnRecord
from .._providers.stop_sequences import stop_at
from .._settings import Settings
from .._stop import Stop
from .arguments import check_words, is_sdk_stream
from .closing import close_stream, wait_briefly
from .event_router import EventRouter, as_message, in_pieces
from .idle_timer import IdleLimits, IdleTimer

if TYPE_CHECKING:
    from .._providers.sdk_streams import SdkStream

YIELD_EVERY_EVENTS = 256
"""A source that never waits yields to the event loop after this many events."""
FIRST_EVENTS = 8
"""The first line of an HTTP response is among the first texts; blank ones may be before it."""
_WIRE_STARTS = ("data:", "event:", "{")


class SourceReader:
    """Reads the source of one turn in a task of its own.

    Args:
        source: The source, or a stream of an SDK.
        settings: The settings of the turn.
        router: Gets every event.
        record: Learns when the source has ended.
        stop: The stop of the turn.
        on_change: Called when the source has ended or fallen silent.

    """

    def __init__(
        self,
        source: Source | SdkStream,
        settings: Settings,
        router: EventRouter,
        record: TurnRecord,
        stop: Stop,
        *,
        on_change: Callable[[], object],
    ) -> None:
        self.ended = False
        """Whether the last event was read, or reading failed; the source may still be closing."""
        self.error: BaseException | None = None
        """What the source raised, or failed with when it was closed."""
        self._source = source
        self._settings = settings
        self._router = router
        self._record = record
        self._stop = stop
        self._on_change = on_change
        # Whether the turn is finishing: nothing more is fed, and errors from then on are our own doing.
        self._dismissed = False
        # Whether the task was cancelled by us.
        self._cancelled = False
        # The iterator while it is not closed.
        self._stream: object = None
        self._timer: IdleTimer
        self._task: asyncio.Task[None]

    def start(self) -> IdleTimer:
        """Start to read; return the timer that expires when the source is silent for too long."""
        settings, outbox = self._settings, self._router.outbox
        # Time in which the outbox is full does not count: we are the ones who do not read.
        # One text as a whole is what degree 0 is for: there a pause of the source changes nothing.
        pause = settings.idle_flush if settings.degree is not Degree.NONE else 0.0
        limits = IdleLimits(settings.idle_timeout, settings.keepalive_timeout, settings.turn_timeout, pause)
        self._timer = IdleTimer(lambda: outbox.full, limits, self._on_change, self._on_pause)
        self._task = asyncio.create_task(self._read())
        self._task.add_done_callback(lambda _: self._on_change())
        return self._timer

    def _on_pause(self) -> None:
        if not (self._dismissed or self.ended):
            self._router.flush_finished_text()

    def dismiss(self) -> None:
        """Feed nothing more; the task still has to be closed."""
        self._dismissed = True

    def cancel(self) -> None:
        """Cancel reading once, unless the source has ended and is only being closed."""
        # A second cancellation would cut off what the source does in its `finally`.
        if not (self.ended or self._cancelled):
            self._cancelled = True
            self._task.cancel()

    async def close(self) -> None:
        """Wait until the task has closed the source; abandon it after `closing_timeout`."""
        seconds = self._settings.closing_timeout
        self.cancel()
        await wait_briefly(self._task, seconds)
        stream, self._stream = self._stream, None
        if stream is not None and not self._task.done():
            # The task ignores its cancellation; perhaps the source can be closed from here.
            await close_stream(stream, seconds, still_read=True)

    async def _read(self) -> None:
        """Read the source to its end and close it, both in this task."""
        stream: AsyncIterator[Any] | None = None
        try:
            stream = self._stream = self._open()
            if self._record.is_open:
                await self._feed(stream)
                if not (self._dismissed or self._stop.mode):
                    self._router.end_source()
                    await self._process_backlog()
                self._record.on_source_end(read_out=not self._dismissed)
                await self._drain_cooperatively()
        except BaseException as error:
            # Once the turn is finishing, it has cancelled this task itself.
            self.error = self.error or (None if self._dismissed else error)
            if not isinstance(error, Exception):
                raise
        finally:
            self.ended = True
            self._on_change()
            failure = await close_stream(stream, self._settings.closing_timeout)
            self._stream = None
            self.error = self.error or failure

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
        router, timer, outbox = self._router, self._timer, self._router.outbox
        stats, output = router.stats, router.output
        async for event in stream:
            if self._dismissed:
                return
            count += 1
            if event is None:
                # The last chunk of an SDK often has no text: `yield chunk.choices[0].delta.content`.
                continue
            if isinstance(event, Attachment):
                event = Message("", files=(event,))  # noqa: PLW2901 - a file alone is a message
            elif isinstance(event, Ask):
                event = as_message(event)  # noqa: PLW2901 - its question is a message with buttons
            if count <= FIRST_EVENTS and isinstance(event, str) and event.lstrip().startswith(_WIRE_STARTS):
                check_words(event)
            if not isinstance(event, SOURCE_EVENTS):
                # An object of an SDK that `is_sdk_stream` did not recognize, for example from a user's own generator.
                await self._feed_sdk_stream(event, stream)
                return
            # A keep-alive counts as progress only while the model waits for its tools.
            timer.record_event(progress=type(event) is not KeepAlive or stats.runs_tools)
            await self._feed_pieces(event)
            if output.halt or self._dismissed:
                return
            if outbox.full:
                await outbox.wait_for_space()
                timer.record_event(progress=True)
            # A tool call or a flush ends a message, which should be sent before the tool runs.
            if count % YIELD_EVERY_EVENTS == 0 or type(event) in {ToolCall, Flush}:
                await asyncio.sleep(0)

    async def _feed_sdk_stream(self, first: object, stream: AsyncIterator[Any]) -> None:
        """Feed the pipeline from a stream of SDK objects."""
        from .._providers.sdk_streams import read_chunks  # noqa: PLC0415  (few need it)

        async with aclosing(read_chunks(first, stream)) as events:
            await self._feed(events)

    async def _feed_pieces(self, event: str | ProviderEvent | Message) -> None:
        """Feed one event, long text in pieces, and yield to the event loop between them."""
        for piece in in_pieces(event):
            if self._dismissed:
                return
            # Also after the message cap: all received text must be accounted for.
            self._router.feed_deferred(piece)
            await self._process_backlog()
            if piece is not event:
                await asyncio.sleep(0)

    async def _drain_cooperatively(self) -> None:
        """Flush a large buffer in batches; a small one is flushed by the turn."""
        if not (self._dismissed or self._stop.mode or self._router.halted) and self._router.holds_much():
            self._router.flush_deferred()
            await self._process_backlog()

    async def _process_backlog(self) -> None:
        """Process the backlog of the pipeline and yield to the event loop after each batch."""
        while self._router.process_batch():  # noqa: ASYNC110  (there is nothing to wait for)
            await asyncio.sleep(0)
