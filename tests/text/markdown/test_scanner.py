"""The scanner: where a text may be cut, what must stay whole, what is code, in every slicing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from streamcord._settings import Settings
from streamcord._text.markdown.code_fences import FENCED
from streamcord._text.markdown.delimiter_stack import BreakPoint, Span, SpanKind
from streamcord._text.markdown.line_kinds import WHITE_HOLD, Line
from streamcord._text.markdown.scanner import MIN_FORGET_CHARS, Scanner, scan
from streamcord._text.tokens import LINE_REACH
from whole_texts import messages_of

T = "```"


def read(text: str, pieces: list[str] | None = None, *, final: bool = True, **settings: Any) -> Scanner:
    scanner = Scanner(Settings(**settings))
    for piece in [text] if pieces is None else pieces:
        scanner.push(piece)
        scanner.read()
    if final:
        scanner.read(final=True)
    return scanner


def places(text: str, **settings: Any) -> list[BreakPoint]:
    whole, single = read(text, **settings).delimiters, read(text, list(text), **settings).delimiters
    assert (whole.breaks, whole.spans) == (single.breaks, single.spans)
    return whole.breaks


def mark(text: str, breaks: list[BreakPoint]) -> str:
    cuts = [0, *(place.at for place in breaks), len(text)]
    return "¦".join(text[start:end] for start, end in pairwise(cuts))


# A bar is where the text may be cut.
LINES = [
    "a\n¦b\n¦c",
    "a\n\n¦b",
    "a\n \t\n¦  b",
    "a  \n¦b",
    "\n\na\n¦b",
    "a\n",
    "a\n\n",
    "",
    "   ",
    "(a\nb)\n¦c",
    "(a\n\n¦b)",
    "(a\n¦- b)",
    "(a\n¦# b)",
    "(a\n¦> b)",
    "# (a\n¦b)",
    "> (a\n> b)\n¦c",
    "- (a\n  b)\n¦c",
    "[a\n¦b](c)",
    "||a\n\n- b\n# c|| d\n¦e",
    ">>> a\n¦b\n\n¦c",
]
CARRIED = [
    "a\n.\n¦b",
    "a\n,\n\n¦b",
    "a\n  !?\n¦b",
    "a\n¦。b",
    "a\n. ¦b",
    "a\n.",
    "a\n.\n.\n¦b",
    "(a\n. b)\n¦c",
    "[a\n. ¦b](c)",
    "a\n¦.NET",
    "a\n¦.5",
    "a\n¦!important",
    "a\n¦...\n¦b",
    "a\n¦: b",
    "a\n\n¦.\n.",
    "a\n¦" + "!" * 33 + "\n¦b",
]
FENCES = [
    f"a\n¦{T}py\nx\n\ny\n{T}\n¦b",
    f"a ¦{T}py\nx\n{T} ¦b\n¦c",
    f"a ¦{T}x{T} ¦b",
    f"a ¦{T}x{T}¦b",
    f"a {T} b\n¦c {T} d\n¦e",
    f"a {T}b",
    f"{T}x",
    f"{T}x{T}",
    f"{T}x{T}\n",
    f"{T}x{T}\n\n¦b",
    f"{T}x{T}\n¦.\n¦b",
    f"`{T}md\n{T}\nx\n{T}\n{T}`\n¦b",
    f"`{T}\nx",
    f"- {T}\nx\n{T}\n¦- b",
    f"1. a\n¦   {T}\n   x\n   {T}\n¦2. b",
    f"(a\n¦{T}\nb\n{T}\n¦c)",
    f"||a\n{T}\nb\n{T}\nc||\n¦d",
    f"||a {T}\nb\n{T} c||\n¦d",
]
MEANT = [
    f"{T}md\n{T}sh\nx\n{T}\n{T}\n\n¦b",
    f'{T}py\nx = "{T}"\n{T}\n¦b',
    f"- {T}md\n  {T}sh\n  x\n  {T}\n  {T}\n¦- b",
    f"-  \t`{T}\nx\n`{T}\n¦- b",
    f"a ¦{T}py\nx {T} ¦b",
    f"> {T}py\n> x {T} y\n¦b",
    f"~~~py\n{T}\n~~~\n¦b",
    "~~~\n\n¦b",
]
QUOTED = [
    f"> {T}py\n> x\n> {T}\n¦b",
    f"> {T}py\n  > x\n>{T}\n¦b",
    f"> a: {T}py\n> x {T} y\n¦b",
    f"> {T}py\n> x",
    f"> {T}py\n",
    f"> {T}py\n  ",
    f"> {T}py\n¦x {T}",
    f"> {T}py\n¦    > x",
]
CODE = [
    "`a\n¦b`",
    "`(` a\n¦b)",
    "``a ` (`` b\n¦c)",
    "a\\`(b\nc`)\n¦d",
    "`" * 33 + "(\n¦b",
    "a " + "`" * 33 + "\n¦b",
    "a ````(b```` c\n¦d)",
    "`a",
]


@pytest.mark.parametrize("marked", [*LINES, *CARRIED, *FENCES, *QUOTED, *CODE])
def test_a_text_may_be_cut_at_its_pipes(marked: str) -> None:
    text = marked.replace("¦", "")
    assert mark(text, places(text)) == marked


@pytest.mark.parametrize("marked", [*LINES, *CARRIED, *QUOTED, *CODE, *MEANT])
def test_blocks_are_read_as_they_were_meant(marked: str) -> None:
    text = marked.replace("¦", "")
    for pieces in ([text], list(text)):
        scanner = Scanner(Settings(), nested=True, tildes=True)
        for piece in pieces:
            scanner.push(piece)
            scanner.read()
        scanner.read(final=True)
        assert mark(text, scanner.delimiters.breaks) == marked


@pytest.mark.parametrize(
    "marked", [*LINES, *CARRIED, *FENCES, *QUOTED, *CODE, "a\n. ", "a\n.", "<a", "[b](c", "**"]
)
def test_at_the_end_everything_is_read(marked: str) -> None:
    text = marked.replace("¦", "")
    for pieces in ([text], list(text)):
        assert read(text, pieces).at == len(text)


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("a\nb", ["newline"]),
        (f"a\n{T}x{T}\nb", ["newline", "code_close"]),
        (f"a {T}x{T} b", ["code_open", "code_close"]),
        (f"{T}x{T}\u200c\u200db", ["code_close"]),
        ("a\n. b", ["newline"]),
    ],
)
def test_a_place_knows_why_it_is_one(text: str, reasons: list[str]) -> None:
    assert [place.why for place in places(text)] == reasons


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a\n- b\n  c\n- d\ne", [Line.PROSE, Line.ITEM, Line.MORE, Line.ITEM, Line.PROSE]),
        ("- b\n\n  c", [Line.ITEM, Line.MORE]),
        ("- b\n c", [Line.ITEM, Line.PROSE]),
        ("a\n  c", [Line.PROSE, Line.PROSE]),
        ("> a\n>\n> b", [Line.QUOTE, Line.QUOTE, Line.QUOTE]),
        ("# a\n-# b", [Line.HEADING, Line.SUBTEXT]),
        ("| a |\n|---|\n| b |\nc", [Line.TABLE, Line.TABLE, Line.TABLE, Line.PROSE]),
        ("| a |\n|---|\n\n| b |\nc", [Line.TABLE, Line.TABLE, Line.PIPE]),
        ("x\n| a |\nc", [Line.PROSE, Line.PIPE]),
        (f"- {T}\nx\n{T}\n  b", [Line.FENCE, Line.PROSE]),
    ],
)
def test_a_place_knows_the_lines_around_it(text: str, kinds: list[Line]) -> None:
    found = places(text)
    assert [found[0].before, *(place.after for place in found)][: len(kinds)] == kinds


def test_a_place_knows_whether_a_blank_line_is_before_it() -> None:
    assert [place.blank for place in places("a\nb\n\nc\n \nd")] == [False, True, True]


@pytest.mark.parametrize("white", ["\n" * 200, "\n" + " " * 200])
def test_no_amount_of_white_space_is_waited_for(white: str) -> None:
    scanner = read("a" + white, final=False)
    assert scanner.delimiters.breaks
    assert places("a" + white + "b")
    assert mark("a" + white, scanner.delimiters.breaks).startswith("a\n")


def test_white_space_at_the_start_is_not_waited_for_either() -> None:
    assert read(" " * WHITE_HOLD + "- a\nb", final=False).first is Line.ITEM
    assert read(" " * 200, final=False).at >= WHITE_HOLD


@pytest.mark.parametrize("opener", ["(", '"', "**", "「"])
def test_an_delimiter_holds_until_its_reach_or_its_paragraph_ends(opener: str) -> None:
    text = f"a {opener}b\nc" + "d" * 20
    assert read(text, final=False, unmatched_delimiter_limit=15).certain >= len(text) - 1
    assert read(text, final=False, unmatched_delimiter_limit=600).certain == 2
    assert read(text + "\n\nx", final=False).certain > len(text)


def test_a_quoted_block_may_not_last_for_ever() -> None:
    text = f"> {T}\n" + "> x\n" * 40
    assert places(text) == []
    assert places(text, code_overflow=64)


@pytest.mark.parametrize("start", ["`", "a `", f"a {T}"])
def test_code_on_one_line_is_waited_for_no_longer_than_a_line_is_looked_at(start: str) -> None:
    scanner = read(start + "b" * LINE_REACH, final=False)
    assert scanner.at == len(scanner.text)
    scanner = read(start + "b" * (LINE_REACH - 50), final=False)
    assert scanner.at == start.index("`")


# --- What is asked while the text arrives ---------------------------------------------------------------

AHEAD = {
    "": 0,
    "a": 0,
    "a `b": 1,
    "a ``b": 2,
    "a `b`": 0,
    "a `b` ": 0,
    "`a\n": 0,
    f"{T}py\nx": FENCED,
    f"{T}py\nx\n{T}": 0,
    f"{T}py\nx\n{T} ": 0,
    f"{T}py\nx\n{T} `": 1,
    T: FENCED,
    f"a\n{T}": FENCED,
    f"- {T}": FENCED,
    f"a {T}": 3,
    f"`{T}\nx\n{T}": FENCED,
    f"`{T}\nx\n{T}`": 0,
    f"> {T}\n> x": FENCED,
}


@pytest.mark.parametrize(("text", "expected"), AHEAD.items())
def test_what_comes_next_is_code_or_not(text: str, expected: int) -> None:
    assert read(text, final=False).code_ahead() == expected
    assert read(text, list(text), final=False).code_ahead() == expected


def test_text_that_was_not_read_yet_counts_as_well() -> None:
    scanner = read("a", final=False)
    scanner.push(" `b")
    assert scanner.code_ahead() == 1


SLEEPY = [
    "plain words that mean nothing",
    "a `code that goes on",
    "a <tag that goes on",
    "a https://a.b/that-goes-on",
    "[a](target that goes on",
    f"{T}py\ncode that goes on",
    f"a {T}words that go on",
    "a\n                      ",
]


def push_lazily(scanner: Scanner, text: str) -> int:
    """Read only when the scanner asked for it, and count how often."""
    count = 0
    for character in text:
        scanner.push(character)
        due = min(scanner.interesting_length, scanner.delimiters.expiry)
        if scanner.length >= due or scanner.interesting_chars.search(character):
            scanner.read()
            count += 1
    return count


def read_lazily(text: str) -> tuple[Scanner, int]:
    scanner = Scanner(Settings())
    count = push_lazily(scanner, text)
    scanner.read(final=True)
    return scanner, count


@pytest.mark.parametrize("marked", [*LINES, *CARRIED, *FENCES, *QUOTED, *CODE, *SLEEPY])
def test_reading_only_interesting_text_misses_nothing(marked: str) -> None:
    text = marked.replace("¦", "") + "\n\nend"
    lazy, eager = read_lazily(text)[0].delimiters, read(text).delimiters
    assert (lazy.breaks, lazy.spans) == (eager.breaks, eager.spans)


@pytest.mark.parametrize("text", SLEEPY)
def test_text_that_changes_nothing_need_not_be_read(text: str) -> None:
    assert read_lazily(text)[1] < len(text) - 10


@pytest.mark.parametrize("text", [text for text in SLEEPY[1:] if not text.startswith(T)])
def test_whoever_sleeps_is_woken_when_the_wait_has_lasted_long_enough(text: str) -> None:
    scanner = read(text, final=False)
    push_lazily(scanner, (" " if text.endswith(" ") else "x") * LINE_REACH)
    assert scanner.at >= 40


def test_markers_are_read_with_their_line_unless_a_place_waits_for_them() -> None:
    marked = "some **bold** and [a link](https://a.b) and 'more' (of it) "
    scanner = read("A line.", final=False)
    assert push_lazily(scanner, marked) == 0
    scanner = read("An (open\nparenthesis", final=False)
    assert scanner.delimiters.breaks
    assert push_lazily(scanner, ") and more") == 1
    assert not scanner.delimiters.breaks


def test_single_backtick_inside_a_chunk_is_skipped() -> None:
    scanner = read("A line.", final=False)
    assert scanner.interesting_chars.search("a`b") is None
    assert all(scanner.interesting_chars.search(piece) for piece in ("`", "a`", "`a", "a``b", "a\nb", "a|b"))


@pytest.mark.parametrize("line", ["- a", "a"])
def test_nobody_is_woken_between_items_that_stay_together(line: str) -> None:
    scanner = read(line, final=False)
    assert scanner.skip_until(over_items=True) is line.startswith("-")
    items = ["b\n- c", "b\n  12. **c", "b\n3) c"]
    assert [bool(scanner.interesting_chars.search(item)) for item in items] == [not line.startswith("-")] * 3
    others = ["b\n", "b\n-", "b\n- ", "b\n- -", "b\n\n- c", "b\nc", "b\n> c", "b\n- c\nd", "b\n- | c"]
    assert all(scanner.interesting_chars.search(other) for other in others)
    scanner.read()
    assert not scanner.skip_until(over_items=False)
    assert all(scanner.interesting_chars.search(item) for item in items)


def test_waiting_for_one_character_skips_no_other() -> None:
    scanner = read("- a `code", final=False)
    assert not scanner.skip_until(over_items=True)
    assert scanner.interesting_chars.search("b\n- c")
    assert scanner.interesting_chars.search("b|") is None


def test_letting_go_of_text_changes_nothing_that_follows() -> None:
    line = "Some words (and more) here.\n"
    tail = f"> a\n>>> ||b\n{T}py\nx\n"
    scanner = read(line * 200 + tail, final=False)
    twin = read(line * 200 + tail, final=False)
    moved = scanner.forget(len(line) * 200)
    assert moved > MIN_FORGET_CHARS
    assert scanner.length == len(scanner.text) == twin.length - moved
    assert scanner.fence
    assert twin.fence
    assert scanner.fence.start == twin.fence.start - moved
    assert scanner.block_quote == twin.block_quote - moved
    for one in (scanner, twin):
        one.push(f"{T}\nc|| d\n# e\nf")
        one.read(final=True)
    found = [place.at + moved for place in scanner.delimiters.breaks]
    assert found == [place.at for place in twin.delimiters.breaks]
    assert scanner.delimiters.spans[-1].end + moved == twin.delimiters.spans[-1].end


def test_a_block_that_begins_where_text_is_let_go_of_is_still_its_items() -> None:
    scanner = read("- a\n" * 1000 + "- ``", final=False)
    assert scanner.forget(scanner.certain) > MIN_FORGET_CHARS
    scanner.push(f"`py\nx\n{T}\nb")
    scanner.read(final=True)
    assert "code_open" not in [place.why for place in scanner.delimiters.breaks]


def test_spans_of_text_that_was_let_go_of_are_forgotten() -> None:
    line = "Some words (and more) here.\n"
    scanner = read(line * 200, final=False)
    moved = scanner.forget(len(line) * 190)
    assert len(scanner.delimiters.spans) == 10
    assert scanner.text == (line * 200)[moved:]


def test_a_little_is_not_worth_letting_go_of() -> None:
    scanner = read("a\n" * 100, final=False)
    assert scanner.forget(150) == 0
    assert len(scanner.text) == 200


def test_a_scanner_can_start_anew() -> None:
    scanner = read(f"(a\n{T}b", final=False)
    scanner.reset()
    scanner.push("(a\nb)\nc")
    scanner.read(final=True)
    assert [place.at for place in scanner.delimiters.breaks] == [6]


def test_a_finished_text_is_scanned_at_once() -> None:
    assert scan("nothing here", Settings()) == []
    assert scan(f"`a` **b** {T}c{T} <@1> [d](e) f || g", Settings()) == [
        Span(SpanKind.CODE, 0, 3),
        Span("**", 4, 9),
        Span(SpanKind.FENCE, 10, 17),
        Span(SpanKind.TAG, 18, 22),
        Span(SpanKind.LINK, 23, 29),
        Span(SpanKind.OPERATOR, 32, 34),
    ]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("Name | Age\n--- | ---\nTom | 5\nDone.", ["```\nName │ Age\n─────┼────\nTom  │ 5\n```", "Done."]),
        ("a | b\nc", ["a | b", "c"]),
        ("a | b\n", ["a | b"]),
        ("(a\nb) c", ["(a\nb) c"]),
    ],
)
def test_a_line_with_a_bar_may_head_a_table_and_a_letter_in_parentheses_is_no_item(
    text: str, messages: list[str]
) -> None:
    assert messages_of(text, degree=2, tables="code") == messages


def test_single_backtick_is_read_only_if_waited_for() -> None:
    scanner = Scanner(Settings())
    scanner.push("Some words ")
    scanner.read()
    assert scanner.ignores_single_backtick
    scanner.push("`and")
    scanner.read()
    assert not scanner.ignores_single_backtick
