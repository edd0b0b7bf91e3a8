"""A spoiler is closed and reopened where blocks divide it, and no bars stand inside of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from spoiler_invariant import readable
from streamcord._settings import Settings
from streamcord._text.markdown.delimiter_stack import Span
from streamcord._text.parsed_text import ParsedText
from streamcord._text.spoilers.keep_hidden import (
    SPOILER,
    LineSpoilerState,
    drop_empty_ends,
    find_joints,
    keep_hidden,
)
from streamcord._text.traced_text import TracedText
from whole_texts import messages_of

Z = "\u200b"
SHOWN = {
    "a ||b|| c": "a ||b|| c",
    "||a\n\nb||": "||a\n\nb||",
    "- ||a\n- b||\n- c": "- ||a||\n- ||b||\n- c",
    "> ||a\n> b||": "> ||a||\n> ||b||",
    "x ||a\n# b\n\nc|| d": "x ||a||\n# ||b||\n\n||c|| d",
    "- ||a\n```\nx\n\ny\n```\n- b||": "- ||a||\n||```\nx\n\ny\n```||\n- ||b||",
    "||use `x || y` so||": f"||use `x |{Z}| y` so||",
    "||a \\|| b||": f"||a \\|{Z}| b||",
    "> ||a\n> \n> b||": "> ||a||\n> \n> ||b||",
    "- ||a\n- ||": "- ||a||\n- ",
    "> ||\n> a||": "> \n> ||a||",
    "> x ||\n> a\n> || y": "> x \n> ||a||\n>  y",
    "> ||\n> ||": "> ||\n> ||",
    "**x ||a\n- **b||": "**x ||a||\n- ||\\*\\*b||",
    "**a ||b** c||": "**a ||b\\*\\* c||",
    "**a ||b** c|| d**": "**a ||b\\*\\* c|| d**",
    "~~a ||b~~ `~~` c||": "~~a ||b~~ `~~` c||",
    "- a ` b\n- c ||d `e` f||": "- a ` b\n- c ||d `e` f||",
    "2*3*4 ||**a** b||": "2*3*4 ||**a** b||",
    "see https://a.b/||c||": "see https://a.b/ ||c||",
    "see https://a.b/||c||d||": "see https://a.b/ ||c||d||",
    "**a** ||b **c** d||": "**a** ||b **c** d||",
    "2 * 3 ||b *c* \\* d||": "2 * 3 ||b *c* \\* d||",
    "||a **b|| c ||d** e||": "||a **b|| c ||d** e||",
    "[a ||b](https://c.d) e||": f"[a ||b]{Z}(https://c.d) e||",
    "[a ||b](https://c.d) e|| f](https://g.h)": f"[a ||b]{Z}(https://c.d) e|| f](https://g.h)",
    "||[a](https://b.c) `[d](e)`||": "||[a](https://b.c) `[d](e)`||",
}


@pytest.mark.parametrize(("text", "expected"), SHOWN.items())
def test_what_is_hidden_stays_hidden(text: str, expected: str) -> None:
    edits = keep_hidden(ParsedText(text, Settings()))
    assert TracedText.from_spans(text, ((0, len(text)),)).replace("spoiler", edits).text == expected


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("So **it ", "||b **c** d||", "||b \\*\\*c\\*\\* d||"),
        ("So **it** ", "||b **c** d||", "||b **c** d||"),
        ("So **it\n", "||b **c** d||", "||b **c** d||"),
        ("So `it ", "||b `c` d||", "||b `c` d||"),
    ],
)
def test_a_line_that_goes_on_is_remembered(before: str, text: str, expected: str) -> None:
    traced_texts = [TracedText.from_spans(one, ((0, len(one)),)) for one in (before, text)]
    for joined in (True, False):
        spoilers = LineSpoilerState(joined=joined)
        assert spoilers.remember(traced_texts[0]) is traced_texts[0]
        shown = traced_texts[1].replace(SPOILER, spoilers.edit(ParsedText(text, Settings())))
        assert shown.text == (expected if joined else text)
        spoilers.reset()
        assert spoilers.edit(ParsedText(text, Settings())) == []


DROPPED = {
    "- ||a\n- ||": "- ||a||",
    "> ||\n> a||": "> ||a||",
    ">>> ||\na||": ">>> ||a||",
    "> ||\n> a\n> b\n> ||\nc": "> ||a\n> b||\nc",
    "> x ||\n> a||": "> x ||\n> a||",
    "> ||a\n> || b": "> ||a\n> || b",
    "> ||\n> ||": "> ||\n> ||",
    "||\na\n||": "||\na\n||",
}


@pytest.mark.parametrize(("text", "expected"), DROPPED.items())
def test_bars_are_not_alone_on_a_line_of_a_quote(text: str, expected: str) -> None:
    edits = drop_empty_ends(ParsedText(text, Settings()))
    assert TracedText.from_spans(text, ((0, len(text)),)).replace("line", edits).text == expected


def test_only_what_joins_its_lines_holds_a_spoiler_together() -> None:
    text = "> ||\n> z||\n\n**x ||a** `||` \n- b|| c"
    traced = TracedText.from_spans(text, ((0, len(text)),))
    hidden = traced.replace(SPOILER, keep_hidden(ParsedText(text, Settings())))
    assert [hidden.text[start:end] for start, end in find_joints(hidden)] == ["|| \n- ||b"]


@pytest.mark.parametrize(
    ("text", "joints"),
    [
        # The second spoiler begins with bars that were added, because its own are alone on their line.
        ("- ||a\n- b||\n\n> ||\n> c\n> d||", ["||\n- ||b", "||\n> ||d"]),
        # The first one ends with added bars, too.
        ("> ||\n> a\n> b\n> ||\n\n> ||\n> c\n> d\n> ||", ["||\n> ||b", "||\n> ||d"]),
    ],
)
def test_joints_connect_no_two_spoilers(text: str, joints: list[str]) -> None:
    traced = TracedText.from_spans(text, ((0, len(text)),))
    hidden = traced.replace(SPOILER, keep_hidden(ParsedText(text, Settings())))
    assert [hidden.text[start:end] for start, end in find_joints(hidden)] == joints


def test_spoiler_that_fits_is_not_cut_before_another_spoiler() -> None:
    first, second = "- ||aaaaaaaaaa\n- bbbbbbbbbb||", "> ||\n> cccccccccc\n> dddddddddd||"
    shown = messages_of(f"{'x' * 40}\n\n{first}\n\n{second}", degree=0, rules=False, message_length=65)
    assert shown[1] == "- ||aaaaaaaaaa||\n- ||bbbbbbbbbb||"


def test_discord_would_have_shown_it() -> None:
    assert "b" in readable("- ||a\n- b||")
    assert "b" not in readable("- ||a||\n- ||b||")
    assert "b" in readable("**a ||b** c||")
    assert "b" not in readable("**a ||b\\*\\* c||")
    assert "y" in readable("||use `x || y` so||")
    assert "b" in readable("[a ||b](https://c.d) e||")
    assert "b" not in readable(f"[a ||b]{Z}(https://c.d) e||")


def test_only_emphasis_and_what_is_solid_count_around_a_spoiler() -> None:
    assert messages_of("(a ||b|| c) **d ||e|| f** `g` ||h||", degree=2) == [
        "(a ||b|| c) **d ||e|| f** `g` ||h||"
    ]


class CountedSpans(tuple[Span, ...]):
    """Spans that know how often someone has walked over all of them."""

    __slots__ = ()
    walks: ClassVar[int] = 0

    def __iter__(self) -> Iterator[Span]:
        CountedSpans.walks += 1
        return super().__iter__()


@pytest.mark.parametrize("spoilers", [1, 200])
def test_many_spoilers_are_not_each_a_walk_over_all_of_them(spoilers: int) -> None:
    text = "> ||a\n> b||\n" * spoilers
    parsed = ParsedText(text, Settings())
    counted = CountedSpans(parsed.spans)
    CountedSpans.walks = 0

    class Counted(ParsedText):
        spans = counted

    assert keep_hidden(Counted(text, Settings()))
    assert CountedSpans.walks <= 5
