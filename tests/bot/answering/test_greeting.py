from __future__ import annotations

import json
from typing import Any

from bot.stage import make_config, on_stage
from streamcord import Persona
from streamcord.providers import Prompt, Text, UserMessage
from streamcord.store import Place, StoredPersona
from streamcord.testing import ScriptedProvider

CARD: dict[str, Any] = {
    "data": {
        "name": "Mara",
        "first_mes": "The door opens. Welcome.",
        "alternate_greetings": ["Again you, {{user}}?"],
        "post_history_instructions": "Never leave the tower.",
        "character_book": {"entries": [{"keys": ["tower"], "content": "The tower is {{char}}'s home."}]},
    }
}


def last_words(prompt: Prompt) -> str:
    last = prompt.messages[-1]
    assert isinstance(last, UserMessage)
    return "".join(part.text for part in last.parts if isinstance(part, Text))


async def test_a_persona_greets_where_it_was_never_met_and_only_there() -> None:
    model = ScriptedProvider(["I am well."], ["Still."], ["And here."])
    config = make_config(personas={"Luna": {"prompt": "You are Luna.", "greeting": "Meow, stranger."}})
    async with on_stage(model, config=config) as stage:
        stage.ask("how are you?")
        first = await stage.texts(2)
        await stage.quiet()
        stage.ask("and now?")
        second = await stage.texts(1)
        await stage.quiet()
        other = stage.twin.add_channel("other")
        stage.ask("and here?", other)
        third = await stage.texts(2, other)

    assert first == ["Meow, stranger.", "I am well."]
    assert "greeted everybody with these words:\nMeow, stranger." in last_words(model.prompts[0])
    assert second == ["Still."]
    assert third == ["Meow, stranger.", "And here."]


async def test_greetings_can_be_switched_off() -> None:
    model = ScriptedProvider(["I am well."])
    config = make_config(personas={"Luna": {"greeting": "Meow."}}, answer={"greet": False})
    async with on_stage(model, config=config) as stage:
        stage.ask("how are you?")
        said = await stage.texts(1)
        await stage.quiet()

    assert said == ["I am well."]


async def test_card_greets_on_demand_and_adds_lore_and_note() -> None:
    model = ScriptedProvider(["High."], ["Nothing."])
    async with on_stage(model) as stage:
        guild = stage.twin.guild.id
        card = StoredPersona(
            Persona("Mara"), guild, "You are Mara.", "The door opens. Welcome.", json.dumps(CARD)
        )
        await stage.store.save_persona(card)
        await stage.store.choose_persona(Place(guild), "Mara")
        stage.twin.slash("persona greet", number=2)
        greeting = await stage.texts(2)
        await stage.quiet()
        stage.ask("how high is the tower?")
        await stage.texts(1)
        await stage.quiet()
        for _ in range(4):
            stage.twin.say(stage.twin.channel, stage.twin.user, "something else")
        stage.ask("what do you see?")
        await stage.texts(1)
        await stage.quiet()
        missing = stage.twin.slash("persona greet", number=3)
        refused = await stage.twin.until(lambda: missing.original and missing.original.content)

    assert refused == "Greetings that **Mara** has: 2. Choose a smaller number."
    assert greeting == ["Again you, alice?", "**Mara** said hello. Available greetings: 2."]
    assert "What Mara knows of this:\nThe tower is Mara's home." in last_words(model.prompts[0])
    assert "Never leave the tower." in last_words(model.prompts[0])
    assert "Never leave the tower." not in model.prompts[0].system
    assert "The tower is" not in last_words(model.prompts[1])


MACROS = "{{random:Tea,Tea}} for {{user}}? {{// to be removed}}I am {{char}}. {{unknown:x}}<USER>!"


async def test_macros_of_every_text_are_filled_in_when_it_is_used() -> None:
    model = ScriptedProvider(["Fine."], ["Fine, too."])
    card = {
        "name": "Mara",
        "post_history_instructions": "Flatter {{user}}.",
        "character_book": {"entries": [{"keys": ["tower"], "content": "{{user}} fell from the tower."}]},
    }
    async with on_stage(model) as stage:
        guild, bob = stage.twin.guild.id, stage.twin.add_user("bob")
        prompt = "You are {{char}} and never speak for {{user}}. {{// a note}}It is {{reverse:sraey}} ago."
        stored = StoredPersona(Persona("Mara", alter=True), guild, prompt, MACROS, json.dumps({"data": card}))
        await stage.store.save_persona(stored)
        await stage.store.choose_persona(Place(guild), "Mara")
        stage.ask("how high is the tower?")
        said = await stage.texts(2)
        await stage.quiet()
        stage.ask("and the tower now?", user=bob)
        await stage.texts(1)
        await stage.quiet()

    first, second = model.prompts
    assert said == ["Tea for alice? I am Mara. alice!", "Fine."]
    # The instructions do not depend on who asks, so that a provider can cache them.
    assert first.system == second.system
    assert first.system.startswith("You are Mara and never speak for the user. It is years ago.")
    assert "alice fell from the tower." in last_words(first)
    assert "Flatter alice." in last_words(first)
    assert "The user is alice now." in last_words(first)
    assert "The user is bob now." in last_words(second)
    assert "bob fell from the tower." in last_words(second)


async def test_switch_says_the_greeting_once() -> None:
    model = ScriptedProvider(["I am well."], ["Still."])
    async with on_stage(model) as stage:
        guild = stage.twin.guild.id
        await stage.store.save_persona(
            StoredPersona(Persona("Mara", alter=True), guild, "", "Hello, {{user}}.")
        )
        stage.twin.slash("persona switch", name="Mara")
        switched = await stage.texts(2)
        await stage.quiet()
        stage.ask("how are you?")
        answered = await stage.texts(1)
        await stage.quiet()
        stage.twin.slash("persona switch", name="Mara")
        again = await stage.texts(1)
        await stage.quiet()

    assert switched[1:] == ["Hello, alice."]
    assert answered == ["I am well."]
    assert len(again) == 1
    assert [one.content for one in stage.said()].count("Hello, alice.") == 1


async def test_persona_greets_where_only_others_spoke() -> None:
    model = ScriptedProvider(["Meow."], ["I am well."])
    async with on_stage(model) as stage:
        guild = stage.twin.guild.id
        stage.ask("hi Luna")
        await stage.texts(1)
        await stage.quiet()
        await stage.store.save_persona(
            StoredPersona(Persona("Mara", alter=True), guild, "", "Hello, {{user}}.")
        )
        stage.twin.slash("persona switch", name="Mara", where="server")
        await stage.texts(1)
        await stage.quiet()
        stage.ask("how are you?")
        said = await stage.texts(2)

    assert said == ["Hello, alice.", "I am well."]
