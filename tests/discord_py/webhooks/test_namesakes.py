from __future__ import annotations

import pytest

from delivery.stage import on_stage
from streamcord import NoVoice
from streamcord._discord.webhooks.namesakes import FRESH, Namesakes
from streamcord.twin import Permission
from virtual import now, timeless


@timeless
async def test_who_has_power_is_guarded_and_nobody_else() -> None:
    async with on_stage(members=True) as stage:
        twin = stage.twin
        role = twin.state.add_role(twin.guild, "mods", Permission.MANAGE_MESSAGES)
        fans = twin.state.add_role(twin.guild, "fans")
        for name, roles in {"Mona": [role], "Finn": [fans]}.items():
            twin.state.add_member(twin.guild, twin.state.add_user(name), roles)
        await stage.hear("ping")
        guild = stage.find().guild
        namesakes = Namesakes("mark", now)

        assert namesakes.settle("m0na", guild) == "m0na (persona)"
        assert namesakes.settle("ALICE", guild) == "ALICE (persona)"  # the owner
        assert namesakes.settle("Finn", guild) == "Finn"
        assert namesakes.settle("streamcord", guild) == "streamcord"  # the bot itself
        with pytest.raises(NoVoice):
            Namesakes("refuse", now).settle("Mona", guild)


@timeless
async def test_new_members_are_seen_after_a_while() -> None:
    async with on_stage(members=True) as stage:
        time = 0.0
        twin, namesakes, guild = stage.twin, Namesakes("mark", lambda: time), stage.find().guild
        namesakes.settle("Mona", guild)
        role = twin.state.add_role(twin.guild, "mods", Permission.MANAGE_GUILD)
        twin.state.add_member(twin.guild, twin.state.add_user("Mona"), [role])
        await stage.hear("ping")
        assert namesakes.settle("Mona", guild) == "Mona"
        time += FRESH
        assert namesakes.settle("Mona", guild) == "Mona (persona)"


@timeless
async def test_without_the_members_intent_nobody_is_known() -> None:
    async with on_stage() as stage:
        assert Namesakes("refuse", now).settle("Alice", stage.find().guild) == "Alice"
