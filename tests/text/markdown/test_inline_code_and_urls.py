"""Opaque pieces of a line: where they end, and that this never depends on how much has arrived."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from streamcord._text.markdown.inline_code_and_urls import (
    NESTED,
    TAG_REACH,
    fence_opens,
    find_code_end,
    find_link_end,
    find_tag_end,
    find_url_end,
)
from streamcord._text.tokens import LINE_REACH, NEED_MORE, NOT_FOUND, is_word


def code(text: str, final: bool) -> int:
    run = len(text) - len(text.lstrip("`"))
    return find_code_end(text, 0, run, final=final)


def fence(text: str, final: bool) -> int:
    return fence_opens(text, 0, final=final)


def tag(text: str, final: bool) -> int:
    return find_tag_end(text, 0, final=final)


def url(text: str, final: bool) -> int:
    return find_url_end(text, 0, final=final)


def link(text: str, final: bool) -> int:
    return find_link_end(text, 0, final=final)


# A bar is where the piece ends; without a bar it is text.
CODE = [
    "`x`¦ y",
    "``a ` b``¦ c",
    "``a``` b``¦",
    "`a\n`",
    "`a``",
    "`" + "a" * (LINE_REACH - 2) + "`¦",
    "`" + "a" * (LINE_REACH - 1) + "`",
]
TAGS = [
    "<@123>¦ hi",
    "<:soup:1>¦",
    "<a:soup:1>¦",
    "<t:1700000000:R>¦.",
    "</name:1>¦",
    "<kbd>¦Ctrl</kbd>",
    "<https://a.b/c>¦",
    "<a b=c>¦d",
    "< 5",
    "<3",
    "<a <b>",
    "<a\n>",
    "<",
    "<a",
    "<" + "a" * (TAG_REACH - 2) + ">¦",
    "<" + "a" * (TAG_REACH - 1) + ">",
    "<https://a.b/" + "c" * TAG_REACH + ">¦",
    "<http" + "a" * LINE_REACH + ">",
]
URLS = [
    "https://a.b/c¦ d",
    "https://a.b/c¦.",
    "https://a.b/c¦?!,",
    "https://a.b/c?d=e&f¦",
    "https://a.b/wiki/C_(d)¦ e",
    "https://a.b/c¦) d",
    "https://a.b/(c)¦).",
    "https://a.b/c¦** d",
    "https://a.b/c¦|| d",
    "https://a.b/c¦。次",
    "https://a.b/c¦」と",
    "https://a.b/c¦> d",
    'https://a.b/c¦" d',
    "https://a.b/c¦\nd",
    "https://a.b/" + "c" * (LINE_REACH - 12) + "¦cc",
]
LINKS = [
    "(https://a.b)¦ c",
    "(https://a.b/c_(d))¦ e",
    r"(a\)b)¦ c",
    r"(a\\)¦ b",
    "(a\n)",
    "(a",
    "(a (b)",
    "(" + "a" * (LINE_REACH - 2) + ")¦",
    "(" + "a" * (LINE_REACH - 1) + ")",
]
READERS: dict[str, tuple[Callable[[str, bool], int], list[str]]] = {
    "code": (code, CODE),
    "tag": (tag, TAGS),
    "url": (url, URLS),
    "link": (link, LINKS),
}
CASES = [(reader, marked) for reader, texts in READERS.values() for marked in texts]


@pytest.mark.parametrize(("reader", "marked"), CASES)
def test_a_piece_ends_at_its_bar(reader: Callable[[str, bool], int], marked: str) -> None:
    text = marked.replace("¦", "")
    assert reader(text, True) == (marked.index("¦") if "¦" in marked else NOT_FOUND)


# Whether three backticks in mid-line open a code block.
FENCES = {
    "```py\nx": True,
    "```\nx": True,
    "```c++ \nx": True,
    "```x``` y": True,
    "```two words\n": False,
    "```two words\n```": False,
    "``` more": False,
    "```" + "a" * 33 + "\n": False,
    "```" + "a " * LINE_REACH + "```": False,
}


@pytest.mark.parametrize(("text", "expected"), FENCES.items())
def test_backticks_in_mid_line_open_a_block_before_a_language_or_before_their_like(
    text: str, expected: bool
) -> None:
    assert fence(text, True) == (1 if expected else NOT_FOUND)


@pytest.mark.parametrize(("reader", "text"), [*CASES, *((fence, text) for text in FENCES)])
def test_no_answer_is_taken_back_when_more_arrives(reader: Callable[[str, bool], int], text: str) -> None:
    text = text.replace("¦", "") + "\nx" * TAG_REACH
    answers = [reader(text[:end], False) for end in range(3, len(text) + 1)]
    certain = [answer for answer in answers if answer != NEED_MORE]
    assert certain == [reader(text, True)] * len(certain)
    assert answers == [NEED_MORE] * (len(answers) - len(certain)) + certain


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (code, "`a" + " b" * LINE_REACH),
        (fence, "```a" + " b" * LINE_REACH),
        (tag, "<a" + " b" * TAG_REACH),
        (link, "(a" + " b" * LINE_REACH),
        (url, "https://" + "b" * LINE_REACH),
    ],
)
def test_nothing_is_waited_for_beyond_the_reach(reader: Callable[[str, bool], int], text: str) -> None:
    assert reader(text[:20], False) == NEED_MORE
    assert reader(text, False) != NEED_MORE


def test_a_target_may_nest_only_so_deep() -> None:
    assert link("(" * NESTED + ")" * NESTED, final=True) == 2 * NESTED
    assert link("(" * (NESTED + 1) + ")" * (NESTED + 1), final=True) == NOT_FOUND


@pytest.mark.parametrize(
    ("text", "end"), [("https://a.b/c||d", 13), ("https://a.b/c|d e", 15), ("https://a.b|", 11)]
)
def test_two_pipes_end_an_address(text: str, end: int) -> None:
    assert find_url_end(text, 0, final=True) == end
    assert find_url_end("https://a.b|", 0, final=False) == NEED_MORE


def test_a_marker_next_to_a_letter_stands_inside_a_word_unless_the_script_has_no_spaces() -> None:
    assert [is_word(character) for character in "aZ5_éЯع"] == [True] * 7
    assert [is_word(character) for character in "-. \n“😀好あก한"] == [False] * 10
