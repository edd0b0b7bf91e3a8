from __future__ import annotations

from typing import Any

import pytest

from bot.stage import make_config, on_stage
from discord_twin import Channel, Message, TwinOptions
from streamcord import RequestRejected, Truncated
from streamcord.providers import (
    AssistantMessage,
    Prompt,
    RetryPolicy,
    Text,
    UserMessage,
    user,
    with_fallbacks,
)
from streamcord.testing import ScriptedProvider

EPHEMERAL = 1 << 6


def words(prompt: Prompt) -> str:
    messages = [one for one in prompt.messages if isinstance(one, UserMessage)]
    return "".join(part.text for one in messages for part in one.parts if isinstance(part, Text))


async def test_ask_is_answered_by_its_reply_with_the_channel_in_mind() -> None:
    model = ScriptedProvider(["It is green."])
    async with on_stage(model) as stage:
        twin = stage.twin
        twin.say(twin.channel, twin.user, "The door is green.")
        used = twin.slash("ask", question="Which colour has the door?")
        answer = await twin.until(lambda: used.original if used.original and used.original.content else None)
        await stage.quiet()

    assert answer.content == "It is green."
    assert not answer.draft.flags & EPHEMERAL
    assert "The door is green." in words(model.prompts[0])
    assert words(model.prompts[0]).endswith("alice: Which colour has the door?")


async def test_a_private_answer_is_seen_by_one_person_alone() -> None:
    model = ScriptedProvider(["One.\nTwo."])
    async with on_stage(model, config=make_config(settings={"typing": "off", "degree": 2})) as stage:
        used = stage.twin.slash("ask", question="hm?", private=True)
        await stage.twin.until(lambda: used.original if used.original and used.original.content else None)
        await stage.quiet()
        said = [one for one in stage.twin.channel.messages.values() if one.by_machine]

    assert all(one.draft.flags & EPHEMERAL for one in said)


async def test_private_answer_that_is_continued_by_a_fallback_stays_private() -> None:
    first = ScriptedProvider(["One.\nTwo", Truncated("cut")], [RequestRejected("no")])
    second = ScriptedProvider(["One.\nTwo and three."])
    provider = with_fallbacks(first, second, retry=RetryPolicy(max_attempts=1))
    async with on_stage(provider, config=make_config(settings={"typing": "off", "degree": 2})) as stage:
        stage.twin.slash("ask", question="hm?", private=True)
        await stage.twin.until(lambda: second.opened)
        await stage.quiet()
        said = [one for one in stage.twin.channel.messages.values() if one.by_machine]

    assert [one.content for one in said] == ["One.", "Two and three."]
    assert all(one.draft.flags & EPHEMERAL for one in said)


async def test_ask_takes_a_file_along() -> None:
    model = ScriptedProvider(["Two eggs."])
    async with on_stage(model) as stage:
        stage.twin.slash("ask", question="What do I need?", file=("cake.txt", b"Take two eggs."))
        assert (await stage.twin.next_message()).content == "Two eggs."
        await stage.quiet()

    assert "Take two eggs." in words(model.prompts[0])


async def test_ask_about_a_message_shows_it_to_the_model() -> None:
    model = ScriptedProvider(["A cat."])
    async with on_stage(model) as stage:
        twin = stage.twin
        target = twin.say(twin.channel, twin.user, "Guess: it purrs.")
        modal = twin.users.menu(target, twin.user, "Ask about this", twin.channel)
        shown = await twin.until(lambda: modal.callback)
        assert shown is not None
        field = find_field(shown)
        twin.users.submit(modal, twin.user, {field: "What is it?"})
        await twin.next_message()
        await stage.quiet()

    assert "Guess: it purrs." in words(model.prompts[0])
    assert words(model.prompts[0]).endswith("What is it?")


def find_text(channel: Channel, text: str) -> Message | None:
    return next((one for one in channel.messages.values() if one.content == text), None)


def find_field(modal: Any) -> str:
    """The id of the only field of a modal."""
    if isinstance(modal, dict):
        if modal.get("type") == 4:
            return str(modal["custom_id"])
        modal = list(modal.values())
    found = (find_field(one) for one in modal) if isinstance(modal, list) else iter(())
    return next((one for one in found if one), "")


async def test_continue_in_the_menu_goes_on_with_an_answer_of_ours_only() -> None:
    model = ScriptedProvider(["One."], ["Two."])
    async with on_stage(model) as stage:
        twin = stage.twin
        question = stage.ask("count")
        ours = await twin.next_message()
        await stage.quiet()
        other = twin.users.menu(question, twin.user, "Continue", twin.channel)
        refused = await twin.until(lambda: other.original)
        twin.users.menu(ours, twin.user, "Continue", twin.channel)
        more = await twin.until(
            lambda: next((m for m in twin.channel.messages.values() if m.content == "Two."), None)
        )
        await stage.quiet()

    assert refused.content == "There is no answer of mine here that could be continued."
    assert more.content == "Two."
    assert isinstance(model.prompts[1].messages[1], AssistantMessage)
    assert "Go on exactly where" in words(model.prompts[1])


async def test_what_stands_in_the_way_is_told_to_who_asked() -> None:
    model = ScriptedProvider([], [], [])
    async with on_stage(model) as stage:
        used = stage.twin.slash("ask", question="hm?")
        await stage.quiet()
        told = await stage.twin.until(
            lambda: used.original if used.original and used.original.content else None
        )

    assert "returned nothing" in told.content


async def test_people_can_install_the_bot_for_themselves_if_the_file_says_so() -> None:
    installs = []
    for wanted in (False, True):
        config = make_config(discord={"user_install": wanted})
        async with on_stage(ScriptedProvider(), config=config) as stage:
            command: Any = next(one for one in stage.app.commands if one.name == "ask")
            installs.append((command.allowed_installs.user, command.allowed_contexts.private_channel))

    assert installs == [(False, False), (True, True)]


async def test_without_message_content_mentions_and_commands_are_answered() -> None:
    model = ScriptedProvider(["Here."])
    config = make_config(discord={"message_content": False})
    async with on_stage(model, config=config) as stage:
        assert not stage.bot.intents.message_content
        stage.ask("there?")
        assert await stage.texts(1) == ["Here."]
        await stage.quiet()

    assert words(model.prompts[0]).endswith("there?")
    assert words(user("x")) == "x"


# Discord accepts no acknowledgement any more, as for an event that an outage held back.
TOO_LATE = TwinOptions.without_limits(interaction_deadline_s=-1.0)


async def test_command_that_came_too_late_is_answered_in_the_channel() -> None:
    model = ScriptedProvider(["I am."])
    async with on_stage(model, switches=TOO_LATE) as stage:
        stage.twin.slash("ask", question="Are you [there](https://example.com)?")
        asked = await stage.twin.next_message()
        answer = await stage.twin.next_message()
        await stage.settled()

        words = asked.draft.embeds[0]["description"]
        assert words.startswith(f"<@{stage.twin.user.id}> /ask Are you ")
        assert "\\[there\\]" in words
        assert (answer.content, answer.interaction) == ("I am.", None)
        assert stage.pinged == set()
    assert len(model.prompts) == 1


@pytest.mark.parametrize("private", [False, True])
async def test_late_command_without_an_answer_is_told_in_the_channel_unless_it_was_private(
    private: bool,
) -> None:
    model = ScriptedProvider(["Once.", "Never."])
    config = make_config(budget={"person_requests": 1})
    async with on_stage(model, config=config, switches=TOO_LATE) as stage:
        stage.ask("hi")
        await stage.twin.next_message()
        await stage.quiet()
        stage.twin.slash("ask", question="Are you there?", private=private)
        await stage.twin.until(lambda: stage.twin.log.count("interactions.callback"))
        if not private:
            told = await stage.twin.next_message()
            assert "too late" in told.draft.embeds[0]["description"]
            assert str(stage.twin.user.id) in told.draft.embeds[0]["description"]
        await stage.settled()

        assert len(stage.said()) == (1 if private else 2)
        assert stage.pinged == set()
    assert len(model.prompts) == 1
