"""Messages that are fetched have no member: access and permissions hold for them as for live messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, recovered
from bot.stage import on_stage
from discord_twin import Permission, Twin, User
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


def add_eve(twin: Twin) -> tuple[User, dict[str, Any]]:
    """Add a member with a role, and return her with the configuration that blocks the role."""
    role = twin.state.add_role(twin.guild, "banned")
    eve = twin.state.add_user("eve")
    twin.state.add_member(twin.guild, eve, [role])
    return eve, {"access": {"block": {"roles": [role.id]}}}


def ask(twin: Twin, person: User, text: str) -> None:
    twin.say(twin.channel, person, f"<@{twin.bot.id}> {text}")


async def interrupt(twin: Twin, file: Path, person: User) -> Path:
    """Let a process die while it answers a person, and return its database."""
    async with life(twin, file, Model(["one\ntw", asyncio.Event()])) as stage:
        stage.ask("count", user=person)
        await stage.texts(1)
        return await left_by_a_kill(stage, file)


async def test_missed_question_of_a_blocked_role_is_not_answered(twin: Twin, tmp_path: Path) -> None:
    eve, blocked = add_eve(twin)
    async with life(twin, tmp_path / "s.db", Model(["first"]), **blocked):
        pass
    ask(twin, eve, "and now?")
    model = Model(["second"])
    async with life(twin, tmp_path / "s.db", model, **blocked) as stage:
        await recovered(stage)
        await stage.quiet()

    assert model.prompts == []


async def test_interrupted_answer_to_a_blocked_role_is_not_resumed(twin: Twin, tmp_path: Path) -> None:
    eve, blocked = add_eve(twin)
    killed = await interrupt(twin, tmp_path / "s.db", eve)
    model = Model(["two"])
    async with life(twin, killed, model, **blocked) as stage:
        await recovered(stage)
        await stage.quiet()

    assert model.prompts == []


@pytest.mark.parametrize("door", ["missed", "interrupted"])
async def test_recovery_does_not_read_back_for_people_who_may_not(
    twin: Twin, tmp_path: Path, door: str
) -> None:
    file, eve = tmp_path / "s.db", add_eve(twin)[0]
    twin.say(twin.channel, twin.user, "The vault opens with 4711.")
    twin.state.overwrite(twin.channel, eve, deny=Permission.READ_MESSAGE_HISTORY)
    if door == "interrupted":
        file = await interrupt(twin, file, eve)
    else:
        async with life(twin, file, Model(["first"])):
            pass
        ask(twin, eve, "what was said before?")
    model = Model(["fine"])
    async with life(twin, file, model) as stage:
        await recovered(stage)
        await stage.quiet()

    assert len(model.prompts) == 1
    assert "4711" not in str(model.prompts)


async def test_missed_question_of_an_unknown_member_is_not_answered(twin: Twin, tmp_path: Path) -> None:
    eve, _ = add_eve(twin)
    async with life(twin, tmp_path / "s.db", Model(["first"])):
        pass
    ask(twin, eve, "and now?")
    del twin.guild.members[eve.id]
    model = Model(["second"])
    async with life(twin, tmp_path / "s.db", model) as stage:
        await recovered(stage)
        await stage.quiet()

    assert model.prompts == []


async def test_menu_continue_does_not_read_back_for_people_who_may_not() -> None:
    model = Model(["Once."], ["More."])
    async with on_stage(model) as stage:
        twin = stage.twin
        guest = twin.add_user("guest")
        twin.state.overwrite(twin.channel, guest, deny=Permission.READ_MESSAGE_HISTORY)
        await stage.settled()
        twin.say(twin.channel, twin.user, "The vault opens with 4711.")
        stage.ask("a story", user=guest)
        answer = await twin.next_message()
        await stage.quiet()
        twin.menu("Continue", answer, guest)
        await model.called(2)
        await stage.quiet()

    assert "4711" not in str(model.prompts)
