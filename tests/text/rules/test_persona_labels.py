"""Own labels go, and say which look a line is shown in; anywhere else a name stays."""

from __future__ import annotations

from typing import Literal

import pytest

from streamcord import Message, Pipeline
from streamcord._events import Speaker
from streamcord._settings import AnswerContext, Person, Persona, Settings, Sprite
from streamcord._text.parsed_text import ParsedText
from streamcord._text.rules.persona_labels import (
    PersonaLabels,
    label_pattern,
    split_by_speaker,
    strip_own_name,
)
from streamcord._text.rules.sprites import PersonaAppearance, SpriteTable, compose_name, shorten
from streamcord._text.traced_text import TracedText

LUNA = Persona(
    "Luna",
    ("Moon",),
    "luna.png",
    (
        Sprite("mad", "mad.png"),
        Sprite("Ghost", None, identity=True),
        Sprite("lost", usable=False),
        Sprite("mad", "2.png"),
    ),
)
CONTEXT = AnswerContext(
    persona=LUNA,
    personas=(Persona("Ren", ("Rennie",), "ren.png"), Persona("Twin"), Persona("lost")),
    people=(
        Person(1, "alice", ("", "Alice Smith"), "a.png"),
        Person(2, "twin"),
        Person(3, "Luna"),
        Person(4, "bob"),
    ),
)
SPRITES = SpriteTable(LUNA, Settings(), CONTEXT)
BASE = SPRITES.base
LABELS = PersonaLabels(LUNA, SPRITES)


@pytest.mark.parametrize(
    ("modifier", "speaker", "copied"),
    [
        ("mad", Speaker("Luna", "mad.png", "Luna (mad): "), False),
        (" MAD ", Speaker("Luna", "mad.png", "Luna (mad): "), False),
        ("ghost", Speaker("Ghost (Luna)", "luna.png", "Luna (Ghost): "), False),
        ("ren", Speaker("Ren (Luna)", "ren.png", "Luna (Ren): "), True),
        ("Rennie", Speaker("Ren (Luna)", "ren.png", "Luna (Ren): "), True),
        ("alice  smith", Speaker("Alice Smith (Luna)", "a.png", "Luna (Alice Smith): "), True),
        ("bob", Speaker("bob (Luna)", None, "Luna (bob): "), True),
        ("lost", None, False),
        ("twin", None, False),
        ("Luna", None, False),
        ("nobody", None, False),
        ("happy, mad", Speaker("Luna", "mad.png", "Luna (mad): "), False),
        ("mad, ghost", Speaker("Luna", "mad.png", "Luna (mad): "), False),
        ("nobody、nothing", None, False),
    ],
)
def test_a_modifier_is_a_sprite_or_somebody_or_nothing(
    modifier: str, speaker: Speaker | None, copied: bool
) -> None:
    assert SPRITES.find(modifier) == PersonaAppearance(speaker, copied)


@pytest.mark.parametrize(
    ("impersonation", "ren", "bob"), [("all", True, True), ("personas", True, False), ("off", False, False)]
)
def test_whose_look_may_be_copied_is_a_setting(
    impersonation: Literal["all", "personas", "off"], ren: bool, bob: bool
) -> None:
    sprites = SpriteTable(LUNA, Settings(impersonation=impersonation), CONTEXT)

    assert [sprites.find(name).copied for name in ("ren", "bob")] == [ren, bob]
    assert sprites.find("mad").speaker == Speaker("Luna", "mad.png", "Luna (mad): ")


def test_alter_has_its_own_appearance() -> None:
    alter = Persona("Luna", (), "luna.png", alter=True)
    assert SpriteTable(alter, Settings()).base == PersonaAppearance(Speaker("Luna", "luna.png", ""))


def parts(text: str, current: PersonaAppearance = BASE, *, line_start: bool = True) -> list[tuple[str, str]]:
    """Each part without its labels, and the modifier of its look."""
    found = []
    for part in split_by_speaker(ParsedText(text, Settings()), LABELS, current, line_start=line_start):
        shown, at = "", part.start
        for start, end, _ in part.edits:
            shown, at = shown + text[at:start], end
        label = part.appearance.speaker.label if part.appearance.speaker else ""
        found.append((shown + text[at : part.end], label.removeprefix("Luna (").removesuffix("): ")))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hi", [("hi", "")]),
        ("Luna (mad): hi", [("hi", "mad")]),
        ("  Luna (mad): hi", [("  hi", "mad")]),
        ("\n\nLuna (mad): hi", [("\n\nhi", "mad")]),
        ("**Luna (mad):** hi", [("hi", "mad")]),
        ("**Moon (mad)**: hi", [("hi", "mad")]),
        ("a\nLuna (mad): b\nLuna: c", [("a\n", ""), ("b\n", "mad"), ("Luna: c", "")]),
        ("a\n---\nLuna (mad): b", [("a\n---\n", ""), ("b", "mad")]),
        ("---\nLuna (mad): b\n", [("---\nb\n", "mad")]),
        ("## Two\n\nLuna (ren): b\nc", [("## Two\n\nb\n", "Ren"), ("c", "")]),
        ("Luna: Moon (mad): hi", [("hi", "mad")]),
        ("Luna (mad): Luna: hi", [("Luna: hi", "mad")]),
        ("Luna (mad): Luna (ghost): hi", [("hi", "Ghost")]),
        ("Luna (ren): a\nb", [("a\n", "Ren"), ("b", "")]),
        ("Luna (ren): a\n.\n", [("a\n.\n", "Ren")]),
        ("Luna (ren): a (b\nc) d\ne", [("a (b\nc) d\n", "Ren"), ("e", "")]),
        ("x (y\nLuna (mad): z) w", [("x (y\nz) w", "")]),
        ("`Luna (mad): x`", [("`Luna (mad): x`", "")]),
        ("say `a`\nLuna says hi", [("say `a`\nLuna says hi", "")]),
        ("- Luna (mad): x", [("- Luna (mad): x", "")]),
        ("Luna (mad)", [("Luna (mad)", "")]),
        ("Luna (mad)::x", [("Luna (mad)::x", "")]),
        (f"Luna ({'x' * 65}): y", [(f"Luna ({'x' * 65}): y", "")]),
    ],
)
def test_a_text_is_parted_by_its_labels(text: str, expected: list[tuple[str, str]]) -> None:
    assert parts(text) == expected


def test_a_text_that_goes_on_with_a_line_has_no_label_at_its_start() -> None:
    mad = SPRITES.find("mad")
    assert parts("Luna: hi\nMoon (ren): you", mad, line_start=False) == [
        ("Luna: hi\n", "mad"),
        ("you", "Ren"),
    ]


def test_code_at_the_start_of_a_line_hides_a_label() -> None:
    text = "a `b\nLuna (mad): c` ```\nLuna (mad): d\n``` e"
    assert "mad" not in {look for shown, look in parts("```\nLuna (mad): d\n```")}
    assert parts(text)[0][0].startswith("a")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Ren", "Luna", "Ren (Luna)"),
        ("x" * 30, "Luna", "x" * 10 + "... (Luna)"),
        ("x" * 30, "y" * 30, "x... (yyyyyyyyyy...)"),
    ],
)
def test_names_fit_a_webhook(first: str, second: str, expected: str) -> None:
    assert compose_name(first, second, 20) == expected
    assert len(compose_name("x" * 200, "y" * 200, 80)) == 80


def test_a_long_name_is_shortened() -> None:
    assert shorten("x" * 200, 80) == "x" * 77 + "..."
    assert shorten("Luna", 80) == "Luna"


TOMORI = Persona("Tomori", ("Lilya", "Tomo", "Tomori Nao", "T.", ""))


def strip(text: str, *, line_start: bool = True) -> str:
    edits = strip_own_name(ParsedText(text, Settings()), label_pattern(TOMORI), line_start=line_start)
    return TracedText.from_spans(text, ((0, len(text)),)).replace("own name", edits).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tomori: hi", "hi"),
        ("TOMORI: hi", "hi"),
        ("Tomori：hi", "hi"),
        ("Tomori : hi", "hi"),
        ("**Tomori:** hi", "hi"),
        ("**Tomori**: hi", "hi"),
        ("*Tomori:* hi", "hi"),
        ("*Tomori*: hi", "hi"),
        ("_Tomori:_ hi", "hi"),
        ("***Tomori:*** hi", "hi"),
        ("[Tomori]: hi", "hi"),
        ("[Tomori:] hi", "hi"),
        ("Lilya: hi", "hi"),
        ("Tomori Nao: hi", "hi"),
        ("T.: hi", "hi"),
        ("Tomori: Lilya: hi", "hi"),
        ("  Tomori: hi", "  hi"),
        ("hi\nTomori: there\n\nTomo: you", "hi\nthere\n\nyou"),
        ("Tomori:", ""),
    ],
)
def test_own_labels_go(text: str, expected: str) -> None:
    assert strip(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I am Tomori: the one",
        "Tomorix: hi",
        "xTomori: hi",
        "Tomori says hi",
        "Tomori::hi",
        "[Tomori] hi",
        "*Tomori: hi*",
        "[Tomori](https://a.b): hi",
        "Tomo://x",
        "To: hi",
        "Tx: hi",
        "- Tomori: hi",
        "> Tomori: hi",
        "Bob: hi",
        "```\nTomori: hi\n```",
        "`Tomori: b`",
    ],
)
def test_everything_else_stays(text: str) -> None:
    assert strip(text) == text


def test_a_text_that_goes_on_with_a_line_keeps_a_name_at_its_start() -> None:
    assert strip("Tomori: hi\nTomori: you", line_start=False) == "Tomori: hi\nyou"


@pytest.mark.parametrize(
    ("text", "shown", "label"),
    [
        ("Luna [mad]: hi", "hi", "Luna (mad): "),
        ("Luna *(mad)*: hi", "hi", "Luna (mad): "),
        ("**Luna** *(mad)*: hi", "hi", "Luna (mad): "),
        ("Luna - mad: hi", "hi", "Luna (mad): "),
        ("Luna – MAD: hi", "hi", "Luna (mad): "),
        ("(mad) Luna: hi", "hi", "Luna (mad): "),
        ("*(mad)* **Luna:** hi", "hi", "Luna (mad): "),
        ("Luna: (mad) hi", "hi", "Luna (mad): "),
        ("Luna: *[mad]* hi", "hi", "Luna (mad): "),
        ("<Luna>: hi", "hi", ""),
        ("{{char}} (mad): hi", "hi", "Luna (mad): "),
        ("{{char}}: hi", "hi", ""),
        ("{bot}: hi", "hi", ""),
        ("Luna - part two: hi", "Luna - part two: hi", ""),
        ("Luna: (laughs) hi", "(laughs) hi", ""),
        ("Luna: (Ren) hi", "(Ren) hi", ""),
        ("Luna [1]: hi", "Luna [1]: hi", ""),
        ("(by the way) Lunatic: hi", "(by the way) Lunatic: hi", ""),
        ("Luna: [mad](https://a.example)", "[mad](https://a.example)", ""),
        ("`{{char}}: hi`", "`{{char}}: hi`", ""),
    ],
)
def test_labels_in_every_form_that_models_write(text: str, shown: str, label: str) -> None:
    for size in (1, len(text)):
        pipeline = Pipeline(Settings(), context=CONTEXT)
        events = [event for at in range(0, len(text), size) for event in pipeline.feed(text[at : at + size])]
        messages = [event for event in [*events, *pipeline.flush()] if isinstance(event, Message)]

        assert [message.content for message in messages] == [shown]
        assert (messages[0].speaker.label if messages[0].speaker else "") == label
