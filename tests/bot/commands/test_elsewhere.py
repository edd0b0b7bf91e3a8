"""Where the bot is no member: groups, direct messages of others, servers that never invited it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from bot.stage import Stage, make_config, on_stage
from discord_twin import ActionUnavailable, Channel, Permission
from streamcord.testing import ScriptedProvider
from twin.conftest import FREE

from .test_ask import EPHEMERAL, find_field, words


@asynccontextmanager
async def installed(model: ScriptedProvider, **settings: Any) -> AsyncIterator[Stage]:
    """A bot that people can install for themselves, as alice has."""
    personas = {"Luna": {"prompt": "You are Luna, a cat.", "greeting": "Meow, everybody."}}
    config = make_config(
        discord={"user_install": True},
        settings={"typing": "off", **settings},
        personas=personas,
        answer={"debounce": 0.0, "buttons": False, "greet": True},
    )
    async with on_stage(model, config=config) as stage:
        stage.twin.install()
        yield stage


def shown(channel: Channel) -> list[str]:
    return [one.content for one in channel.messages.values() if one.by_machine]


async def test_the_bot_is_asked_in_a_group_of_people() -> None:
    model = ScriptedProvider(["Green."])
    async with installed(model) as stage:
        twin = stage.twin
        group = twin.group(twin.user, twin.add_user("bob"), name="the flat")
        twin.say(group, twin.user, "words of the group, which are none of its business")
        used = twin.slash("ask", group, question="Which colour?")
        await twin.next_message(group)
        await stage.quiet()

        assert shown(group) == ["Green."]
        assert used.original is not None
        assert used.original.interaction is used
    assert words(model.prompts[0]).endswith("alice: Which colour?")
    assert "none of its business" not in words(model.prompts[0])


async def test_the_bot_is_asked_between_two_people() -> None:
    model = ScriptedProvider(["Yes."])
    async with installed(model) as stage:
        twin = stage.twin
        between = twin.dm_between(twin.user, twin.add_user("bob"))
        twin.slash("ask", between, question="Are you there?")
        assert (await twin.next_message(between)).content == "Yes."
        await stage.quiet()


async def test_a_message_of_other_people_is_asked_about() -> None:
    model = ScriptedProvider(["A cat."])
    async with installed(model) as stage:
        twin = stage.twin
        group = twin.group(twin.user, bob := twin.add_user("bob"))
        riddle = twin.say(group, bob, "Guess: it purrs.")
        modal = twin.menu("Ask about this", riddle)
        form = await twin.until(lambda: modal.callback)
        twin.submit(modal, {find_field(form): "What is it?"})
        assert (await twin.next_message(group)).content == "A cat."
        await stage.quiet()
    assert "Guess: it purrs." in words(model.prompts[0])


async def test_the_bot_is_asked_in_a_server_that_never_invited_it() -> None:
    model = ScriptedProvider(["Here, too."])
    async with installed(model) as stage:
        twin = stage.twin
        foreign = twin.state.add_guild("Foreign", twin.user)
        place = twin.state.add_channel(foreign, "lobby")
        twin.slash("ask", place, question="Here?")
        assert (await twin.next_message(place)).content == "Here, too."
        await stage.quiet()


async def test_only_who_installed_it_is_offered_the_command_elsewhere() -> None:
    async with installed(ScriptedProvider()) as stage:
        twin = stage.twin
        group = twin.group(twin.user, bob := twin.add_user("bob"))
        with pytest.raises(ActionUnavailable, match="installed"):
            twin.slash("ask", group, bob, question="Me, too?")


async def test_without_the_switch_nobody_is_offered_anything_elsewhere() -> None:
    async with on_stage(ScriptedProvider()) as stage:
        twin = stage.twin
        twin.install()
        with pytest.raises(ActionUnavailable):
            twin.slash("ask", twin.group(twin.user), question="Hello?")


@pytest.mark.parametrize("delivery", ["messages", "live"])
async def test_a_long_answer_among_people_loses_nothing(delivery: str) -> None:
    lines = [
        f"Line {number} of many for @alice, so that nobody can say that it is missing."
        for number in range(260)
    ]
    model = ScriptedProvider(["\n".join(lines)])
    async with installed(model, degree=2, delivery=delivery) as stage:
        twin = stage.twin
        group = twin.group(twin.user)
        twin.slash("ask", group, question="All of it, please, for @alice.")
        await twin.next_message(group)
        await stage.quiet()
        texts = "\n".join([*shown(group), *files(group)])
        said = shown(group)
        edits = [one for one in twin.log.requests if one.method == "PATCH"]
        assert edits
        assert all(b'"allowed_mentions"' in one.body for one in edits)
    assert len(said) == 6
    assert all(len(one) > 1500 for one in said)
    for number in range(len(lines)):
        assert texts.count(f"Line {number} of many for ") == 1, number


def files(channel: Channel) -> list[str]:
    return [file.content.decode() for one in channel.messages.values() for file in one.attachments]


async def test_where_people_may_not_bring_bots_only_they_see_the_answer() -> None:
    model = ScriptedProvider(["For you."])
    async with installed(model) as stage:
        twin = stage.twin
        foreign = twin.state.add_guild("Foreign", twin.add_user("bob"))
        twin.state.add_member(foreign, twin.user)
        place = twin.state.add_channel(foreign, "lobby")
        twin.state.overwrite(place, foreign.roles[foreign.id], deny=Permission.USE_EXTERNAL_APPS)
        twin.slash("ask", place, question="Here?")
        answer = await twin.next_message(place)
        await stage.quiet()
        assert answer.content == "For you."
        assert answer.draft.flags & EPHEMERAL


async def test_without_the_portals_consent_the_commands_are_there_for_servers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = make_config(discord={"user_install": True})
    switches = replace(FREE, user_install=False)
    async with on_stage(ScriptedProvider(["Still here."]), config=config, switches=switches) as stage:
        stage.twin.slash("ask", question="there?")
        assert (await stage.twin.next_message()).content == "Still here."
        await stage.quiet()
        with pytest.raises(ActionUnavailable):
            stage.twin.slash("ask", stage.twin.group(stage.twin.user), question="and here?")
    assert "turn on User Install" in caplog.text
