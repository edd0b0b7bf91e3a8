"""Feed source events into the text pipeline, queue the planned messages, and record everything else.

Two kinds of messages do not come from the pipeline: messages of tools, and the file with the rest of an
answer that reached the message cap.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from .._common.known_secrets import SecretFilter
from .._delivery.live.sender import MIN_FIRST_CHARS
from .._delivery.outbox import Outbox
from .._events import (
    Ask,
    AskOption,
    Attachment,
    Boundary,
    Citation,
    Degree,
    Finish,
    Flush,
    GeneratedImage,
    Message,
    ProviderEvent,
    Receipt,
    Replaced,
    Speaker,
    TextDelta,
    ToolCall,
    TurnEvent,
)
from .._events.ask import MAX_DESCRIPTION_CHARS, MAX_LABEL_CHARS, MAX_NOTE_CHARS, MAX_QUESTION_CHARS
from .._journal.serialization import FinalizedDraft, RecordedEvent
from .._settings import DISCORD_LIMIT, NO_CONTEXT, AnswerContext, Settings
from .._stop import StopMode
from .._text.layout.live_planner import LiveDraft
from .._text.pipeline import Pipeline
from .._text.rules.citations import CitationList
from .._text.rules.custom_rules import Rule
from .._text.rules.speaker_guard import Guard, find_stopped_speaker
from .accounting import OutputLog, SourceStats
from .debug_log import StreamLog
from .generated_images import ImageNamer
from .observers import Observed, Observer, ObserverCalls

MAX_OUTBOX_CHARS = 64 * 1024
"""The source is not read while messages with more characters than this wait to be sent."""
REST_NOTICE = "-# This answer is too long for one turn. The rest is in the file."
CAP_NOTICE = "-# This answer is too long for one turn. The rest is not shown."
REST_NAME = "rest.txt"
PIECE_CHARS = 1024
"""Characters that are fed before yielding to the event loop."""

_log = logging.getLogger(__name__)


class EventRouter:
    """Feed the pipeline of one turn and fill its outbox.

    `now` returns the seconds since the turn began. With `show=False` messages are only recorded.

    It has more than 15 attributes because it joins pipeline, outbox, journal and the statistics of both ends.
    """

    def __init__(  # noqa: PLR0913
        self,
        settings: Settings,
        random: Random,
        now: Callable[[], float],
        *,
        show: bool = True,
        observe: Observer | None = None,
        rules: Sequence[Rule] = (),
        context: AnswerContext = NO_CONTEXT,
        journal_event: Callable[[object], None] | None = None,
    ) -> None:
        self.stats = SourceStats()
        """What the source sent."""
        self.output = OutputLog()
        """What became of it."""
        self.outbox = Outbox(MAX_OUTBOX_CHARS)
        self.secrets = SecretFilter(settings.secrets)
        # Whether the notice was sent that the message cap held text back; `flush` may be called again.
        self._cap_notified = False
        # Writes a source event into the journal.
        self._journal_event = journal_event
        # If not empty, all further messages are dropped for this reason.
        self._silence_reason = ""
        self._settings = settings
        self._random = random
        self._rules = rules
        self._context = context
        # Only to name the speaker of a stop sequence; the pipeline has a guard of its own.
        self._guard = Guard(settings, context)
        self._pipeline = Pipeline(settings, random, rules, context=context)
        self._sources = CitationList(settings)
        # Whether the list of sources was sent.
        self._sources_listed = False
        self._images = ImageNamer()
        persona = context.persona
        # The speaker of the last message, under whose name pictures and sources are sent.
        self._speaker = Speaker(persona.name, persona.avatar) if persona and persona.alter else None
        self._now = now
        self._show = show
        self.on_sent: Callable[[], object] = lambda: None
        """Called after each message that was sent."""
        # The debug lines of the turn, if anybody reads them.
        self._stream_log = StreamLog(self.secrets.hide) if StreamLog.is_enabled() else None
        if self._stream_log:
            self._pipeline.trace(self._stream_log.on_step)
        self.observers = ObserverCalls(observe)
        # Whether a live answer was flushed in a pause.
        self._has_flushed = False
        # Set while recorded events are replayed, which the observer saw in another process.
        self._is_replaying = False

    @property
    def halted(self) -> bool:
        """Whether the text itself has ended the answer."""
        return self.output.halt is not None

    def feed(self, event: str | ProviderEvent | Message) -> None:
        """Process one event of the source; a `Message` is queued unchanged after the text before it."""
        self.feed_deferred(event)
        while self.process_batch():
            pass

    def _report_source(self, event: str | ProviderEvent | Message) -> None:
        """Pass a source event to the observer, the journal and the debug log."""
        if self._stream_log is not None:
            self._stream_log.on_source(event)
        self._notify_observer(event)
        if self._journal_event is not None:
            self._journal_event(event)

    def feed_deferred(self, event: str | ProviderEvent | Message) -> None:
        """Like `feed`, but leave a backlog; the caller runs `process_batch` until it returns false."""
        if isinstance(event, GeneratedImage):
            # Its description is made of the words that are shown before it.
            self._route(self._pipeline.flush(Boundary.ATTACHMENT))
            message = self._images.as_message(event)
            if message is None:
                return
            event = message
        self._report_source(event)
        if isinstance(event, Message):
            self._route(self._pipeline.flush(Boundary.ATTACHMENT))
            # A picture or a question of the model comes from who speaks.
            is_spoken = self._images.is_own(event) or (event.ask is not None and not event.notice)
            for message in as_messages(without_secrets(event, self.secrets), self._settings):
                self._post(replace(message, speaker=self._speaker) if is_spoken else message)
            return
        if isinstance(event, Flush):
            self._route(self._pipeline.flush_deferred(Boundary.FLUSH))
            return
        if isinstance(event, Citation):
            self._cite(event)
            return
        self.stats.record(event, self._now)
        if isinstance(event, Finish):
            self.on_stop_sequence(event.stop_sequence)
        if isinstance(event, str | TextDelta):
            self._route(self._pipeline.feed_deferred(event if isinstance(event, str) else event.text))
        elif isinstance(event, ToolCall):
            self._route(self._pipeline.flush_deferred(Boundary.TOOL_CALL))

    def _cite(self, event: Citation) -> None:
        """Record a source, and put its mark into the text where the settings say so."""
        hide = self.secrets.hide
        citation = replace(event, url=hide(event.url), title=hide(event.title), quote=hide(event.quote))
        mark = self._sources.add(citation)
        self.stats.citations = self._sources.citations
        if mark:
            self._feed_own_text(mark)

    def _feed_own_text(self, text: str) -> None:
        self.stats.record_text(text, self._now, needs_finish=False)
        self._route(self._pipeline.feed_deferred(text))

    def end_source(self) -> None:
        """Write the list of sources below an answer that is one text, now that the source has ended."""
        is_one_text = self._pipeline.is_live or self._settings.degree is Degree.NONE
        if not self.stats.characters:
            # Sources alone are no answer.
            self._sources_listed = True
        if is_one_text and not (self._sources_listed or self.halted) and (listed := self._sources.text()):
            self._sources_listed = True
            self._feed_own_text(f"\n\n{listed}")

    def _list_sources(self) -> None:
        """Send the list of sources below an answer of several messages."""
        if self._show and not self._sources_listed and (listed := self._sources.text()):
            self._queue(Message(listed, speaker=self._speaker, boundary=Boundary.ATTACHMENT))
        self._sources_listed = True

    def on_stop_sequence(self, stop_sequence: str) -> None:
        """Record the stop sequence that ended the answer; the label of another speaker counts as the guard."""
        self.stats.stop_sequence = stop_sequence
        self.output.stopped_speaker = find_stopped_speaker(stop_sequence, self._guard)

    def flush_finished_text(self) -> None:
        """Send what the pipeline holds if it looks finished; called when the source pauses."""
        if self._pipeline.has_backlog or not self._pipeline.ends_finished():
            return
        if self._pipeline.is_live:
            # A live answer is one message: only its first words do not wait.
            draft = self._pipeline.draft()
            if self._has_flushed or (draft and len(draft.message.content) >= MIN_FIRST_CHARS):
                return
            self._has_flushed = True
        self.feed(Flush())

    def holds_much(self) -> bool:
        """Whether flushing should be done in batches."""
        return self._pipeline.buffered_chars > PIECE_CHARS

    def flush_deferred(self) -> None:
        """Start a flush in batches; run `process_batch` until it returns false, then `flush`."""
        self._route(self._pipeline.flush_deferred())

    def process_batch(self) -> bool:
        """Process one batch of the backlog; return whether there is more."""
        if self._pipeline.has_backlog:
            self._route(self._pipeline.process_batch())
        if self._pipeline.has_grown():
            self.outbox.notify_waiters()
        return self._pipeline.has_backlog

    def replay(self, events: Iterable[RecordedEvent], *, complete: bool, restart: bool = False) -> None:
        """Plan again the events that another process received, without observer and journal."""
        if restart:
            self.outbox.take_all()
            self._pipeline = Pipeline(self._settings, self._random, self._rules, context=self._context)
            if self._stream_log:
                self._pipeline.trace(self._stream_log.on_step)
        journal_event, self._journal_event, self._is_replaying = self._journal_event, None, True
        for event in events:
            if isinstance(event, FinalizedDraft):
                self.finalize_draft(event.pieces)
            else:
                self.feed(event)
        if complete:
            self.end_source()
            self.flush()
        # The resumed source sends a `Finish` of its own.
        self.stats.unfinished = False
        self._journal_event, self._is_replaying = journal_event, False

    def flush(self) -> None:
        """End the answer: queue the rest, and a notice about the text that the message cap held back."""
        self._route(self._pipeline.flush())
        self._list_sources()
        if not self._show or self.output.halt is None:
            return
        if self._settings.rest_as_file:
            notice = rest_as_file(self.output)
        else:
            notice = cap_notice(self.output) if not self._cap_notified else None
            self._cap_notified = self._cap_notified or notice is not None
        if notice is not None:
            self._queue(notice)

    def cut(self, mode: StopMode, *, in_flight: bool, pieces: int = 0) -> None:
        """Keep in the outbox what the stop allows, and account for the rest.

        The live message ends with its visible text, which has `pieces` pieces.
        """
        if mode is StopMode.HAND_OVER:
            return
        if mode is StopMode.FLUSH:
            self._route(self._pipeline.flush())
            return
        self.finalize_draft(pieces)
        waiting = self._take_unsent(Boundary.TOOL_CALL, in_flight=in_flight, stopped=True)
        if mode is StopMode.AFTER_THIS and waiting and not (in_flight and self._pipeline.is_live):
            self.outbox.put(replace(waiting.pop(0), delay=0.0))
        self._record_all_lost(waiting, "stop")

    def drop_all(self, reason: str, *, in_flight: bool = False, pieces: int = 0) -> None:
        """Account for everything that waits as lost, because nothing more is sent."""
        self.finalize_draft(pieces)
        self._record_all_lost(self._take_unsent(Boundary.FINAL, in_flight=in_flight), reason)
        self.output.segments = self._pipeline.segments
        self._report_failed_rules()

    def _report_failed_rules(self) -> None:
        """Log each rule that raised once; its text was left unchanged."""
        for name, error in self._pipeline.failed_rules.items():
            if name not in self.output.failed_rules:
                self.output.failed_rules.append(name)
                _log.error("custom rule %r failed; its text was left unchanged", name, exc_info=error)

    def record_sent(self, receipt: Receipt) -> None:
        """Record a delivered message."""
        self.output.record_sent(receipt, self._now())
        self.on_sent()
        if self._stream_log is not None:
            self._stream_log.on_receipt(receipt)
        self._notify_observer(receipt)

    def record_lost(self, message: Message, reason: str) -> None:
        """Record a message that was not delivered, or whose outcome is unknown."""
        self.output.record_lost(message, reason)

    # --- Live messages --------------------------------------------------------------------------

    def find_draft(self) -> LiveDraft | None:
        """Return the draft of the next message; `None` if nothing more may be sent."""
        return None if self._silence_reason else self._pipeline.draft()

    def finalize_draft(self, pieces: int) -> None:
        """End the next message after `pieces` pieces; 0 does nothing."""
        if pieces:
            if self._journal_event is not None:
                self._journal_event(FinalizedDraft(pieces))
            self._route(self._pipeline.finalize(pieces))

    def on_live_started(self, receipt: Receipt) -> None:
        """Report a new live message to the observer; its words are shown, it counts as sent when it is complete."""
        self.output.record_shown(self._now())
        self._notify_observer(replace(receipt, changes=(*receipt.changes, "live")))

    def _route(self, events: Iterable[TurnEvent]) -> None:
        for event in events:
            self._notify_observer(event)
            if self._stream_log is not None:
                if isinstance(event, Message):
                    self._stream_log.on_message(event)
                elif isinstance(event, Replaced):
                    self._stream_log.on_edits([event])
            if isinstance(event, Message):
                self._speaker = event.speaker
                self._images.on_text(event.content)
                self._queue(event)
            else:
                self.output.record(event)

    def silence(self, reason: str) -> None:
        """Send nothing more: drop waiting and future messages for this reason."""
        self._silence_reason = reason
        self._record_all_lost(self.outbox.take_all(), reason)

    def _post(self, message: Message) -> None:
        """Queue a message of a tool, unless the message cap is reached."""
        self._route(self._pipeline.count_post())
        if self.output.halt is None:
            self._queue(message)
        else:
            self.record_lost(message, self.output.halt.reason)

    def _queue(self, message: Message) -> None:
        if self._silence_reason:
            self.record_lost(message, self._silence_reason)
        elif self._show:
            self.outbox.put(message)
        else:
            self.output.record_unsent(message)

    def _take_unsent(self, boundary: Boundary, *, in_flight: bool, stopped: bool = False) -> list[Message]:
        """Flush the pipeline and return all messages that are not in flight, in order."""
        self._route(self._pipeline.flush(boundary, stopped=stopped))
        return self.outbox.take_all(but_first=in_flight)

    def _record_all_lost(self, messages: Iterable[Message], reason: str) -> None:
        for message in messages:
            self.record_lost(message, reason)

    def _notify_observer(self, event: Observed) -> None:
        if not self._is_replaying:
            self.observers.notify(event)


def in_pieces(event: str | ProviderEvent | Message) -> Iterator[str | ProviderEvent | Message]:
    """Yield the event, or a long text in pieces; chunking does not change the messages."""
    text = event.text if isinstance(event, TextDelta) else event
    if not isinstance(text, str) or len(text) <= PIECE_CHARS:
        yield event
        return
    for at in range(0, len(text), PIECE_CHARS):
        piece = text[at : at + PIECE_CHARS]
        yield TextDelta(piece) if isinstance(event, TextDelta) else piece


def without_secrets(message: Message, secrets: SecretFilter) -> Message:
    """Remove secrets from a message of a tool: from its text, file names and text files."""
    files = tuple(
        replace(
            file,
            name=secrets.hide(file.name),
            alt=secrets.hide(file.alt),
            content=_clean_bytes(file.content, secrets),
        )
        if isinstance(file, Attachment)
        else file
        for file in message.files
    )
    ask = message.ask
    if ask is not None:
        options = tuple(_without_secrets(one, secrets) for one in ask.options)
        # A placeholder may be longer than the secret.
        note = secrets.hide(ask.note)[:MAX_NOTE_CHARS]
        question = secrets.hide(ask.question)[: MAX_QUESTION_CHARS - len(note) - (4 if note else 0)]
        ask = replace(ask, question=question, note=note, options=options)
    return replace(message, content=secrets.hide(message.content), files=files, ask=ask)


def _without_secrets(option: AskOption, secrets: SecretFilter) -> AskOption:
    """Remove secrets from what is shown of an option; a placeholder may be longer than the secret."""
    label, description = secrets.hide(option.label), secrets.hide(option.description)
    return replace(
        option,
        label=label[:MAX_LABEL_CHARS],
        description=description[:MAX_DESCRIPTION_CHARS],
        value=option.key,
    )


def _clean_bytes(content: bytes, secrets: SecretFilter) -> bytes:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    return secrets.hide(text).encode()


def as_message(ask: Ask) -> Message:
    """Return the message of a question that a source yields.

    Raises:
        ValueError: no row keeps it, so no press could be recognized.

    """
    if not ask.id:
        raise ValueError("an ask needs a row before it is sent: yield what `await asks.open(ask)` returns")
    return Message(ask.text, ask=ask, notice=ask.notice)


def as_messages(message: Message, settings: Settings) -> list[Message]:
    """Split a message that is too long for one; it has no spans, because the model did not write it."""
    if len(message.content) <= max(DISCORD_LIMIT, settings.message_length):
        return [replace(message, spans=())] if message.content or message.files or message.ask else []
    splitter = Pipeline(
        replace(settings, degree=Degree.NONE, rules=False, message_cap=0, send_message_limit=0), Random(0)
    )
    events = [*splitter.feed(message.content), *splitter.flush()]
    parts = [event for event in events if isinstance(event, Message)]
    return [
        replace(
            message,
            content=part.content,
            spans=(),
            files=message.files if part is parts[-1] else (),
            ask=message.ask if part is parts[-1] else None,
        )
        for part in parts
    ]


def cap_notice(output: OutputLog) -> Message | None:
    """Return the notice that the message cap held text back, which stays in the record as dropped."""
    held = any(dropped.reason == "message_cap" and dropped.text.strip() for dropped in output.dropped)
    return Message(CAP_NOTICE, boundary=Boundary.ATTACHMENT, notice=True) if held else None


def rest_as_file(output: OutputLog) -> Message | None:
    """Return a message with a text file of everything that the message cap held back."""
    held = [dropped for dropped in output.dropped if dropped.reason == "message_cap"]
    text = "".join(dropped.text for dropped in held)
    if not text.strip():
        return None
    output.dropped = [dropped for dropped in output.dropped if dropped.reason != "message_cap"]
    spans = tuple(sorted(span for dropped in held for span in dropped.spans))
    # A lone surrogate cannot be encoded.
    content = text.encode("utf-8", "replace")
    hidden = any(dropped.hidden for dropped in held)
    file = Attachment(REST_NAME, content, "the rest of the answer as text", spoiler=hidden)
    return Message(REST_NOTICE, files=(file,), spans=spans, boundary=Boundary.ATTACHMENT, notice=True)
