from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from streamcord import Attachment, FencedCode, Message, Receipt, Settings, say
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


class ReturnsBytes:
    def draw(self, value: object) -> Attachment | None:
        return b"png"  # type: ignore[return-value]


class IsAsync:
    async def draw(self, value: object) -> Attachment | None:
        return PICTURE


@pytest.mark.parametrize(
    ("renderer", "says"),
    [
        (ReturnsBytes(), "ReturnsBytes returned bytes, not an Attachment"),
        (IsAsync(), "IsAsync is async: write"),
    ],
)
async def test_renderer_of_a_wrong_kind_is_logged_and_the_text_is_sent(
    renderer: object, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    channel = FakeChannel()

    await say(channel, words(f"Look:\n{CHART}\nBye."), renderers=[renderer])  # type: ignore[list-item]

    assert channel.texts == ["Look:", CHART, "Bye."]
    assert says in caplog.text


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


class Plain:
    """The transport of the guide: two methods, and nothing about files."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def send(self, message: Message) -> Receipt:
        self.messages.append(message)
        return Receipt(message, len(self.messages))

    async def typing(self) -> None:
        pass


async def test_transport_that_takes_no_files_gets_words() -> None:
    channel = Plain()

    await say(channel, words(f"Look:\n\n{TABLE}\n\n{CHART}\nBye."), renderers=[ChartRenderer()])

    assert [message.files for message in channel.messages] == [()] * len(channel.messages)
    assert "```\na" in channel.messages[1].content
    assert CHART in [message.content for message in channel.messages]


async def test_rest_of_a_long_answer_is_announced_where_no_files_are_taken() -> None:
    channel = Plain()

    await say(
        channel, words("One.\nTwo.\nThree.\n"), settings=Settings(degree=3, message_cap=1, typing="off")
    )

    assert [message.files for message in channel.messages] == [(), ()]
    assert "The rest is not shown" in channel.messages[-1].content


class Long(Plain):
    message_limit = 4096


@pytest.mark.parametrize(("asked", "longest"), [(4000, 4000), (10_000, 4096)])
async def test_message_may_be_as_long_as_the_platform_allows(asked: int, longest: int) -> None:
    channel = Long()
    text = "A sentence of text. " * 1000

    await say(
        channel, words(text), settings=Settings(degree=0, message_length=asked, overflow_target=100_000)
    )

    lengths = [len(message.content) for message in channel.messages]
    assert longest - 40 < max(lengths) <= longest
    assert sum(message.content.count("A sentence of text.") for message in channel.messages) == 1000


async def test_method_called_edit_is_not_used_for_live_answers() -> None:
    class Mine(Plain):
        def edit(self, *_: object) -> None:
            raise AssertionError("a method of its own, with a signature of its own")

    channel = Mine()
    await say(channel, words("Hello there."), settings=Settings(delivery="live"))

    assert [message.content for message in channel.messages] == ["Hello there."]
