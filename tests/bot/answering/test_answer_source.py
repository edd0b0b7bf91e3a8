from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from bot.models import Model
from bot.stage import QUICK, make_config, on_stage
from streamcord import Finish, TextDelta, ThoughtDelta, ToolCall
from streamcord.providers import tool
from streamcord.testing import ScriptedProvider
from streamcord_bot.answering.answer_source import delay_words
from streamcord_bot.config import read_config
from virtual_time import now, timeless


@timeless
async def test_words_wait_and_thoughts_do_not() -> None:
    model = ScriptedProvider([ThoughtDelta("hm"), "a", "b"])
    start, seen = now(), []
    async for event in delay_words(aiter(model), now() + 2):
        seen.append((type(event), now() - start))

    assert seen == [(ThoughtDelta, 0), (TextDelta, 2), (TextDelta, 2), (Finish, 2)]
    assert model.closed == 1


@timeless
async def test_closing_early_closes_the_source() -> None:
    model = ScriptedProvider(["a"])

    async def read() -> None:
        async with aclosing(delay_words(aiter(model), now() + 100)) as events:
            await anext(events)

    reading = asyncio.create_task(read())
    await asyncio.sleep(1)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert model.closed == 1


@pytest.mark.parametrize(
    ("drop", "shown"), [(True, "Once upon a time."), (False, "Once uponOnce upon a time.")]
)
async def test_overlap_of_a_provider_is_removed_if_wanted(drop: bool, shown: str) -> None:
    config = make_config(answer={"debounce": 0.02, "buttons": False, "drop_overlap": drop})
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
