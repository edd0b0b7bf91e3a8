"""Personas on the twin: appearances, names, and who answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage
from discord_twin import Twin
from discord_twin.state.models import Emoji
from streamcord import ToolCall
from streamcord.providers import Post, tool
from twin.conftest import FREE

LUNA: dict[str, Any] = {
    "alter": True,
    "picture": "https://cdn.example/luna.png",
    "sprites": [
        {"name": "mad", "picture": "https://cdn.example/mad.png"},
        {"name": "happy", "picture": "https://cdn.example/happy.png"},
    ],
}


@pytest.mark.parametrize("second", ["Luna (happy): Yay!", "Calm."])
async def test_queued_answer_is_not_grouped_with_another_appearance(second: str) -> None:
    go_on = asyncio.Event()
    model = Model(["Luna (mad): Hmph!", go_on], [second])
    async with on_stage(model, config=make_config(personas={"Luna": LUNA})) as stage:
        bob = stage.twin.add_user("bob")
        stage.ask("hi")
        await model.called()
        stage.ask("me, too", user=bob)
        await stage.settled()
        go_on.set()
        mad, other = [await stage.twin.next_message() for _ in range(2)]
        await stage.quiet()

    assert mad.draft.avatar_url != other.draft.avatar_url
    assert mad.shown_name == "Luna"
    assert other.shown_name != "Luna"


async def test_answer_after_a_new_question_has_the_plain_name() -> None:
    async with on_stage(
        Model(["Luna (mad): Hmph!"], ["Luna (happy): Yay!"]), config=make_config(personas={"Luna": LUNA})
    ) as stage:
        stage.ask("hi")
        await stage.texts(1)
        await stage.quiet()
        stage.ask("again")
        assert (await stage.twin.next_message()).shown_name == "Luna"


@asynccontextmanager
async def named_twin() -> AsyncIterator[Twin]:
    """A twin on whose server the bot is called Moonie and which has an emoji."""
    async with Twin(FREE) as twin:
        twin.guild.members[twin.bot.user.id].nick = "Moonie"
        twin.guild.emojis[77] = Emoji(77, "wave")
        yield twin


async def test_names_of_the_bot_are_labels_of_its_persona() -> None:
    model = Model(lambda _: [f"{name}: Luna: One.\n**{name}:** Two.\nMoonie: Three.\nbob: Four."])
    async with named_twin() as twin, on_stage(model, twin=twin) as stage:
        name = stage.twin.bot.user.name
        stage.ask("hi")
        assert await stage.texts(4) == ["One.", "Two.", "Three.", "bob: Four."]


async def test_name_of_a_person_is_no_label_of_the_persona() -> None:
    model = Model(["Moonie: That is what you said."])
    async with named_twin() as twin, on_stage(model, twin=twin) as stage:
        stage.ask("hi", user=stage.twin.add_user("Moonie"))
        assert await stage.texts(1) == ["Moonie: That is what you said."]


async def test_post_of_a_tool_is_cleaned_like_an_answer() -> None:
    @tool
    def shout(post: Post) -> str:
        """Shout."""
        post("Luna: hey @alice :wave: :nope: look\n```\nLuna: @alice :wave:\n```")
        post("Luna:")
        return "ok"

    model = Model([ToolCall("1", "shout", {})], ["Done."])
    async with named_twin() as twin, on_stage(model, twin=twin, tools=[shout]) as stage:
        alice = stage.twin.add_user("alice")
        stage.ask("shout", user=alice)
        posted, done = await stage.texts(2)

    assert posted == f"hey <@{alice.id}> <:wave:77> look\n```\nLuna: @alice :wave:\n```"
    assert done == "Done."


async def test_reply_notice_of_its_own_comes_before_the_first_message_of_an_answer() -> None:
    config = make_config(
        personas={"Luna": {"alter": True}}, settings={"reply_notice": "message", "typing": "off"}
    )
    model = Model(["One.\nTwo."], ["Three."])
    async with on_stage(model, config=config) as stage:
        asked = stage.ask("hi")
        await stage.twin.until(lambda: len(stage.said()) == 3 or None)
        await stage.quiet()
        stage.ask("and?")
        await stage.twin.until(lambda: len(stage.said()) == 5 or None)
        await stage.quiet()
        said = stage.said()

    assert [one.content for one in said] == ["", "One.", "Two.", "", "Three."]
    assert [bool(one.draft.embeds) for one in said] == [True, False, False, True, False]
    assert str(asked.id) in said[0].draft.embeds[0]["author"]["url"]
    # The notice is no message of the model's history.
    assert "One.\nTwo." in str(model.prompts[1]).replace("\\n", "\n")
