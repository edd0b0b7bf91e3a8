from __future__ import annotations

import pytest

from bot.stage import make_config, on_stage
from discord_twin import ChannelType, Permission
from streamcord.testing import ScriptedProvider
from streamcord_bot.listening.conversation_thread import make_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("@Luna why is the sky blue?", "why is the sky blue?"),
        ("**bold** question", "bold** question"),
        ("@Luna", "Luna"),
        ("https://example.com <:cat:1>", "Luna"),
        ("word " * 40, "word " * 11 + "word…"),
        ("x" * 200, "x" * 60 + "…"),
    ],
)
def test_a_thread_is_named_after_the_question(text: str, title: str) -> None:
    assert make_title(text, "Luna") == title


async def test_a_mention_begins_a_thread_in_which_every_message_is_answered() -> None:
    model = ScriptedProvider(["Because of the air."], ["At night too."])
    async with on_stage(model, config=make_config(answer={"threads": True})) as stage:
        twin = stage.twin
        asked = stage.ask("why is the sky blue?")
        thread = await twin.until(lambda: twin.state.channels.get(asked.id))
        first = await stage.texts(1, thread)
        await stage.quiet()
        twin.say(thread, twin.user, "and at night?")
        second = await stage.texts(1, thread)
        await stage.quiet()
        outside = stage.said()

    assert thread.name == "why is the sky blue?"
    assert first == ["Because of the air."]
    assert second == ["At night too."]
    assert outside == []
    assert "why is the sky blue?" in str(model.prompts[0])


async def test_answer_stays_in_the_channel_if_no_thread_can_be_opened() -> None:
    model = ScriptedProvider(["Here."])
    async with on_stage(model, config=make_config(answer={"threads": True})) as stage:
        for role in stage.twin.guild.roles.values():
            role.permissions &= ~Permission.CREATE_PUBLIC_THREADS
        stage.ask("there?")
        assert await stage.texts(1) == ["Here."]


async def test_a_forum_is_answered_in_all_of_its_posts() -> None:
    model = ScriptedProvider(["Welcome."])
    async with on_stage(model) as stage:
        twin = stage.twin
        forum = twin.add_channel("help", type_=ChannelType.FORUM)
        config = stage.app.config
        object.__setattr__(config.answer, "channels", (forum.id,))
        post = twin.users.start_thread(forum, twin.user, "a question", text="how does it work?")
        assert await stage.texts(1, post) == ["Welcome."]
