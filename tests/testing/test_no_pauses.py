"""The fixture `no_pauses`: a bot that types is tested without waiting."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from streamcord import Settings, say
from streamcord.pytest_plugin import no_pauses  # noqa: F401 - a fixture
from streamcord.testing import FakeChannel, without_pauses

TYPED = Settings(degree=3, humanize=False)


async def model() -> AsyncIterator[str]:
    yield "One sentence. Another one. And a third."


@pytest.mark.usefixtures("no_pauses")
async def test_answer_is_sent_without_pauses() -> None:
    channel = FakeChannel()

    await say(channel, model(), settings=TYPED)

    assert channel.texts == ["One sentence.", "Another one.", "And a third."]
    assert channel.now == 0


async def test_pauses_are_back_after_the_block() -> None:
    channel = FakeChannel()
    with pytest.raises(ValueError, match="inside"), without_pauses():
        raise ValueError("inside")

    await say(channel, model(), settings=TYPED)

    assert channel.now > 0
