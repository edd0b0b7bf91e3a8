from __future__ import annotations

from typing import Any

from bot.stage import on_stage
from streamcord._bot.answer.send_notice import tell
from streamcord._twin.state.model import MessageFlag
from streamcord.testing import ScriptedProvider
from streamcord.twin import FaultKind


async def test_a_notice_is_a_silent_embed_that_replies_and_pings_nobody() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        said = stage.twin.say(stage.twin.channel, stage.twin.user, "hi")
        channel: Any = stage.bot.get_channel(stage.twin.channel.id)
        message = await channel.fetch_message(said.id)
        await tell(channel, "@everyone, something happened", message)
        notice = await stage.twin.next_message()

        assert notice.draft.embeds[0]["description"] == "@everyone, something happened"
        assert notice.draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS
        assert notice.draft.reply_ids == (stage.twin.channel.id, said.id)
        assert stage.pinged == set()


async def test_a_notice_that_is_refused_is_nothing_to_fail_for() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        channel: Any = stage.bot.get_channel(stage.twin.channel.id)
        stage.twin.fail(FaultKind.ERROR_CODE, status=403, code=50013)

        assert await tell(channel, "something happened") is None
