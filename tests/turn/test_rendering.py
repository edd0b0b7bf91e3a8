from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from streamcord import Attachment, FencedCode, Message, Settings, say
from streamcord._turn.rendering import ImageDrawer
from streamcord.testing import FakeChannel

PICTURE = Attachment("bars.png", b"png", "bars")
BARS = "```bars\ntea 3\n```"


class Bars:
    """Draws code blocks of one language."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def draw(self, value: object) -> Attachment | None:
        self.seen.append(value)
        return PICTURE if isinstance(value, FencedCode) and value.language == "bars" else None


class Broken:
    def draw(self, value: object) -> Attachment | None:
        raise ZeroDivisionError


async def words(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


async def test_a_code_block_is_drawn_by_a_renderer_of_ones_own_and_remembered_as_code() -> None:
    channel, bars = FakeChannel(), Bars()

    result = await say(channel, words(f"Look:\n{BARS}\n```py\nx = 1\n```\nBye."), renderers=[bars])

    assert channel.texts == ["Look:", "", "```py\nx = 1\n```", "Bye."]
    assert channel.messages[1].files == (PICTURE,)
    assert bars.seen == [FencedCode("bars", "tea 3"), FencedCode("py", "x = 1")]
    assert result.text == f"Look:\n{BARS}\n```py\nx = 1\n```\nBye."


async def test_a_heading_stays_above_what_is_drawn() -> None:
    channel, bars = FakeChannel(), Bars()
    table = "| a | b |\n|---|---|\n| 1 | 2 |"

    result = await say(channel, words(f"## Sold\n{BARS}\n## Left\n{table}"), renderers=[bars])

    assert channel.texts == ["## Sold", "## Left"]
    assert channel.messages[0].files == (PICTURE,)
    assert len(channel.messages[1].files) == 1
    assert bars.seen[0] == FencedCode("bars", "tea 3", "## Sold")
    assert result.text.startswith(f"## Sold\n{BARS}\n## Left\n")


async def test_tables_are_still_drawn_by_what_is_installed() -> None:
    channel = FakeChannel()

    await say(channel, words("| a | b |\n|---|---|\n| 1 | 2 |"), renderers=[Bars()])

    (picture,) = channel.messages[0].files
    assert isinstance(picture, Attachment)
    assert picture.content.startswith(b"\x89PNG")


async def test_a_renderer_that_fails_leaves_the_words_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    channel = FakeChannel()

    await say(channel, words(BARS), renderers=[Broken()])

    assert channel.texts == [BARS]
    assert "a renderer failed: Broken" in caplog.text


@pytest.mark.parametrize("content", ["Hi.", "```\nno language\n```", "```a\n```\n```b\n```", "```half\nx"])
async def test_what_is_no_block_of_a_language_is_sent_as_it_is(content: str) -> None:
    bars = Bars()

    assert await ImageDrawer(Settings(), [bars]).draw(Message(content)) == [Message(content)]
    assert bars.seen == []
