"""The scenarios of chunking and Markdown, by their ids: what a stream may do to the text core."""

from __future__ import annotations

import re
from random import Random

import pytest

from conservation import conserve
from documents import document, random_slices
from invariants import INVARIANTS, Trial, contents, run
from streamcord._events import Boundary, Degree, Table
from streamcord._settings import AnswerContext, Persona, Settings
from streamcord._text.layout.splitter import Splitter

DEGREES = tuple(Degree)
CODE = "```"


OWN_PAGES = {"intent", "hidden"}
"""Invariants that make their own documents. `test_invariants` draws hundreds of them; here one run is enough."""


def plan(text: str, context: AnswerContext | None = None, **values: object) -> list[str]:
    """The messages of a text; every invariant of the core that is about it is checked on the way."""
    chosen = Settings.from_mapping({"degree": 2, "humanize": False, "message_cap": 0, **values})
    trial = Trial(chosen, text, context=context)
    invariants = {name: invariant for name, invariant in INVARIANTS.items() if name not in OWN_PAGES}
    assert {name: faults for name, invariant in invariants.items() if (faults := invariant(trial))} == {}
    return contents(trial.whole)


@pytest.mark.parametrize("limit", [*range(1, 41), 64, 100, 500, 1000, 1950, 2000])
def test_c_01_any_limit_keeps_every_character_in_order(limit: int) -> None:
    text = document(17)[:3000] + "\n||a secret|| and `code` and https://example.com/x_(y) 👨‍👩‍👧 end"
    parts = Splitter(Settings(degree=Degree.NONE)).split(text, limit=limit)
    assert all(1 <= len(part) <= limit and part.strip() for part in parts)
    rest = iter(re.sub(r"\s", "", "".join(parts)))
    assert all(character in rest for character in re.sub(r"\s", "", text))
    if limit >= 32:
        plan(text, degree=0, message_length=limit)


@pytest.mark.parametrize("degree", DEGREES)
def test_c_02_the_messages_do_not_depend_on_the_slices(degree: Degree) -> None:
    text = document(3)
    chosen = Settings(degree=degree, message_cap=0)
    whole = run(chosen, [text])
    assert run(chosen, list(text)) == whole
    for seed in range(20):
        assert run(chosen, random_slices(text, Random(seed), 40)) == whole


@pytest.mark.parametrize("info", ["x" * 1950, "c++", "objective-c", "a b", "js title=demo", "y" * 40, "日本"])
def test_c_03_a_fence_with_any_info_line_is_cut_into_whole_fences(info: str) -> None:
    parts = plan(f"{CODE}{info}\n" + "let a = 1;\n" * 300 + CODE)
    assert len(parts) > 1
    assert all(part.startswith(CODE) and part.endswith(CODE) for part in parts)
    assert sum(part.count("let a = 1;") for part in parts) == 300


@pytest.mark.parametrize("length", [1941, 1942, 1943, 2500, 6000])
def test_c_04_a_code_line_longer_than_a_message_is_cut_inside_its_fence(length: int) -> None:
    parts = plan(f"{CODE}\nshort\n{'x' * length}\nlast\n{CODE}")
    assert all(part.startswith(CODE) and part.endswith(CODE) and len(part) <= 1950 for part in parts)
    assert "".join(parts).count("x") == length


@pytest.mark.parametrize(
    "text",
    [
        f"{CODE}js\nx = 1\n{CODE}not-a-close\ny = 2\n{CODE}\nend",
        f"{CODE}`md\n{CODE}js\nx\n{CODE}\n{CODE}`\nafter",
        "~~~js\nx = 1\n~~~\nafter",
        f"- item\n  {CODE}py\n  x = 1\n  {CODE}\n- next",
        f"> quoted\n> {CODE}py\n> x = 1\n> {CODE}\nafter",
        f"`` {CODE} `` is a fence\nnext",
        f"`{CODE}` and {CODE}x{CODE}{CODE} y\nnext",
    ],
)
@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("limit", [40, 1950])
def test_c_05_odd_fences_keep_all_invariants(text: str, degree: Degree, limit: int) -> None:
    parts = plan(text, degree=degree, message_length=limit)
    # Elsewhere backticks stand as the model wrote them, so that only whole fences can be counted.
    if text.startswith((f"{CODE}`md", "- item", "> quoted")):
        assert all(part.count(CODE) % 2 == 0 for part in parts)


@pytest.mark.parametrize("boundary", [Boundary.FINAL, Boundary.TOOL_CALL])
@pytest.mark.parametrize("degree", DEGREES)
def test_c_06_an_unclosed_fence_is_closed_and_marked_as_added(boundary: Boundary, degree: Degree) -> None:
    text = f"Look:\n{CODE}py\nx = 1\n    y = 2"
    chosen = Settings(degree=degree, humanize=False)
    events = run(chosen, [text], boundary)
    *_, last = contents(events)
    assert last.endswith(f"{CODE}py\nx = 1\n    y = 2\n{CODE}")
    account = conserve(text, events)
    assert account.violations == []
    assert CODE in "".join(added.text for added in account.shown[-1].message.added)


@pytest.mark.parametrize("start", range(0, 60, 3))
@pytest.mark.parametrize("degree", DEGREES)
def test_c_07_a_spoiler_across_a_boundary_is_never_half_open(start: int, degree: Degree) -> None:
    secret = "He did it. Then he fled\nto the north. Nobody knew"
    text = "word " * start + f"||{secret}|| and so on.\n\n" + f"||{'long secret words ' * 20}||"
    for limit in (60, 100, 1950):
        for part in plan(text, degree=degree, message_length=limit):
            assert part.count("||") % 2 == 0
            assert not {"fled", "north", "secret"} & set(
                re.sub(r"\|\|.*?\|\|", "", part, flags=re.DOTALL).split()
            )


def test_c_08_quotes_and_lists_continue_in_later_parts() -> None:
    parts = plan(">>> " + "A line of the quote.\n" * 20, degree=0, message_length=100)
    assert len(parts) > 3
    assert all(part.startswith(">>> ") for part in parts)
    numbered = "\n".join(f"{number}. item number {number}\n   - nested" for number in range(1, 21))
    for degree in (0, 1, 2):
        parts = plan(numbered, degree=degree, message_length=120)
        found = [int(number) for part in parts for number in re.findall(r"^(\d+)\. item", part, re.MULTILINE)]
        assert found == list(range(1, 21))
        assert sum(part.count("\n   - nested") for part in parts) >= 20 - len(parts)


@pytest.mark.parametrize("start", range(0, 40, 2))
def test_c_09_nested_emphasis_is_not_cut_or_closed_and_reopened(start: int) -> None:
    text = "x" * start + " **bold *italic __under line__ more* end** " + "word " * 20
    for limit in (40, 60, 100):
        plan(text, degree=0, message_length=limit)
    long = "**" + "bold words *and italic words __and underlined words__ here* " * 4 + "end**"
    for part in plan(long, degree=0, message_length=60):
        assert part.count("**") % 2 == 0
        assert part.count("__") % 2 == 0


@pytest.mark.parametrize(
    "token",
    [
        "<@123456789012345678>",
        "<@&123456789012345678>",
        "<#123456789012345678>",
        "<:smile:123456789012345678>",
        "<a:dance:123456789012345678>",
        "<t:1700000000:R>",
        "</help:123456789012345678>",
        "https://example.com/a_b?c=d",
        "<https://example.com/quiet>",
        "[a link](https://example.com/x)",
        "https://e.x/wiki/Foo_(bar)",
    ],
)
def test_c_10_tokens_are_whole_at_every_offset_around_the_limit(token: str) -> None:
    for offset in range(60 - len(token) - 4, 64):
        text = ("abcdefghi " * 9)[:offset] + " " + token + " and more words here"
        for degree in (0, 2):
            assert sum(token in part for part in plan(text, degree=degree, message_length=60)) == 1


def test_c_11_endless_words_are_cut_and_end() -> None:
    url = "https://example.com/" + "a" * 4980
    assert "".join(plan(url, degree=0)) == url
    word = "w" * 100_000
    for degree in DEGREES:
        parts = contents(run(Settings(degree=degree, message_cap=0), [word]))
        assert "".join(parts) == word
        assert max(map(len, parts)) <= 1950


@pytest.mark.parametrize(
    "grapheme",
    [
        "👨‍👩‍👧‍👦",
        "🇩🇪",
        "👍🏽",
        "각",
        "\u1100\u1161\u11a8",
        "क्षि",
        "e\u0301\u0323",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "กำ",
        "❤️‍🔥",
        "a\u200d",
    ],
)
def test_c_12_graphemes_are_whole_around_the_limit(grapheme: str) -> None:
    for lead in range(len(grapheme) + 2):
        text = "x" * lead + grapheme * 60
        for degree in (0, 2):
            parts = plan(text, degree=degree, message_length=40)
            assert sum(part.count(grapheme) for part in parts) == 60
    chain = "a" + "\u0301" * 500
    assert "".join(plan(chain, degree=0, message_length=100)) == chain


def test_c_13_two_thousand_astral_emoji_are_one_message() -> None:
    assert plan("😀" * 2000, degree=0, message_length=2000) == ["😀" * 2000]


@pytest.mark.parametrize("degree", DEGREES)
def test_c_14_line_ends_are_normalised_and_no_message_is_empty(degree: Degree) -> None:
    for text in (
        "a\r\nb\r\n\r\nc",
        "a\rb\rc",
        "a\tb\n\tc",
        "\n" * 10_000,
        "a" + "\n" * 10_000 + "b",
        "\r\n" * 500 + "x",
    ):
        parts = plan(text, degree=degree)
        assert all(part.strip() for part in parts)
        assert "\r" not in "".join(parts)
        assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)


def test_c_15_orphan_punctuation_is_attached_or_sent_never_lost() -> None:
    assert plan("wait\n...\nok") == ["wait", "...\nok"]
    assert plan("wait\n…\n\nok") == ["wait", "…\nok"]
    assert plan("ok\n?!?!") == ["ok\n?!?!"]
    assert plan("ok\n?") == ["ok?"]
    for text in ("...", "…", ".", "!", "?!", "。", ".."):
        assert plan(text) == [text]


def test_c_16_no_token_is_split_at_a_false_sentence_end() -> None:
    text = "It is 3.14, e.g. here. Ask Dr. Who at 5 p.m. today. v1.2.3 is out. www.example.com too."
    assert plan(text, degree=3) == [
        "It is 3.14, e.g. here.",
        "Ask Dr. Who at 5 p.m. today.",
        "v1.2.3 is out.",
        "www.example.com too.",
    ]
    assert plan("今日は良い天気です。散歩に行きましょう！はい", degree=3) == [
        "今日は良い天気です。",
        "散歩に行きましょう！",
        "はい",
    ]
    thai = "ระบบนี้อ่านตัวอักษรทีละตัวแล้วส่งข้อความตามลำดับ"
    assert plan(thai, degree=3) == [thai]


@pytest.mark.parametrize("degree", DEGREES)
def test_c_17_without_a_list_of_emoji_only_standard_shortcodes_change(degree: Degree) -> None:
    text = "hello :wave: and :unknown_one: you"
    assert plan(text, degree=degree) == ["hello 👋 and :unknown_one: you"]


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_c_18_only_a_leading_own_name_is_a_label(degree: int) -> None:
    persona = Persona("Luna", ("Moon",))
    text = f"Luna: I am Luna: the cat\n{CODE}\nLuna: code\n{CODE}\nuse `Luna: x` or not"
    assert plan(text, context=AnswerContext(persona=persona), degree=degree) == [
        "I am Luna: the cat",
        f"{CODE}\nLuna: code\n{CODE}",
        "use `Luna: x` or not",
    ]


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize(
    "text", ["Well, listen. It rains.", "listen. It rains.", "Well, list. It rains.", "Well,"]
)
def test_c_19_a_prefill_is_shown_once_whether_it_is_echoed_or_not(text: str, degree: Degree) -> None:
    said = " ".join(plan(text, context=AnswerContext(prefill="Well, "), degree=degree))
    assert said.startswith("Well,")
    assert said.count("Well") == 1
    assert said.split() == ["Well,", *text.removeprefix("Well,").split()]


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize(
    "text",
    [
        "| a | b |",
        "| a | b |\nno table",
        "Look:\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |\n| 4 | 5 | 6 |\nEnd",
        "| a \\| b | c |\n|---|---|\n| 1 | 2 |",
        "| a | b |\n|---|---|\n| `x|y` | 2 |\nEnd",
        f"{CODE}\n| a | b |\n|---|---|\n| 1 | 2 |\n{CODE}",
        "| a | b |\n|---|---|\n| 1 |",
        "| a | b |\n|--",
    ],
)
def test_c_20_the_text_of_a_table_is_never_lost(text: str, degree: Degree) -> None:
    parts = plan(text, degree=degree, tables="off")
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)
    drawn = Trial(Settings(degree=degree, humanize=False), text).messages
    sources = [file.source for one in drawn for file in one.files if isinstance(file, Table)]
    shown = "".join([*(one.content for one in drawn), *sources])
    assert sorted(re.sub(r"\s", "", shown)) == sorted(re.sub(r"\s", "", text))
