"""Macros are filled in as the card format says, and hostile ones cost little."""

from __future__ import annotations

from datetime import datetime
from random import Random

import pytest

from streamcord_bot.personas.macros import MAX_FILLED_CHARS, MacroValues, fill_macros, mentions_user

NOW = datetime(2026, 11, 8, 14, 5)


def values(seed: int = 0, user: str = "alice", pick_key: str = "a channel") -> MacroValues:
    return MacroValues("Luna", user, NOW, Random(seed), pick_key)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("no macro, a < b", "no macro, a < b"),
        ("{{char}} {{Bot}} <BOT> <char>", "Luna Luna Luna Luna"),
        ("{{user}} {{ USER }} <user>", "alice alice alice"),
        ("{{time}} {{date}} {{weekday}}", "14:05 8 November 2026 Sunday"),
        ("a{{// a comment, {with} a brace}}b", "ab"),
        ("a{{//comment}}{{comment: x}}{{hidden_key:y}}b", "ab"),
        ("{{reverse:abc}} {{Reverse: {{user}} }}", "cba ecila"),
        ("{{random:Tea}} {{random::Tea::}}", "Tea "),
        (r"{{random:one\, two}}", "one, two"),
        ("{{pick:Wine}}", "Wine"),
        ("{{roll:1}} {{roll:d1}} {{roll:3d1}} {{ROLL: 2D1 }}", "1 1 3 2"),
        ("{{roll:}}{{roll:x}}{{roll:0}}{{roll:d0}}{{roll:0d6}}", ""),
        ("{{unknown}} {{setvar::a::b}} {{}}", "{{unknown}} {{setvar::a::b}} {{}}"),
        ("{{random:{{char}},{{char}}}}", "Luna"),
        ("{{char", "{{char"),
    ],
)
def test_macros_are_filled_in(text: str, filled: str) -> None:
    assert fill_macros(text, values()) == filled


def test_unknown_macros_are_left_out_of_texts_for_people() -> None:
    assert fill_macros("a {{unknown:x}}{{}}b", values(), keep_unknown=False) == "a b"


def test_names_are_no_macros_and_no_templates() -> None:
    assert fill_macros("{{user}}", values(user="{{reverse:abc}}")) == "((reverse:abc))"
    assert fill_macros("{{user}}", values(user=r"a\1\g<0>")) == r"a\1\g<0>"
    assert fill_macros("{{{{user}}}}", values(user="char"), keep_unknown=False) == "Luna"


def test_random_differs_and_a_pick_stays() -> None:
    text = "{{random:a,b,c,d,e,f}}", "{{pick:a,b,c,d,e,f}}", "{{roll:d20}}"
    randoms, picks, rolls = ({fill_macros(one, values(seed)) for seed in range(60)} for one in text)
    elsewhere = {fill_macros(text[1], values(pick_key=str(key))) for key in range(60)}

    assert randoms == set("abcdef")
    assert len(picks) == 1
    assert elsewhere == set("abcdef")
    assert rolls <= {str(number) for number in range(1, 21)}
    assert len(rolls) > 5


def test_two_picks_of_one_text_are_independent() -> None:
    text = "{{pick:a,b}} {{pick:a,b}}"
    pairs = {fill_macros(text, values(pick_key=str(key))) for key in range(60)}

    assert pairs == {"a a", "a b", "b a", "b b"}


@pytest.mark.parametrize(
    "text",
    [
        "{{user}}" * 100_000,
        "{{" * 200_000,
        "{{reverse:" * 50_000 + "}}" * 50_000,
        "{{roll:999999d999999999}}" * 5000,
        "{{random:" + "," * 300_000 + "}}",
        "{{" + "x" * 400_000,
        "<user" * 100_000,
    ],
)
def test_hostile_texts_stay_short(text: str) -> None:
    filled = fill_macros(text, values(user="a" * 40))

    assert len(filled) <= max(MAX_FILLED_CHARS, len(text))


@pytest.mark.parametrize(
    ("text", "found"), [("{{User}}", True), ("<USER>", True), ("user", False), ("{{char}}", False)]
)
def test_the_user_is_found(text: str, found: bool) -> None:
    assert mentions_user(text) is found
