"""Tools that need no network: dice, time zones, table sources.

A bot adds its own tools with `Tools.add`; `streamcord.providers.tool` makes one of a function.
"""

from __future__ import annotations

import re
import tomllib
import zoneinfo
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from importlib.resources import files
from random import Random
from typing import Annotated

from streamcord import ToolError
from streamcord.providers import Post, Tool, tool
from streamcord.utils import break_fences

MAX_DICE = 100
MAX_SIDES = 1000
_DICE = re.compile(r"(\d{0,3})d(\d{1,4})([+-]\d{1,4})?")
_OFFSET = re.compile(r"(?:utc|gmt)? ?([+-])(\d{1,2})(?::?(\d\d))?")


class Tools:
    """The tools that a bot knows, by name."""

    def __init__(self, *tools: Tool) -> None:
        self._by_name: dict[str, Tool] = {}
        for one in tools:
            self.add(one)

    def __len__(self) -> int:
        return len(self._by_name)

    def add(self, new: Tool) -> Tool:
        """Add a tool, in place of one of the same name; may be written `@tools.add` over `@tool`."""
        self._by_name[new.spec.name] = new
        return new

    def chosen(self, is_wanted: Callable[[str], bool], more: Iterable[Tool] = ()) -> list[Tool]:
        """Return those of all tools and `more` whose names are wanted."""
        known = {**self._by_name, **{one.spec.name: one for one in more}}
        return [one for name, one in known.items() if is_wanted(name)]


def make_dice(random: Random) -> Tool:
    """Return the tool `roll_dice` with this random generator."""

    @tool
    def roll_dice(dice: Annotated[str, "what to roll, such as 2d6+1"] = "1d6") -> str:
        """Roll dice; use it whenever chance decides, never make a result up."""
        match = _DICE.fullmatch("".join(dice.lower().split()))
        if match is None:
            raise ToolError(f"{dice[:40]!r} is no roll. Write it like 2d6+1.")
        count, sides, plus = int(match[1] or 1), int(match[2]), int(match[3] or 0)
        if not (1 <= count <= MAX_DICE and 2 <= sides <= MAX_SIDES):
            raise ToolError(f"Roll 1 to {MAX_DICE} dice of 2 to {MAX_SIDES} sides.")
        rolls = [random.randint(1, sides) for _ in range(count)]
        return f"{match[0]}: {' + '.join(map(str, rolls))}{match[3] or ''} = {sum(rolls) + plus}"

    return roll_dice


def make_time(now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Tool:
    """Return the tool `time_in` with this clock."""

    @tool
    def time_in(
        place: Annotated[str, "a city, a time zone such as Europe/Paris, or an offset such as +02:00"],
    ) -> str:
        """Tell the date and the time at a place."""
        zone = _find_zone(place)
        if zone is None:
            raise ToolError(
                f"There is no time zone for {place[:60]!r}. Name a large city, or one like Europe/Paris."
            )
        there = now().astimezone(zone)
        return f"{there:%A, %Y-%m-%d %H:%M} ({there.tzname()}) in {place.strip()}"

    return time_in


def make_table_source(sources: Sequence[str]) -> Tool:
    """Return the tool `show_table_source` for the tables of one channel, the newest last."""

    @tool
    async def show_table_source(post: Post, number: Annotated[int, "1 is the newest table"] = 1) -> str:
        """Post the Markdown source of a table that was shown as a picture in this channel."""
        if not sources:
            raise ToolError("No table was shown here.")
        if not 1 <= number <= len(sources):
            raise ToolError(f"There are {len(sources)} tables; 1 is the newest.")
        post(f"```md\n{break_fences(sources[-number])}\n```")
        return "The source is posted; do not repeat it."

    return show_table_source


def _find_zone(place: str) -> tzinfo | None:
    words = " ".join(place.replace("_", " ").split()).casefold()
    if words in {"utc", "gmt"}:
        return UTC
    if match := _OFFSET.fullmatch(words):
        hours, minutes = int(match[2]), int(match[3] or 0)
        # UTC+14 is the largest offset in use.
        if hours > 14 or minutes > 59:
            return None
        away = timedelta(hours=hours, minutes=minutes)
        return timezone(away if match[1] == "+" else -away)
    name = _zones().get(words) or _zones().get(words.split(",")[0].strip())
    return zoneinfo.ZoneInfo(name) if name else None


@cache
def _zones() -> dict[str, str]:
    """Return time zones by their full name and by their city."""
    names = sorted(zoneinfo.available_timezones(), key=lambda name: ("/" in name, name))
    # Later names win: full names over cities, and aliases over both.
    by_city = {name.rpartition("/")[2].replace("_", " ").casefold(): name for name in names}
    by_name = {name.replace("_", " ").casefold(): name for name in names}
    aliases = files(__package__ or "").joinpath("city_aliases.toml").read_text("utf-8")
    return {**by_city, **by_name, **tomllib.loads(aliases)}
