"""Sessions come and go with the shards of a process."""

from __future__ import annotations

import asyncio

from bot.coordination.cluster.conftest import Enter
from bot.models import Model
from discord_twin import Twin
from streamcord_bot.coordination.cluster.coordinator import Cluster


async def holds(cluster: Cluster, count: int) -> None:
    async with asyncio.timeout(10):
        while len(cluster.member.owned_shards) != count:
            cluster.member.tick_soon()
            await asyncio.sleep(0.02)


async def test_gateway_member_connects_only_its_own_shards(twin: Twin, enter: Enter) -> None:
    shards = {"discord": {"shard_count": 4}}
    async with enter("1", Model(["first"]), "gateway", **shards) as (stage, one):
        await holds(one, 4)
        assert set(stage.bot.shards) == {0, 1, 2, 3}
        async with enter("2", Model(["second"]), "gateway", **shards) as (other, two):
            await holds(one, 2)
            await holds(two, 2)
            async with asyncio.timeout(10):
                owners = [(stage.bot, one.member), (other.bot, two.member)]
                while any({*bot.shards} != member.owned_shards for bot, member in owners):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            await two.shards.wait_ready(two.member.owned_shards)
            stage.ask("who is it?")
            (text,) = await stage.texts(1)
            assert text == ("first" if one.owns_guild(twin.guild.id) else "second")
            known = [bot for bot in (stage.bot, other.bot) if bot.get_guild(twin.guild.id)]
            assert len(known) == 1, "nobody keeps servers that it hears nothing of"
        await holds(one, 4)
        await one.shards.wait_ready(one.member.owned_shards)
        stage.ask("and now?")
        assert await stage.texts(1) == ["first"]


async def test_a_standby_listens_everywhere_and_answers_nowhere(enter: Enter) -> None:
    shards = {"discord": {"shard_count": 2}}
    async with enter("2", Model(["second"]), **shards) as (stage, one):
        await holds(one, 2)
        async with enter("1", Model(["first"]), "standby", **shards) as (other, standing):
            assert set(other.bot.shards) == {0, 1}
            await standing.member.tick()
            assert standing.member.owned_shards == set()
            stage.ask("hello?")
            assert await stage.texts(1) == ["second"]
