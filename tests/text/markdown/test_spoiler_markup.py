"""Bars hide what they enclose, or are an operator; a text has these spans, in every slicing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from streamcord._settings import Settings
from streamcord._text.markdown.delimiter_stack import SpanKind
from streamcord._text.markdown.scanner import Scanner
from whole_texts import messages_of

BARS = {
    "it was ||Bob||": ["||Bob||"],
    "||a\n\nb||": ["||a\n\nb||"],
    "a || b": ["||"],
    "a ||b": [],
    "x|| a|| b": ["||", "||"],
    "The|| cat|| sat.": ["|| cat||"],
    "Hide ||this|| and || that ||.": ["||this||", "|| that ||"],
    "It was || the butler || as expected.": ["|| the butler ||"],
    "It was || him || and || her ||": ["|| him ||", "|| her ||"],
    "Hide ||this|| and || that || too": ["||this||", "|| that ||"],
    "|| a whole line ||": ["|| a whole line ||"],
    "So: || Bob || wow": ["|| Bob ||"],
    "||open\n- ||a||\n- b||": ["||open\n- ||", "||\n- b||"],
    "- word||\n\n- other||": ["||"],
    "the killer|| the butler ||\n\nb": ["|| the butler ||"],
    "use a || b || c here": ["||", "||"],
    "So || ||it was Bob|| then": ["||", "||it was Bob||"],
    "red || green || blue": ["||", "||"],
    "- red || green || blue || grey": ["||", "||", "||"],
    "x > 1 || y < 2 || z > 3": ["||", "||"],
    "foo() || bar || baz qux": ["()", "||", "||"],
    "is || user_id || set": ["||", "||"],
    "`a` || more words || here": ["`a`", "||", "||"],
    "a || b\n\nc || d": ["||", "||"],
    "a||b and foo()||bar, true||x": ["||", "()", "||", "||"],
    "the kill||er is|| known": ["||er is||"],
    "the kill||" + "e" * 60 + "||": ["||" + "e" * 60 + "||"],
    "oh (ー_ー||) no||": ["(ー_ー||)"],
    "a || b " + "c" * 600 + "||": ["||"],
    "so || be " + "word " * 60 + "||": ["|| be " + "word " * 60 + "||"],
    "|a| |b|": [],
    "|||a|||": ["|||a|||"],
    "||||a. b|||| c": ["||||a. b||||"],
    "|||a b": ["||"],
    "||a|||": ["||a|||"],
    "||a||||b||": ["||a||||b||"],
    "||a|||(b)||": ["(b)", "||a|||(b)||"],
    "a ||| b ||| c": [],
    "|||||a|||||": [],
    "||||": [],
    "||\n\na\n\n||": ["||\n\na\n\n||"],
    "||\n```\na\n```\n||": ["```\na\n```", "||\n```\na\n```\n||"],
    "> ||\n> a\n> ||": ["||\n> a\n> ||"],
    "so ||\n\na||": ["||"],
    "<b ||c> d||": ["||c> d||"],
    "<b |c> d||": ["<b |c>"],
    "a |": [],
    "a ||": [],
    "| a | b |\n|---|---|\n| x ||y|| |": ["||y||"],
    "| a | b |\n|---|---|\n| x || y |": [],
    "| a | b |\n|---|---|\n| x |||y||| |": [],
    "| a | b |\n|---|---|\n| x ||": [],
    "| a | b |\n|---|---|\n| x ||\n": [],
    "| a | b |\n|---|---|\n| x ||y": [],
    "| a | b |\n|---|---|\n| x ||" + "y" * 2100 + "||": [],
}


def spans(text: str, size: int) -> list[str]:
    scanner = Scanner(Settings(spoiler_length=3000))
    for at in range(0, len(text), size):
        scanner.push(text[at : at + size])
        scanner.read()
    scanner.read(final=True)
    return [text[span.start : span.end] for span in scanner.delimiters.spans]


@pytest.mark.parametrize(("text", "expected"), BARS.items())
def test_bars_have_these_spans_in_every_slicing(text: str, expected: list[str]) -> None:
    assert spans(text, len(text)) == expected
    assert spans(text, 1) == expected
    assert spans(text, 3) == expected


@pytest.mark.parametrize(
    ("row", "opened"),
    [("| x ||y", 1), ("| x ||y|", 1), ("| x ||y |", 1), ("|x||y|", 0), ("| x || y |", 0), ("| x ||y| z", 0)],
)
def test_a_row_that_ends_in_the_midst_of_a_spoiler_leaves_it_open(row: str, opened: int) -> None:
    scanner = Scanner(Settings())
    scanner.push(f"| a | b |\n|---|---|\n{row}")
    scanner.read(final=True)
    assert scanner.delimiters.count("||") == opened


def test_operators_are_distinguished_from_spoilers() -> None:
    scanner = Scanner(Settings())
    scanner.push("a || b, it was || the butler ||.")
    scanner.read(final=True)
    assert [span.mark for span in scanner.delimiters.spans] == [SpanKind.OPERATOR, "||"]


def test_a_spoiler_without_an_end_is_closed_and_goes_on() -> None:
    scanner = Scanner(Settings(spoiler_length=40))
    text = "so ||" + "word " * 30
    scanner.push(text + "|| end")
    scanner.read(final=True)
    found = [(span.start, span.end) for span in scanner.delimiters.spans]
    assert found[0][0] == 3
    assert all(end == start for (_, end), (start, _) in pairwise(found))
    assert found[-1][1] == len(text) + 2


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("a || b c || d", [r"a \|\| b c \|\| d"]),
        ("a || b || ", [r"a \|\| b \|\|"]),
        ("x||y||z || w", [r"x\|\|y\|\|z \|\| w"]),
        ("(||)x", ["(||)x||"]),
        ("a (|| b", [r"a (\|\| b"]),
        ("a ||é b||", ["a ||é b||"]),
        ("x || y || z", [r"x \|\| y \|\| z"]),
    ],
)
def test_bars_in_a_line_are_read_in_every_slicing(text: str, messages: list[str]) -> None:
    assert messages_of(text, degree=2) == messages


def test_bars_between_single_words_are_judged_by_their_whole_line() -> None:
    assert messages_of("apples || oranges || pears || plums\nx", degree=2) == [
        r"apples \|\| oranges \|\| pears \|\| plums",
        "x",
    ]


def test_a_long_line_of_terms_is_waited_for() -> None:
    (line, last) = messages_of("apples || oranges || " + "pears || " * 20 + "plums\nx", degree=2)

    assert line.count(r"\|\|") == 22
    assert last == "x"
