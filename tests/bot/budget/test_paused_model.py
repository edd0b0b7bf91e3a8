"""A model that failed several times is paused: everybody who asks meanwhile is told, and it is tried again soon."""

from __future__ import annotations

import pytest

from bot.stage import make_config, on_stage
from streamcord import Overloaded
from streamcord.testing import ScriptedProvider
from streamcord_bot.config import BudgetConfig
from streamcord_bot.ops.connectivity import DiscordClock

DOWN = [Overloaded("the model is down")]


async def test_every_question_to_a_paused_model_is_told_and_the_next_one_tries_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    seconds = 1_800_000_000.0
    config = make_config(budget={"errors": 2})
    clock = DiscordClock(lambda: seconds)
    async with on_stage(ScriptedProvider(DOWN, DOWN, ["Hello again."]), config=config, clock=clock) as stage:
        for number in range(5):
            stage.ask(f"question {number}")
            await stage.twin.next_message()
            await stage.quiet()
        told = [str(one.draft.embeds[0]["description"]) for one in stage.said()]
        # The pause is over: the next question tries the model.
        seconds += BudgetConfig().error_pause
        stage.ask("and now?")
        answer = await stage.twin.next_message()

    assert ["paused" in text for text in told] == [False, False, True, True, True]
    assert answer.content == "Hello again."
    assert caplog.text.count("the model is paused after failures") == 3
    assert BudgetConfig().error_pause == 15.0
