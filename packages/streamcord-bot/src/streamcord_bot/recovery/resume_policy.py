"""Decide by its age what becomes of an interrupted answer, or of a decision that no process has acted on. No I/O."""

from __future__ import annotations

from enum import Enum, auto

MAX_AGE_S = 86_400.0
"""An answer that was interrupted for longer, and an older decision, is abandoned: people no longer expect it."""
NOTICE_AFTER_S = 600.0
"""An answer that was interrupted for longer is resumed with a notice."""
MAX_REFUSED_S = 900.0
"""The rest of an answer that the bot was not allowed to write for longer is only offered."""


class Verdict(Enum):
    """What becomes of an interrupted answer."""

    RESUME = auto()
    """Continue it."""
    RESUME_WITH_NOTICE = auto()
    """Continue it, and say that it is late."""
    OFFER = auto()
    """Ask people whether they still want the rest."""
    ABANDON = auto()
    """Close its row and write nothing more."""


def judge(age_s: float, *, was_refused: bool) -> Verdict:
    """Return what becomes of an answer that was interrupted `age_s` ago and that the bot may write now.

    Args:
        age_s: seconds since its row was last written.
        was_refused: whether this process was not allowed to write its rest before.

    """
    if is_too_old(age_s):
        return Verdict.ABANDON
    if was_refused and age_s > MAX_REFUSED_S:
        return Verdict.OFFER
    return Verdict.RESUME_WITH_NOTICE if age_s > NOTICE_AFTER_S else Verdict.RESUME


def is_too_old(age_s: float) -> bool:
    """Return whether people no longer expect an answer or the effect of a decision."""
    return age_s > MAX_AGE_S


def waits_for_channel(age_s: float) -> bool:
    """Return whether an interrupted answer waits for a channel that Discord does not show now."""
    return age_s <= MAX_REFUSED_S
