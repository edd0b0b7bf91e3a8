"""Whatever a model or a tool writes, no one's phone rings: on no route, and by no edit.

The twin pings exactly as Discord does, from each request's `allowed_mentions`; besides, each request must say
itself that no one is to be pinged.
"""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest

from bot.models import Model
from bot.stage import Stage, make_config, on_stage
from streamcord import ThoughtDelta, ToolCall
from streamcord.providers import Post, tool
from streamcord.store import Place

WRITES = ("messages.create", "messages.edit", "webhooks.execute", "webhooks.message", "interactions.callback")


def hostile(stage: Stage, who: int = 0) -> str:
    """Every way to call someone that Discord knows, and a few that people try; `who` is of this server."""
    role = stage.twin.guild.id
    who = who or stage.twin.add_user("bystander").id
    people = f"<@{who}> <@!{who}> <@&{role}> @everyone @here @bystander"
    return (
        f"{people} and **{people}** ||{people}||\n> {people}\n- {people}\n@every\u200bone <@\\&{role}>\n"
        f"[@everyone](https://example.com) `@everyone`\n```\n{people}\n```\n"
        f"| a | b |\n|---|---|\n| @everyone | {people} |\n\n"
        f"<details><summary>@everyone</summary>{people}</details>\nThe end, {people}.\n"
    )


def unsafe(stage: Stage) -> list[Any]:
    """Requests that write a message without saying that everyone, here and roles are not meant."""
    found = []
    for record in stage.twin.log.of(*WRITES):
        if record.method not in {"POST", "PATCH"}:
            continue
        body = record.json.get("data", record.json)
        if body is None or not (body.get("content") or body.get("embeds")):
            continue
        allowed = body.get("allowed_mentions")
        if (
            allowed is None
            or {"everyone", "roles", "users"} & set(allowed.get("parse", []))
            or allowed.get("roles")
        ):
            found.append((record.route, record.method, body))
    return found


@pytest.mark.parametrize("alter", [False, True])
@pytest.mark.parametrize(
    "settings", [{}, {"degree": 0}, {"degree": 3}, {"rules": False}, {"delivery": "live"}], ids=str
)
async def test_nobody_is_pinged_by_an_answer(settings: dict[str, Any], *, alter: bool) -> None:
    personas = {"Luna": {"alter": alter}}
    config = make_config(personas=personas, settings={**settings, "typing": "off", "message_cap": 12})
    model = Model([])
    async with on_stage(model, config=config) as stage:
        # The one who is in the conversation may be named, unless the settings say otherwise.
        text = hostile(stage, stage.twin.user.id if "mentions" in settings else 0)
        model._rounds = [[ThoughtDelta(text, "raw"), *(text[at : at + 40] for at in range(0, len(text), 40))]]
        stage.ask("ping them all")
        await model.called(1)
        await stage.quiet()

        assert stage.said()
        assert stage.pinged == set()
        assert unsafe(stage) == []


async def test_nor_by_a_tool_its_progress_a_thought_log_or_a_command() -> None:
    @tool
    async def shout(post: Post) -> str:
        """Shout."""
        post("@everyone <@&1> by a tool")
        return "@everyone"

    async with on_stage(Model([]), config=make_config(), tools=[shout]) as stage:
        twin = stage.twin
        log = twin.add_channel("thoughts")
        await stage.store.change_settings(Place(twin.guild.id), {"thought_log": log.id})
        model = stage.app.providers[""]
        assert isinstance(model, Model)
        text = hostile(stage)
        model._rounds = [[ToolCall("1", "shout")], [ThoughtDelta(text, "raw"), "@everyone done."]]
        stage.ask("shout")
        await twin.until(lambda: any("done" in one for one in twin.channel.texts))
        await stage.quiet()
        for command in ("why", "memory show", "privacy show", "changes", "help"):
            used = twin.slash(command)
            await twin.until(lambda used=used: used.original)  # type: ignore[misc]
        await stage.settled()

        assert any("by a tool" in one for one in twin.channel.texts)
        assert stage.pinged == set()
        assert unsafe(stage) == []


async def test_an_edit_of_ours_pings_nobody_either() -> None:
    """What discord.py sends for us by default: the client itself allows no one."""
    async with on_stage(Model([])) as stage:
        channel = stage.bot.get_channel(stage.twin.channel.id)
        assert isinstance(channel, discord.TextChannel)
        sent = await channel.send("quiet")
        await sent.edit(content=hostile(stage)[:1900])

        assert stage.pinged == set()
        assert unsafe(stage) == []


def test_the_words_of_this_file_do_ping_where_they_may() -> None:
    """A check of the check: the same text pings as soon as someone lets it."""

    async def run() -> None:
        async with on_stage(Model([])) as stage:
            channel = stage.bot.get_channel(stage.twin.channel.id)
            assert isinstance(channel, discord.TextChannel)
            text = hostile(stage, stage.twin.user.id)[:1900]
            await channel.send(text, allowed_mentions=discord.AllowedMentions.all())

            assert stage.pinged == {stage.twin.user.id}
            assert len(unsafe(stage)) == 1

    asyncio.run(run())


@pytest.mark.parametrize("mentions", ["resolved", "users"])
@pytest.mark.parametrize("settings", [{"degree": 3}, {"delivery": "live", "message_length": 200}], ids=str)
async def test_an_answer_notifies_each_person_once(settings: dict[str, Any], mentions: str) -> None:
    """Every line names all people of the conversation: forty messages once notified each of them forty times."""
    config = make_config(settings={**settings, "mentions": mentions, "typing": "off"}, personas={"Luna": {}})
    model = Model([])
    async with on_stage(model, config=config) as stage:
        twin = stage.twin
        people = [twin.add_user(f"person{number}") for number in range(6)]
        for one in people:
            twin.say(twin.channel, one, "I am here.")
        names = " ".join(f"<@{one.id}>" for one in people)
        model._rounds = [[f"Line {number} is for {names}.\n\n" for number in range(12)]]
        stage.ask("name us all, many times")
        await model.called(1)
        await stage.quiet()
        ours = {one.id for one in stage.said()}
        meant = [user for ping in twin.log.pings if ping.message_id in ours for user in ping.user_ids]

    assert len(stage.said()) > 1
    assert sorted(meant) == sorted(one.id for one in people)
