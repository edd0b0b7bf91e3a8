from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.commands.answers import answer_to
from bot.models import Model
from bot.stage import make_config, on_stage
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
