"""Choices that a model writes as text are taken out of its answer, however the answer is cut."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamcord._providers.choice_block import MAX_BLOCK_CHARS, ChoiceParser

BLOCK = "<choices>\nWhich size?\n- small\n- large\n</choices>"

_TAGS = ("<choices>", "</choices>", "<choices several>", "<CHOICES other>", "< choices >", "< / choices>")
_PIECES = (
    *_TAGS,
    BLOCK,
    f"```\n{BLOCK}\n```",
    f"```xml\n{BLOCK}\n```\n",
    "<",
    "<cho",
    "<choices",
    "</choices",
    ">",
    "</",
    "<choice>",
    "\n",
    "\n\n",
    "- a\n",
    "* **bold**\n",
    "1. one\n",
    "Which?\n",
    "word ",
    "a < b ",
    "`",
    "```",
    "```py\n",
    "~~~\n",
    "> ",
    "    ",
    "<details>",
    "é🍵\u200d",
    "x" * 90,
)
_TAG = re.compile(r"<[ \t]*(/[ \t]*)?choices\b", re.IGNORECASE)
texts = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)


def read(text: str, cuts: list[int] | None = None) -> tuple[str, ChoiceParser]:
    """Feed a text in pieces and return what is shown of it."""
    parser = ChoiceParser()
    edges = [0, *sorted({cut % (len(text) + 1) for cut in cuts or ()}), len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    return "".join([*map(parser.feed, pieces), parser.flush()]), parser


def in_code(text: str) -> bool:
    return "`" in text or "~~~" in text


@given(texts, st.lists(st.integers(0, 5000), max_size=30))
def test_cuts_change_neither_words_nor_choices(text: str, cuts: list[int]) -> None:
    whole, parser = read(text)
    cut, cut_parser = read(text, cuts)
    assert (cut, cut_parser.block) == (whole, parser.block)
    each, each_parser = read(text, [*range(len(text))])
    assert (each, each_parser.block) == (whole, parser.block)


@given(texts.filter(lambda text: not in_code(text)))
def test_tags_never_appear_in_words(text: str) -> None:
    shown, _ = read(text, [*range(len(text))])
    assert not _TAG.search(shown)


@pytest.mark.parametrize(
    "text",
    [
        "<choices<choices>\n- a\n</choices>>",
        "<choices></<choice></choices    <choice>>",
        "</choices<cho<\t<choices>\n- a\n</choices>choices></",
    ],
)
def test_what_is_left_of_removed_tags_is_no_tag(text: str) -> None:
    assert not _TAG.search(read(text, [*range(len(text))])[0])


@given(
    st.lists(st.sampled_from(("word ", "\n", "- a\n", "Which?\n", BLOCK)), max_size=6).map("".join),
    st.sampled_from(_TAGS),
    st.integers(0, 20),
)
def test_answer_that_ends_within_a_tag_shows_no_part_of_it(text: str, tag: str, length: int) -> None:
    begun = tag[: max(length, 1 + tag.lower().find("h"))]
    parser = ChoiceParser()
    shown = parser.feed(text + begun) + parser.flush(is_cut=True)
    assert "<" not in shown
    assert "choices" not in shown.lower()


@given(st.text(alphabet="abc<>/`~- \n", max_size=60))
def test_text_without_choices_is_shown_as_it_is(text: str) -> None:
    shown, parser = read(text, [*range(len(text))])
    assert (shown, parser.block) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        f"```\n{BLOCK}\n```",
        f"```xml\n{BLOCK}\n```\n",
        f"```{BLOCK}```",
        f"~~~\n{BLOCK}\n~~~",
        "<choices>\n\n**Which size?**\n* `small`\n* large\n</choices>",
        "<choices>Which size?\n1. small\n2) large</choices>",
        "<choices>\nQuestion: Which size?\n<option>small</option>\n<option>large</option>\n</choices>",
        "<choices>\nWhich size?\nsmall\nlarge\n</choices>",
        "<choices>\nWhich size?\n- small\n- large\n<choices>",
        "<choices>\nWhich size?\n- small\n- large",
        "<choices>\nWhich size?\n- small\n- large\n- small\n</cho",
        "> <choices>\n> Which size?\n> - small\n> - large\n> </choices>",
    ],
)
def test_block_of_a_careless_model_is_understood(text: str) -> None:
    shown, parser = read(f"Let us see.\n{text}")
    assert parser.block is not None
    assert parser.block.question.strip("*") == "Which size?"
    assert parser.block.labels == ("small", "large")
    assert shown.strip("> \n") == "Let us see."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<choices>\nWhich?\n- a\n- " + "x" * 81 + "\n</choices>", "Which?\n- a\n- " + "x" * 81),
        (
            "<choices>\n" + "".join(f"- n{n}\n" for n in range(26)) + "</choices>",
            "\n".join(f"- n{n}" for n in range(26)),
        ),
        ("<choices>\nWhich?\n</choices>", "Which?"),
        ("<choices></choices>", ""),
    ],
)
def test_block_that_cannot_become_buttons_is_told_in_words(text: str, words: str) -> None:
    shown, parser = read(f"See:\n{text}\nDone.")
    assert parser.block is None
    assert [*filter(None, shown.split("\n"))] == ["See:", *filter(None, words.split("\n")), "Done."]


def test_second_block_is_told_in_words() -> None:
    shown, parser = read(f"{BLOCK}\n<choices>\nAnd?\n- x\n</choices>")
    assert parser.block is not None
    assert parser.block.labels == ("small", "large")
    assert shown.strip() == "And?\n- x"


def test_block_that_was_cut_off_is_told_in_words() -> None:
    parser = ChoiceParser()
    shown = parser.feed("<choices>\nWhich?\n- a\n- half of an opt") + parser.flush(is_cut=True)
    assert (shown.strip(), parser.block) == ("Which?\n- a\n- half of an opt", None)


@pytest.mark.parametrize(
    "text",
    ["Write `<choices>` and `</choices>`.", f"```\nfirst\n{BLOCK}\n```", f"~~~html\nfirst\n{BLOCK}\n~~~\n"],
)
def test_code_about_choices_stays_code(text: str) -> None:
    assert read(text, [*range(len(text))])[0] == text
    assert read(text)[1].block is None


def test_tag_that_is_never_closed_hides_nothing() -> None:
    text = "<choices>\n" + "".join(f"- number {number}\n" for number in range(3000)) + "The end"
    shown, parser = read(text, [*range(0, len(text), 7)])
    assert shown == read(text)[0]
    assert parser.block is None
    assert "number 2999" in shown
    assert "<choices" not in shown
    assert len(text) > 5 * MAX_BLOCK_CHARS


def test_attributes_choose_the_kind() -> None:
    several = read("<choices several>\nWhich?\n- a\n- b\n</choices>")[1].block
    other = read("<choices other>\nWhich?\n- a\n- b\n</choices>")[1].block
    assert several is not None
    assert other is not None
    assert several.arguments == {"question": "Which?", "choices": ["a", "b"], "several": True}
    assert other.arguments == {"question": "Which?", "choices": ["a", "b"], "own_words": True}
