"""Several personas listen in one channel of the twin: who answers which message."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import cycle, islice
from typing import Any

import pytest

from bot.commands.answers import answer_to
from bot.models import Model, asked
from bot.stage import Stage, make_config, on_stage
from discord_twin import Message, Permission, Twin
from streamcord import Persona
from streamcord.providers import AssistantMessage, Prompt, Text, UserMessage
from streamcord.store import Place, StoredPersona, open_store
from streamcord_bot.personas.server_personas import seed_personas

LUNA, ORBIT, NOVA = "Luna", "Orbit", "Nova"
PERSONAS: dict[str, Any] = {
    LUNA: {"prompt": "I am Luna.", "words": ["moon cat"]},
    ORBIT: {"prompt": "I am Orbit.", "words": ["orb", "衛星"], "settings": {"degree": 0}},
    NOVA: {"prompt": "I am Nova.", "words": ["star"], "alter": True},
}
_NUMBER = re.compile(r"#(\d+)")

CALLS: list[tuple[str, tuple[str, ...]]] = [
    ("{bot} good morning", (LUNA,)),
    ("hey Orbit, how far is Mars?", (ORBIT,)),
    ("orb!", (ORBIT,)),
    ("Nova and Orbit, tell us a story", (NOVA, ORBIT)),
    ("{bot} what does Nova think?", (NOVA,)),
    ("I'd ask the moon cat", (LUNA,)),
    ("Orbit's answer was better than LUNA's", (ORBIT, LUNA)),
    ("衛星は何ですか", (ORBIT,)),
    ("my star", (NOVA,)),
    ("luna, orbit, nova: who is the oldest?", (LUNA, ORBIT, NOVA)),
]
"""Messages to personas, and who answers."""
OTHERS = [
    "did anybody see the game?",
    "the orbital period is what I meant",
    "novae are bright, a supernova even more",
    "a lunar eclipse, on Nov 3",
    "stars and orbs",
    "Dr. Novak plays the orbiter",
    "the cat sleeps, the moon is up",
    "see https://example.com/orbits",
    "or https://orbit.example/luna?star=1, or mail luna@example.com",
    "`luna = orb.find()` is wrong",
    "```py\nNova(star)\n```",
    "<:luna:77> :orb:",
]
"""Messages that only look like it."""


def chat() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield 200 messages, every fifth of them to a persona."""
    others = cycle(OTHERS)
    for text, personas in islice(cycle(CALLS), 40):
        yield text, personas
        yield from ((next(others), ()) for _ in range(4))


def answer(prompt: Prompt) -> list[str]:
    """Answer with the persona's name and the number of the message that is answered."""
    numbers = _NUMBER.findall(asked(prompt))
    return [f"{persona_of(prompt)} answers {numbers[-1]}"]


def persona_of(prompt: Prompt) -> str:
    """Return whose prompt this is."""
    found = re.search(r"I am (\w+)\.", prompt.system)
    assert found is not None
    return found[1]


def texts(prompt: Prompt, kind: type[UserMessage | AssistantMessage]) -> str:
    """Return everything that one side said in a prompt."""
    sides = [one for one in prompt.messages if isinstance(one, kind)]
    return "\n".join(part.text for one in sides for part in one.parts if isinstance(part, Text))


@asynccontextmanager
async def group_chat(
    model: Model, personas_table: dict[str, Any] = PERSONAS, **answer: Any
) -> AsyncIterator[Stage]:
    """The bot with three personas, of which Luna is the one of the channel."""
    config = make_config(personas=personas_table, answer={"debounce": 0.0, **answer}, context={"messages": 6})
    store = await open_store(":memory:")
    await seed_personas(config, store)
    async with store, on_stage(model, config=config, store=store) as stage:
        yield stage


def shown_name(message: Message) -> str:
    """Return the name over a message; the bot's own account speaks for Luna."""
    return LUNA if message.shown_name == "streamcord" else message.shown_name


async def test_each_message_is_answered_by_the_right_persona_or_none() -> None:
    model = Model(answer)
    async with group_chat(model) as stage:
        people = [stage.twin.add_user(name) for name in ("ann", "ben", "cleo")]
        expected: list[tuple[str, str]] = []
        for number, (text, personas) in enumerate(chat()):
            line = text.format(bot=f"<@{stage.twin.bot.id}>")
            stage.twin.say(stage.twin.channel, people[number % len(people)], f"{line} #{number}")
            expected += [(persona, f"{persona} answers {number}") for persona in personas]
            for _ in personas:
                await stage.twin.next_message()
            await stage.quiet()

    assert [(shown_name(one), one.content) for one in stage.said()] == expected


async def test_reply_to_a_persona_is_answered_by_it() -> None:
    async with group_chat(Model(answer)) as stage:
        stage.twin.say(stage.twin.channel, stage.twin.user, "star? #1")
        spoken = await stage.twin.next_message()
        stage.twin.say(stage.twin.channel, stage.twin.user, "and why? #2", reply_to=spoken)
        again = await stage.twin.next_message()

    assert (again.shown_name, again.content) == (NOVA, "Nova answers 2")


async def test_messages_of_other_personas_are_not_ones_own() -> None:
    model = Model(answer)
    async with group_chat(model) as stage:
        for number, text in enumerate(("Orbit?", "Luna?", "Orbit again?")):
            stage.twin.say(stage.twin.channel, stage.twin.user, f"{text} #{number}")
            await stage.twin.next_message()

    assert texts(model.prompts[-1], AssistantMessage) == "Orbit answers 0"
    assert 'Luna (to alice, "Luna? #1"): Luna answers 1' in texts(model.prompts[-1], UserMessage)


async def test_persona_answers_another_one_that_speaks_to_it() -> None:
    lines = {LUNA: "I do not know. Orbit, what do you think?", ORBIT: "Ask Luna, she knows it."}
    model = Model(lambda prompt: [lines[persona_of(prompt)]])
    async with group_chat(model) as stage:
        stage.ask("how far is Mars?")
        said = [await stage.twin.next_message() for _ in range(2)]
        await stage.quiet()

    # Orbit only talks about Luna, so she does not answer.
    assert [shown_name(one) for one in stage.said()] == [LUNA, ORBIT]
    assert said[1].shown_name == ORBIT
    assert "\n\nLuna (to alice" in asked(model.prompts[1])
    assert asked(model.prompts[1]).endswith("Orbit, what do you think?")


async def test_personas_that_address_each_other_stop() -> None:
    lines = {LUNA: "Orbit, and you?", ORBIT: "Luna, and you?"}
    async with group_chat(Model(lambda prompt: [lines[persona_of(prompt)]]), max_bot_replies=4) as stage:
        stage.ask("how are you?")
        await stage.texts(5)
        await stage.quiet()
        assert [shown_name(one) for one in stage.said()] == [LUNA, ORBIT, LUNA, ORBIT, LUNA]

        stage.ask("go on")
        await stage.texts(5)
        await stage.quiet()
        assert len(stage.said()) == 10


async def test_people_who_write_do_not_extend_an_exchange_of_personas() -> None:
    twin: Twin | None = None

    def lines(prompt: Prompt) -> list[str]:
        assert twin is not None
        # While a persona speaks, another person writes.
        twin.say(twin.channel, twin.user, "what a talk")
        return ["Orbit, and you?" if persona_of(prompt) == LUNA else "Luna, and you?"]

    model = Model(lines)
    async with group_chat(model, max_bot_replies=3) as stage:
        twin = stage.twin
        stage.ask("how are you?", user=twin.add_user("ben"))
        await stage.texts(4)
        await stage.settled()
        await stage.quiet()
        assert [shown_name(one) for one in stage.said()] == [LUNA, ORBIT, LUNA, ORBIT]


async def test_mention_of_a_person_or_channel_with_a_personas_name_calls_no_persona() -> None:
    async with group_chat(Model(answer)) as stage:
        twin = stage.twin
        person, channel = twin.add_user("Nova"), twin.add_channel("orbit-talk")
        twin.say(twin.channel, twin.user, f"<@{person.id}> see <#{channel.id}> #1")
        twin.say(twin.channel, twin.user, f"Luna, ask <@{person.id}> #2")
        await stage.texts(1)
        await stage.settled()
        await stage.quiet()

    assert [(shown_name(one), one.content) for one in stage.said()] == [(LUNA, "Luna answers 2")]


async def test_persona_that_names_itself_is_not_asked_again() -> None:
    model = Model(["Orbit, that is me! @Orbit"])
    async with group_chat(model) as stage:
        stage.twin.say(stage.twin.channel, stage.twin.user, "Orbit?")
        await stage.texts(1)
        await stage.quiet()

    assert len(model.prompts) == 1


@pytest.mark.parametrize("mode", ["one", "all"])
async def test_other_personas_listen_only_if_they_may(mode: str) -> None:
    async with group_chat(Model(answer), personas=mode) as stage:
        stage.twin.say(stage.twin.channel, stage.twin.user, "Orbit? #1")
        stage.twin.say(stage.twin.channel, stage.twin.user, "Luna? #2")
        await stage.texts(1 if mode == "one" else 2)
        await stage.quiet()

    names = [shown_name(one) for one in stage.said()]
    assert names == ([LUNA] if mode == "one" else [ORBIT, LUNA])


async def test_follow_up_goes_to_the_persona_of_the_conversation() -> None:
    async with group_chat(Model(answer), follow_up_time=60.0, follow_up_count=2) as stage:
        twin, other = stage.twin, stage.twin.add_user("ben")
        twin.say(twin.channel, twin.user, "Orbit? #1")
        await stage.texts(1)
        await stage.quiet()
        for number, texts in ((2, 1), (3, 1), (4, 0)):
            twin.say(twin.channel, other, f"I talk to somebody else #{number}")
            twin.say(twin.channel, twin.user, f"and then? #{number}")
            await stage.texts(texts)
            await stage.settled()
            await stage.quiet()

    assert [one.content for one in stage.said()] == [f"Orbit answers {number}" for number in (1, 2, 3)]


async def test_stop_withdraws_the_question_to_all_personas() -> None:
    model = Model(["Luna speaks.\n\nLuna thinks", asyncio.Event()])
    async with group_chat(model) as stage:
        stage.twin.say(stage.twin.channel, stage.twin.user, "Luna, Orbit and Nova!")
        await stage.texts(1)
        await answer_to(stage.twin, stage.twin.slash("stop"))
        await stage.quiet()

    assert len(model.prompts) == 1


async def test_each_persona_has_its_own_degree_settings_and_memory() -> None:
    lines = "One.\n\nTwo.\n\nThree."
    model = Model(lambda prompt: [f"<details>{persona_of(prompt)} keeps this.</details>{lines}"])
    async with group_chat(model) as stage:
        await stage.store.save_persona(
            StoredPersona(Persona("Nova", ("star",), alter=True), 0, "I am Nova.", settings={"degree": 3})
        )
        stage.app.channel_configs.forget()
        counts = {}
        for name, count in ((LUNA, 3), (ORBIT, 1), (NOVA, 3)):
            stage.twin.say(stage.twin.channel, stage.twin.user, f"{name}?")
            counts[name] = await stage.texts(count)
            await stage.quiet()
        place = Place(stage.twin.guild.id, stage.twin.channel.id)
        kept = {name: [one.details for one in await stage.store.recall(name, place)] for name in counts}

    # Luna has the bot's degree 2, Orbit degree 0 in the file, Nova degree 3 in the store.
    assert counts == {
        LUNA: ["One.", "Two.", "Three."],
        ORBIT: ["One.\n\nTwo.\n\nThree."],
        NOVA: ["one", "two", "three"],
    }
    assert kept == {name: [(f"{name} keeps this.",)] for name in counts}


async def test_of_fifty_personas_those_that_are_named_answer_once_each() -> None:
    personas = {f"Star{number}": {"prompt": f"I am Star{number}."} for number in range(50)}
    model = Model(answer)
    async with group_chat(model, personas) as stage:
        stage.twin.say(stage.twin.channel, stage.twin.user, "Star49, star7, STAR30 and Star12, hello! #1")
        await stage.texts(3)
        await stage.quiet()
        listed = await answer_to(stage.twin, stage.twin.slash("persona list"))

    # `max_personas` of them, in the order of the message.
    assert [(one.shown_name, one.content) for one in stage.said()] == [
        (name, f"{name} answers 1") for name in ("Star49", "Star7", "Star30")
    ]
    assert len(listed.content) <= 2000
    assert "**Star0**" in listed.content


async def test_word_of_two_personas_and_a_common_word_are_answered_by_one_and_by_none() -> None:
    personas = {
        LUNA: {"prompt": "I am Luna.", "words": ["the", "orb"]},
        ORBIT: {"prompt": "I am Orbit.", "words": ["Orb", "a"]},
    }
    async with group_chat(Model(answer), personas) as stage:
        stage.twin.say(stage.twin.channel, stage.twin.user, "the orb! #1")
        await stage.texts(1)
        stage.twin.say(stage.twin.channel, stage.twin.user, "the day is a day #2")
        await stage.settled()
        await stage.quiet()

    assert [(shown_name(one), one.content) for one in stage.said()] == [(LUNA, "Luna answers 1")]


async def test_name_that_the_bot_writes_without_webhook_is_not_in_the_models_history() -> None:
    model = Model(answer)
    async with group_chat(model) as stage:
        stage.twin.state.overwrite(stage.twin.channel, stage.twin.bot.user, deny=Permission.MANAGE_WEBHOOKS)
        for number in (1, 2):
            stage.twin.say(stage.twin.channel, stage.twin.user, f"star? #{number}")
            await stage.texts(1)
            await stage.quiet()

    assert next(one.content for one in stage.said()) == "**Nova:** Nova answers 1"
    assert texts(model.prompts[-1], AssistantMessage) == "Nova answers 1"
