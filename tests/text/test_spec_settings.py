"""Settings that restore the specification's way, and steps that a debug log shows."""

from __future__ import annotations

import pytest

from streamcord import AnswerContext, Emoji, Persona, Settings, Sprite
from streamcord._events import Message
from streamcord._text.pipeline import Pipeline

LUNA = Persona("Luna", sprites=(Sprite("mad", "https://example.com/m.png"),))
SOUP = AnswerContext(emoji=(Emoji("Soup", 1),))


def plan(text: str, settings: Settings, context: AnswerContext) -> list[Message]:
    pipeline = Pipeline(settings, context=context)
    return [event for event in (*pipeline.feed(text), *pipeline.flush()) if isinstance(event, Message)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\nLuna (mad): Two.\nThree.", ["One.", "Two.", "Three."]),
        ("Luna (mad): - a\n- b\nThree.", ["- a\n- b", "Three."]),
        ("Luna (mad): Reasons:\n- a\n> q\n> r", ["Reasons:\n- a", "> q\n> r"]),
        ("Luna (mad): # Title\nText.\nMore.", ["# Title\nText.", "More."]),
        ("Luna (mad): Two.\nLuna: Three.\nFour.", ["Two.", "Three.\nFour."]),
    ],
)
def test_another_look_waits_for_the_end_of_a_phase_at_degree_0(text: str, expected: list[str]) -> None:
    messages = plan(text, Settings(degree=0), AnswerContext(persona=LUNA))
    assert [one.content for one in messages] == expected


def test_line_of_another_look_is_late_at_degree_0() -> None:
    pipeline = Pipeline(Settings(degree=0), context=AnswerContext(persona=LUNA))
    events = pipeline.feed("Luna (mad): Two.\nThr")
    assert [event.content for event in events if isinstance(event, Message)] == ["Two."]


def test_long_list_of_another_look_is_not_bounded_at_degree_0() -> None:
    items = "".join(f"- {number} {'x' * 90}\n" for number in range(40))
    pipeline = Pipeline(Settings(degree=0, message_length=200), context=AnswerContext(persona=LUNA))
    events = pipeline.feed(f"Luna (mad): {items}")
    assert any(isinstance(event, Message) for event in events)


@pytest.mark.parametrize(("names", "shown"), [("decorated", "Luna (mad)"), ("alternate", "Luna")])
def test_name_of_a_sprite_after_the_bot_ignores_the_setting(names: str, shown: str) -> None:
    settings = Settings.from_mapping({"sprite_names": names})
    *_, last = plan("Hi.\nLuna (mad): Hm.", settings, AnswerContext(persona=LUNA))
    assert last.speaker is not None
    assert last.speaker.name == shown


@pytest.mark.parametrize(
    ("notice", "alter", "replies"),
    [("embed", False, True), ("embed", True, True), ("message", False, False), ("message", True, True)],
)
def test_sprite_of_the_main_persona_has_a_reply_notice_as_message(
    notice: str, alter: bool, replies: bool
) -> None:
    settings = Settings.from_mapping({"reply_notice": notice})
    persona = Persona("Luna", sprites=LUNA.sprites, alter=alter)
    first, *_ = plan("Luna (mad): Hm.\nYes.", settings, AnswerContext(persona=persona))
    assert first.reply is replies


def test_particles_are_torn_from_their_emoji_without_the_setting() -> None:
    def texts(*, particles: bool) -> list[str]:
        settings = Settings(emoji_particles=particles)
        return [one.content for one in plan(":Soup:は美味しい", settings, SOUP)]

    assert texts(particles=True) == ["<:Soup:1>は美味しい"]
    assert texts(particles=False) == ["<:Soup:1>", "は美味しい"]


def test_held_punctuation_ignores_the_setting() -> None:
    settings = Settings(held_punctuation="prefix")
    texts = [one.content for one in plan("prev\n...\nnext\n?!?!\nlast", settings, AnswerContext())]
    assert texts == ["prev", "...next", "?!?!last"]


def test_steps_of_orphans_and_overflow_are_not_told() -> None:
    told: list[tuple[str, str]] = []
    pipeline = Pipeline(context=AnswerContext(persona=LUNA))
    pipeline.trace(lambda step, text: told.append((step, text)))
    pipeline.feed("a\n...\nb\n...\nLuna (mad): c\n...\n| x |\n|---|\n| y |\n\n")
    pipeline.feed(f"{'word ' * 300}\n…")
    pipeline.flush()

    assert [step for step, _ in told] == [
        *("hold", "prepend", "hold", "prepend", "hold", "prepend"),
        *("overflow", "hold", "release"),
    ]
    assert ("hold", "...") in told
    assert ("release", "…") in told
