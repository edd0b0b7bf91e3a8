from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from bot.stage import on_stage
from discord_twin import FaultKind
from streamcord import KeepAlive, Message, TextDelta, ThoughtDelta, ToolCall, ToolError
from streamcord._common.known_secrets import SecretFilter
from streamcord.providers import Post, tool
from streamcord.testing import ScriptedProvider
from streamcord_bot.answering.builtin_tools import Tools, make_dice, make_table_source, make_time
from streamcord_bot.answering.tool_progress import ToolProgress
from virtual_time import timeless

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("dice", ["d6", "2d6+1", " 3 D 20 - 2 ", "100d1000"])
def test_dice_add_up(dice: str) -> None:
    lore_section = make_dice(Random(1))(dice)
    rolls, total = lore_section.rpartition(": ")[2].split(" = ")

    assert eval(rolls) == int(total)


def test_the_default_is_one_die_and_chance_is_the_given_one() -> None:
    assert make_dice(Random(1))() == make_dice(Random(1))() == "1d6: 2 = 2"


@pytest.mark.parametrize("dice", ["", "six", "0d6", "101d6", "1d1", "1d1001", "9999d6", "1d6; rm"])
def test_invalid_roll_is_a_tool_error(dice: str) -> None:
    with pytest.raises(ToolError):
        make_dice(Random(1))(dice)


@pytest.mark.parametrize(
    ("place", "clock"),
    [
        ("Tokyo", "21:00"),
        ("tokyo, japan", "21:00"),
        ("Europe/Berlin", "14:00"),
        ("Frankfurt", "14:00"),
        ("new york", "08:00"),
        ("San Francisco", "05:00"),
        ("UTC", "12:00"),
        ("+05:30", "17:30"),
        ("UTC-3", "09:00"),
    ],
)
def test_the_time_anywhere(place: str, clock: str) -> None:
    lore_section = make_time(lambda: NOON)(place)

    assert clock in lore_section
    assert "2026-07-01" in lore_section


@pytest.mark.parametrize("place", ["Atlantis", "", "+99:00", "../../etc/passwd"])
def test_unknown_place_is_a_tool_error(place: str) -> None:
    with pytest.raises(ToolError):
        make_time(lambda: NOON)(place)


async def posted(sources: list[str], **arguments: Any) -> str:
    posts: list[Message] = []
    await make_table_source(sources)(Post(posts.append), **arguments)
    return posts[0].content


async def test_the_newest_table_is_shown_unless_another_is_named() -> None:
    assert await posted(["| a |", "| b |"]) == "```md\n| b |\n```"
    assert await posted(["| a |", "| b |"], number=2) == "```md\n| a |\n```"


async def test_a_fence_in_a_cell_does_not_end_the_source() -> None:
    assert (await posted(["| ``` |"])).count("```") == 2


@pytest.mark.parametrize(("sources", "number"), [([], 1), (["| a |"], 2), (["| a |"], 0)])
async def test_missing_table_is_a_tool_error(sources: list[str], number: int) -> None:
    with pytest.raises(ToolError):
        await posted(sources, number=number)


def test_tools_are_chosen_by_name_and_the_later_one_of_a_name_wins() -> None:
    @tool
    def roll_dice() -> str:
        """A loaded die."""
        return "6"

    tools = Tools(make_dice(Random(1)), make_time())
    tools.add(roll_dice)

    assert len(tools) == 2
    assert tools.chosen("roll_dice".__eq__) == [roll_dice]
    assert [one.spec.name for one in tools.chosen(lambda _: True, [make_table_source([])])] == [
        "roll_dice",
        "time_in",
        "show_table_source",
    ]
    assert tools.chosen(lambda _: False) == []


# --- A line while a tool runs ---------------------------------------------------------------------------


class Line:
    """A message that can be changed and deleted."""

    def __init__(self, log: list[str]) -> None:
        self._log = log
        self.id = 5

    async def edit(self, *, content: str, **_: Any) -> None:
        self._log.append(f"now {content}")

    async def delete(self) -> None:
        self._log.append("gone")


class Channel:
    def __init__(self) -> None:
        self.log: list[str] = []

    async def send(self, text: str, *, silent: bool, **_: Any) -> Line:
        assert silent
        self.log.append(text)
        return Line(self.log)


def watching() -> tuple[ToolProgress, list[str]]:
    channel: Any = Channel()
    return ToolProgress(channel, "en", 1.0), channel.log


@timeless
async def test_a_quick_tool_is_not_worth_a_line() -> None:
    progress, log = watching()
    progress.on_event(ToolCall("1", "dice"))
    await asyncio.sleep(0.5)
    progress.on_event(TextDelta("Six!"))
    await asyncio.sleep(3)
    await progress.close()

    assert log == []


@timeless
async def test_a_line_appears_changes_and_goes_with_the_next_words() -> None:
    progress, log = watching()
    progress.on_event(ToolCall("1", "search"))
    await asyncio.sleep(2)
    progress.on_event(ToolCall("2", "read`@here`"))
    await asyncio.sleep(1)
    progress.on_event(TextDelta("Here:"))
    await asyncio.sleep(1)
    await progress.close()

    assert log == ["-# uses search …", "now -# uses readhere …", "gone"]


@timeless
async def test_tool_that_the_provider_runs_has_no_line() -> None:
    progress, log = watching()
    progress.on_event(KeepAlive(tool="web_search"))
    await asyncio.sleep(2)
    progress.on_event(KeepAlive())
    await asyncio.sleep(1)
    progress.on_event(TextDelta("Here:"))
    await asyncio.sleep(1)
    await progress.close()

    assert log == ["-# uses web_search …", "gone"]


@timeless
async def test_progress_line_is_removed_when_the_answer_is_empty() -> None:
    progress, log = watching()
    progress.on_event(ToolCall("1", "search"))
    await asyncio.sleep(2)
    await progress.close()

    assert log == ["-# uses search …", "gone"]


@timeless
async def test_a_draft_shows_tools_and_the_newest_thoughts_and_goes_with_the_first_words() -> None:
    channel: Any = Channel()
    progress = ToolProgress(channel, "en", 1.0, mode="draft")
    for number in range(50):
        progress.on_event(ThoughtDelta(f"thought *{number}* "))
        await asyncio.sleep(0.1)
    progress.on_event(ToolCall("1", "search"))
    await asyncio.sleep(2.5)
    progress.on_event(TextDelta("Here:"))
    await asyncio.sleep(0.1)
    assert channel.log[-1] == "gone"
    await progress.close()

    first, *edits, _ = channel.log
    assert first.startswith("-# 💭 …thought \\*0\\*")
    # Every two seconds, however often the thoughts change, and never the same again.
    assert 2 <= len(set(edits)) == len(edits) <= 3
    assert edits[0].startswith("now -# 💭 …")
    assert edits[-1].startswith("now -# uses search …\n-# 💭 …")
    assert edits[-1].endswith("\\*49\\*")
    assert max(map(len, edits)) < 700


@timeless
async def test_a_draft_hides_secrets_and_ends_with_the_answer() -> None:
    channel: Any = Channel()
    hide = SecretFilter(("tok-abcdefgh12345678",)).hide
    progress = ToolProgress(channel, "en", 1.0, hide=hide, mode="draft")
    for piece in ("The key is tok-abcd", "efgh12345678", " and no more."):
        progress.on_event(ThoughtDelta(piece))
    await asyncio.sleep(1.5)
    await progress.close()

    assert "abcdefgh" not in channel.log[0]
    assert channel.log[1:] == ["gone"]


@pytest.mark.parametrize("refused", [False, True])
async def test_a_card_shows_thoughts_in_a_frame_or_as_a_draft_where_that_is_refused(*, refused: bool) -> None:
    async with on_stage(ScriptedProvider()) as stage:
        channel: Any = stage.bot.get_channel(stage.twin.channel.id)
        if refused:
            stage.twin.inject_fault(FaultKind.ERROR_CODE, status=400, code=50035, field="components.0")
        progress = ToolProgress(channel, "en", 0.01, mode="card")
        progress.on_event(ThoughtDelta("which one?"))
        line = await stage.twin.next_message()
        shown = line.content or line.draft.components[0]["components"][0]["content"]
        await progress.close()

        assert shown == "-# 💭 …which one?"
        assert bool(line.draft.components) is not refused
        assert line.id not in stage.twin.channel.messages


@timeless
async def test_progress_that_is_off_shows_nothing() -> None:
    channel: Any = Channel()
    progress = ToolProgress(channel, "en", 1.0, mode="off")
    progress.on_event(ToolCall("1", "search"))
    progress.on_event(ThoughtDelta("hm"))
    await asyncio.sleep(5)
    await progress.close()

    assert channel.log == []


@timeless
async def test_an_answer_without_tools_costs_nothing() -> None:
    progress, log = watching()
    progress.on_event(TextDelta("Hello."))
    await progress.close()

    assert log == []


@timeless
async def test_a_key_as_the_name_of_a_tool_is_not_shown() -> None:
    progress, log = watching()
    progress.on_event(ToolCall("1", "gsk_aB3dE5gH7jK9mN1pQ2rS4tU6"))
    await asyncio.sleep(2)
    await progress.close()

    assert "removed" in log[0]
    assert "gsk" not in log[0]
