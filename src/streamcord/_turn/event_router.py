"""Takes what a source says through the text core into the outbox, and writes down what becomes of it.

Some messages nobody planned: what a tool posts, and the file with the rest of an answer that met the cap.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from .._core.growth.growing_planner import GrowingDraft
from .._core.pipeline import Pipeline
from .._core.rules.own_rules import Rule
from .._delivery.outbox import Outbox
from .._events import (
    Attachment,
    Boundary,
    Degree,
    Finish,
    KeepAlive,
    Message,
    ProviderEvent,
    Receipt,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    TurnEvent,
    Usage,
)
from .._journal.rows import Heard as HeardEvent
from .._journal.rows import SealedDraft
from .._settings import DISCORD_LIMIT, Settings
from .._shared.safety.secret_texts import SecretFilter
from .._stop import StopMode
from .ledger import Heard, Shown

__all__ = [
    "REST_NAME",
    "REST_NOTICE",
    "EventRouter",
    "Observer",
    "as_messages",
    "in_pieces",
    "rest_as_file",
    "without_secrets",
]


REST_NOTICE = "-# This answer is too long for one turn. The rest is in the file."
REST_NAME = "rest.txt"
PIECE_LENGTH = 1024
"""Characters that are read without a breath for others."""

Observer: TypeAlias = Callable[[str | ProviderEvent | TurnEvent | Receipt], object]
"""Sees everything: what the source said, what the pipeline made of it, what arrived."""

_ASIDE = (Usage, KeepAlive, ThoughtDelta, Finish)
"""What is written down, and nothing more."""

_log = logging.getLogger("streamcord")


class EventRouter:
    """Feeds the pipeline of one turn and fills its outbox; `now` is seconds since the turn began.

    `heard` is what the source said, `shown` what became of it. With `show` off messages are noted there, and
    nothing is sent.
    """

    def __init__(
        self,
        settings: Settings,
        random: Random,
        now: Callable[[], float],
        *,
        show: bool = True,
        observe: Observer | None = None,
        rules: Sequence[Rule] = (),
        hear: Callable[[object], None] | None = None,
    ) -> None:
        self.heard = Heard()
        self._hear = hear
        self._silenced = ""
        self.shown = Shown()
        self.outbox = Outbox(settings.outbox_length)
        self.secrets = SecretFilter(settings.secrets)
        self._settings = settings
        self._random = random
        self._rules = rules
        self._pipeline = Pipeline(settings, random, rules)
        self._now = now
        self._show = show
        self._observe = observe
        self._is_watched = observe is not None or hear is not None

    @property
    def halted(self) -> bool:
        """Whether the text itself has ended the answer."""
        return self.shown.halt is not None

    def feed(self, event: str | ProviderEvent | Message) -> None:
        """Something that the source said; a message is posted as it is, behind the words before it."""
        self.begin_feed(event)
        while self.go_on():
            pass

    def feed_at_once(self, event: object) -> bool:
        """The short way for what is little work, as nearly all events are; whether it was taken."""
        if type(event) is not TextDelta:
            return self._note_aside(event)
        pipeline, text = self._pipeline, event.text
        if not pipeline.is_light(text):
            return False
        if self._is_watched:
            # As `_note_source`, without a call for every word of a journal.
            if self._observe is not None:
                self._see(event)
            if self._hear is not None:
                self._hear(event)
        self.heard.note_words(text, self._now)
        if events := pipeline.feed(text):
            self._take(events)
        if pipeline.grows and pipeline.has_grown():
            self.outbox.nudge()
        return True

    def _note_aside(self, event: object) -> bool:
        """Write down what asks for nothing more; whether it was such."""
        if not isinstance(event, _ASIDE):
            return False
        if self._is_watched:
            self._note_source(event)
        self.heard.note(event, self._now)
        return True

    def _note_source(self, event: str | ProviderEvent | Message) -> None:
        """Tell whoever wants to know what the source said."""
        if self._observe is not None:
            self._see(event)
        if self._hear is not None:
            self._hear(event)

    def begin_feed(self, event: str | ProviderEvent | Message) -> None:
        """The same, but much is only read here: `go_on` as long as it says so, with breaths for others."""
        self._note_source(event)
        if isinstance(event, Message):
            self._take(self._pipeline.flush(Boundary.ATTACHMENT))
            for message in as_messages(without_secrets(event, self.secrets), self._settings):
                self._post(message)
            return
        self.heard.note(event, self._now)
        if isinstance(event, str | TextDelta):
            self._take(self._pipeline.begin_feed(event if isinstance(event, str) else event.text))
        elif isinstance(event, ToolCall):
            self._take(self._pipeline.begin_flush(Boundary.TOOL_CALL))

    def holds_much(self) -> bool:
        """Whether to end the answer is more than a little work."""
        return self._pipeline.held > PIECE_LENGTH

    def begin_flush(self) -> None:
        """The source has ended: read all the rest, and `go_on` as long as that says so, before `flush`."""
        self._take(self._pipeline.begin_flush())

    def go_on(self) -> bool:
        """Make messages of a share of what was read; whether there is more of it."""
        if self._pipeline.behind:
            self._take(self._pipeline.go_on())
        if self._pipeline.has_grown():
            self.outbox.nudge()
        return self._pipeline.behind

    def replay(self, events: Iterable[HeardEvent], *, complete: bool, anew: bool = False) -> None:
        """Plan again what another process has heard; nobody else is told of it."""
        if anew:
            self.outbox.take_all()
            self._pipeline = Pipeline(self._settings, self._random, self._rules)
        observe, hear = self._observe, self._hear
        self._observe = self._hear = None
        for event in events:
            if isinstance(event, SealedDraft):
                self.seal_draft(event.pieces)
            else:
                self.feed(event)
        if complete:
            self.flush()
        # Whoever goes on owes an end of its own.
        self.heard.unfinished = False
        self._observe, self._hear = observe, hear

    def flush(self) -> None:
        """The answer ends: queue the rest, and the file of what the message cap held back."""
        self._take(self._pipeline.flush())
        capped = self._show and self._settings.rest_as_file and self.shown.halt is not None
        if capped and (rest := rest_as_file(self.shown)):
            self._queue(rest)

    def cut(self, mode: StopMode, *, in_flight: bool, pieces: int = 0) -> None:
        """Keep in the outbox what the stop allows, and account for the rest.

        A message that grows ends where it is: behind so many `pieces`.
        """
        if mode is StopMode.HAND_OVER:
            return
        if mode is StopMode.FLUSH:
            self._take(self._pipeline.flush())
            return
        self.seal_draft(pieces)
        waiting = self._take_back(Boundary.TOOL_CALL, in_flight=in_flight, stopped=True)
        if mode is StopMode.AFTER_THIS and waiting and not (in_flight and self._pipeline.grows):
            self.outbox.put(replace(waiting.pop(0), delay=0.0))
        self._lose(waiting, "stop")

    def drop_all(self, reason: str, *, in_flight: bool = False, pieces: int = 0) -> None:
        """Nothing more is sent: account for everything that waits."""
        self.seal_draft(pieces)
        self._lose(self._take_back(Boundary.FINAL, in_flight=in_flight), reason)
        self.shown.segments = self._pipeline.segments
        self._report_rules()

    def _report_rules(self) -> None:
        """Tell once of every rule that raised; the words that it was asked about stayed as they were."""
        for name, error in self._pipeline.failed_rules.items():
            if name not in self.shown.failed_rules:
                self.shown.failed_rules.append(name)
                _log.error("the rule %r failed; its text was left as it was", name, exc_info=error)

    def note_sent(self, receipt: Receipt) -> None:
        """A message has arrived."""
        self.shown.note_sent(receipt, self._now())
        self._see(receipt)

    def note_lost(self, message: Message, reason: str) -> None:
        """A message will not arrive, or nobody knows."""
        self.shown.note_lost(message, reason)

    # --- A message that grows -------------------------------------------------------------------

    def find_draft(self) -> GrowingDraft | None:
        """What is certain of the message that is being written; nothing if nothing more may be said."""
        return None if self._silenced else self._pipeline.draft()

    def seal_draft(self, pieces: int) -> None:
        """End the message that is being written behind so many pieces, if any."""
        if pieces:
            if self._hear is not None:
                self._hear(SealedDraft(pieces))
            self._take(self._pipeline.seal(pieces))

    def note_open(self, receipt: Receipt) -> None:
        """A message has appeared that is going to grow; it counts as sent when it is complete."""
        self._see(replace(receipt, changes=(*receipt.changes, "growing")))

    def _take(self, events: Iterable[TurnEvent]) -> None:
        for event in events:
            self._see(event)
            if isinstance(event, Message):
                self._queue(event)
            else:
                self.shown.note(event)

    def silence(self, reason: str) -> None:
        """Send nothing more: what waits and what comes is lost for this reason."""
        self._silenced = reason
        self._lose(self.outbox.take_all(), reason)

    def _post(self, message: Message) -> None:
        """Queue what a tool posts, as long as the turn may have more messages."""
        self._take(self._pipeline.count_post())
        if self.shown.halt is None:
            self._queue(message)
        else:
            self.note_lost(message, self.shown.halt.reason)

    def _queue(self, message: Message) -> None:
        if self._silenced:
            self.note_lost(message, self._silenced)
        elif self._show:
            self.outbox.put(message)
        else:
            self.shown.note_told(message)

    def _take_back(self, boundary: Boundary, *, in_flight: bool, stopped: bool = False) -> list[Message]:
        """What waits and is not in flight, and what the pipeline still holds, in order."""
        self._take(self._pipeline.flush(boundary, stopped=stopped))
        return self.outbox.take_all(but_first=in_flight)

    def _lose(self, messages: Iterable[Message], reason: str) -> None:
        for message in messages:
            self.note_lost(message, reason)

    def _see(self, event: str | ProviderEvent | TurnEvent | Receipt) -> None:
        if self._observe is None:
            return
        try:
            self._observe(event)
        except Exception:
            # Whoever only watches must not end what they watch.
            _log.exception("an observer failed")


def in_pieces(event: str | ProviderEvent | Message) -> Iterator[str | ProviderEvent | Message]:
    """The event, or a long text in pieces, between which others may do something; messages stay the same."""
    text = event.text if isinstance(event, TextDelta) else event
    if not isinstance(text, str) or len(text) <= PIECE_LENGTH:
        yield event
        return
    for at in range(0, len(text), PIECE_LENGTH):
        piece = text[at : at + PIECE_LENGTH]
        yield TextDelta(piece) if isinstance(event, TextDelta) else piece


def without_secrets(message: Message, secrets: SecretFilter) -> Message:
    """A message of a tool without secrets, in its words and in files that are text."""
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
    return replace(message, content=secrets.hide(message.content), files=files)


def _clean_bytes(content: bytes, secrets: SecretFilter) -> bytes:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    return secrets.hide(text).encode()


def as_messages(message: Message, settings: Settings) -> list[Message]:
    """The message, or several if it is too long for one; none of it counts as words of the model."""
    if len(message.content) <= DISCORD_LIMIT:
        return [replace(message, spans=())] if message.content or message.files else []
    splitter = Pipeline(
        replace(settings, degree=Degree.NONE, rules=False, message_cap=0, send_message_limit=0), Random(0)
    )
    events = [*splitter.feed(message.content), *splitter.flush()]
    parts = [event for event in events if isinstance(event, Message)]
    return [
        replace(message, content=part.content, spans=(), files=message.files if part is parts[-1] else ())
        for part in parts
    ]


def rest_as_file(shown: Shown) -> Message | None:
    """One text file of everything that the message cap held back; it is not dropped then."""
    held = [dropped for dropped in shown.dropped if dropped.reason == "message_cap"]
    text = "".join(dropped.text for dropped in held)
    if not text.strip():
        return None
    shown.dropped = [dropped for dropped in shown.dropped if dropped.reason != "message_cap"]
    spans = tuple(sorted(span for dropped in held for span in dropped.spans))
    # Half a surrogate pair cannot stand in a file.
    content = text.encode("utf-8", "replace")
    hidden = any(dropped.hidden for dropped in held)
    file = Attachment(REST_NAME, content, "the rest of the answer as text", spoiler=hidden)
    return Message(REST_NOTICE, files=(file,), spans=spans, boundary=Boundary.ATTACHMENT, notice=True)
