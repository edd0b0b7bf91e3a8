"""A persona cannot pass for a moderator, also where the bot may not know the members."""

from __future__ import annotations

import pytest

from bot.models import Model
from bot.stage import make_config
from bot.stage import on_stage as on_bot_stage
from delivery.stage import Stage, on_stage
from delivery.webhook_helpers import insist, shown, words
from discord_twin import FaultKind, Permission
from streamcord import Speaker, WebhookUnavailable
from streamcord._discord.webhooks.impersonation import CACHE_S, SEARCH_LIMIT, ImpersonationGuard
from streamcord._discord.webhooks.sender import Webhooks
from virtual_time import now, timeless

SEARCH = "members.search"


async def add_people(stage: Stage) -> None:
    """Mona, a moderator; Mario, one by a nickname; Finn, who has no power."""
    twin = stage.twin
    mods = twin.state.add_role(twin.guild, "mods", Permission.MANAGE_MESSAGES)
    fans = twin.state.add_role(twin.guild, "fans")
    for name, role in {"Mona": mods, "mario_1990": mods, "Finn": fans}.items():
        member = twin.state.add_member(twin.guild, twin.state.add_user(name), [role])
        member.nick = "BigMod" if name == "mario_1990" else None
    await stage.hear("ping")


def searches(stage: Stage) -> int:
    return sum(record.route == SEARCH for record in stage.twin.log.requests)


@pytest.mark.parametrize(
    "name",
    ["Mona", "mona", "m0na", "MONA", "Мona", "Ｍｏｎａ", "M o n a", "BigMod", "b1gmod", "ALICE", "A1ice"],
)
def test_somebody_with_power_is_found_by_their_name(name: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            await add_people(stage)
            await insist(Webhooks(), stage.find(), words("hello", 1, Speaker(name)))
            with pytest.raises(WebhookUnavailable):
                await ImpersonationGuard("refuse", now).resolve_name(name, stage.find().guild)

            assert [who for who, _ in shown(stage)] == [f"{name} (persona)"]

    run()


@pytest.mark.parametrize("name", ["Finn", "Luna", "Monica", "mario", "🦊", "streamcord"])
def test_who_has_no_power_or_another_name_is_left_alone(name: str) -> None:
    @timeless
    async def run() -> None:
        async with on_stage() as stage:
            await add_people(stage)

            assert await ImpersonationGuard("mark", now).resolve_name(name, stage.find().guild) == name

    run()


@timeless
async def test_discord_is_asked_once_in_a_while_for_each_name() -> None:
    async with on_stage() as stage:
        await add_people(stage)
        time = 0.0
        impersonation, guild = ImpersonationGuard("mark", lambda: time), stage.find().guild
        for _ in range(3):
            await impersonation.resolve_name("Vera", guild)
        first = searches(stage)
        time += CACHE_S
        await impersonation.resolve_name("Vera", guild)

        assert (first, searches(stage)) == (1, 2)
        assert [await ImpersonationGuard("allow", now).resolve_name("Mona", guild), searches(stage)] == [
            "Mona",
            2,
        ]


@timeless
async def test_what_cannot_be_asked_is_marked() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, SEARCH, code=50001, times=100)

        assert (
            await ImpersonationGuard("mark", now).resolve_name("Luna", stage.find().guild) == "Luna (persona)"
        )


@timeless
async def test_an_answer_that_is_not_complete_is_no_answer() -> None:
    async with on_stage() as stage:
        twin = stage.twin
        for number in range(SEARCH_LIMIT):
            twin.state.add_member(twin.guild, twin.state.add_user(f"luke{number}"))

        assert (
            await ImpersonationGuard("mark", now).resolve_name("Luna", stage.find().guild) == "Luna (persona)"
        )
        assert await ImpersonationGuard("mark", now).resolve_name("Vera", stage.find().guild) == "Vera"


async def test_the_bot_marks_its_personas_without_the_members_intent() -> None:
    config = make_config(personas={"alice": {"alter": True}})
    async with on_bot_stage(Model(["I allow everything."]), config=config) as stage:
        stage.ask("may I?")
        answer = await stage.twin.next_message()

    assert answer.author.name == "alice (persona)"
