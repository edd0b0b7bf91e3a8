"""Turns what a source says into what waits to be sent, and keeps the books of both."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import TypeAlias

from .._core.pipeline import Pipeline
from .._delivery.outbox import Outbox
from .._events import Boundary, Message, ProviderEvent, Receipt, TextDelta, ToolCall, TurnEvent
from .._settings import Settings
from .._stop import StopMode
from .extra_messages import as_messages, rest_as_file
from .ledger import Heard, Shown

__all__ = ["Editor", "Observer"]

Observer: TypeAlias = Callable[[str | ProviderEvent | TurnEvent | Receipt], object]
"""Sees everything: what the source said, what the pipeline made of it, what arrived."""

_log = logging.getLogger("streamcord")


class Editor:
    """The pipeline of one turn between its source and its outbox; `now` is seconds since the turn began.

    With `show` off the messages go into the books and nowhere else.
    """

    def __init__(
        self,
        settings: Settings,
        random: Random,
        now: Callable[[], float],
        *,
        show: bool = True,
        observe: Observer | None = None,
    ) -> None:
        self.heard = Heard()
        self.shown = Shown()
        self.outbox = Outbox(settings.outbox_length)
        self._settings = settings
        self._pipeline = Pipeline(settings, random)
        self._now = now
        self._show = show
        self._observe = observe

    def feed(self, event: str | ProviderEvent | Message) -> None:
        """Something that the source said; a message is posted as it is, behind the words before it."""
        self._see(event)
        if isinstance(event, Message):
            self._take(self._pipeline.flush(Boundary.ATTACHMENT))
            for message in as_messages(event, self._settings):
                self._queue(message)
            return
        self.heard.note(event, self._now())
        match event:
            case (str() as text) | TextDelta(text):
                self._take(self._pipeline.feed(text))
            case ToolCall():
                self._take(self._pipeline.flush(Boundary.TOOL_CALL))
            case _:
                pass

    def flush(self) -> None:
        """The answer ends: queue the rest, and the file of what the message cap held back."""
        self._take(self._pipeline.flush())
        capped = self._show and self._settings.rest_as_file and self.shown.halt is not None
        if capped and (rest := rest_as_file(self.shown)):
            self._queue(rest)

    def cut(self, mode: StopMode, *, in_flight: bool) -> None:
        """Keep in the outbox what the stop allows, and account for the rest."""
        if mode is StopMode.FLUSH:
            self._take(self._pipeline.flush())
            return
        waiting = self._take_back(Boundary.TOOL_CALL, in_flight=in_flight)
        if mode is StopMode.AFTER_THIS and waiting:
            self.outbox.put(replace(waiting.pop(0), delay=0.0))
        self._lose(waiting, "stop")

    def drop_all(self, reason: str, *, in_flight: bool = False) -> None:
        """Nothing more is sent: account for everything that waits."""
        self._lose(self._take_back(Boundary.FINAL, in_flight=in_flight), reason)
        self.shown.segments = self._pipeline.segments

    def note_sent(self, receipt: Receipt) -> None:
        """A message has arrived."""
        self.shown.note_sent(receipt, self._now())
        self._see(receipt)

    def note_lost(self, message: Message, reason: str) -> None:
        """A message will not arrive, or nobody knows."""
        self.shown.note_lost(message, reason)

    def _take(self, events: Iterable[TurnEvent]) -> None:
        for event in events:
            self._see(event)
            if isinstance(event, Message):
                self._queue(event)
            else:
                self.shown.note(event)

    def _queue(self, message: Message) -> None:
        if self._show:
            self.outbox.put(message)
        else:
            self.shown.note_told(message)

    def _take_back(self, boundary: Boundary, *, in_flight: bool) -> list[Message]:
        """What waits and is not in flight, and what the pipeline still holds, in order."""
        self._take(self._pipeline.flush(boundary))
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
            # Who only looks on must not end what he looks at.
            _log.exception("an observer failed")
