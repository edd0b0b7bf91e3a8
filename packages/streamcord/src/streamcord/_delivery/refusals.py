"""What is done about a message that Discord refused: send it again, shorter, or without its card, files or reply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from .._events import Message
from .._exceptions import DeliveryError, DeliveryUnavailable, DeliveryUncertain, MessageRefused
from .error_codes import Action, ErrorCode, meaning_of

Resplit: TypeAlias = Callable[[Message, int], list[Message]]
"""Split a message into several of at most the given number of characters."""

MIN_RESPLIT_CHARS = 32
"""Messages are not split into pieces shorter than this."""

FIELD_ACTIONS = {
    "content": Action.RESPLIT,
    "message_reference": Action.NO_REPLY,
    "files": Action.NO_FILES,
    "attachments": Action.NO_FILES,
}
"""The action for an invalid form body, by the field that the error names."""


def choose_action(error: DeliveryError) -> Action:
    """Choose how to react to an error that a transport raised."""
    match error:
        case DeliveryUnavailable():
            return Action.RETRY
        case DeliveryUncertain():
            return Action.RETRY if error.retryable else Action.REPORT
        case MessageRefused(code=ErrorCode.INVALID_FORM_BODY):
            fields = (path.split(".")[0] for path in error.fields)
            return next((FIELD_ACTIONS[field] for field in fields if field in FIELD_ACTIONS), Action.DEGRADE)
        case MessageRefused():
            return meaning_of(error.code).action
        case _:
            return Action.GIVE_UP


@dataclass(slots=True)
class PendingMessage:
    """One message while it is being sent: what was changed in it, and how often it failed."""

    message: Message
    part: int
    """Number of the message in its turn; part of the key."""
    since: float
    """Time of the first attempt."""
    changes: list[str] = field(default_factory=list)
    """How it differs from the plan, for the receipt."""
    failures: int = 0
    silent: bool = False
    last: bool = False
    card: bool = False
    uncertain_since: float | None = None
    """Time since which an earlier attempt may have arrived; `None` if none can have."""

    def drop_reply(self) -> None:
        """Send it as a plain message instead of a reply."""
        self.message = replace(self.message, reply=False)
        self.changes.append("no_reply")


class AcceptedForm:
    """What Discord accepts of the messages of one turn; refusals narrow it."""

    def __init__(self, resplit: Resplit, limit: int) -> None:
        self._resplit = resplit
        self.limit = limit
        """Characters that Discord accepts in one message; lowered after a refusal."""
        self.replies = True
        """False once Discord has refused a reply: later messages do not try again."""
        self.cards = True
        """False once Discord has refused a Components V2 message."""

    def reshape(self, pending: PendingMessage, action: Action, error: DeliveryError) -> list[Message] | None:
        """Remove what Discord refused: card, files or reply; raise the error if nothing is left to remove."""
        message = pending.message
        if action is Action.DEGRADE and pending.card:
            # Try a plain message, now and for the rest of the turn.
            pending.card = self.cards = False
            return None
        if action is Action.RESPLIT and len(message.content) > MIN_RESPLIT_CHARS:
            return self._shorten(message, error)
        if action in {Action.NO_FILES, Action.DEGRADE} and message.files:
            words = message.fallback or message.content or _names(message)
            plain = replace(message, content=words, files=(), fallback=None)
            return self._resplit(plain, self.limit)
        if action in {Action.NO_REPLY, Action.DEGRADE} and message.reply:
            self.replies = action is not Action.NO_REPLY
            pending.drop_reply()
            return None
        raise error

    def _shorten(self, message: Message, error: DeliveryError) -> list[Message]:
        """Split to the length that Discord named, or to three quarters; later messages keep that limit."""
        reported = error.limit if isinstance(error, MessageRefused) else None
        length = len(message.content)
        # A name prefix counts too, so a message below the named limit can still be refused.
        self.limit = max(MIN_RESPLIT_CHARS, reported if reported and reported < length else length * 3 // 4)
        return self._resplit(message, self.limit)


def _names(message: Message) -> str:
    return "-# " + ", ".join(file.name for file in message.files)
