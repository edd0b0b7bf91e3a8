from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.commands.answers import answer_to
from bot.commands.using import with_commands
from bot.models import Model
from bot.stage import make_config, on_stage
from spoiler_invariant import readable
from streamcord.store import Memory, Place
from streamcord.testing import ScriptedProvider


async def test_whoever_waits_stops_waiting() -> None:
    model = Model(["One.\nT", asyncio.Event()])
    async with on_stage(model) as stage:
        twin = stage.twin
        bob = twin.add_user("bob")
        stage.ask("first")
        await stage.texts(1)
        stage.ask("second", user=bob)
        await stage.settled()
        assert (await answer_to(twin, twin.slash("stop", twin.channel, bob))).content == "Stopped."
        assert (await answer_to(twin, twin.slash("stop"))).content == "Stopped."
        await stage.quiet()

    assert len(model.prompts) == 1


async def test_it_answers_in_the_language_of_its_user() -> None:
    async with on_stage(Model([])) as stage:
        stage.twin.user.locale = "ja"
        assert (await answer_to(stage.twin, stage.twin.slash("stop"))).content == "止めるものがありません。"


MODELS: dict[str, Any] = {
    "small": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"},
    "large": {"provider": "custom", "base_url": "http://127.0.0.1:9/v1"},
}


async def test_model_shows_and_changes_who_answers_for_those_who_may() -> None:
    models = {"small": ScriptedProvider(["small talk"]), "large": ScriptedProvider(["large talk"])}
    async with on_stage(models, config=make_config(models=MODELS)) as stage:
        twin = stage.twin
        assert "**small**" in (await answer_to(twin, twin.slash("model"))).content
        bob = twin.add_user("bob")
        refused = twin.slash("model", twin.channel, bob, name="large")
        assert "permission" in (await answer_to(twin, refused)).content
        unknown = await answer_to(twin, twin.slash("model", name="hu`ge"))
        assert "There is no model" in unknown.content
        assert "**large**" in (await answer_to(twin, twin.slash("model", name="large"))).content
        stage.ask("hi")
        await twin.until(lambda: "large talk" in twin.channel.texts)


async def test_in_the_whole_server_and_where_there_is_only_one_model() -> None:
    models = {"small": ScriptedProvider(["small talk"]), "large": ScriptedProvider(["large talk"])}
    async with on_stage(models, config=make_config(models=MODELS)) as stage:
        twin = stage.twin
        elsewhere = twin.add_channel("elsewhere")
        await answer_to(twin, twin.slash("model", name="large", everywhere=True))
        assert "**large**" in (await answer_to(twin, twin.slash("model", elsewhere))).content
    async with on_stage(ScriptedProvider()) as stage:
        assert "**-**" in (await answer_to(stage.twin, stage.twin.slash("model"))).content


async def test_why_names_the_boundary_the_rules_and_the_wait_of_a_message() -> None:
    model = ScriptedProvider(["Luna: Hello there!\nHow are you?"])
    async with on_stage(model) as stage:
        stage.ask("hi")
        first = await stage.twin.next_message()
        await stage.quiet()
        by_menu = await answer_to(stage.twin, stage.twin.menu("Why?", first))
        by_link = f"https://discord.com/channels/1/2/{first.id}"
        by_slash = await answer_to(stage.twin, stage.twin.slash("why", message=by_link))
        newest = await answer_to(stage.twin, stage.twin.slash("why"))

    assert by_menu.is_ephemeral
    assert "message 1 of 2" in by_menu.content
    assert "**cut** (newline)" in by_menu.content
    assert "**rule** own name: `Luna:`" in by_menu.content
    assert "**waited**" in by_menu.content
    assert by_slash.content == by_menu.content
    assert "message 2 of 2" in newest.content


@pytest.mark.parametrize(("cell", "name"), [("2", "source.md"), ("||2||", "SPOILER_source.md")])
async def test_the_source_of_a_table_is_covered_if_something_is_hidden_in_it(cell: str, name: str) -> None:
    async with on_stage(ScriptedProvider([f"| a | b |\n|---|---|\n| 1 | {cell} |"])) as stage:
        stage.ask("a table")
        picture = await stage.twin.next_message()
        await stage.quiet()
        why = await answer_to(stage.twin, stage.twin.menu("Why?", picture))

    assert [file.filename for file in why.attachments] == [name]


async def test_why_brings_the_source_of_a_table_and_knows_nothing_of_other_peoples_messages() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    async with on_stage(ScriptedProvider([table])) as stage:
        said = stage.ask("a table")
        picture = await stage.twin.next_message()
        await stage.quiet()
        why = await answer_to(stage.twin, stage.twin.menu("Why?", picture))
        other = await answer_to(stage.twin, stage.twin.menu("Why?", said))
        elsewhere = stage.twin.add_channel("elsewhere")
        spying = stage.twin.slash("why", elsewhere, stage.twin.user, message=str(picture.id))
        spied = await answer_to(stage.twin, spying)

    assert why.attachments[0].content.decode() == table
    assert "do not remember" in other.content
    assert "do not remember" in spied.content


@pytest.mark.parametrize(
    ("locale", "word"), [("en-US", "answers when"), ("de", "antwortet"), ("xx", "answers")]
)
async def test_help_speaks_the_language_of_whoever_asks(locale: str, word: str) -> None:
    async with on_stage(ScriptedProvider()) as stage:
        stage.twin.user.locale = locale
        answer = await answer_to(stage.twin, stage.twin.slash("help"))

    assert word in answer.content
    assert "**Luna**" in answer.content
    assert "`/stop`" in answer.content
    assert "Luna" in answer.content.splitlines()[-1]


async def test_what_is_remembered_of_this_channel_is_shown_and_nothing_of_others() -> None:
    async with with_commands() as commands:
        elsewhere = Place(commands.guild, 5)
        await commands.store.remember(
            Memory("Luna", commands.place, "I **like** tea.\n@everyone", (1,), ("likes tea",))
        )
        await commands.store.remember(Memory("Luna", commands.place, "y" * 500, (2,)))
        await commands.store.remember(Memory("Luna", elsewhere, "a secret", (3,)))
        shown = await commands.says("memory show", commands.guest)
        nobody = await commands.says("memory show", persona="Ren")

    head, first, notes, second = shown.splitlines()
    assert head == "What **Luna** remembers from this channel, oldest first:"
    assert first.endswith(r"R> I \*\*like\*\* tea. \@everyone")
    assert notes == "  -# Notes: likes tea"
    assert second.endswith("y…")
    assert nobody == "**Ren** remembers nothing from this channel."


async def test_what_was_hidden_is_hidden_in_memory() -> None:
    async with with_commands() as commands:
        await commands.store.remember(
            Memory("Luna", commands.place, "It was ||Bob||.", (1,), ("||Bob||" + "y" * 300,))
        )
        shown = await commands.says("memory show")

    assert shown.count("Bob") == 2
    assert "Bob" not in readable(shown)


async def test_much_memory_fits_one_message() -> None:
    async with with_commands() as commands:
        for number in range(10):
            await commands.store.remember(
                Memory("Luna", commands.place, f"{number}" + "*" * 300, (number + 1,), ("_" * 300,))
            )
        shown = await commands.says("memory show")

    assert len(shown) <= 2000
    assert "> 9" in shown


async def test_memory_is_cleared_by_channel_persona_and_server() -> None:
    async with with_commands() as commands:
        elsewhere = Place(commands.guild, 5)
        for number, (persona, place) in enumerate(
            [
                ("Luna", commands.place),
                ("Ren", commands.place),
                ("Luna", elsewhere),
                ("Luna", Place(9, 9)),
            ],
            1,
        ):
            await commands.store.remember(Memory(persona, place, "x", (number,)))
        said = [
            await commands.says("memory clear", persona="luna"),
            await commands.says("memory clear"),
            await commands.says("memory clear", where="server"),
        ]
        kept = await commands.store.recall("Luna", Place(9, 9))

    assert said == [
        "Answers forgotten in this channel: 1.",
        "Answers forgotten in this channel: 1.",
        "Answers forgotten in this server: 1.",
    ]
    assert len(kept) == 1


async def test_who_may_not_clears_nothing() -> None:
    async with with_commands() as commands:
        await commands.store.remember(Memory("Luna", commands.place, "x", (1,)))
        channel = await commands.says("memory clear", commands.guest)
        server = await commands.says("memory clear", commands.guest, where="server")
        kept = await commands.store.recall("Luna", commands.place)

    assert ("Manage Channels" in channel, "Manage Server" in server, len(kept)) == (True, True, 1)


async def test_anybody_is_forgotten_who_wants_to_be() -> None:
    async with with_commands() as commands:
        commands.stage.ask("hi", user=commands.guest)
        await commands.stage.texts(1)
        await commands.stage.quiet()
        await commands.store.remember(Memory("Luna", Place(9, 9), "x", (1,), user=commands.guest.id))
        await commands.store.remember(
            Memory("Luna", commands.place, "for another", (2,), user=commands.stage.twin.user.id)
        )
        assert len(commands.stage.app.recent_answers) == 1
        said = await commands.says("memory forget-me", commands.guest)
        kept = await commands.store.recall("Luna", commands.place)

        assert said.startswith("Answers to you that I forgot, in all channels: 2.")
        assert [memory.text for memory in kept] == ["for another"]
        assert len(commands.stage.app.recent_answers) == 0


async def test_a_direct_message_shows_and_clears_its_own() -> None:
    async with with_commands() as commands:
        dm = commands.stage.twin.dm()
        await commands.store.remember(Memory("Luna", Place(0, dm.id), "psst", (1,)))
        shown = await commands.use("memory show", None, dm)
        cleared = await commands.use("memory clear", None, dm)

    assert shown.content.endswith("psst")
    assert cleared.content == "Answers forgotten in this channel: 1."
