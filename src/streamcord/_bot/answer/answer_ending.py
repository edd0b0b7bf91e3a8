"""How an answer ended: the notice for people, and the line for the log."""

from __future__ import annotations

import logging

from streamcord import DeliveryError, Ending, FinishReason, TurnResult

from ..budget.budget import OverBudget
from ..notices import (
    find_notice,
)

__all__ = ["find_ending_notice", "log_ending"]

_TOLD = {Ending.EMPTY_RESPONSE: "empty", Ending.TIMEOUT: "timeout", Ending.TRUNCATED: "truncated"}
_CUT = {FinishReason.LENGTH: "cut_length", FinishReason.FILTERED: "cut_filter"}

_log = logging.getLogger("streamcord.bot")


def find_ending_notice(result: TurnResult) -> str:
    """The key of the notice about how an answer ended; empty if it ended well."""
    if result.ending is Ending.COMPLETED and any(one.reason == "uncertain" for one in result.dropped):
        return "part_lost"
    if result.ending is Ending.COMPLETED and result.finish_reason is not None:
        return _CUT.get(result.finish_reason, "")
    return _TOLD.get(result.ending, "")


def log_ending(turn: str, result: TurnResult, error: Exception | None) -> None:
    """Log how the answer went, in numbers only: words of people and models do not belong into logs."""
    counts = result.counts
    _log.info(
        "turn %s ended: %s, messages %d, characters %d of %d, first message %s",
        turn,
        error if isinstance(error, OverBudget) else result.ending,
        counts.messages,
        counts.shown,
        counts.received,
        "never" if counts.first_message is None else f"after {counts.first_message:.2f} s",
    )
    if error is None or isinstance(error, OverBudget):  # who floods must not fill the log
        return
    if find_notice(error) == "failed" and not isinstance(error, DeliveryError):
        _log.error("turn %s failed", turn, exc_info=error)
    else:
        _log.warning("turn %s: %s: %s", turn, type(error).__name__, error)
