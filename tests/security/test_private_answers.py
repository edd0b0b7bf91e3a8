"""Nothing of a private answer is seen by others: in messages, prompts, commands, tools or the database."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from bot.commands.using import CommandUser
from bot.models import Model, Round
from bot.stage import Stage, make_config, on_stage
from discord_twin import Interaction, Message, User
from streamcord import ThoughtDelta, ToolCall, Usage
from streamcord.providers import Prompt
from streamcord.store import Place, open_store

SECRET = "ZEBRA"
"""Is in every part of the private question and its answer."""
TABLE = f"| {SECRET} | b |\n|---|---|\n| {SECRET} | 2 |\n"
PRIVATE_ROUND = (
    ThoughtDelta(f"{SECRET} in a thought"),
    f"{SECRET} :smile: in the text.\n\n{TABLE}\n<details>{SECRET} in a note</details>\n",
    Usage(100, 100),
)


def answer_for(prompt: Prompt) -> Round:
    """Return the private answer to the private question, a tool call to one about tables, else something public."""
    last = repr(prompt.messages[-1])
    if f"tell me {SECRET}" in last:
        return PRIVATE_ROUND
    if "show the table" in last and "ToolResult" not in repr(prompt.messages):
        return (ToolCall("1", "show_table_source", {}),)
    return ("A public answer.", Usage(10, 10))


def is_answered(used: Interaction) -> bool:
    return used.original is not None and bool(used.original.content or used.original.draft.attachments)


async def ask_privately(stage: Stage) -> None:
    used = stage.twin.slash("ask", question=f"tell me {SECRET}", private=True)
    await stage.twin.until(lambda: is_answered(used), timeout=30)
    await stage.quiet()


async def ask_publicly(stage: Stage, user: User, text: str) -> None:
    """Ask as this person and wait for the answer itself, however long a loaded machine takes."""
    before = count_public(stage)
    stage.ask(text, user=user)
    await stage.twin.until(lambda: count_public(stage) > before, timeout=30)
    await stage.quiet()


def count_public(stage: Stage) -> int:
    return sum("A public answer." in one.content for one in stage.said())


def seen_by_others(stage: Stage) -> list[Message]:
    """All messages in all channels that are not for Alice alone."""
    everything = [one for channel in stage.twin.state.channels.values() for one in channel.messages.values()]
    return [
        one
        for one in everything
        if not one.is_ephemeral or (one.interaction and one.interaction.user is not stage.twin.user)
    ]


async def test_nothing_of_a_private_answer_reaches_others(tmp_path: Path) -> None:
    model = Model(answer_for)
    path = tmp_path / "bot.db"
    store = await open_store(str(path))
    config = make_config(budget={"footer": True}, log={"text": False})
    async with on_stage(model, config=config, store=store) as stage:
        twin = stage.twin
        mallory = twin.add_user("mallory")
        log = twin.add_channel("thoughts")
        place = Place(twin.guild.id, twin.channel.id)
        await store.change_settings(place, {"thought_log": log.id})
        await stage.settled()
        await ask_privately(stage)
        assert [one for one in model.prompts if f"tell me {SECRET}" in repr(one)]
        users = CommandUser(stage, mallory)
        replies = [
            await users.use("memory show", mallory),
            await users.use("why", mallory),
            *[
                await users.use("why", mallory, message=str(one.id))
                for one in list(twin.channel.messages.values())
                if one.is_ephemeral
            ],
        ]
        await ask_publicly(stage, mallory, "what did you say?")
        await ask_publicly(stage, mallory, "show the table")
        prompts = [repr(one) for one in model.prompts if f"tell me {SECRET}" not in repr(one)]
        shown = seen_by_others(stage)
        texts = [json.dumps(one.draft.embeds) + one.content + repr(one.draft.attachments) for one in shown]
        tables = [await store.find_table(one.id) for one in twin.channel.messages.values()]
    await store.close()

    assert len(prompts) >= 2
    assert [one for one in prompts if SECRET in one] == []
    assert [one for one in texts if SECRET in one] == []
    assert [one.content for one in replies if SECRET in one.content] == []
    assert [one for one in shown if "110" in one.content or "200" in one.content] == []
    assert set(tables) == {None}
    with sqlite3.connect(path) as database:
        assert SECRET not in "\n".join(database.iterdump())


@pytest.mark.parametrize("called", [True, False])
async def test_a_message_of_the_asker_does_not_make_a_private_question_public(*, called: bool) -> None:
    model = Model(answer_for)
    config = make_config(answer={"debounce": 0.3, "buttons": False})
    async with on_stage(model, config=config) as stage:
        used = stage.twin.slash("ask", question=f"tell me {SECRET}", private=True)
        await model.called()
        text = f"<@{stage.twin.bot.id}> hello" if called else "hello everybody"
        stage.twin.say(stage.twin.channel, stage.twin.user, text)
        await stage.twin.until(lambda: is_answered(used), timeout=30)
        await stage.twin.until(lambda: count_public(stage) == called, timeout=30)
        await stage.quiet()
        public = [one.content for one in stage.said()]

    assert public == ["A public answer."] * called
    assert len(model.prompts) == 1 + called


async def test_why_explains_a_private_answer_to_its_owner_only() -> None:
    async with on_stage(Model(answer_for)) as stage:
        await ask_privately(stage)
        users = CommandUser(stage, stage.twin.add_user("mallory"))
        mine = await users.says("why")
        theirs = await users.says("why", users.guest)

    assert "message" in mine
    assert "turn" in mine
    assert "turn" not in theirs
