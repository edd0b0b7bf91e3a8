"""What a message does whose author gets an answer at that moment: `answer.follow_up`.

- `interrupt`: the running answer stops, and a new one answers all messages.
- `queue`: the message is a question of its own, which waits for its turn.
- `steer`: the message waits too, but the running answer may take it over before its next request to the model. What
  it does not take over is the next question.

So a follow-up is always in exactly one place: it waits, or it belongs to a running answer, or it is answered.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from ..messages.question import Question

MAX_STEERED = 50
"""Messages that one answer takes over; further ones are the next question."""


class QueueListener(Protocol):
    """Is told which questions wait, so that it can record and show that."""

    def on_wait(self, question: Question) -> None:
        """Handle a question that waits for its turn, or one that got another message."""

    def on_drop(self, question: Question, ids: Collection[int]) -> None:
        """Handle messages of a waiting question that are not answered: withdrawn, deleted, or too many."""


class NullListener:
    """Does nothing."""

    def on_wait(self, question: Question) -> None:
        """Do nothing."""

    def on_drop(self, question: Question, ids: Collection[int]) -> None:
        """Do nothing."""


def may_steer(waiting: Question, running: Question, steered_by: str) -> bool:
    """Return whether a running answer may take over a waiting question.

    The answer to a command takes none: it may be private. So may the next persona in an exchange of personas.
    """
    if running.follow_up != "steer" or not running.takes_messages:
        return False
    is_plain = waiting.takes_messages and waiting.may_steer and not waiting.is_resumed
    if not is_plain or waiting.persona != running.persona:
        return False
    if len(running.steered) + len(waiting.messages) > MAX_STEERED:
        return False
    # The model has read what is older, as a part of the conversation.
    if min(waiting.ids) < max(one.id for one in running.messages):
        return False
    # Bots get no say in the answers of others: two of them would keep an answer going for ever.
    by_others = steered_by == "everyone" and not any(one.bot for one in waiting.messages)
    return waiting.owner == running.owner or by_others
