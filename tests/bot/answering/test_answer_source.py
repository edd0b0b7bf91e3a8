from __future__ import annotations

import asyncio

import pytest

from bot.models import Model, Round
from bot.stage import QUICK, make_config, on_stage
from streamcord import ToolCall, Truncated
from streamcord.providers import tool, with_fallbacks
from streamcord_bot.answering.explanations import explain_message
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


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        ({}, ["The cat sat on the mat and slept."]),
        ({"after_failure": "restart"}, ["The cat sat on the", "The cat sat on the mat and slept."]),
        ({"after_failure": "stop"}, ["The cat sat on the"]),
    ],
)
async def test_broken_answer_goes_on_as_it_is_set(setting: dict[str, str], shown: list[str]) -> None:
    first: Round = ["The cat sat on ", "the", Truncated("cut")]
    config = make_config(
        answer={"debounce": 0.0, "buttons": False, **setting}, settings={"typing": "off", "degree": 0}
    )
    provider = with_fallbacks(Model(first, ["The cat sat on the mat and slept."]), names=["main"])
    async with on_stage(provider, config=config) as stage:
        asked = stage.ask("a story")
        assert await stage.texts(len(shown)) == shown
        await stage.quiet()
        answered = stage.app.recent_answers.find_by_question(asked.id)
        how = setting.get("after_failure", "continue")
        assert answered is not None
        metrics = stage.app.metrics.render()
        if how == "stop":
            assert not answered.result.seams
            assert "streamcord_answer_seams_total{" not in metrics
        else:
            name = {"continue": "continued", "restart": "restarted"}[how]
            assert [seam.how for seam in answered.result.seams] == [name]
            assert f'streamcord_answer_seams_total{{how="{name}"}} 1.0' in metrics
            # The last word is written again if the answer continues.
            at = {"continue": 15, "restart": 18}[how]
            assert f"**was cut off** after {at} characters" in explain_message(answered, answered.ids[0])
