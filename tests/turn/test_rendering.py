from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from streamcord import Attachment, FencedCode, Message, Settings, say
from streamcord._turn.rendering import ImageDrawer
from streamcord.testing import FakeChannel

PICTURE = Attachment("renderer.png", b"png", "renderer")
CHART = "```renderer\ntea 3\n```"


class ChartRenderer:
    """Draws code blocks of one language."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def draw(self, value: object) -> Attachment | None:
        self.seen.append(value)
        return PICTURE if isinstance(value, FencedCode) and value.language == "renderer" else None


class Broken:
    def draw(self, value: object) -> Attachment | None:
        raise ZeroDivisionError


async def words(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


async def test_a_code_block_is_drawn_by_a_renderer_of_ones_own_and_remembered_as_code() -> None:
    channel, renderer = FakeChannel(), ChartRenderer()

    result = await say(channel, words(f"Look:\n{CHART}\n```py\nx = 1\n```\nBye."), renderers=[renderer])

    assert channel.texts == ["Look:", "", "```py\nx = 1\n```", "Bye."]
    assert channel.messages[1].files == (PICTURE,)
    assert renderer.seen == [FencedCode("renderer", "tea 3"), FencedCode("py", "x = 1")]
    assert result.text == f"Look:\n{CHART}\n```py\nx = 1\n```\nBye."


async def test_a_heading_stays_above_what_is_drawn() -> None:
    channel, renderer = FakeChannel(), ChartRenderer()
    table = "| a | b |\n|---|---|\n| 1 | 2 |"

    result = await say(channel, words(f"## Sold\n{CHART}\n## Left\n{table}"), renderers=[renderer])

    assert channel.texts == ["## Sold", "## Left"]
    assert channel.messages[0].files == (PICTURE,)
    assert len(channel.messages[1].files) == 1
    assert renderer.seen[0] == FencedCode("renderer", "tea 3", "## Sold")
    assert result.text.startswith(f"## Sold\n{CHART}\n## Left\n")


async def test_tables_are_still_drawn_by_what_is_installed() -> None:
    channel = FakeChannel()

    await say(channel, words("| a | b |\n|---|---|\n| 1 | 2 |"), renderers=[ChartRenderer()])

    (picture,) = channel.messages[0].files
    assert isinstance(picture, Attachment)
    assert picture.content.startswith(b"\x89PNG")


async def test_failing_renderer_leaves_the_text_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    channel = FakeChannel()

    await say(channel, words(CHART), renderers=[Broken()])

    assert channel.texts == [CHART]
    assert "renderer Broken failed" in caplog.text


@pytest.mark.parametrize("content", ["Hi.", "```\nno language\n```", "```a\n```\n```b\n```", "```half\nx"])
async def test_what_is_no_block_of_a_language_is_sent_as_it_is(content: str) -> None:
    renderer = ChartRenderer()

    assert await ImageDrawer(Settings(), [renderer]).draw(Message(content)) == [Message(content)]
    assert renderer.seen == []
