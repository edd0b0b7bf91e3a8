"""Dated changes of Discord: which behaviour a twin has `as_of` a day.

A row of `dated_changes.toml` says since when Discord behaves as the default of an option does, and how it behaved
before. A bot is tested before a change with the date of the day before it: `TwinOptions(as_of="2026-11-15")`.
"""

from __future__ import annotations

import tomllib
from datetime import date
from importlib.resources import files
from typing import Any, NamedTuple

__all__ = ["CHANGES", "Change", "behaviour_before", "parse_day"]


class Change(NamedTuple):
    """One change of Discord that bots notice.

    Attributes:
        since: The first day of the new behaviour.
        option: The field of `TwinOptions`; its default is the new behaviour.
        before: Its value before that day.
        summary: What changed, in one sentence.
        source: Where Discord or its users say so.

    Example:
        for change in CHANGES:
            print(change.since, change.summary)

    """

    since: date
    option: str
    before: Any
    summary: str
    source: str


def _load_changes() -> tuple[Change, ...]:
    rows = tomllib.loads(files(__package__).joinpath("dated_changes.toml").read_text("utf-8"))["change"]
    return tuple(Change(**row) for row in rows)


CHANGES = _load_changes()
"""All dated changes, the oldest first."""


def behaviour_before(day: date) -> dict[str, Any]:
    """Return the options that differ from the defaults on a day."""
    return {change.option: change.before for change in CHANGES if day < change.since}


def parse_day(text: str) -> date:
    """Return a day that is written as `2026-11-16`.

    Raises:
        ValueError: It is not written so.

    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no day; write it as 2026-11-16") from None
