from __future__ import annotations

import asyncio

import pytest

from bot.models import Model
from bot.stage import QUICK, make_config, on_stage
from streamcord import ToolCall
from streamcord.providers import tool
from streamcord_bot.config import read_config


@pytest.mark.parametrize(
    ("drop", "shown"), [(True, "Once upon a time."), (False, "Once uponOnce upon a time.")]
)
async def test_overlap_of_a_provider_is_removed_if_wanted(drop: bool, shown: str) -> None:
    config = make_config(answer={"debounce": 0.0, "buttons": False, "drop_overlap": drop})
    async with on_stage(Model(["Once upon", "Once upon a time."]), config=config) as stage:
        stage.ask("a story")
        assert await stage.texts(1) == [shown]


async def test_slow_tool_outlives_a_short_idle_timeout() -> None:
    @tool
    async def think(seconds: float = 0.3) -> str:
        """Think for a while."""
        await asyncio.sleep(seconds)
        return "42"

    model = Model([ToolCall("1", "think", {})], ["It is 42."])
    config = read_config(QUICK, {"STREAM_SDK_CALL_TIMEOUT_MS": "100"})
    async with on_stage(model, config=config, tools=[think]) as stage:
        stage.ask("think")
        assert await stage.texts(1) == ["It is 42."]
