"""Answers that were given, without a channel."""

from __future__ import annotations

from streamcord import Ending, Message, Receipt, Settings, TurnResult
from streamcord_bot.answering.recent_answers import RecentAnswer


def answered(
    *messages: Message, channel: int = 7, first: int = 1, ending: Ending = Ending.COMPLETED, turn: str = "abc"
) -> RecentAnswer:
    """An answer of these messages, whose ids count from `first`."""
    receipts = tuple(Receipt(message, number) for number, message in enumerate(messages, first))
    return RecentAnswer(turn, channel, 2, (100,), "tiny", Settings(), TurnResult(ending, receipts=receipts))
