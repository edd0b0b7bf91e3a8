"""Presses that lead nowhere; the others are in the scenarios S."""

from __future__ import annotations

from bot.commands.answers import answer_to
from bot.stage import make_config, on_stage
from bot.test_scenarios_s import button, buttons_of
from streamcord._bot.answer.buttons import TurnButton, make_view
from streamcord.testing import ScriptedProvider

BUTTONS = make_config(answer={"gather": 0.02, "buttons": True})


async def test_again_without_a_question_says_so() -> None:
    async with on_stage(ScriptedProvider(["Hello."]), config=BUTTONS) as stage:
        question = stage.ask("hi")
        answer = await stage.twin.next_message()
        await stage.twin.until(lambda: "again" in buttons_of(answer))
        await stage.quiet()
        stage.twin.delete(question)
        pressed = stage.twin.press(answer, button(answer, "again"))
        told = await stage.twin.next_message()

    assert told.interaction is pressed
    assert told.is_ephemeral
    assert "is gone" in told.content


async def test_a_stop_button_from_before_a_restart_stops_nothing() -> None:
    async with on_stage(ScriptedProvider(["Hello."]), config=BUTTONS) as stage:
        twin = stage.twin
        stage.ask("hi")
        answer = await twin.next_message()
        await stage.quiet()
        channel = stage.bot.get_channel(twin.channel.id)
        stale = make_view(TurnButton("stop", twin.user.id, "deadbeef"))
        assert await stage.bot.services.hand.dress(channel, answer.id, stale)  # type: ignore[arg-type]
        pressed = twin.press(answer, button(answer, "stop"))
        assert (await answer_to(twin, pressed)).content == "Nothing to stop here."
