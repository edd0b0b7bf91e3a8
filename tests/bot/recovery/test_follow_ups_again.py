"""Follow-ups over a kill, at the moments that random schedules rarely meet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.answering.test_steering import Dig, digging, said_by_people
from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, recovered
from discord_twin import Message, Twin
from streamcord import Persona, ToolCall
from streamcord.store import Place, StoredPersona
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


def answers(twin: Twin) -> list[str]:
    return [one.content for one in twin.channel.messages.values() if one.by_machine and one.content]


async def test_a_follow_up_that_was_heard_is_part_of_the_resumed_answer(twin: Twin, tmp_path: Path) -> None:
    dig = Dig()
    hanging = Model([ToolCall("1", "dig")], ["A bo", asyncio.Event()])
    answer = {"follow_up": "steer"}
    async with life(twin, tmp_path / "s.db", hanging, registered=[dig.tool()], answer=answer) as stage:
        await digging(stage, dig)
        follow_up: Message = stage.ask("a white one")
        await stage.settled()
        dig.release.set()
        await hanging.called(2)
        copy = await left_by_a_kill(stage, tmp_path / "s.db", once="mark")
    model = Model(["ne, white."])
    async with life(twin, copy, model, registered=[dig.tool()], answer=answer) as stage:
        await recovered(stage)
        await stage.quiet()

    assert len(model.prompts) == 1
    assert said_by_people(model.prompts[0]).count("a white one") == 1
    assert dig.calls == 1
    assert [*follow_up.reactions] == ["✏️"]


async def test_every_persona_that_a_message_calls_answers_once_after_a_kill(
    twin: Twin, tmp_path: Path
) -> None:
    personas = {"Luna": {"prompt": "a cat"}}
    tables: dict[str, Any] = {"answer": {"follow_up": "queue"}, "personas": personas}
    async with life(twin, tmp_path / "s.db", Model([asyncio.Event()]), **tables) as stage:
        await stage.store.save_persona(StoredPersona(Persona("Max", alter=True), twin.guild.id))
        stage.ask("Luna, Max: who is it?")
        await stage.settled()
        await stage.store.settings(Place())
        copy = await left_by_a_kill(stage, tmp_path / "s.db")
    model = Model(["It is me."])
    async with life(twin, copy, model, **tables) as stage:
        await recovered(stage)
        await stage.quiet()

    assert len(answers(twin)) == 2
    assert len(model.prompts) == 2


async def test_question_behind_a_long_answer_is_answered_after_a_kill(twin: Twin, tmp_path: Path) -> None:
    """It may have waited for minutes, so the search for messages of the outage need not find it."""
    durability = {"catch_up": 0, "grace": 0.3}
    bob = twin.add_user("bob")
    async with life(twin, tmp_path / "s.db", Model(["A ", asyncio.Event()]), durability=durability) as stage:
        stage.ask("a long one")
        await stage.settled()
        twin.say(twin.channel, bob, f"<@{twin.bot.id}> and for me?")
        await stage.settled()
        await stage.store.settings(Place())
        copy = await left_by_a_kill(stage, tmp_path / "s.db")
    model = Model(["long one."], ["This is for you."])
    async with life(twin, copy, model, durability=durability) as stage:
        await recovered(stage)
        await stage.quiet()
        journal = stage.app.coordinator.journal
        assert not [one for one in await journal.unfinished(held=True) if one.saved and not one.saved.ended]

    assert answers(twin)[-1] == "This is for you."
    assert len(model.prompts) == 2
