"""The debug lines of an answer: in the wording of the specification, without words unless they are allowed."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest

from streamcord import AnswerContext, Emoji, Settings, say
from streamcord.testing import FakeChannel
from streamcord.utils import TEXT_LOGGER

LOGGER = "streamcord._turn.debug_log"
CONTEXT = AnswerContext(emoji=(Emoji("Soup", 1),), recent_messages=("<:Soup:1> x",))
KEY = "sk-" + "a1b2c3d4" * 5


async def answer() -> AsyncIterator[str]:
    for text in (
        "Hello There. ",
        f"My key is {KEY}\n",
        "one\n...\nTwo :Soup: ok\n",
        "word " * 300,
        "\n...\n",
    ):
        yield text


@pytest.fixture
def words_allowed() -> None:
    logging.getLogger(TEXT_LOGGER).setLevel(logging.DEBUG)


async def lines(caplog: pytest.LogCaptureFixture, level: int = logging.DEBUG) -> list[str]:
    with caplog.at_level(level, LOGGER):
        settings = Settings(degree=3, typing="off", secrets=("Two-secret",))
        await say(FakeChannel(), answer(), settings=settings, context=CONTEXT)
    return [record.getMessage() for record in caplog.records if record.name == LOGGER]


async def test_lines_have_the_wording_of_the_checklist(caplog: pytest.LogCaptureFixture) -> None:
    found = await lines(caplog)
    for expected in (
        "Stream API: Raw chunk received: 13 characters",
        'Stream Orphan: Holding "..." (pending="...") for next segment',
        'Stream Orphan: Prepending held "..." to next segment',
        'Stream Orphan: Releasing held "..." as standalone on final flush (no following segment).',
        "[Unique Emoji] removed :Soup:, which is in a recent message",
        "Stream Seg: Flushing oversized regular buffer at safe breakpoint (1000 characters)",
        "Stream Send: Humanized (D3) from 13 characters to 11 characters",
        "Stream Send: Sent message (1): 11 characters",
    ):
        assert expected in found


async def test_lines_have_no_words_of_anybody(caplog: pytest.LogCaptureFixture) -> None:
    found = "\n".join(await lines(caplog))
    assert "word " not in found
    assert "ello" not in found
    assert "one" not in found.replace("standalone", "").replace("(no following", "")


@pytest.mark.usefixtures("words_allowed")
async def test_words_are_shown_if_allowed_and_secrets_never(caplog: pytest.LogCaptureFixture) -> None:
    found = await lines(caplog)
    assert "Stream API: Raw chunk received: 'Hello There. '" in found
    assert "Stream Send: Humanized (D3) from 'Hello There.' to 'hello there'" in found
    assert "Stream Send: Sent message (1): 'hello there'" in found
    assert not any(KEY[:12] in line for line in found)
    assert max(map(len, found)) < 500


async def test_nothing_is_written_above_debug(caplog: pytest.LogCaptureFixture) -> None:
    assert await lines(caplog, logging.INFO) == []
