"""What every program of this folder checks: the text arrives once, and the turn is complete."""

from __future__ import annotations

from typing import Any

from streamcord import Ending, Settings, TurnResult, say
from streamcord.testing import FakeChannel

BEFORE, AFTER = "Let me look it up.", "It is 42 indeed, my friend."


async def check(
    name: str, stream: Any, texts: tuple[str, ...] = (BEFORE, AFTER), ending: Ending = Ending.COMPLETED
) -> TurnResult:
    """Send a stream and compare every character."""
    channel = FakeChannel()
    result = await say(channel, stream, settings=Settings(typing="off"))
    assert tuple(channel.texts) == texts, (name, channel.texts)
    assert result.ending is ending, (name, result.ending)
    return result
