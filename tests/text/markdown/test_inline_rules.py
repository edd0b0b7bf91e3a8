"""The markers inside a line: what opens, what closes, what is text, in every slicing."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import pytest

from streamcord._settings import Settings
from streamcord._text.markdown.inline_rules import PAIRS
from streamcord._text.markdown.scanner import Scanner


def read(
    text: str, *, sentences: bool = False, ends: Literal["all", "period"] = "all", hold: int = 600
) -> tuple[list[str], list[int]]:
    """The spans of a text as they stand in it, and the places where it may be cut."""
    found = []
    for pieces in ([text], list(text)):
        scanner = Scanner(Settings(sentence_ends=ends, unmatched_delimiter_limit=hold), sentences=sentences)
        for piece in pieces:
            scanner.push(piece)
            scanner.read()
        scanner.read(final=True)
        spans = [text[span.start : span.end] for span in scanner.delimiters.spans]
        found.append((spans, [place.at for place in scanner.delimiters.breaks]))
    assert found[0] == found[1]
    return found[0]


def spans(text: str, **settings: int) -> list[str]:
    return read(text, **settings)[0]  # type: ignore[arg-type]


ESCAPES = {
    r"\*a*": [],
    r"\\*a*": ["*a*"],
    r"\[a](b)": ["(b)"],
    r"\||a|| b": ["||"],
    r"\`a` *b*": ["*b*"],
    r"\a *b*": ["*b*"],
    r"\**a*": [],
    "*a\\": [],
}
TAGS = {
    "hi <@1>": ["<@1>"],
    "<:a:1><:b:2>": ["<:a:1>", "<:b:2>"],
    "1 < 2 and 3 > 2": [],
    "a <b *c* <d> e": ["*c*", "<d>"],
    "<a\nb>": [],
    "<https://a.b/c d>": ["<https://a.b/c d>"],
    "<ab": [],
    "<abcdefg": [],
}
URLS = {
    "see https://a.b/c.": ["https://a.b/c"],
    "(http://a.b)": ["http://a.b", "(http://a.b)"],
    "HTTPS://A.B/_c_": ["HTTPS://A.B/_c_"],
    "次https://a.b。次": ["https://a.b"],
    "xhttps://a.b/*c*d": ["*c*"],
    "note: ftp://a.b/*c*": ["*c*"],
    "http:/a": [],
    "https:": [],
    "https:/": [],
    "https:x": [],
    "https://": ["https://"],
    "at 12:30": [],
}
LINKS = {
    "[a](b) c": ["[a](b)"],
    "[a](https://b.c/d_(e)) f": ["[a](https://b.c/d_(e))"],
    "[a [b](c)": ["[b](c)"],
    "[*a*](b)": ["*a*", "[*a*](b)"],
    "[a] (b)": ["(b)"],
    "[a]": [],
    "[a] b](c)": ["(c)"],
    "[a](b": [],
    "[a](b\n)": ["(b\n)"],
    "[a\nb](c)": ["(c)"],
    "a](b)": ["(b)"],
}
EMPHASIS = {
    "*a*": ["*a*"],
    "**a**": ["**a**"],
    "***a***": ["***a***"],
    "_a_": ["_a_"],
    "__a__": ["__a__"],
    "___a___": ["___a___"],
    "~~a~~": ["~~a~~"],
    "~a~": [],
    "~~~a~~~": [],
    "****a****": [],
    "*a": [],
    "a *": [],
    "2*3*4": [],
    "snake_case_name": [],
    "_a_b": [],
    "* a *": [],
    "これは**太字**です": ["**太字**"],
    "**a\nb**": ["**a\nb**"],
    "**a\n\nb**": ["**a\n\n", "b**"],
    "*a *b*": ["*b*"],
    "**a *b***": ["*b*", "**a *b***"],
    "*a **b***": ["**b**", "*a **b***"],
    "***a* b**": ["*a*", "***a* b**"],
    "***a** b*": ["**a**", "***a** b*"],
    "**a***": ["**a**"],
    "*a***": ["*a*"],
    "a***b": [],
    "**a *b** c*": ["**a *b**"],
}
QUOTES = {
    'he said "wait\nfor me" and': ['"wait\nfor me"'],
    'a 12" pipe and a 5\'10" man': [],
    'no." "yes"': ['"yes"'],
    'so:"x"': [],
    '" a "': [],
    '"a': [],
    'a "': [],
    '("a")': ['"a"', '("a")'],
    '"a (b" c)': ['"a (b"'],
}
BRACKETS = {
    "(a\nb) c": ["(a\nb)"],
    "(a (b) c)": ["(b)", "(a (b) c)"],
    "sad :( and (a)": ["(a)"],
    "wink ;( =( '( a)": [],
    "( a)": [],
    "(": [],
    "1) one": [],
    "a) b": [],
    "„a“ b": ["„a“"],
    "„a” b “c” d": ["„a”", "“c”"],
    "»a b«, c »d« e": ["»a b«", "»d«"],
    "a » b » c «d» e»": ["«d»"],
    "“a” b": ["“a”"],
    "“a“": [],
    "「a『b』」": ["『b』", "「a『b』」"],
    "「": [],
}


EMOTICONS = {
    "^_^ a ^_^": [],
    "(*≧ω≦) a (*≧ω≦)": ["(*≧ω≦)", "(*≧ω≦)"],
    "*a* :* b*": ["*a*"],
    ":-(a)": [],
    ":(( a)": [],
    "(: a)": [],
    "(:a)": ["(:a)"],
    "m(_ _)m": ["(_ _)"],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case
        for table in (ESCAPES, TAGS, URLS, LINKS, EMPHASIS, QUOTES, BRACKETS, EMOTICONS)
        for case in table.items()
    ],
)
def test_a_text_has_these_spans(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(("opener", "closer"), PAIRS.items())
def test_every_pair_holds_what_it_encloses(opener: str, closer: str) -> None:
    text = f"{opener}a\nb{closer}"
    assert read(text + " c") == ([text], [])


@pytest.mark.parametrize("text", ["*aaaaaaaaaaaa*", '"aaaaaaaaaaaa"', "(aaaaaaaaaaaa)", "「aaaaaaaaaaaa」"])
def test_a_span_is_no_longer_than_the_hold(text: str) -> None:
    assert spans(text, hold=13)[-1:] == [text]
    assert text not in spans(text, hold=12)


def test_a_link_may_be_as_long_as_its_line_is_looked_at() -> None:
    assert spans("[" + "a" * 1998 + "](b)", hold=5) == ["[" + "a" * 1998 + "](b)"]
    assert spans("[" + "a" * 2000 + "](b)", hold=5) == ["(b)"]


def test_a_flood_of_brackets_opens_only_so_many() -> None:
    scanner = Scanner(Settings())
    scanner.push("[" * 500)
    scanner.read()
    assert len(scanner.delimiters.stack) <= 16
    assert spans("[" * 500 + "a](b)")[0].endswith("[a](b)")


def test_a_spoiler_has_a_reach_of_its_own() -> None:
    assert spans("||aaaaaaaaaaaa||", hold=5) == ["||aaaaaaaaaaaa||"]


# A bar is where the text may be cut.
SENTENCES = [
    "- One. Two. Three",
    "1. One. ¦2. Two. Then. ¦3. Three",
    "– One. Two. ¦– Three. ¦Four",
    "One. ¦Two! ¦Three",
    "One. ¦Two.",
    "One.\n¦Two",
    "Dr. Who. ¦Yes",
    'He said "No. Yes." ¦Then he left.',
    "(One. Two.) ¦Three",
    "**One.** ¦Two",
    "「はい。いいえ。」¦次",
    "One.) ¦Two",
    "- One. Two",
    "# One. Two",
    "Wow\\!! Yes",
    "Visit https://a.b/c.d ok. ¦Yes",
    "`a. B` c. ¦D",
    "He said 'one. Two' loudly. ¦Yes",
    "I don't. ¦You don't. ¦No",
    "The dogs' one. ¦Two's it",
    "rock 'n roll. ¦Yes",
    "'One. ¦Two\n¦Three' four. ¦Five",
    "(One 'a (b)' c. Two) d. ¦Three",
    "end '",
    "[本当。](https://a.b) です。¦次",
    "[本当。]¦(https://a.b",
    "[本当。] ¦(です) 次",
]


@pytest.mark.parametrize("marked", SENTENCES)
def test_a_text_may_be_cut_at_its_pipes_when_sentences_count(marked: str) -> None:
    text = marked.replace("¦", "")
    cuts = [0, *read(text, sentences=True)[1], len(text)]
    assert "¦".join(text[start:end] for start, end in pairwise(cuts)) == marked


def test_a_link_is_waited_for_no_longer_than_it_lasts() -> None:
    scanner = Scanner(Settings(), sentences=True)
    scanner.push("[本当。](b) です")
    scanner.read()
    assert scanner.at == len(scanner.text)


def test_only_full_stops_end_a_sentence_when_that_is_wanted() -> None:
    assert read("One! Two. Three? Four", sentences=True, ends="period")[1] == [10]


def test_sentences_are_no_places_when_lines_count() -> None:
    assert read("One. Two's 'three. Four'\nFive") == ([], [25])


def test_a_formula_is_one_piece_however_it_arrives() -> None:
    formula = "\\[\na_1 * b_2 = " + "c_3 * " * 60 + "d\n\\]"
    for text in (f"It is\n{formula}\nso *there*", f"$x_1$ and $$y_1\n$$ or $5 *there*\n{formula}"):
        scanner = Scanner(Settings())
        for character in text:
            scanner.push(character)
            if scanner.length >= scanner.interesting_length or scanner.interesting_chars.search(character):
                scanner.read()
        scanner.read(final=True)
        spans = [text[span.start : span.end] for span in scanner.delimiters.spans]
        assert spans == read(text)[0]
        assert {formula, "*there*"} <= {*spans}


def test_a_parenthesis_before_eyes_waits_for_what_follows_them() -> None:
    scanner = Scanner(Settings())
    scanner.push("(:")
    scanner.read()
    assert scanner.at == 0


def test_bars_in_a_formula_close_the_spoiler_that_it_stands_in() -> None:
    formula, norm = "$x = 1 || y = 2$", "$||x|| = 2$"
    assert read(f"so {formula} it is")[0] == [formula]
    assert read(f"so ||this {formula} it is")[0] == ["||this $x = 1 ||"]
    assert read(f"so ||this {norm}|| it is")[0] == [norm, f"||this {norm}||"]


def test_an_item_stays_whole_but_for_another_one_in_its_line() -> None:
    assert read("- One is here. Two is not! Three.", sentences=True)[1] == []
    assert read("1. One is here. Two is not. 2. Three.", sentences=True)[1] == [28]


@pytest.mark.parametrize(
    ("text", "skipping"),
    [
        ("\\(a", True),
        ("\\[a", True),
        ("\\begin{align} a", True),
        ("\\begin{al", False),  # it may still be no environment
        ("so $a", True),
        ("$$a", True),
        ("$$a$", False),  # the next character decides
        ("$n$t", False),
        ("CO$_2", False),
    ],
)
def test_who_waits_for_the_end_of_a_formula_is_woken_by_what_may_end_it(text: str, *, skipping: bool) -> None:
    scanner = Scanner(Settings())
    scanner.push(text)
    scanner.read()
    assert (scanner.interesting_chars.search("x") is None) is skipping
    assert scanner.interesting_chars.search("\n")


@pytest.mark.parametrize(
    "remark",
    ["{{OOC: Late! Sorry.}}", "{ooc: Late! Sorry.}", "[OOC] Late! Sorry. [/OOC]", "[OOC: Late! Sorry.]"],
)
def test_remark_out_of_character_is_not_cut(remark: str) -> None:
    text = f"{remark} Fine. Go."
    found, places = read(text, sentences=True)
    assert found == [remark]
    assert [text[place:] for place in places][-1] == "Go."
    assert all(place > len(remark) for place in places)


@pytest.mark.parametrize("text", ["{a. B} c", "[o. K] c", "{{user}} is here", "[O", "{OO", "} ]"])
def test_other_brackets_hold_nothing(text: str) -> None:
    assert spans(text) == []


def test_a_single_brace_does_not_close_a_remark_with_two() -> None:
    assert read("{{OOC: a } b}} c")[0] == ["{{OOC: a } b}}"]
    assert read("{ooc: a} c")[0] == ["{ooc: a}"]
