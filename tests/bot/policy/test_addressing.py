"""Which personas a text names, and whose message it is."""

from __future__ import annotations

import pytest

from streamcord import Persona
from streamcord_bot.config.trigger_words import is_function_word
from streamcord_bot.messages.word_search import has_trigger
from streamcord_bot.policy.addressing import (
    addressed_by_persona,
    find_named,
    find_writer,
    split_name_prefix,
)

LUNA = Persona("Luna", ("moon cat", "the", "orb"))
ORBIT = Persona("Orbit", ("orb", "衛星"))
MOON = Persona("Luna Moon", ("C",))
ALL = (LUNA, ORBIT, MOON)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("hey Orbit", ["Orbit"]),
        ("ORBIT and luna!", ["Orbit", "Luna"]),
        ("luna? LUNA? Orbit?", ["Luna", "Orbit"]),
        ("orbital, lunar, Lunas", []),
        ("the moon cat's paw", ["Luna"]),
        ("*Orbit*, _Luna_", ["Orbit", "Luna"]),
        ("この衛星は何ですか", ["Orbit"]),
        ("Luna Moon is here", ["Luna Moon"]),
        ("the cat and a moon", []),
        ("C", []),
        ("", []),
    ],
)
def test_personas_are_named_by_whole_words_in_order(text: str, names: list[str]) -> None:
    assert find_named(text, ALL) == names


ISOLDE, OWL, ROSE = Persona("Captain Isolde Marrow"), Persona("Night Owl"), Persona("Rose Marrow")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Isolde, what do you think?", ["Captain Isolde Marrow"]),
        ("what do you think, isolde?", ["Captain Isolde Marrow"]),
        ("Well. Isolde! Come here.", ["Captain Isolde Marrow"]),
        ("hey captain, look", ["Captain Isolde Marrow"]),
        ("I met Isolde yesterday", []),
        ("Marrow, come here", []),
        ("Rose, Isolde, who won?", ["Rose Marrow"]),
        ("Rose Marrow, where is Isolde", ["Rose Marrow"]),
        ("Night, everybody", []),
        ("Owl, everybody", ["Night Owl"]),
    ],
)
def test_part_of_a_name_calls_a_persona_that_is_spoken_to(text: str, names: list[str]) -> None:
    assert find_named(text, (ISOLDE, OWL, ROSE)) == names
    assert addressed_by_persona(text, (ISOLDE, OWL, ROSE)) == names


def test_word_that_two_personas_share_calls_the_first() -> None:
    assert find_named("orb?", (LUNA, ORBIT)) == ["Luna"]
    assert find_named("orb?", (ORBIT, LUNA)) == ["Orbit"]


def test_trigger_word_never_takes_the_name_of_another_persona() -> None:
    assert find_named("Orbit?", (Persona("Luna", ("orbit",)), ORBIT)) == ["Orbit"]


@pytest.mark.parametrize("text", ["hey Orbit", "orbital", "衛星です", "Luna Moon", "moon  cat", "x_orb_y"])
def test_search_for_triggers_and_for_names_agree(text: str) -> None:
    words = tuple(word for one in ALL for word in (one.name, *one.aliases) if not is_function_word(word))
    assert bool(find_named(text, ALL)) == has_trigger(text, words)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Orbit, what do you think?", ["Orbit"]),
        ("I do not know. Orbit, do you?", ["Orbit"]),
        ("What do you think, Orbit?", ["Orbit"]),
        ("Hey Luna! Look, @orbit", ["Luna", "Orbit"]),
        ("line one\nLuna: your turn", ["Luna"]),
        ("そうですね。衛星，どう思う？", ["Orbit"]),
        ("Ask Orbit, he knows it.", []),
        ("Orbit is a nice person, and Luna too.", []),
        ("Yesterday Orbit said so.", []),
        ("the, this", []),
    ],
)
def test_persona_addresses_another_only_by_speaking_to_it(text: str, names: list[str]) -> None:
    assert addressed_by_persona(text, ALL) == names


@pytest.mark.parametrize(
    ("shown_as", "name"),
    [
        ("Luna", "Luna"),
        ("luna ", "Luna"),
        ("Luna (mad)", "Luna"),
        ("mad (Luna)", "Luna"),
        ("Luna (Orbit)", "Orbit"),
        ("Nobody", ""),
        ("Nobody (mad)", ""),
        ("", ""),
    ],
)
def test_writer_is_found_by_the_webhook_name(shown_as: str, name: str) -> None:
    assert find_writer(shown_as, ALL) == name


def test_name_in_front_of_a_bot_message_is_split_off() -> None:
    assert split_name_prefix("**Luna:** Hi") == ("Luna", "Hi")
    assert split_name_prefix("**A\\_B:**\nHi") == ("A_B", "Hi")
    assert split_name_prefix("**Note** Hi") == ("", "**Note** Hi")


def test_fifty_personas_with_a_thousand_words_are_searched() -> None:
    personas = tuple(Persona(f"Name{n}", tuple(f"word{n} {m}" for m in range(20))) for n in range(50))
    assert find_named("word word1 name Name49, word7 3 and word7 33", personas) == ["Name49", "Name7"]
