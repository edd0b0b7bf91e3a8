"""Commands, menus, greetings, threads and answers that go on: what holds for a message holds there, too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import life
from bot.stage import Stage, make_config, on_stage
from discord_twin import Interaction, Message, Twin
from security.test_pings_nowhere import WRITES, hostile
from streamcord import Persona
from streamcord.store import Account, Place, Spending, StoredPersona
from streamcord_bot.budget.day import day_of
from streamcord_bot.budget.limits import Payer
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


ROUTES = (*WRITES, "interactions.followup", "interactions.message")


def unsafe(stage: Stage) -> list[Any]:
    """Bodies of all routes with words in them that do not say that no one is meant."""
    found = []
    for record in stage.twin.log.of(*ROUTES):
        if record.method not in {"POST", "PATCH"}:
            continue
        body = record.json.get("data", record.json) or {}
        allowed = body.get("allowed_mentions") or {"parse": ["everyone"]}
        meant = (*allowed.get("parse", ()), *allowed.get("roles", ()), *allowed.get("users", ()))
        if meant and (body.get("content") or body.get("embeds")):
            found.append((record.route, body))
    return found


async def reply_to(stage: Stage, used: Interaction) -> Message:
    """The reply to a command, once it has words."""

    def find() -> Message | None:
        messages = [one for room in stage.twin.state.channels.values() for one in room.messages.values()]
        return next((one for one in messages if one.interaction is used and one.content), None)

    return await stage.twin.until(find)


async def spend_all(stage: Stage) -> None:
    """Let the budget of the one who asks be used up."""
    budget = stage.app.budget
    day, account = day_of(budget.now), Account("person", stage.twin.user.id)
    await stage.store.add_spending(day, {budget._stored(day, account): Spending(9)})


# --- Greetings ---


async def put_card(stage: Stage, greeting: str, *, adult: bool = False) -> None:
    guild = stage.twin.guild.id
    card = StoredPersona(Persona("Mara"), guild, "You are Mara.", greeting, "{}", adult=adult)
    await stage.store.save_persona(card)
    await stage.store.choose_persona(Place(guild), "Mara")


async def test_a_stranger_s_greeting_pings_nobody_whatever_the_settings_say() -> None:
    config = make_config(settings={"mentions": "users_and_roles", "typing": "off", "degree": 0})
    async with on_stage(Model(["Fine."]), config=config) as stage:
        await put_card(stage, hostile(stage, stage.twin.user.id))
        stage.ask("hello")
        await stage.twin.until(lambda: any("Fine." in text for text in stage.twin.channel.texts))
        await stage.quiet()
        used = stage.twin.slash("persona greet")
        await reply_to(stage, used)

        assert sum("@everyone" in one.content for one in stage.said()) >= 2
        assert stage.pinged == set()
        assert [body for _, body in unsafe(stage) if "@everyone" in body["content"]] == []


async def test_a_greeting_is_moderated_and_the_answer_comes_all_the_same() -> None:
    config = make_config(moderation={"words": ["badword"]})
    async with on_stage(Model(["Fine."]), config=config) as stage:
        await put_card(stage, "A badword to all of you.")
        stage.ask("hello")
        await stage.twin.until(lambda: "Fine." in stage.twin.channel.texts)
        await stage.quiet()
        used = stage.twin.slash("persona greet")
        await reply_to(stage, used)

        assert [one.content for one in stage.said()] == ["Fine."]


async def test_a_persona_for_adults_greets_nobody_elsewhere() -> None:
    async with on_stage(Model(["Fine."])) as stage:
        await put_card(stage, "Something for adults.", adult=True)
        used = stage.twin.slash("persona greet")
        told = await reply_to(stage, used)
        await stage.quiet()

        assert "age-restricted" in told.content
        assert stage.said() == []


# --- Budgets ---


async def test_who_has_no_budget_left_opens_no_threads() -> None:
    config = make_config(answer={"threads": True}, budget={"person_requests": 5})
    async with on_stage(Model(["Here."]), config=config) as stage:
        await spend_all(stage)
        stage.ask("a thread, please")
        await stage.twin.until(lambda: any(one.draft.embeds for one in stage.said()))
        await stage.quiet()

        assert stage.twin.log.of("threads.start_at_message") == []
        assert not any(channel.parent_id for channel in stage.twin.state.channels.values())


async def test_a_held_question_names_no_thread() -> None:
    config = make_config(answer={"threads": True}, moderation={"words": ["badword"]})
    async with on_stage(Model(["Here."]), config=config) as stage:
        stage.ask("a badword for a title")
        await stage.twin.until(lambda: any(one.draft.embeds for one in stage.said()))
        await stage.quiet()

        assert not any("badword" in channel.name for channel in stage.twin.state.channels.values())


async def test_who_has_no_budget_left_makes_nobody_download_anything() -> None:
    model = Model(["Never."])
    async with on_stage(model, config=make_config(budget={"person_requests": 5})) as stage:
        await spend_all(stage)
        used = stage.twin.slash("ask", question="read it", file=("long.txt", b"words " * 1000))
        told = await reply_to(stage, used)
        await stage.quiet()

        assert "daily limit" in told.content
        assert told.is_ephemeral
        assert len(stage.bot._parts.reader._files._kept) == 0
        assert model.prompts == []


async def test_continue_goes_on_once_however_often_it_is_chosen() -> None:
    wait = asyncio.Event()
    model = Model(["One."], [wait, "Two."], ["Three."])
    async with on_stage(model) as stage:
        twin = stage.twin
        stage.ask("count")
        ours = await twin.next_message()
        await stage.quiet()
        for _ in range(5):
            twin.users.menu(ours, twin.user, "Continue", twin.channel)
        told = "There is no answer of mine here that could be continued."
        await twin.until(lambda: twin.channel.texts.count(told) == 4)
        wait.set()
        await twin.until(lambda: "Two." in twin.channel.texts)
        await stage.quiet()

        assert len(model.prompts) == 2


async def test_where_direct_messages_are_closed_commands_are_no_way_in() -> None:
    model = Model(["Never."])
    async with on_stage(model, config=make_config(answer={"direct_messages": False})) as stage:
        used = stage.twin.slash("ask", stage.twin.dm(stage.twin.user), question="psst")
        told = await reply_to(stage, used)
        await stage.quiet()

        assert "does not answer direct messages" in told.content
        assert model.prompts == []


# --- Moderation ---


async def test_a_question_is_read_with_its_files_and_forwards() -> None:
    model = Model(["Fine."])
    config = make_config(moderation={"words": ["badword"]})
    async with on_stage(model, config=config) as stage:
        twin = stage.twin
        for file in [("a.txt", b"Here is a badword."), ("badword.txt", b"nothing")]:
            used = twin.slash("ask", question="read it", file=file)
            told = await reply_to(stage, used)
            assert "blocked it" in told.content
            assert told.is_ephemeral
        twin.say(
            twin.channel, twin.user, f"<@{twin.bot.id}> and this?", files={"b.txt": b"Here is a badword."}
        )
        await twin.until(lambda: any(one.draft.embeds for one in stage.said()))
        await stage.quiet()

        assert model.prompts == []


# --- Pings on the other routes ---


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("delivery", ["messages", "live"])
async def test_the_reply_to_a_command_pings_nobody(delivery: str, *, private: bool) -> None:
    config = make_config(settings={"delivery": delivery, "typing": "off", "message_cap": 6})
    model = Model([])
    async with on_stage(model, config=config) as stage:
        text = hostile(stage)
        model._rounds = [[text[at : at + 60] for at in range(0, len(text), 60)]]
        used = stage.twin.slash("ask", question="ping them", private=private)
        await reply_to(stage, used)
        await stage.quiet()

        assert stage.pinged == set()
        assert unsafe(stage) == []


@pytest.mark.parametrize("delivery", ["messages", "live"])
async def test_an_answer_that_goes_on_after_a_restart_pings_nobody(
    twin: Twin, tmp_path: Path, delivery: str
) -> None:
    """Its settings were written down when more was allowed; what counts is the file of today."""
    tables: dict[str, Any] = {"typing": "off", "degree": 1, "delivery": delivery}
    model = Model(["one, with some words behind it, so that they are shown.\n" * 4 + "tw", asyncio.Event()])
    async with life(twin, tmp_path / "s.db", model, settings={**tables, "mentions": "users"}) as stage:
        stage.ask("count")
        await twin.until(lambda: any(text.startswith("one") for text in twin.channel.texts))
    who = twin.user.id
    model = Model([f"o <@{who}> @everyone\nthree <@{who}>"])
    async with life(twin, tmp_path / "s.db", model, settings={**tables, "mentions": "nobody"}) as stage:
        await twin.until(lambda: any("three" in text for text in twin.channel.texts))
        await stage.quiet()

        assert stage.pinged == set()


async def test_what_was_asked_with_a_button_is_paid_by_who_pressed_it_also_after_a_restart(
    twin: Twin, tmp_path: Path
) -> None:
    owner = twin.guild.owner_id
    boss = twin.state.users[owner]
    guest = twin.add_user("guest")
    model = Model(["One."], ["tw\nt", asyncio.Event()])
    async with life(twin, tmp_path / "s.db", model, answer={"buttons": True}) as stage:
        twin.say(twin.channel, guest, f"<@{twin.bot.id}> count")
        ours = await twin.next_message()
        await stage.quiet()
        row = await twin.until(lambda: twin.channel.messages[ours.id].draft.components)
        ids = [one["custom_id"] for one in row[0]["components"]]
        twin.press(ours, next(one for one in ids if ":again:" in one), boss)
        await model.called(2)
    model = Model(["wo"])
    async with life(twin, tmp_path / "s.db", model, answer={"buttons": True}) as stage:
        await model.called(1)
        await stage.quiet()
        budget = stage.app.budget
        spent = await budget.totals(Payer(owner, twin.guild.id))

    assert spent[Account("person", owner)].requests == 2
