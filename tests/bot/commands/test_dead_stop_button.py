"""A stop button whose answer is over, because its process died: a press removes it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.stage import on_stage
from streamcord.testing import ScriptedProvider
from streamcord_bot.ui.buttons import AnswerButton, make_buttons


@pytest.mark.parametrize("by_webhook", [False, True])
@pytest.mark.parametrize("is_gone", [False, True], ids=["", "webhook deleted"])
async def test_press_on_a_dead_stop_button_removes_it(by_webhook: bool, is_gone: bool) -> None:
    async with on_stage(ScriptedProvider()) as stage:
        twin, channel = stage.twin, stage.bot.get_channel(stage.twin.channel.id)
        place: Any = channel
        if by_webhook:
            place = await place.create_webhook(name="persona")
        stop = AnswerButton("stop", twin.user.id, "dead")
        await place.send("Half an answer", view=make_buttons(stop))
        (message,) = stage.said()
        assert message.draft.components
        if is_gone:
            twin.state.webhooks.clear()
        twin.press(message, stop.custom_id)
        async with asyncio.timeout(10):
            while twin.channel.messages[message.id].draft.components:  # noqa: ASYNC110 - the twin tells no one
                await asyncio.sleep(0.01)

        assert twin.channel.messages[message.id].content == "Half an answer"
