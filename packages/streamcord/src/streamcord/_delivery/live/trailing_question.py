"""Bring the question that follows a live message, and its buttons, with the edit that finalizes it.

That saves one message, and the buttons are below the words that they belong to. If Discord refuses the edit, the
question is sent as a message, as planned. A question of the program itself stays a message of its own, in a form
that no model can imitate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..._common.text_size import utf8_length
from ..._events import Boundary, Message
from ..._settings import DISCORD_LIMIT, DISPLAY_BYTES, LIVE_LIMIT_BYTES, Settings
from ..clock import DeliveryClock
from ..outbox import Outbox

DECISION_CHARS = 250
"""Characters that are left free for the decision, which is added below the question."""
DECISION_BYTES = 1000
GAP = "\n\n"
_BEFORE_QUESTIONS = frozenset({Boundary.TOOL_CALL, Boundary.FLUSH})


class TrailingQuestion:
    """The question that waits after the first message of an outbox."""

    def __init__(self, outbox: Outbox, clock: DeliveryClock, settings: Settings) -> None:
        self._outbox = outbox
        self._clock = clock
        # Edits cause no push notification, so with notify="last" a question has to be a message.
        self._enabled = settings.notify != "last"

    def may_follow(self, message: Message) -> bool:
        """Return whether a question may follow the first message: the model calls a tool, or pauses before it."""
        is_alone = len(self._outbox) == 1 and not (self._outbox.closed or self._clock.expedited)
        return self._enabled and is_alone and message.boundary in _BEFORE_QUESTIONS and _may_have(message)

    def join(self, max_chars: int) -> tuple[Message, tuple[Message, ...]] | None:
        """Merge the first message and its question in the outbox, if an edit can bring both.

        Returns:
            The merged message, and the two that were planned; `None` if nothing was merged.

        """
        planned = self._outbox.waiting[:2]
        if not (self._enabled and len(planned) == 2 and _belongs(*planned)):
            return None
        joined = with_question(planned)
        size = utf8_length(joined.content) + DISPLAY_BYTES + DECISION_BYTES
        length = len(joined.content) + DECISION_CHARS
        # A plain message cannot become a longer one when the decision is shown.
        is_full = len(joined.content) <= DISCORD_LIMIT < length
        if length > max_chars or is_full or size > LIVE_LIMIT_BYTES:
            return None
        self._outbox.replace_first([joined], 2)
        return joined, planned

    def part(self, joined: Message, planned: Sequence[Message]) -> None:
        """Undo `join` after a refusal, and do not try again in this turn."""
        if self._outbox.find_first() is joined:
            self._enabled = False
            self._outbox.unmerge_first(planned)


def _belongs(message: Message, question: Message) -> bool:
    """Return whether a question may be shown in the message before it."""
    if question.ask is None or question.notice or question.files or question.fallback:
        return False
    # A quote of all that follows, or half a spoiler, would change how the question looks.
    is_open = any(line.lstrip().startswith(">>>") for line in message.content.split("\n"))
    if is_open or ("||" in message.content and "||" in question.content):
        return False
    return _may_have(message) and question.speaker in {None, message.speaker}


def _may_have(message: Message) -> bool:
    """Return whether a message may be followed by a question within it."""
    return bool(message.content) and not (message.ask or message.notice or message.files or message.fallback)


def with_question(planned: Sequence[Message]) -> Message:
    """Merge a message and the question after it."""
    message, question = planned
    return replace(message, content=message.content + GAP + question.content, ask=question.ask)
