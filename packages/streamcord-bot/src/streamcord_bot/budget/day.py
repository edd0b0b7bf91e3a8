"""The days of a budget: they begin at midnight in UTC, for all servers at once."""

from __future__ import annotations

DAY_S = 86_400


def day_of(now: float) -> int:
    """Return the day of a time, counted from 1970 in UTC."""
    return int(now // DAY_S)


def tomorrow(now: float) -> float:
    """Return the time at which the next day begins."""
    return float((day_of(now) + 1) * DAY_S)
