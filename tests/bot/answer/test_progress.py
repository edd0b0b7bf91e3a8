"""The quiet line of tools, on a channel that notes."""

from __future__ import annotations

import asyncio
from typing import Any

from streamcord import TextDelta, ToolCall
from streamcord._bot.answer.progress import ToolProgress
from virtual import timeless


class Line:
    """A message that can be changed and deleted."""

    def __init__(self, log: list[str]) -> None:
        self._log = log

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
    progress.note(ToolCall("1", "dice"))
    await asyncio.sleep(0.5)
    progress.note(TextDelta("Six!"))
    await asyncio.sleep(3)
    await progress.close()

    assert log == []


@timeless
async def test_a_line_appears_changes_and_goes_with_the_next_words() -> None:
    progress, log = watching()
    progress.note(ToolCall("1", "search"))
    await asyncio.sleep(2)
    progress.note(ToolCall("2", "read`@here`"))
    await asyncio.sleep(1)
    progress.note(TextDelta("Here:"))
    await asyncio.sleep(1)
    await progress.close()

    assert log == ["-# uses search …", "now -# uses readhere …", "gone"]


@timeless
async def test_a_line_that_stands_goes_when_the_answer_ends_without_words() -> None:
    progress, log = watching()
    progress.note(ToolCall("1", "search"))
    await asyncio.sleep(2)
    await progress.close()

    assert log == ["-# uses search …", "gone"]


@timeless
async def test_an_answer_without_tools_costs_nothing() -> None:
    progress, log = watching()
    progress.note(TextDelta("Hello."))
    await progress.close()

    assert log == []
