"""Names, emoji and people as no one should choose them: no exception, no lost text, in every slicing."""

from __future__ import annotations

from random import Random

import pytest

from conservation import conserve
from documents import random_slices
from streamcord import AnswerContext, Emoji, Message, Person, Persona, Pipeline, Settings, Sprite
from streamcord._events import TurnEvent

LONG = "x" * 200
NAMES = [
    "Luna (mad)", "(", ")", "((Luna", "[Luna](x)", "Luna:", "a:b:c", "::", "**Luna**", "*", "`Luna`",
    "||Luna||",
    "> Luna",
    "# Luna", "- Luna", "1. Luna", "<Luna>", "<@1>", "@everyone", ":luna:", "\\", "a\\b", "$^.*+?{}|",
    "Lu\nna", "\u200b", "ルナ", "👩‍👩‍👧", "ß", "İ", "```", "http://luna.x", LONG, LONG + ":", "(" * 200,
]  # fmt: skip
TEXT = "{0}: one\n{0} (mad): two\n{0} (nobody): three\n{0} (Sam): four\n{1}: @{0} :{0}: @{1}\nsix {0}: seven"


def run(
    text: str, pieces: list[str], context: AnswerContext, settings: Settings | None = None
) -> list[TurnEvent]:
    pipeline = Pipeline(settings, Random(0), context=context)
    events = [event for piece in pieces for event in pipeline.feed(piece)] + pipeline.flush()
    assert conserve(text, events).violations == []
    return events


def shown(events: list[TurnEvent]) -> list[Message]:
    return [event for event in events if isinstance(event, Message)]


def cast_of(name: str) -> AnswerContext:
    sprites = (
        Sprite("mad"),
        Sprite("mad", identity=True),
        Sprite(name, identity=True),
        Sprite("sad", usable=False),
    )
    people = (Person(1, "sam", ("Sam", name)), Person(2, "sam", ("Sam",)), Person(3, name), Person(3, name))
    emoji = (Emoji("wave", 1), Emoji("wave", 1), Emoji("Wave", 2), Emoji("wave", 3, animated=True))
    persona = Persona(name, aliases=(name, name.upper()), sprites=sprites)
    return AnswerContext(
        persona=persona,
        personas=(Persona(name), Persona("Ren"), Persona("Ren")),
        people=people,
        emoji=emoji,
    )


@pytest.mark.parametrize("guard", ["off", "known", "any"])
@pytest.mark.parametrize("name", NAMES)
def test_no_name_breaks_anything(name: str, guard: str) -> None:
    text = TEXT.format(name, "Ren") + f"\n:wave: <:{name}:9> {name}"
    settings, cast = Settings.from_mapping({"speaker_guard": guard, "message_cap": 0}), cast_of(name)
    whole = run(text, [text], cast, settings)
    assert shown(whole)
    assert shown(run(text, list(text), cast, settings)) == shown(whole)
    assert shown(run(text, random_slices(text, Random(1)), cast, settings)) == shown(whole)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_that_is_shown_fits_a_webhook(name: str) -> None:
    text = f"{name} (mad): one\n{name} ({name}): two\n{name} (Ren): three"
    for message in shown(run(text, [text], cast_of(name))):
        assert message.speaker is None or 0 < len(message.speaker.name) <= 80


def test_a_name_of_200_letters_is_a_label_and_is_shortened_where_it_is_shown() -> None:
    text = f"{LONG}: one\n{LONG} (mad): two\n{LONG} (nobody): three"
    one, two, three = shown(run(text, [text], cast_of(LONG)))
    assert (one.content, two.content, three.content) == ("one", "two", "three")
    assert one.speaker is None
    assert two.speaker
    assert len(two.speaker.name) == 80
    assert two.speaker.label == f"{LONG} (mad): "
    assert three.speaker is None


def test_the_first_of_two_sprites_with_one_name_is_worn() -> None:
    sprites = (Sprite("mad", "first.png"), Sprite("mad", "second.png", identity=True))
    text = "Luna (mad): hm"
    (message,) = shown(run(text, [text], AnswerContext(persona=Persona("Luna", sprites=sprites))))
    assert message.speaker
    assert message.speaker.avatar == "first.png"
