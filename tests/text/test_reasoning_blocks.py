"""Thoughts and details leave the answer, however the stream cuts their tags, and nothing is lost."""

from __future__ import annotations

import time
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import settings as profile
from hypothesis import strategies as st

from streamcord._events import Captured, Dropped, Spans, Visible
from streamcord._settings import Settings
from streamcord._text.capture_tags import TAG_HOLD
from streamcord._text.markdown.line_kinds import WHITE_HOLD
from streamcord._text.reasoning_blocks import (
    LATE_REACH,
    SCAN_CHARS,
    BlockExtractor,
    may_be_reasoning,
)
from streamcord._text.tokens import LINE_REACH

Event: TypeAlias = Visible | Captured | Dropped

T = "```"


def run(text: str, pieces: list[str] | None = None, **settings: Any) -> list[Event]:
    capture = BlockExtractor(Settings(**{"details": "memory", **settings}))
    events: list[Event] = []
    for piece in [text] if pieces is None else pieces:
        events += capture.feed(piece)
    return events + capture.flush()


def shown(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Visible))


def taken(events: list[Event]) -> list[str]:
    return [f"{event.kind}: {event.text}" for event in events if isinstance(event, Captured)]


def spans_of(event: Event) -> Spans:
    return ((event.start, event.start + len(event.text)),) if isinstance(event, Visible) else event.spans


def assert_nothing_is_lost(text: str, events: list[Event]) -> None:
    places = [at for event in events for start, end in spans_of(event) for at in range(start, end)]
    assert sorted(places) == list(range(len(text)))
    for event in events:
        if not isinstance(event, Captured):
            assert event.text == "".join(text[start:end] for start, end in spans_of(event))


def check(text: str, visible: str, captured: list[str], **settings: Any) -> None:
    for pieces in ([text], list(text), [text[:9], text[9:]]):
        events = run(text, pieces, **settings)
        assert (shown(events), taken(events)) == (visible, captured)
        assert_nothing_is_lost(text, events)


BLOCKS: dict[str, tuple[str, str, list[str]]] = {
    "a thought": ("<think>so</think>Hi", "Hi", ["think: so"]),
    "details": ("<details>so</details>Hi", "Hi", ["details: so"]),
    "any case": ("<THINK>so</Think>Hi", "Hi", ["think: so"]),
    "a vendor's prefix": ("<ns:think>so</other.ns:think>Hi", "Hi", ["think: so"]),
    "attributes": ('<think a="b" c>so</think >Hi', "Hi", ["think: so"]),
    "white space around the content": ("<think>\n so \n</think>Hi", "Hi", ["think: so"]),
    "text before a tag stays": ("Hi. <think>so</think>Bye", "Hi. Bye", ["think: so"]),
    "two blocks": ("<think>a</think>b<details>c</details>d", "bd", ["think: a", "details: c"]),
    "a block right behind another": (
        "a <think>b</think> <think>c</think> d",
        "a d",
        ["think: b", "think: c"],
    ),
    "an empty block": ("a<think></think>b", "ab", ["think: "]),
    "a tag that closes itself": ("a <think/> b", "a b", ["think: "]),
    "a block that never ends": ("Hi <think>so on", "Hi ", ["think: so on"]),
    "a thought does not nest": ("<think>a<think>b</think>c</think>d", "cd", ["think: a<think>b"]),
    "details nest": (
        "<details>a<details>b</details>c</details>d",
        "d",
        ["details: a<details>b</details>c"],
    ),
    "a tag that closes itself nests nothing": (
        "<details>a<details/>b</details>c",
        "c",
        ["details: a<details/>b"],
    ),
    "only its own tag ends a block": ("<think>a</details>`b</think>c", "c", ["think: a</details>`b"]),
    "half a tag inside": ("<think>a</thi b</think>c", "c", ["think: a</thi b"]),
    "the first summary goes": (
        "<details><summary>x</summary>a<summary>y</summary></details>b",
        "b",
        ["details: a<summary>y</summary>"],
    ),
    "a summary in a thought stays": (
        "<think><summary>x</summary></think>",
        "",
        ["think: <summary>x</summary>"],
    ),
    "other tags are text": (
        "<b>a</b> <thinker> <think2> < think>",
        "<b>a</b> <thinker> <think2> < think>",
        [],
    ),
    "half a tag at the end is text": ("a <thin", "a <thin", []),
    "a long tag is text": ("a <think " + "b" * TAG_HOLD + "> c", "a <think " + "b" * TAG_HOLD + "> c", []),
}


@pytest.mark.parametrize(("text", "visible", "captured"), BLOCKS.values(), ids=BLOCKS)
def test_a_block_is_captured(text: str, visible: str, captured: list[str]) -> None:
    check(text, visible, captured)


IN_CODE: dict[str, tuple[str, str, list[str]]] = {
    "inline code": ("Use `<think>` now", "Use `<think>` now", []),
    "two backticks": ("``a <think> ` b`` c", "``a <think> ` b`` c", []),
    "behind inline code": ("`a` <think>b</think>c", "`a` c", ["think: b"]),
    "a stray backtick": ("a ` b <think>x</think> c\nd", "a ` b c\nd", ["think: x"]),
    "a stray backtick at the end": ("a ` b <think>x</think> c", "a ` b c", ["think: x"]),
    "a backtick on the line before": ("a `b\n<think>x</think>c`", "a `b\nc`", ["think: x"]),
    "a run of another length": ("a `b <think>x</think> `` c", "a `b `` c", ["think: x"]),
    "a code block": (
        f"{T}\n<think>x</think>\n{T}\n<think>y</think>z",
        f"{T}\n<think>x</think>\n{T}\nz",
        ["think: y"],
    ),
    "a code block that has no end": (f"a\n{T}\n<think>x</think>", f"a\n{T}\n<think>x</think>", []),
    "a block right behind a code block": (f"{T}\nx\n{T}<think>y</think>z", f"{T}\nx\n{T}z", ["think: y"]),
    "two tags in one piece of code": ("`<think></think>` a", "`<think></think>` a", []),
}


@pytest.mark.parametrize(("text", "visible", "captured"), IN_CODE.values(), ids=IN_CODE)
def test_a_tag_in_code_is_text(text: str, visible: str, captured: list[str]) -> None:
    check(text, visible, captured)


def test_code_is_looked_for_as_far_as_its_line_is_looked_at() -> None:
    inside = "a `b <think>" + "c" * 1900
    check(inside + "` d", inside + "` d", [])
    inside += "c" * LINE_REACH
    check(inside + "</think>` d", "a `b ` d", ["think: " + "c" * (1900 + LINE_REACH)])


WHITE: dict[str, tuple[str, str]] = {
    "spaces on both sides become one": ("a <think>x</think> b", "a b"),
    "a newline beats a space": ("a <think>x</think>\nb", "a\nb"),
    "a newline before beats a space behind": ("a\n<think>x</think> b", "a\nb"),
    "two newlines beat one": ("a\n<think>x</think>\n\nb", "a\n\nb"),
    "as many newlines: the first stay": ("a \n<think>x</think>\nb", "a \nb"),
    "white space on one side stays": ("a<think>x</think> b", "a b"),
    "none on either side": ("a<think>x</think>b", "ab"),
    "only before": ("a <think>x</think>b", "a b"),
    "at the start": ("<think>x</think>\n\nb", "\n\nb"),
    "at the end": ("a\n\n<think>x</think>", "a\n\n"),
    "at both ends": ("a\n<think>x</think>\n", "a\n"),
    "a stray tag counts as well": ("a </think> b", "a b"),
}


@pytest.mark.parametrize(("text", "visible"), WHITE.values(), ids=WHITE)
def test_white_space_around_a_block_becomes_one(text: str, visible: str) -> None:
    for pieces in ([text], list(text)):
        events = run(text, pieces)
        assert shown(events) == visible
        assert_nothing_is_lost(text, events)


def test_white_space_is_not_waited_for_without_end() -> None:
    capture = BlockExtractor(Settings(details="memory"))
    assert capture.feed("a" + " " * 200) == [Visible("a" + " " * (200 - WHITE_HOLD), 0)]
    capture = BlockExtractor(Settings(details="memory"))
    assert len(capture.feed("a <think>x</think>" + " " * (WHITE_HOLD - 1))) == 2
    assert len(capture.feed(" ")) == 1


def test_a_closing_tag_without_its_delimiter_is_dropped_with_a_record() -> None:
    text = "so</think>Hi</details>"
    events = run(text)
    assert shown(events) == "soHi"
    assert [event for event in events if isinstance(event, Dropped)] == [
        Dropped("</think>", "stray tag", ((2, 10),)),
        Dropped("</details>", "stray tag", ((12, 22),)),
    ]


def test_an_answer_may_begin_inside_a_thought() -> None:
    check("so</think>Hi", "Hi", ["think: so"], starts_in_thought=True)
    check("so", "", ["think: so"], starts_in_thought=True)
    assert run("", starts_in_thought=True) == []


def test_each_answer_begins_inside_a_thought_then() -> None:
    capture = BlockExtractor(Settings(starts_in_thought=True))
    assert taken([*capture.feed("a</think>b"), *capture.flush()]) == ["think: a"]
    assert taken([*capture.feed("c</think>d"), *capture.flush()]) == ["think: c"]


@pytest.mark.parametrize("size", [1024, 1025, 2048, 2500])
def test_a_long_block_leaves_in_pieces(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamcord._text.reasoning_blocks.MAX_BLOCK_CHARS", 1024)
    text = "<think>" + "x" * size + "</think>y"
    for pieces in ([text], [text[at : at + 100] for at in range(0, len(text), 100)]):
        events = run(text, pieces)
        blocks = [event for event in events if isinstance(event, Captured)]
        assert "".join(block.text for block in blocks) == "x" * size
        assert [block.more for block in blocks] == [True] * (len(blocks) - 1) + [False]
        assert max(len(block.text) for block in blocks) <= 1024
        assert shown(events) == "y"
        assert_nothing_is_lost(text, events)


def test_visible_text_leaves_as_soon_as_it_cannot_be_a_tag() -> None:
    capture = BlockExtractor(Settings(details="memory"))
    assert capture.feed("Hello") == [Visible("Hello", 0)]
    assert capture.feed(" <") == []
    assert shown(capture.feed("3!")) == " <3!"
    assert shown(capture.feed(" a <thinker>")) == " a <thinker>"


def test_a_gap_in_the_source_is_in_no_event() -> None:
    capture = BlockExtractor(Settings(details="memory"))
    events = [*capture.feed("a <thi", 0), *capture.feed("n b", 10), *capture.flush()]
    assert events == [Visible("a", 0), Visible(" <thi", 1), Visible("n b", 10)]
    assert capture.at == 13


def test_code_is_known_after_a_long_text() -> None:
    capture = BlockExtractor(Settings(details="memory"))
    code = f"{T}\n" + "word\n" * SCAN_CHARS
    text = f"{code}<think>a</think>\n{T}\n<think>b</think>c"
    events = [event for at in range(0, len(text), 7) for event in capture.feed(text[at : at + 7])]
    assert shown([*events, *capture.flush()]) == f"{code}<think>a</think>\n{T}\nc"


def test_code_before_a_stray_tag_is_not_open_after_it() -> None:
    events = run("a `b\nc</think>`<think>d</think>`")
    assert shown(events) == "a `b\nc`<think>d</think>`"


def test_a_second_flush_gives_nothing_and_feeding_goes_on() -> None:
    capture = BlockExtractor(Settings(details="memory"))
    assert shown(capture.feed(f"{T}\na <think")) == f"{T}\na"
    assert shown(capture.flush()) == " <think"
    assert capture.flush() == []
    assert capture.feed("<think>b</think>c") == [Captured("think", "b", ((12, 28),)), Visible("c", 28)]


PARTS = [
    "a",
    " ",
    "\n",
    "`",
    T,
    "<",
    "<think>",
    "</think>",
    "<details>",
    "</details>",
    "<think/>",
    "<thi",
    "n:",
]


@profile(max_examples=100)
@given(st.lists(st.sampled_from(PARTS), max_size=12), st.booleans())
def test_any_mixture_comes_out_the_same_in_every_slicing(parts: list[str], thinking: bool) -> None:
    text = "".join(parts)
    whole = run(text, starts_in_thought=thinking)
    assert_nothing_is_lost(text, whole)
    for pieces in (parts, list(text)):
        events = run(text, pieces, starts_in_thought=thinking)
        assert (shown(events), taken(events)) == (shown(whole), taken(whole))
        assert_nothing_is_lost(text, events)


@pytest.mark.parametrize(
    ("inside", "content"),
    [
        ("<summary>a</summary>b", "b"),
        ("c<SUMMARY x='1'>a</summary >b<summary>d</summary>", "cb<summary>d</summary>"),
        ("<summary>a", "<summary>a"),
        ("<summary", "<summary"),
        ("<summaryx>a</summary>", "<summaryx>a</summary>"),
        ("</summary>a", "</summary>a"),
    ],
)
def test_details_have_no_summary(inside: str, content: str) -> None:
    capture = BlockExtractor(Settings(details="memory"))
    (found,) = [*capture.feed(f"<details>{inside}</details>"), *capture.flush()]
    assert isinstance(found, Captured)
    assert found.text == content


@pytest.mark.parametrize("unit", ["<summary", "<summary>", "<summary></summary ", "</summary"])
def test_many_summaries_without_end_cost_no_more_than_words_do(unit: str) -> None:
    def cost(text: str) -> float:
        capture = BlockExtractor(Settings(details="memory"))
        start = time.process_time()
        capture.feed(f"<details>{text}</details>")
        return time.process_time() - start

    words = min(cost("<words a" * 9000) for _ in range(3))
    assert min(cost(unit * (72_000 // len(unit))) for _ in range(3)) < 20 * words


@pytest.mark.parametrize(
    "text",
    [
        "<thinking>x</thinking>",
        "<think>x</thinking>",
        "<THINKING a=b>x</think>",
        "<ns:thinking>x</ns:thinking>",
    ],
)
def test_thinking_is_thinking_however_it_is_called(text: str) -> None:
    for pieces in ([text], list(text)):
        capture = BlockExtractor(Settings(details="memory"))
        found = [event for piece in pieces for event in capture.feed(f"{piece}")] + capture.flush()
        assert [event.text for event in found if isinstance(event, Captured)] == ["x"]
        assert shown(found) == ""


def test_a_beginning_that_is_short_or_sounds_like_one_may_be_a_thought() -> None:
    assert may_be_reasoning("x" * LATE_REACH + "\n")
    assert not may_be_reasoning("x" * LATE_REACH + "y")
    for words in ("Okay, so", "\nThe user wants", "let's see,", "嗯，用户", "I'm asked"):
        assert may_be_reasoning(words + "x" * LATE_REACH)
    assert not may_be_reasoning("Sorrow" + "x" * LATE_REACH)
