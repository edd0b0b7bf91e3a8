"""The session of a dead process tells its heir what was written meanwhile."""

from __future__ import annotations

import asyncio

from bot.coordination.cluster.conftest import Enter
from bot.models import Model
from discord_twin import Twin
from streamcord_bot.coordination.cluster import LeasedShard
from streamcord_bot.coordination.cluster.session_replay import missed_messages


async def test_session_replay_returns_messages_after_the_owner_died(twin: Twin, enter: Enter) -> None:
    async with enter("2", Model(["second"])) as (heir, _), enter("1", Model(["first"])) as (dead, dying):
        session, sequence, gateway = dying.sessions()[0]
        # Its connection breaks, and it cannot come back.
        shard = dead.bot.shards[0]._parent
        shard._cancel_task()
        await shard.ws.socket.close(code=4000)
        twin.say(twin.channel, twin.user, "while nobody listened")
        lease = LeasedShard(0, "", 0, 0.0, session, sequence, gateway)
        async with asyncio.timeout(10):
            found = await missed_messages(heir.bot, lease)

        assert [message.content for message in found] == ["while nobody listened"]
        assert found[0].channel == heir.bot.get_channel(twin.channel.id)
        assert await missed_messages(heir.bot, lease) == [], "it is over"


async def test_unknown_session_replays_nothing(enter: Enter) -> None:
    async with enter("1", Model(["x"])) as (stage, cluster):
        gateway = cluster.sessions()[0][2]

        assert await missed_messages(stage.bot, LeasedShard(0)) == []
        assert await missed_messages(stage.bot, LeasedShard(0, session="old", gateway=gateway)) == []
        assert (
            await missed_messages(stage.bot, LeasedShard(0, session="old", gateway="ws://127.0.0.1:1")) == []
        )
