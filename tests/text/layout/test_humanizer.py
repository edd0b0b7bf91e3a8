"""The humanizer: what it changes, what it leaves alone, and what it draws."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from streamcord._settings import Persona, Settings
from streamcord._text.layout.humanizer import Edit, humanize
from text.layout.test_lowercase import LETTERS

Ranges: TypeAlias = list[tuple[int, int]]

CALM = Settings(comma_removal_chance=0, comma_break=0, exclamation_break=0)
WILD = Settings(comma_removal_chance=0, comma_break=1, exclamation_break=1, sentence_ends="period")
LUNA = Persona("Luna Star", ("Moony", "", "L"))


class Dice(Random):
    """A `Random` that gives what it is told to, and counts."""

    def __init__(self, *rolls: float) -> None:
        super().__init__(0)
        self.rolls = list(rolls)
        self.count = 0

    def random(self) -> float:
        self.count += 1
        return self.rolls.pop(0) if self.rolls else super().random()


def apply(text: str, edits: list[Edit], breaks: list[int]) -> list[str]:
    """The messages that come of a text."""
    pieces: list[str] = []
    for first, last in zip([0, *breaks], [*breaks, len(text)], strict=True):
        piece, at = "", first
        for start, end, new in edits:
            if first <= start and end <= last:
                piece += text[at:start] + new
                at = end
        pieces.append((piece + text[at:last]).strip())
    return pieces


def run(
    marked: str, settings: Settings = CALM, dice: Random | None = None, persona: Persona | None = None
) -> list[str]:
    """The messages of a text in which {braces} are protected."""
    text, protected = read(marked)
    return apply(text, *humanize(text, dice or Random(7), settings, persona=persona, protected=protected))


def read(marked: str) -> tuple[str, Ranges]:
    text = ""
    found: Ranges = []
    opened = 0
    for char in marked:
        if char == "{":
            opened = len(text)
        elif char == "}":
            found.append((opened, len(text)))
        else:
            text += char
    return text, found


# The reference, with its dice off, gives the same, but for words of one letter, which it leaves.
AGREED = {
    "Hello There Friend": "hello there friend",
    "I AM HAPPY": "I AM HAPPY",
    "NASA and LOL and Wtf": "NASA and LOL and Wtf",
    "A book. An apple": "a book. an apple",
    "D-don't E-ew": "d-don't e-ew",
    "Name: Hello World": "Name: hello world",
    "(Alice): Hello": "(Alice): hello",
    "{```\nCODE\n```}": "```\nCODE\n```",
    "Élan Vital ÇA": "élan vital ÇA",
    "OK I Think So": "OK i think so",
    "{<@123>} {<:Soup:1>} Hello": "<@123> <:Soup:1> hello",
    "It's Mr. Smith": "it's mr. smith",
    "xx: Yy: Zz": "xx: yy: zz",
}


@pytest.mark.parametrize(("text", "expected"), AGREED.items())
def test_plain_texts_come_out_as_in_the_reference(text: str, expected: str) -> None:
    assert run(text) == [expected]


SPANS = {
    "Look: {**Bold Text**} And {*Ital, Ic;*}": "Look: **Bold Text** and *Ital, Ic;*",
    '{"Yes, Sir."} He Said': '"Yes, Sir." he said',
    "{||It Was Bob.||}": "||It Was Bob.||",
    "Half{Way} There": "HalfWay there",
    "Go to half{Way}.": "go to halfWay",
    "{Go} To It.": "Go to it",
    "Lol, It Is {So}": "Lol it is So",
}


@pytest.mark.parametrize(("text", "expected"), SPANS.items())
def test_nothing_changes_inside_a_span(text: str, expected: str) -> None:
    assert run(text, replace(WILD, comma_removal_chance=1, comma_break=0)) == [expected]


def test_what_is_said_before_a_link_is_no_label() -> None:
    assert run("Visit {HTTPS://EXAMPLE.COM/A} or {https://Ex.com/A}.") == [
        "visit HTTPS://EXAMPLE.COM/A or https://Ex.com/A"
    ]


@pytest.mark.parametrize(("text", "expected"), LETTERS.items())
def test_words_are_small_unless_they_are_acronyms(text: str, expected: str) -> None:
    assert run(text) == [expected]


TOKENS = {
    "Join discord.gg/AbCdEf or Example.com": "join discord.gg/AbCdEf or Example.com",
    "HelloWorld123 Room5 5Th": "HelloWorld123 Room5 5Th",
    "MyClass getUserName Spider-Man": "MyClass getUserName spider-man",
    "src/Main C:\\Users Bob@Mail.Example": "src/Main C:\\Users Bob@Mail.Example",
    "Hi.There Node.js": "Hi.There node.js",
    "UwU xD T_T O_o :D >:P": "UwU xD T_T O_o :D >:P",
    "Я думаю И ты": "я думаю и ты",
    "SO AM I": "SO AM I",
    "Й": "й",
    "ⓐⒷ": "ⓐⒷ",
    "Işık İyi Ilık KIŞ": "ışık iyi ılık KIŞ",
    "I know Ağrı": "ı know ağrı",
}


@pytest.mark.parametrize(("text", "expected"), TOKENS.items())
def test_addresses_codes_and_names_in_code_keep_their_form(text: str, expected: str) -> None:
    assert run(text) == [expected]


BLOCKS = {
    "> Be yourself, but kind": ["> be yourself, but kind"],
    "- one, but two": ["- one, but two"],
    "# Hello, and welcome": ["# hello, and welcome"],
    "-# note, but small": ["-# note, but small"],
    "a, but b\n> c, but d": ["a", "but b\n> c, but d"],
}


@pytest.mark.parametrize(("text", "expected"), BLOCKS.items())
def test_a_quote_an_item_a_heading_and_subtext_are_never_broken(text: str, expected: list[str]) -> None:
    assert run(text, WILD) == expected


def test_a_comma_before_a_digit_is_never_drawn_for() -> None:
    dice = Dice(0.0, 0.0)
    assert run("On May 5, 2024, we met", ODDS, dice) == ["on may 5, 2024 we met"]
    assert dice.count == 1


@pytest.mark.parametrize("amount", ["½ cup", "$5", "€ 10", "-5 °C", "~3 km", "#4"])
def test_no_more_is_one_before_a_sign_and_its_number(amount: str) -> None:
    dice = Dice(0.0)
    assert run(f"salt, {amount}", ODDS, dice) == [f"salt, {amount}"]
    assert dice.count == 0


def test_a_wide_comma_that_goes_leaves_a_space() -> None:
    gone = replace(CALM, comma_removal_chance=1)
    assert run("東京、大阪，京都 、次、", gone) == ["東京 大阪 京都 次"]
    assert run("نعم، لكن لا", gone) == ["نعم لكن لا"]


def test_smileys_and_greek_questions_keep_their_marks() -> None:
    assert run("oh ;_; no ;-; ok,_, yes; fine", WILD) == ["oh ;_; no ;-; ok,_, yes fine"]
    assert run("no (´；ω；｀) ok；fine", WILD) == ["no (´；ω；｀) ok fine"]
    assert run("Τι κάνεις; Καλά") == ["τι κάνεις; καλά"]


LABELS = {
    "Alice Smith: Hi\nBob: Yo There": "Alice Smith: hi\nBob: yo there",
    "Alice：Hi": "Alice：hi",
    "Nice :) Ok": "nice :) ok",
    "(Alice:) Hi": "(Alice:) hi",
    "**Alice:** Hi": "**Alice:** hi",
    "Alice: Bob: Hi": "Alice: Bob: hi",
    "Alice:": "Alice:",
    "Zoë Öz: Hi": "Zoë Öz: hi",
    "Österreich und mehr: Ja": "österreich und mehr: ja",
    "Here is what I mean: Yes": "here is what i mean: yes",
    "At 10:30 Lunch": "at 10:30 lunch",
    "Re:Zero": "Re:Zero",
    "Hi Bob\nSo: Yes": "hi bob\nSo: yes",
    "Long " * 14 + ": Hi": "long " * 14 + ": hi",
}


@pytest.mark.parametrize(("text", "expected"), LABELS.items())
def test_a_name_before_a_colon_keeps_its_form_at_the_start_of_a_line(text: str, expected: str) -> None:
    assert run(text) == [expected]


def test_the_persona_and_its_aliases_are_left_as_written() -> None:
    assert run("Hi I am Luna Star's Friend, Moony or MOOny, Luna, Moonyx", persona=LUNA) == [
        "hi i am Luna Star's friend, Moony or MOOny, luna, moonyx"
    ]


def test_an_edit_covers_the_letters_that_change_and_no_more() -> None:
    text = "hi Evergree and NASA-Like"
    edits, breaks = humanize(text, Random(1), CALM)
    assert edits == [(3, 4, "e"), (21, 22, "l")]
    assert breaks == []


SEMICOLONS = {
    "Yes; No": "yes no",
    "yes;; no;\nok;": "yes no\nok",
    "是；不": "是 不",
    "ok ;) a;b ;D": "ok ;) a;b ;D",
    "{**a; b；c**} {x; y}": "**a; b；c** x; y",
}


@pytest.mark.parametrize(("text", "expected"), SEMICOLONS.items())
def test_semicolons_go_where_they_separate(text: str, expected: str) -> None:
    assert run(text) == [expected]


ODDS = Settings(comma_removal_chance=0.4, comma_break=0.2)


@pytest.mark.parametrize(
    ("roll", "expected"),
    [
        (0.0, ["one but two"]),
        (0.39, ["one but two"]),
        (0.4, ["one", "but two"]),
        (0.59, ["one", "but two"]),
        (0.61, ["one, but two"]),
        (0.99, ["one, but two"]),
    ],
)
def test_a_comma_goes_or_breaks_or_stays_by_its_roll(roll: float, expected: list[str]) -> None:
    assert run("one, but two", ODDS, Dice(roll)) == expected


def test_each_comma_has_its_own_roll_in_the_order_of_the_text() -> None:
    dice = Dice(0.5, 0.1, 0.9)
    assert run("a, but b, but c, but d", ODDS, dice) == ["a", "but b but c, but d"]
    assert dice.count == 3


COMMAS = {
    "a,b 1,000 x": ["a,b 1,000 x"],
    "好，好、好､3": ["好", "好", "好､3"],
    "a,\nbut b": ["a", "but b"],
    "a,  \t but b": ["a", "but b"],
    "a,": ["a,"],
    "好，": ["好"],
    "a，...": ["a..."],
    ", but a": ["but a"],
    "?!, but a, but b": ["?! but a", "but b"],
    "{a, but b}, but {**c, but d**}, so e": ["a, but b", "but **c, but d**", "so e"],
    "a,{ but} b": ["a", "but b"],
    "a, but\u0301 b": ["a, but\u0301 b"],
    "a,, but b": ["a,", "but b"],
    "；，": ["；，"],
}


@pytest.mark.parametrize(("text", "expected"), COMMAS.items())
def test_commas_break_only_between_things_said(text: str, expected: list[str]) -> None:
    assert run(text, WILD) == expected


HELD = {
    "“Los”, wenn sie ruft": ["“los”, wenn sie ruft"],
    "«{Да}», — сказал он, но да": ["«Да», — сказал он", "но да"],
    "东，— he said": ["东，— he said"],
    " — Max, si c'est toi, si oui": ["— max, si c'est toi, si oui"],
    "¡bien, pero crack! sí, pero ¿tú, pero no? ah, pero no": [
        "¡bien, pero crack! sí",
        "pero ¿tú, pero no? ah",
        "pero no",
    ],
    "bread，wine，etc. or so": ["bread", "wine，etc. or so"],
    "it is far，i.e.，away": ["it is far，i.e.，away"],
    "see the book，p. 12": ["see the book，p. 12"],
    "so，yes. ok": ["so", "yes. ok"],
    "try [one, but two, or] three, but ok": ["try [one, but two, or] three", "but ok"],
    "he said 'well, but yes, but sure' and left, but ok": [
        "he said 'well, but yes, but sure' and left",
        "but ok",
    ],
    "it's the dogs' bone, because it is, but rock 'n roll, so ok": [
        "it's the dogs' bone",
        "because it is",
        "but rock 'n roll",
        "so ok",
    ],
}


@pytest.mark.parametrize(("text", "expected"), HELD.items())
def test_no_comma_breaks_speech_inverted_marks_and_abbreviations(text: str, expected: list[str]) -> None:
    assert run(text, WILD) == expected


EXCLAMATIONS = {
    "a! b?! c": ["a!", "b?!", "c"],
    "a!b c? ": ["a!b c?"],
    "好！好？！好": ["好！", "好？！", "好"],
    "「好！」好": ["「好！」好"],
    "{**a! b**} {c! d}": ["**a! b** c! d"],
    "! a": ["! a"],
    "a! ...": ["a! ..."],
}


@pytest.mark.parametrize(("text", "expected"), EXCLAMATIONS.items())
def test_exclamations_break_and_stay_when_only_periods_end_sentences(text: str, expected: list[str]) -> None:
    assert run(text, WILD) == expected


def test_exclamations_are_rolled_for_and_only_when_only_periods_end_sentences() -> None:
    odds = replace(ODDS, sentence_ends="period")
    assert run("a! b! c", odds, Dice(0.49, 0.5)) == ["a!", "b! c"]
    dice = Dice()
    assert run("a! b! c", ODDS, dice) == ["a! b! c"]
    assert dice.count == 0


PERIODS = {
    "Hi. You.": "hi. you",
    "Hi. ": "hi",
    "はい。": "はい",
    "wait...": "wait...",
    "wait…": "wait…",
    "so?.": "so?.",
    "so. .": "so. .",
    "so.、.": "so.、.",
    "at 5 p.m.": "at 5 p.m.",
    "—dijo él—.": "—dijo él—.",
    "w 1917 r.": "w 1917 r.",
    "apples etc.": "apples etc.",
    "so did I.": "so did i",
    "at 273 K.": "at 273 K",
    "take vitamin C.": "take vitamin C",
    "written by J. R.": "written by J. R.",
    "1.": "1.",
    "in 1999.": "in 1999",
    ".": ".",
    "?! .": "?! .",
    "{**Bold.**}": "**Bold.**",
    "{(so.)}": "(so.)",
    "{a.b}.": "a.b",
    "{Mr}.": "Mr",
    "see {x.}": "see x.",
    "": "",
    "   ": "",
}


@pytest.mark.parametrize(("text", "expected"), PERIODS.items())
def test_the_last_period_goes_unless_it_means_something(text: str, expected: str) -> None:
    assert run(text) == [expected]


def test_ranges_that_lie_outside_of_the_text_are_no_harm() -> None:
    outside = [(-5, 1), (3, 2), (4, 99)]
    assert humanize("AbcdeF", Random(1), CALM, protected=outside) == ([], [])


WORDS = """
    Hello NASA lol I A. p.m. etc. ok İ D-don't Luna Name: (Alice): 好 ，好 、 ； ; ;) , ! ?! ！ ？ . ... 。 5
    1,000 **Bold, Text!** <@1> `x, Y;` https://A.b/C,d \u0301 … :
"""
texts = st.lists(st.sampled_from([*WORDS.split(), " ", ", ", "; ", "\n", ". "]), max_size=16).map("".join)
ranges = st.lists(st.integers(0, 60), max_size=6, unique=True).map(
    lambda ends: list(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
)
odds = st.sampled_from([CALM, WILD, ODDS, replace(ODDS, sentence_ends="period")])


def essence(text: str) -> str:
    """What is left of a text when all that the humanizer may change is taken out."""
    return re.sub(
        r"[.。]$", "", re.sub(r"[\s,;；、，､]", "", "".join(char.lower() for char in text.replace("İ", "i")))
    )


@profile(max_examples=200)
@given(texts | st.text(max_size=60), ranges, odds, st.integers(0, 9))
@example("a, b.", [], WILD, 0)
def test_only_what_may_change_changes(text: str, protected: Ranges, settings: Settings, seed: int) -> None:
    edits, breaks = humanize(text, Random(seed), settings, persona=LUNA, protected=protected)
    ends = [end for _, end, _ in edits]
    assert all(before <= start for before, (start, _, _) in zip(ends, edits[1:], strict=False))
    for start, end, new in edits:
        assert len(new) in {0, end - start}
        assert new != text[start:end]
        assert not any(start < last and first < end for first, last in protected)
    assert breaks == sorted(set(breaks))
    assert not any(first < place < last for place in breaks for first, last in protected)
    pieces = apply(text, edits, breaks)
    assert all(pieces) or not text.strip()
    assert essence("".join(pieces)) == essence(text)


@profile(max_examples=200)
@given(texts, odds)
def test_the_number_of_draws_depends_on_the_text_alone(text: str, settings: Settings) -> None:
    counts = set()
    for roll in (0.0, 0.5, 0.99):
        dice = Dice(*[roll] * 200)
        humanize(text, dice, settings)
        counts.add(dice.count)
    assert len(counts) == 1


def test_no_message_grows() -> None:
    text = "İ" * 1950
    edits, _ = humanize(text, Random(1), CALM)
    assert len(apply(text, edits, [])[0]) == 1950


@pytest.mark.parametrize(
    ("unit", "edited", "broken"),
    [
        (", ", 0, 0),
        ("! ", 0, 0),
        ("；", 0, 0),
        ("Aa, ", 20_000, 0),
        ("Aa, but ", 39_999, 19_999),
        ("A, ", 0, 0),
        ("Aa-", 20_000, 0),
        ("a.", 1, 0),
    ],
)
def test_long_texts_of_marks_are_no_trouble(unit: str, edited: int, broken: int) -> None:
    edits, breaks = humanize(unit * 20_000, Random(1), WILD)
    assert (len(edits), len(breaks)) == (edited, broken)
