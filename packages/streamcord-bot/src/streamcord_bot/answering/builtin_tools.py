"""Tools that are useful without a network: dice, the time anywhere, the source of a table.

A bot's own tools join them with `Tools.add`; what a tool is stands in `streamcord.providers`. A line in the
channel tells people when one takes long.
"""

from __future__ import annotations

import asyncio
import re
import zoneinfo
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from http import HTTPStatus
from random import Random
from typing import Annotated

import discord

from streamcord import TextDelta, ThoughtDelta, ToolCall, ToolError
from streamcord.providers import Post, Tool, tool
from streamcord.utils import hide_secrets

from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate
from ..ui.notices import as_frame

__all__ = ["ToolProgress", "Tools", "make_dice", "make_table_source", "make_time"]

DICE_CAP = 100
SIDES_CAP = 1000
_DICE = re.compile(r"(\d{0,3})d(\d{1,4})([+-]\d{1,4})?")
_OFFSET = re.compile(r"(?:utc|gmt)? ?([+-])(\d{1,2})(?::?(\d\d))?")

# Large cities that the time zone database has under another name.
_ELSEWHERE = {
    "bangalore": "Asia/Kolkata",
    "barcelona": "Europe/Madrid",
    "beijing": "Asia/Shanghai",
    "boston": "America/New_York",
    "delhi": "Asia/Kolkata",
    "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich",
    "germany": "Europe/Berlin",
    "hamburg": "Europe/Berlin",
    "houston": "America/Chicago",
    "india": "Asia/Kolkata",
    "kyoto": "Asia/Tokyo",
    "london": "Europe/London",
    "miami": "America/New_York",
    "milan": "Europe/Rome",
    "montreal": "America/Toronto",
    "mumbai": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "new delhi": "Asia/Kolkata",
    "nyc": "America/New_York",
    "osaka": "Asia/Tokyo",
    "philadelphia": "America/New_York",
    "rio de janeiro": "America/Sao_Paulo",
    "san francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "spain": "Europe/Madrid",
    "washington": "America/New_York",
}


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

    def chosen(self, names: Collection[str] | None = None, more: Iterable[Tool] = ()) -> list[Tool]:
        """All tools and `more`, or only those with these names."""
        known = {**self._by_name, **{one.spec.name: one for one in more}}
        return [one for name, one in known.items() if names is None or name in names]


def make_dice(random: Random) -> Tool:
    """The tool `roll_dice`, with this source of chance."""

    @tool
    def roll_dice(dice: Annotated[str, "what to roll, such as 2d6+1"] = "1d6") -> str:
        """Roll dice; use it whenever chance decides, never make a result up."""
        match = _DICE.fullmatch("".join(dice.lower().split()))
        if match is None:
            raise ToolError(f"{dice[:40]!r} is no roll. Write it like 2d6+1.")
        count, sides, plus = int(match[1] or 1), int(match[2]), int(match[3] or 0)
        if not (1 <= count <= DICE_CAP and 2 <= sides <= SIDES_CAP):
            raise ToolError(f"Roll 1 to {DICE_CAP} dice of 2 to {SIDES_CAP} sides.")
        rolls = [random.randint(1, sides) for _ in range(count)]
        return f"{match[0]}: {' + '.join(map(str, rolls))}{match[3] or ''} = {sum(rolls) + plus}"

    return roll_dice


def make_time(now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Tool:
    """The tool `time_in`, with this clock."""

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
    """The tool `show_table_source` for the tables of one channel, the newest last."""

    @tool
    async def show_table_source(post: Post, number: Annotated[int, "1 is the newest table"] = 1) -> str:
        """Post the Markdown source of a table that was shown as a picture in this channel."""
        if not sources:
            raise ToolError("No table was shown here.")
        if not 1 <= number <= len(sources):
            raise ToolError(f"There are {len(sources)} tables; 1 is the newest.")
        # A fence inside of a cell would end ours.
        source = sources[-number].replace("```", "`\u200b``")
        post(f"```md\n{source}\n```")
        return "The source is posted; do not repeat it."

    return show_table_source


def _find_zone(place: str) -> tzinfo | None:
    words = " ".join(place.replace("_", " ").split()).casefold()
    if words in {"utc", "gmt"}:
        return UTC
    if match := _OFFSET.fullmatch(words):
        hours, minutes = int(match[2]), int(match[3] or 0)
        if hours > 14 or minutes > 59:
            return None
        away = timedelta(hours=hours, minutes=minutes)
        return timezone(away if match[1] == "+" else -away)
    name = _zones().get(words) or _zones().get(words.split(",")[0].strip())
    return zoneinfo.ZoneInfo(name) if name else None


@cache
def _zones() -> dict[str, str]:
    """Time zones by their full name and by their city."""
    names = sorted(zoneinfo.available_timezones(), key=lambda name: ("/" in name, name))
    by_city = {name.rpartition("/")[2].replace("_", " ").casefold(): name for name in names}
    by_name = {name.replace("_", " ").casefold(): name for name in names}
    return {**by_city, **by_name, **_ELSEWHERE}


# --- A line while a tool runs ---------------------------------------------------------------------------


PATIENCE = 1.0
"""A tool that is quicker than this is not worth a line."""
BREAK = 0.2
NAME_LENGTH = 40
TOOLS_SHOWN = 3
THOUGHT_KEPT, THOUGHT_SHOWN = 2000, 300
_DRAFTS = frozenset({"draft", "card"})
DRAFT_RHYTHM = 2.0
"""Seconds between two edits of a draft."""


class ToolProgress:
    """Shows a line when a tool of one answer takes more than a second, and removes it when text comes.

    As a `draft` it shows the tools and the newest thoughts, and is edited while they go on; as a `card` that
    stands in a frame of Components V2, or is a draft if Discord refuses it.
    No request of it is ever cancelled: discord.py does not take that well while it waits for a rate limit.
    """

    def __init__(
        self,
        channel: discord.abc.Messageable,
        locale: str,
        patience: float = PATIENCE,
        mark: Callable[[int], None] = lambda _: None,
        hide: Callable[[str], str] = hide_secrets,
        mode: str = "line",
    ) -> None:
        self._mode = mode
        self._tools: list[str] = []
        self._thought = self._said = ""
        self._mark = mark
        self._hide = hide  # a model may call a tool by any name
        self._channel = channel
        self._locale = locale
        self._patience = patience
        self._tool = ""
        self._over = False
        self._news = asyncio.Event()
        self._line: discord.Message | None = None
        self._worker: asyncio.Task[None] | None = None

    def note(self, event: object) -> None:
        """Note an event of the model."""
        match event:
            case _ if self._mode == "off":
                pass
            case ToolCall(name=name):
                self._tools = [*self._tools, name][-TOOLS_SHOWN:]
                self._want(name)
            case ThoughtDelta(text) if self._mode in _DRAFTS and text.strip():
                # Longer than what is shown, so that no secret is cut before it is hidden.
                self._thought = (self._thought + text)[-THOUGHT_KEPT:]
                self._want(self._tool or "…")
            case TextDelta(text) if self._tool and text.strip():
                self._tools, self._thought = [], ""
                self._want("")
            case _:
                pass

    async def close(self) -> None:
        """Remove the line: the answer is over."""
        if self._worker is not None:
            self._over = True
            self._news.set()
            await self._worker

    def _want(self, tool: str) -> None:
        self._tool = tool
        self._news.set()
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while await self._is_wanted():
            if self._mode in _DRAFTS:
                await self._show_draft()
            # Whatever changes soon is not shown at all.
            elif not await self._changes_within(BREAK if self._line else self._patience):
                await (self._show(self._tool) if self._tool else self._remove())
        await self._remove()

    async def _is_wanted(self) -> bool:
        """Wait for a change; false once the answer is over."""
        if not self._over:
            await self._news.wait()
        self._news.clear()
        return not self._over

    async def _changes_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        return self._news.is_set()

    async def _show_draft(self) -> None:
        """Show the newest state now and then; thoughts change all the time."""
        due = asyncio.get_running_loop().time() + (DRAFT_RHYTHM if self._line else self._patience)
        while self._tool and not self._over:
            left = due - asyncio.get_running_loop().time()
            if left <= 0:
                await self._show(", ".join(self._tools))
                return
            self._news.clear()
            await self._changes_within(left)
        await self._remove()

    def _find_lines(self, tools: str) -> str:
        name = "".join(letter for letter in self._hide(tools) if letter.isalnum() or letter in "_-, ")
        lines = [translate(self._locale, "tool", tool=name[:NAME_LENGTH])] if name else []
        if thought := " ".join(self._hide(self._thought).split())[-THOUGHT_SHOWN:]:
            lines.append(f"💭 …{discord.utils.escape_markdown(thought)}")
        return "\n".join(f"-# {line}" for line in lines)

    async def _show(self, tool: str) -> None:
        text = self._find_lines(tool)
        if self._line is not None and text == self._said:
            return
        self._said = text
        with suppress(*REQUEST_ERRORS):
            if self._line is None:
                self._line = await self._begin(text)
                self._mark(self._line.id)
            elif self._mode == "card":
                await self._line.edit(view=as_frame(text), allowed_mentions=NO_PINGS)
            else:
                await self._line.edit(content=text, allowed_mentions=NO_PINGS)

    async def _begin(self, text: str) -> discord.Message:
        if self._mode == "card":
            try:
                return await self._channel.send(view=as_frame(text), silent=True, allowed_mentions=NO_PINGS)
            except discord.HTTPException as error:
                if error.status != HTTPStatus.BAD_REQUEST:
                    raise
                self._mode = "draft"
        return await self._channel.send(text, silent=True, allowed_mentions=NO_PINGS)

    async def _remove(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            with suppress(*REQUEST_ERRORS):
                await line.delete()
