"""What belongs to a server or channel goes with it, and a person's words with the person."""

from __future__ import annotations

import discord

from bot.models import Model
from bot.stage import Stage, make_config, on_stage
from streamcord import Persona
from streamcord.store import Change, Memory, Place, StoredPersona


async def fill(stage: Stage, place: Place, message: int) -> None:
    await stage.store.remember(Memory("Luna", place, "words", (message,), (), 7))
    await stage.store.change_settings(place, {"degree": 1})
    await stage.store.record_change(Change(place, 7, "settings set"))


async def test_a_server_that_the_bot_leaves_takes_everything_along() -> None:
    for forgets in (True, False):
        config = make_config(privacy={"forget_left": forgets})
        async with on_stage(Model([]), config=config) as stage:
            here, there = Place(stage.twin.guild.id, stage.twin.channel.id), Place(5, 6)
            await stage.store.save_persona(StoredPersona(Persona("Ren"), here.guild))
            await fill(stage, here, 100)
            await fill(stage, there, 200)
            guild = stage.bot.get_guild(here.guild)
            assert guild is not None
            await stage.bot.on_guild_remove(guild)
            kept = [
                len(await stage.store.recall("Luna", here)),
                len(await stage.store.settings(here)),
                len(await stage.store.changes(here.guild)),
                len([one for one in await stage.store.personas(here.guild) if one.guild]),
            ]
            assert kept == ([0] * 4 if forgets else [1] * 4)
            assert len(await stage.store.recall("Luna", there)) == 1


async def test_a_channel_that_is_deleted_takes_its_own_along() -> None:
    async with on_stage(Model([])) as stage:
        twin = stage.twin
        other = twin.add_channel("other")
        here, there = Place(twin.guild.id, other.id), Place(twin.guild.id, twin.channel.id)
        await fill(stage, here, 100)
        await fill(stage, there, 200)
        await stage.settled()
        channel = stage.bot.get_channel(other.id)
        assert channel is not None
        assert isinstance(channel, discord.TextChannel)
        await stage.bot.on_guild_channel_delete(channel)
        assert await stage.store.settings(here) == {}
        assert await stage.store.recall("Luna", here) == ()
        assert len(await stage.store.recall("Luna", there)) == 1
