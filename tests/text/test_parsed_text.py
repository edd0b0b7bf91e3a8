"""What a reading knows of a text."""

from __future__ import annotations

import re

import pytest

from streamcord._settings import Settings
from streamcord._text.markdown.delimiter_stack import Span, SpanKind
from streamcord._text.markdown.scanner import scan
from streamcord._text.parsed_text import MAX_LINEAR_SPANS, ParsedText, move_spans
from streamcord._text.traced_text import TracedText

TEXT = "a `b` https://c.d <kbd> <:e:1> [f](https://g.h) (i)"
READING = ParsedText(TEXT, Settings())


def test_code_urls_targets_and_tags_are_opaque() -> None:
    free = "".join(character for at, character in enumerate(TEXT) if READING.free(at))
    assert free.replace(" ", "") == "a<:e:1>[f](i)"


def test_of_many_spans_the_same_is_opaque() -> None:
    many = f"{TEXT} " * MAX_LINEAR_SPANS
    free = "".join(character for at, character in enumerate(many) if ParsedText(many, Settings()).free(at))
    assert free.replace(" ", "") == "a<:e:1>[f](i)" * MAX_LINEAR_SPANS


def test_only_code_is_code() -> None:
    assert not READING.code.free(TEXT.index("b"))
    assert READING.code.free(TEXT.index("c.d"))


def test_everything_that_must_stay_whole_is_known() -> None:
    assert not READING.whole.free(TEXT.index("i)"))
    assert READING.whole.free(1)


def test_who_knows_the_spans_gives_them_along() -> None:
    known = TracedText.from_spans(TEXT, ((0, len(TEXT)),), (Span(SpanKind.CODE, 0, 2),))
    parsed = ParsedText(TEXT, Settings(), known.atomic_spans)
    assert not parsed.free(0)
    assert parsed.free(TEXT.index("b"))


# Words in capitals are replaced: what each text becomes, read again, has the spans that were moved.
MOVED = {
    "A **b C d** `e` D [f](http://g.h) E": ("<@1>", "", "<:e:22>", "long words"),
    "**A** (B c) <:x_y:1>": ("<@12345>", "d"),
    "a :smile_1: **b :smile_2:** c": (" ", "<:smile:1>"),
    "(a @user) *b*": ("<@99>",),
    "`a` A `b` B": ("", ""),
    "A": ("",),
    "**a** B (c)": ("<@1>",),
}


def edited(text: str, news: tuple[str, ...]) -> tuple[list[tuple[int, int, str]], str]:
    edits, new, shift = [], text, 0
    for found, after in zip(re.finditer(r":\w+:(?!\d)|@\w+|\b[A-Z]\b", text), news, strict=False):
        edits.append((*found.span(), after))
        new = new[: found.start() + shift] + after + new[found.end() + shift :]
        shift += len(after) - len(found[0])
    return edits, new


@pytest.mark.parametrize(("text", "news"), MOVED.items())
def test_spans_move_with_the_text_around_them(text: str, news: tuple[str, ...]) -> None:
    edits, new = edited(text, news)
    assert len(edits) == len(news)
    assert move_spans(scan(text, Settings()), edits, text) == tuple(scan(new, Settings()))


@pytest.mark.parametrize(
    ("text", "edit"),
    [("a *b* c", (0, 1, "*")), ("a *b* c", (2, 5, "b")), ("a\nb", (1, 2, " ")), ("a", (0, 1, "b\nc"))],
)
def test_an_edit_that_may_open_or_close_something_moves_nothing(
    text: str, edit: tuple[int, int, str]
) -> None:
    assert move_spans(scan(text, Settings()), [edit], text) is None
    assert move_spans(scan(text, Settings()), [edit, (len(text) + 1, len(text) + 2, "")], f"{text} d") is None


def test_what_lies_in_an_edit_goes_and_what_is_half_in_one_is_looked_for_again() -> None:
    assert move_spans([Span("<", 2, 7)], [(2, 7, "")], "a <@12> b") == ()
    assert move_spans([Span("<", 2, 7)], [(1, 8, " ")], "a <@12> b") == (), "with the spaces around it"
    assert move_spans([Span("_", 3, 9)], [(2, 6, "")], "a :_x: b_") is None
    assert move_spans([Span("_", 0, 4)], [(2, 6, "")], "_ :_x: b_") is None


def test_of_several_edits_one_may_hold_a_span_or_half_of_it() -> None:
    assert move_spans([Span("<", 2, 7)], [(2, 7, ""), (8, 9, "")], "a <@12> b") == ()
    assert move_spans([Span("_", 3, 9)], [(2, 6, ""), (7, 8, "")], "a :_x: b_") is None
    assert move_spans([Span("_", 3, 9)], [(0, 1, "x"), (2, 6, "")], "a :_x: b_") is None
