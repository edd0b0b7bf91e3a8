"""The real bot with real discord.py on the twin."""

from __future__ import annotations

from bot.stage import on_stage
from streamcord.testing import ScriptedProvider


async def test_a_mention_is_answered_as_a_reply() -> None:
    model = ScriptedProvider(["Hello ", "there."])
    async with on_stage(model) as stage:
        asked = stage.ask("hi!")
        answer = await stage.twin.next_message()

    assert answer.content == "Hello there."
    assert answer.draft.reply_ids == (stage.twin.channel.id, asked.id)
    assert stage.twin.log.typing
