"""Should I answer this? One function, from values alone."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from ..config.sections import AnswerConfig
from .remark import Remark

__all__ = ["Reason", "find_reason"]


class Reason(StrEnum):
    """Why a message is answered."""

    DM = "dm"
    MENTION = "mention"
    REPLY = "reply"
    CHANNEL = "channel"
    TRIGGER = "trigger"


_REASONS: tuple[tuple[Reason, Callable[[Remark, AnswerConfig], bool]], ...] = (
    (Reason.DM, lambda remark, config: remark.dm and config.direct_messages),
    (Reason.MENTION, lambda remark, config: remark.mentions_us and config.mentions),
    (Reason.REPLY, lambda remark, config: remark.replies_to_us and config.replies),
    (Reason.CHANNEL, lambda remark, config: remark.channel in config.channels),
    (Reason.TRIGGER, lambda remark, config: has_trigger(remark.text, config.words)),
)
_FOR_BOTS = frozenset({Reason.MENTION, Reason.REPLY})


def find_reason(remark: Remark, config: AnswerConfig, bot_rounds: int = 0) -> Reason | None:
    """Why this message is answered, if it is; `bot_rounds` counts our last answers to machines in a row."""
    if remark.own or remark.is_empty:
        return None
    reasons = [reason for reason, applies in _REASONS if applies(remark, config)]
    if remark.bot:
        # A machine must mean us; else two of them in one channel would talk until the money is gone.
        reasons = [reason for reason in reasons if reason in _FOR_BOTS]
        if bot_rounds >= config.bot_rounds:
            return None
    return reasons[0] if reasons else None


def has_trigger(text: str, triggers: tuple[str, ...]) -> bool:
    """Whether one of the words stands in the text, as a word and in any case."""
    folded = text.casefold()
    return any(_has_word(folded, trigger.casefold()) for trigger in triggers)


def _has_word(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_joins(text, at - 1, word[0]) or _joins(text, end, word[-1])):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(text: str, at: int, edge: str) -> bool:
    """Whether the neighbour makes it part of a longer word; scripts without spaces have no such thing."""
    return 0 <= at < len(text) and _is_wordy(text[at]) and _is_wordy(edge)


def _is_wordy(letter: str) -> bool:
    return letter.isalnum() and ord(letter) < 0x2E80
