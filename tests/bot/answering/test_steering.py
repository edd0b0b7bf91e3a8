"""Follow-ups that reach a running answer, or wait for their turn."""

from __future__ import annotations

import asyncio

import pytest

from bot.models import Model, asked
from bot.stage import Stage, make_config, on_stage
from discord_twin import Message, Twin
from streamcord import Persona, ToolCall, WordList
from streamcord.providers import Prompt, Text, Tool, UserMessage, tool
from streamcord.store import Place, StoredPersona
from twin.conftest import FREE

STEER = make_config(answer={"follow_up": "steer"})
QUEUE = make_config(answer={"follow_up": "queue"})


class Dig:
    """A tool that works until the test says so."""

    def __init__(self) -> None:
        self.calls = 0
        self.began = asyncio.Event()
        self.release = asyncio.Event()

    def tool(self) -> Tool:
        @tool
        async def dig() -> str:
            """Dig."""
            self.calls += 1
            self.began.set()
            await self.release.wait()
            return "a bone"

        return dig


def said_by_people(prompt: Prompt) -> str:
    """Everything that people say in a prompt."""
    parts = (part for one in prompt.messages if isinstance(one, UserMessage) for part in one.parts)
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def reactions(message: Message) -> list[str]:
    return [*message.reactions]


async def shows(stage: Stage, message: Message, *wanted: str) -> None:
    """Wait until a message has these reactions."""
    await stage.twin.until(lambda: reactions(message) == [*wanted])


async def digging(stage: Stage, dig: Dig) -> Message:
    """A question whose answer calls a tool."""
    question = stage.ask("dig")
    async with asyncio.timeout(10):
        await dig.began.wait()
    return question


async def test_a_follow_up_reaches_the_next_round_and_nothing_is_taken_back() -> None:
    dig = Dig()
    model = Model(["Let me see.\n", ToolCall("1", "dig")], ["I found a bone."], ["Never asked."])
    async with on_stage(model, config=STEER, tools=[dig.tool()]) as stage:
        question = await digging(stage, dig)
        assert await stage.texts(1) == ["Let me see."]
        follow_up = stage.ask("and be brief")
        await stage.settled()
        dig.release.set()
        assert await stage.texts(1) == ["I found a bone."]
        await stage.quiet()
        await shows(stage, follow_up, "✏️")

        assert [one.content for one in stage.said()] == ["Let me see.", "I found a bone."]
        assert reactions(question) == []
    assert (len(model.prompts), dig.calls) == (2, 1)
    assert said_by_people(model.prompts[1]).count("and be brief") == 1
    assert asked(model.prompts[1]) == "alice: @streamcord and be brief"


async def test_a_follow_up_without_a_further_round_is_the_next_question() -> None:
    release = asyncio.Event()
    model = Model(["One.\nT", release, "wo."], ["And three."])
    async with on_stage(model, config=STEER) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["One."]
        follow_up = stage.ask("one more")
        await stage.settled()
        release.set()
        assert await stage.texts(2) == ["Two.", "And three."]
        await stage.quiet()

        assert reactions(follow_up) == []
    assert [said_by_people(one).count("one more") for one in model.prompts] == [0, 1]


async def test_follow_ups_wait_for_their_turn_in_order_and_can_be_withdrawn() -> None:
    release = asyncio.Event()
    model = Model(["One.\nT", release, "wo."], ["To b."], ["To d."])
    async with on_stage(model, config=QUEUE) as stage:
        stage.ask("a")
        assert await stage.texts(1) == ["One."]
        waiting = [stage.ask(text) for text in "bcd"]
        for one in waiting:
            await shows(stage, one, "⏳")
        stage.twin.delete(waiting[1])
        await stage.settled()
        release.set()
        assert await stage.texts(3) == ["Two.", "To b.", "To d."]
        await stage.quiet()
        for one in (waiting[0], waiting[2]):
            await shows(stage, one)

        replied = [one.draft.reply_ids[1] for one in stage.said() if one.draft.reply_ids]
        assert replied[1:] == [waiting[0].id, waiting[2].id]
    assert [asked(one)[-1] for one in model.prompts] == ["a", "b", "d"]
    # The answers that it waited for come before a follow-up, although they are newer.
    assert "Two." in str(model.prompts[1])


async def test_people_who_did_not_ask_do_not_steer_unless_everyone_may() -> None:
    for steered_by, wanted in (("asker", 0), ("everyone", 1)):
        dig = Dig()
        model = Model([ToolCall("1", "dig")], ["A bone."], ["For bob."])
        config = make_config(answer={"follow_up": "steer", "steered_by": steered_by})
        async with on_stage(model, config=config, tools=[dig.tool()]) as stage:
            await digging(stage, dig)
            stage.ask("a word of bob", user=stage.twin.add_user("bob"))
            await stage.settled()
            dig.release.set()
            await stage.texts(2 - wanted)
            await stage.quiet()
        words = [said_by_people(one).count("a word of bob") for one in model.prompts]
        assert words == [0, 1] if wanted else [0, 0, 1]


async def test_a_private_answer_takes_over_nothing() -> None:
    dig = Dig()
    model = Model([ToolCall("1", "dig")], ["Only you see it."], ["For all."])
    config = make_config(answer={"follow_up": "steer", "steered_by": "everyone"})
    async with on_stage(model, config=config, tools=[dig.tool()]) as stage:
        stage.twin.slash("ask", question="a secret", private=True)
        async with asyncio.timeout(10):
            await dig.began.wait()
        mine = stage.ask("mine too")
        stage.ask("a word of bob", user=stage.twin.add_user("bob"))
        await stage.settled()
        dig.release.set()
        await stage.texts(1)
        await stage.quiet()

        assert reactions(mine) == []
    assert "mine too" not in said_by_people(model.prompts[1])
    assert "bob" not in said_by_people(model.prompts[1])


async def test_an_edit_and_a_deletion_before_the_round_count_and_later_ones_change_nothing() -> None:
    dig = Dig()
    last = asyncio.Event()
    model = Model([ToolCall("1", "dig")], ["A bone.\nS", last, "o."])
    async with on_stage(model, config=STEER, tools=[dig.tool()]) as stage:
        await digging(stage, dig)
        edited, deleted, kept = (stage.ask(text) for text in ("first draft", "never mind", "stay"))
        await stage.settled()
        stage.twin.edit(edited, f"<@{stage.twin.bot.id}> final words")
        stage.twin.delete(deleted)
        await stage.settled()
        dig.release.set()
        assert await stage.texts(1) == ["A bone."]
        stage.twin.edit(edited, f"<@{stage.twin.bot.id}> too late")
        stage.twin.delete(kept)
        await stage.settled()
        last.set()
        assert await stage.texts(1) == ["So."]
        await stage.quiet()

    heard = said_by_people(model.prompts[1])
    assert len(model.prompts) == 2
    assert [heard.count(text) for text in ("final words", "stay", "first draft", "never mind")] == [
        1,
        1,
        0,
        0,
    ]


@pytest.mark.parametrize(
    ("mode", "count", "notices", "heard", "requests"), [("steer", 100, 0, 50, 3), ("queue", 100, 1, 0, 10)]
)
async def test_a_flood_of_follow_ups_is_bounded_and_told_once(
    mode: str, count: int, notices: int, heard: int, requests: int
) -> None:
    dig = Dig()
    model = Model([ToolCall("1", "dig")], ["Done."])
    async with on_stage(model, config=make_config(answer={"follow_up": mode}), tools=[dig.tool()]) as stage:
        await digging(stage, dig)
        for number in range(count):
            stage.ask(f"again {number}")
        await stage.settled()
        dig.release.set()
        await stage.quiet()

        assert len([one for one in stage.said() if one.draft.embeds]) == notices
    # One answer takes over 50 messages, and the next question has the others.
    assert said_by_people(model.prompts[1]).count("again ") == heard
    assert len(model.prompts) == requests


async def test_a_follow_up_of_a_blocked_person_is_ignored() -> None:
    dig = Dig()
    model = Model([ToolCall("1", "dig")], ["Done."])
    async with Twin(FREE) as twin:
        mallory = twin.add_user("mallory")
        answer = {"follow_up": "steer", "steered_by": "everyone"}
        config = make_config(answer=answer, access={"block": {"people": [mallory.id]}})
        async with on_stage(model, config=config, twin=twin, tools=[dig.tool()]) as stage:
            await digging(stage, dig)
            stage.ask("obey me", user=mallory)
            await stage.settled()
            dig.release.set()
            await stage.quiet()
    assert len(model.prompts) == 2
    assert all("obey me" not in said_by_people(one) for one in model.prompts)


async def test_a_blocked_text_does_not_steer_and_its_author_is_told() -> None:
    dig = Dig()
    model = Model([ToolCall("1", "dig")], ["Done."])
    bombs = WordList(["bomb"], stages=("question",))
    async with on_stage(model, config=STEER, tools=[dig.tool()], moderators=[bombs]) as stage:
        await digging(stage, dig)
        stage.ask("build a bomb")
        await stage.settled()
        dig.release.set()
        await stage.quiet()
        notices = [one for one in stage.said() if one.draft.embeds]
    assert (len(model.prompts), len(notices)) == (2, 1)
    assert "bomb" not in said_by_people(model.prompts[1])


async def test_an_acknowledgement_is_removed_when_the_answer_begins_or_ends_without_words() -> None:
    for words in (["Hello.\nS", 0], [asyncio.Event()], [RuntimeError("broken")]):
        release = asyncio.Event()
        model = Model([release, *words])
        config = make_config(answer={"acknowledge": True, "empty_retries": 0})
        async with on_stage(model, config=config) as stage:
            question = stage.ask("hi")
            await shows(stage, question, "👀")
            await model.called()
            release.set()
            if isinstance(words[0], asyncio.Event):
                stage.twin.slash("stop")
            await shows(stage, question)
            await stage.quiet()


async def test_stopping_a_steered_answer_leaves_what_was_not_heard_for_the_next() -> None:
    dig = Dig()
    model = Model([ToolCall("1", "dig")], ["Next."])
    async with on_stage(model, config=STEER, tools=[dig.tool()]) as stage:
        await digging(stage, dig)
        stage.ask("not heard")
        await stage.settled()
        stage.twin.slash("stop")
        assert (await stage.texts(2))[-1] == "Next."
        await stage.quiet()
    assert [said_by_people(one).count("not heard") for one in model.prompts] == [0, 1]
    assert dig.calls == 1


async def test_what_is_set_for_a_persona_counts_more_than_its_place_and_its_file() -> None:
    personas = {"Luna": {"prompt": "a cat", "follow_up": "queue"}}
    config = make_config(personas=personas, answer={"follow_up": "steer"})
    async with on_stage(Model(["."]), config=config) as stage:
        twin, store = stage.twin, stage.store
        place = Place(twin.guild.id, twin.channel.id)
        await store.save_persona(StoredPersona(Persona("Max"), place.guild))

        async def modes() -> list[str]:
            found = [await stage.app.channel_configs.find(place, persona=name) for name in ("Luna", "Max")]
            return [one.answer.follow_up for one in found]

        async def use(command: str, **options: str) -> None:
            used = twin.slash(command, **options)
            await twin.until(lambda: used.original and used.original.content)

        assert await modes() == ["queue", "steer"]
        await use("settings set", name="answer.follow_up", value="interrupt")
        assert await modes() == ["interrupt", "interrupt"]
        await use("persona set", name="Max", setting="answer.follow_up", value="steer")
        assert await modes() == ["interrupt", "steer"]
        await use("persona set", name="Max", setting="answer.follow_up", value="sometimes")
        assert await modes() == ["interrupt", "steer"]
