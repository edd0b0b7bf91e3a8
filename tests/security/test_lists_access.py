"""Allow and block lists, models that are open to some, personas for adults: on the twin, by acting people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.commands.using import CommandUser, with_commands
from bot.models import Model
from bot.stage import make_config, on_stage
from discord_twin import Message, Permission, Twin
from streamcord.store import Place
from twin.conftest import FREE


def notices(messages: list[Message]) -> list[str]:
    return [embed["description"] for one in messages for embed in one.draft.embeds]


def named(twin: Twin, kind: str, guest: int, role: int) -> list[int]:
    """The ids of a list that names the guest, their role, their channel or their server."""
    ids = {"people": guest, "roles": role, "channels": twin.channel.id, "servers": twin.guild.id}
    return [ids[kind]]


KINDS = {
    "people": "The operator of this bot has not given you access to it.",
    "roles": "The operator of this bot has not given you access to it.",
    "channels": "This bot does not answer in this channel.",
    "servers": "This bot is not available in this server.",
}


@pytest.mark.parametrize("rule", ["block", "allow others"])
@pytest.mark.parametrize("kind", KINDS)
async def test_who_is_not_served_is_told_so_once_and_costs_nothing(kind: str, rule: str) -> None:
    model = Model(["Hello."])
    async with Twin(FREE) as twin:
        role = twin.state.add_role(twin.guild, "crew")
        guest = twin.state.add_user("guest")
        twin.state.add_member(twin.guild, guest, [role])
        listed = named(twin, kind, guest.id, role.id) if rule == "block" else [4]
        access = {rule.partition(" ")[0]: {kind: listed}}
        async with on_stage(model, config=make_config(access=access), twin=twin) as stage:
            stage.twin.say(twin.channel, guest, "just talking")
            for _ in range(3):
                stage.ask("hello", user=guest)
            await twin.until(lambda: notices(stage.said()))
            await stage.settled()
            await stage.quiet()
            said = notices(stage.said())

    assert said == [KINDS[kind]]
    assert model.prompts == []


async def test_others_are_served_where_somebody_is_blocked() -> None:
    model = Model(["Hello."])
    async with Twin(FREE) as twin:
        guest = twin.add_user("guest")
        config = make_config(access={"block": {"people": [guest.id]}})
        async with on_stage(model, config=config, twin=twin) as stage:
            stage.ask("hello")
            assert await stage.texts(1) == ["Hello."]


async def test_who_is_blocked_uses_no_command_and_no_button_but_may_be_forgotten() -> None:
    async with Twin(FREE) as twin:
        guest = twin.add_user("guest")
        config = make_config(
            access={"block": {"people": [guest.id]}}, answer={"debounce": 0.0, "buttons": True}
        )
        model = Model(["Hello."])
        async with on_stage(model, config=config, twin=twin) as stage:
            commands = CommandUser(stage, guest)
            refused = await commands.says("settings show", guest)
            forgotten = await commands.says("memory forget-me", guest)
            stage.ask("hello")
            answer = await twin.until(
                lambda: next((one for one in stage.said() if one.draft.components), None)
            )
            twin.state.overwrite(twin.channel, guest, allow=Permission.MANAGE_MESSAGES)
            again = answer.draft.components[0]["components"][0]["custom_id"]
            pressed = twin.press(answer, again, guest)
            told = await twin.until(lambda: pressed.callback)
            await stage.quiet()

    assert refused == KINDS["people"]
    assert forgotten.startswith("Answers to you that I forgot")
    assert told["data"]["content"] == KINDS["people"]
    assert len(model.prompts) == 1


@pytest.mark.parametrize(
    ("allow", "answered"),
    [({}, True), ({"people": "guest"}, True), ({"people": "other"}, False), ({"servers": "here"}, False)],
)
async def test_direct_messages_are_for_the_people_of_a_list_once_there_is_one(
    allow: dict[str, str], answered: bool
) -> None:
    model = Model(["Hello."])
    async with Twin(FREE) as twin:
        guest = twin.add_user("guest")
        ids = {"guest": guest.id, "other": twin.user.id, "here": twin.guild.id}
        listed = {kind: [ids[who]] for kind, who in allow.items()}
        async with on_stage(model, config=make_config(access={"allow": listed}), twin=twin) as stage:
            dm = twin.dm(guest)
            for _ in range(2):
                twin.say(dm, guest, "hello")
            first = await twin.next_message(dm)
            await stage.settled()
            await stage.quiet()

    if answered:
        assert first.content == "Hello."
    else:
        assert notices(stage.said(dm)) == [
            "This bot does not answer direct messages from you. Talk to it in a server instead."
        ]
        assert model.prompts == []


@pytest.mark.parametrize("leave", [True, False])
async def test_a_server_that_is_not_allowed_may_be_left(leave: bool) -> None:
    async with Twin(FREE) as twin:
        config = make_config(access={"allow": {"servers": [4]}, "leave_servers": leave})
        async with on_stage(Model(["Hello."]), config=config, twin=twin) as stage:
            if leave:
                await twin.until(lambda: twin.bot.id not in twin.guild.members)
            else:
                await stage.settled()
                assert twin.bot.id in twin.guild.members


# --- Models -----------------------------------------------------------------------------------------------

PLAIN = {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"}


def models(role: int) -> dict[str, Any]:
    return {"small": PLAIN, "dear": {**PLAIN, "allow": {"roles": [role]}}}


async def test_a_dear_model_answers_only_those_to_whom_it_is_open() -> None:
    small, dear = Model(["small"]), Model(["dear"])
    async with Twin(FREE) as twin:
        role = twin.state.add_role(twin.guild, "patrons", Permission.MANAGE_GUILD)
        patron, guest = twin.state.add_user("patron"), twin.add_user("guest")
        twin.state.add_member(twin.guild, patron, [role])
        config = make_config(models=models(role.id))
        async with on_stage({"small": small, "dear": dear}, config=config, twin=twin) as stage:
            commands = CommandUser(stage, guest)
            by_owner = await commands.says("model", name="dear")
            by_patron = await commands.says("model", patron, name="dear")
            stage.ask("hello", user=guest)
            await small.called()
            await stage.quiet()
            stage.ask("hello", user=patron)
            await dear.called()
            await stage.quiet()

    assert by_owner == "There is no model `dear`. Available models: small."
    assert by_patron.startswith("From now on **dear**")
    assert (len(small.prompts), len(dear.prompts)) == (1, 1)


async def test_somebody_to_whom_no_model_is_open_is_told_so_once() -> None:
    model = Model(["dear"])
    config = make_config(models={"dear": {**PLAIN, "allow": {"people": [4]}}})
    async with on_stage({"dear": model}, config=config) as stage:
        for _ in range(2):
            stage.ask("hello")
            await stage.twin.until(lambda: notices(stage.said()))
            await stage.settled()
            await stage.quiet()

    assert notices(stage.said()) == ["None of this bot's models is available to you here."]
    assert model.prompts == []


# --- Personas for adults ----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["file", "card"])
async def test_a_persona_for_adults_speaks_in_age_restricted_channels_only(source: str) -> None:
    model = Model(["Hello, darling."])
    personas = {"Luna": {}, "Vamp": {"nsfw": source == "file"}}
    async with with_commands(model, config=make_config(personas=personas)) as commands:
        stage, twin = commands.stage, commands.stage.twin
        if source == "card":
            card = json.dumps({"name": "Vamp", "tags": ["NSFW"]}).encode()
            await commands.use("persona import", file=("vamp.json", card), replace=True)
        refused = await commands.use("persona switch", name="Vamp")
        await commands.store.choose_persona(Place(commands.guild), "Vamp")
        for _ in range(2):
            stage.ask("hello")
            await twin.until(lambda: notices(stage.said()))
            await stage.settled()
            await stage.quiet()
        told = notices(stage.said())
        twin.channel.nsfw = True
        twin.state.change_channel(twin.channel)
        await stage.settled()
        switched = await commands.tells("persona switch", name="Vamp")
        stage.ask("hello")
        await model.called()
        await stage.quiet()

    assert refused.content == "**Vamp** speaks only in age-restricted channels. Choose another persona here."
    assert told == ["**Vamp** speaks only in age-restricted channels. Choose another persona here."]
    assert "Vamp" in switched
    assert len(model.prompts) == 1
