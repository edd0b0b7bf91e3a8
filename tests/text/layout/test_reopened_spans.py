"""What is in a text that is too long: what must stay whole, and what each part begins and ends with."""

from __future__ import annotations

import pytest

from streamcord._settings import Settings
from streamcord._text.layout.reopened_spans import TextStructure
from streamcord._text.markdown.delimiter_stack import Span
from streamcord._text.parsed_text import ParsedText
from streamcord._text.spoilers.keep_hidden import keep_hidden
from streamcord._text.traced_text import TracedText, join_traced

T = "```"
SETTINGS = Settings()


def source(text: str, at: int = 0, atomic_spans: tuple[Span, ...] | None = None) -> TracedText:
    return TracedText.from_spans(text, ((at, at + len(text)),), atomic_spans)


def contents(text: str, limit: int = 33) -> TextStructure:
    return TextStructure(source(text), limit, SETTINGS, known=False)


def held(text: str, limit: int = 33) -> list[str]:
    """The pieces of a text that no cut may break."""
    found = contents(text, limit)
    ranges = {found.whole(at).around(at) for at in range(1, len(text))} - {None}
    return [text[one[0] : one[1]] for one in sorted(filter(None, ranges))]


WHOLE = {
    "a link": ("word [a link](https://a.b) and", ["[a link](https://a.b)"]),
    "bold, with what is in it": ("one **four `five` six** two", ["**four `five` six**"]),
    "a block": (f"one\n{T}py\nx = 1\n{T}", [f"{T}py\nx = 1\n{T}"]),
    "a spoiler in a line with a marker": ("> ||one two three||", ["||one two three||"]),
    "no operator": ("one || two", []),
    "the ends of what does not fit": ("**" + "x" * 40 + "**", ["**", "**"]),
    "what fits inside of it": ("**one *two* " + "x" * 30 + "**", ["**", "*two*", "**"]),
    "what is too long for its markers": ("a " + "`" * 14 + "x" * 40 + "`" * 14, []),
    "the lines of a block that fit": (f"{T}\nab cd\n" + "x" * 40 + f"\n{T}", [f"{T}", "ab cd", T]),
}


@pytest.mark.parametrize(("text", "expected"), WHOLE.values(), ids=WHOLE)
def test_what_fits_one_message_stays_whole(text: str, expected: list[str]) -> None:
    assert held(text) == expected


LONG = "one two three four five six seven eight nine ten"
CARRIED = {
    "bold": (f"**{LONG}**", [("**", "**")]),
    "code": (f"``{LONG}``", [("``", "``")]),
    "what has no markers to repeat": (f"({LONG})", []),
    "one in another": (f"**||{LONG}||**", [("**", "**"), ("||", "||")]),
    "one behind another": (f"**{LONG}** *{LONG[::-1]}*", [("**", "**")]),
    "a heading": (f"# {LONG}", [("# ", "")]),
    "a quote": (f"> {LONG}\n> a", [("> ", "")]),
    "a quote that goes on": (f">>> a\n# {LONG}\n> b", [(">>> ", ""), ("# ", "")]),
    "a block": (f"{T}py\n{LONG}\n{T}", [(f"{T}py\n", f"\n{T}")]),
    "a block in a quote": (f"> {T}py\n> {LONG}\n> {T}", [(f"> {T}py\n", f"\n> {T}"), ("> ", "")]),
    "a block whose first line is too long": (f"{T}{'p' * 31}\n{LONG}\n{T}", [(f"{T}\n", f"\n{T}")]),
    "a comment in a block": (f"{T}\n# {LONG}\n{T}", [(f"{T}\n", f"\n{T}")]),
    "a sign that is no marker": (f"#{LONG}", []),
}


@pytest.mark.parametrize(("text", "expected"), CARRIED.values(), ids=CARRIED)
def test_what_does_not_fit_is_around_its_parts(text: str, expected: list[tuple[str, str]]) -> None:
    found = contents(text).around(text.index("five"))
    assert [(outer.prefix, outer.suffix) for outer in found] == expected


def test_a_marker_is_not_repeated_where_its_line_ends() -> None:
    found = contents(f"# {LONG}\nand more")
    assert found.around(len(LONG) + 2) == found.around(1) == found.around(0) == []


def test_the_bars_of_a_spoiler_keep_a_character() -> None:
    assert contents(f"||{LONG}||").spoiler_edges == [(0, 3), (len(LONG) + 1, len(LONG) + 4)]


def test_what_fits_only_without_the_marker_of_its_line_is_carried() -> None:
    text = f"> one `{'x' * 30}` two"
    assert [outer.prefix for outer in contents(text).around(20)] == ["> ", "`"]
    assert [outer.prefix for outer in contents(text, 40).around(20)] == ["> "]


def test_below_a_certain_limit_everything_is_plain() -> None:
    found = contents(f"**{LONG}**", 31)
    assert found.around(20) == []
    assert found.whole(1).free(1)


@pytest.mark.parametrize(("limit", "whole"), [(60, True), (33, False)])
def test_a_spoiler_on_several_lines_is_one_piece_if_it_fits(limit: int, whole: bool) -> None:
    traced = source("- a\n- ||one two three\n- four five six||\n- b\n" + "x" * 40)
    hidden = traced.replace("spoiler", keep_hidden(ParsedText(traced.text, SETTINGS, traced.atomic_spans)))
    found = TextStructure(hidden, limit, SETTINGS, known=False)
    between = hidden.text.index("- ||four")
    assert found.whole(between).free(between) is not whole


def test_backticks_that_are_kept_apart_stay_together() -> None:
    traced = source("a ``` b").replace("fence", [(2, 5, "`\u200b`\u200b`")])
    assert TextStructure(traced, 33, SETTINGS, known=True).whole(4).around(4) == (2, 7)


# --- Lines that know what is in them --------------------------------------------------------------


class Asked(TracedText):
    """Counts who is asked what is in it."""

    __slots__ = ()
    numbers: list[int] = []  # noqa: RUF012

    def find_atomic_ranges(self, by: int) -> tuple[Span, ...] | None:
        Asked.numbers.append(by)
        return super().find_atomic_ranges(by)


@pytest.fixture(autouse=True)
def asked() -> list[int]:
    Asked.numbers = []
    return Asked.numbers


def lines(*more: TracedText) -> list[TracedText]:
    one = Asked("a *b c* d\n", ((10, 0, None),), (Span("*", 2, 7),))
    two = Asked("> e *f g* h\n", ((12, 10, None),), (Span("*", 4, 9),))
    return [one, two, *more]


def test_only_the_line_of_a_cut_is_looked_at(asked: list[int]) -> None:
    found = TextStructure(join_traced(lines()), 33, SETTINGS, known=True)
    assert asked == []
    assert found.whole(10).free(10)
    assert asked == []
    assert found.whole(16).around(16) == (14, 19)
    assert found.whole(17).around(17) == (14, 19)
    assert asked == [10]
    assert [outer.prefix for outer in found.around(17)] == ["> "]


def test_lines_that_cannot_know_it_are_read_together(asked: list[int]) -> None:
    touched = source("@f*e g*", 22, (Span("*", 2, 7),)).replace("x", [(0, 2, "<@1>")])
    found = TextStructure(join_traced(lines(touched)), 33, SETTINGS, known=True)
    assert found.whole(5).around(5) == (2, 7)
    assert found.whole(24).around(24) == (22, 26)  # the mention
    assert asked == [0]
    assert found.whole(5).around(5) == (2, 7)


def test_a_line_that_a_rule_opened_something_in_is_read_with_the_others() -> None:
    opened = source("f i\n", 22, ()).replace("x", [(0, 1, "*f")])
    closed = source("j k", 26, ()).replace("x", [(2, 3, "k*")])
    found = TextStructure(join_traced(lines(opened, closed)), 33, SETTINGS, known=True)
    assert found.whole(27).around(27) == (22, 31)
