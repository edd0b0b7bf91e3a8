"""The kinds of lines, and that a line is judged only when nothing that follows can change the verdict."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.line_kinds import (
    HEAD_REACH,
    LONGEST_RUN,
    WHITE_HOLD,
    Line,
    find_item,
    has_pipe,
    heads,
    is_bare,
    is_head,
    is_table_head,
    may_join_next_line,
    read_line,
    skip_white,
)
from streamcord._text.tokens import NEED_MORE, NOT_FOUND

# The kind of a line, and its content: all that is behind its marker.
KINDS: dict[str, tuple[Line, str]] = {
    "hello": (Line.PROSE, "hello"),
    "  hello": (Line.PROSE, "hello"),
    "- item": (Line.ITEM, "item"),
    "* item": (Line.ITEM, "item"),
    "\t• item": (Line.ITEM, "item"),
    "-item": (Line.PROSE, "-item"),
    "*emphasis*": (Line.PROSE, "*emphasis*"),
    "-": (Line.ITEM, "-"),
    "•item": (Line.ITEM, "item"),
    "1.苹果": (Line.ITEM, "苹果"),
    "2024.苹果": (Line.PROSE, "2024.苹果"),
    "1. first": (Line.ITEM, "first"),
    "12) twelfth": (Line.ITEM, "twelfth"),
    "3.14 is pi": (Line.PROSE, "3.14 is pi"),
    "2024 was": (Line.PROSE, "2024 was"),
    "1": (Line.PROSE, "1"),
    "1.": (Line.ITEM, "1."),
    "1234567890. far": (Line.PROSE, "1234567890. far"),
    "a) first": (Line.ITEM, "first"),
    "B) second": (Line.ITEM, "second"),
    "iv) fourth": (Line.ITEM, "fourth"),
    "(3) third": (Line.ITEM, "third"),
    "(see) this": (Line.PROSE, "(see) this"),
    "（一）第一": (Line.ITEM, "第一"),
    "б) второй": (Line.ITEM, "второй"),
    "٢. اثنان": (Line.ITEM, "اثنان"),
    "三、晚餐": (Line.ITEM, "晚餐"),
    "三个人": (Line.PROSE, "三个人"),
    "１．東京": (Line.ITEM, "東京"),
    "2．大阪": (Line.ITEM, "大阪"),
    "2．5 km": (Line.PROSE, "2．5 km"),
    "2．": (Line.ITEM, ""),
    "a. first": (Line.PROSE, "a. first"),
    "◦ nested": (Line.ITEM, "nested"),
    "■ 概要": (Line.ITEM, "概要"),
    "> said": (Line.QUOTE, "said"),
    ">": (Line.QUOTE, ""),
    ">\n> more": (Line.QUOTE, "\n> more"),
    ">said": (Line.PROSE, ">said"),
    ">>": (Line.PROSE, ">>"),
    ">> said": (Line.PROSE, ">> said"),
    ">>> all of it": (Line.BLOCK_QUOTE, "all of it"),
    ">>>not": (Line.PROSE, ">>>not"),
    "# Title": (Line.HEADING, "Title"),
    "###### deep": (Line.HEADING, "deep"),
    "####### too deep": (Line.PROSE, "####### too deep"),
    "#channel": (Line.PROSE, "#channel"),
    "-# small": (Line.SUBTEXT, "small"),
    "-#small": (Line.PROSE, "-#small"),
    "| a | b |": (Line.PIPE, "| a | b |"),
    "||spoiler||": (Line.PROSE, "||spoiler||"),
    "|": (Line.PROSE, "|"),
    "```py": (Line.FENCE, "```py"),
    "````": (Line.FENCE, "````"),
    "`code`": (Line.PROSE, "`code`"),
    "`" * LONGEST_RUN: (Line.FENCE, "`" * LONGEST_RUN),
    "`" * (LONGEST_RUN + 1): (Line.PROSE, "`" * (LONGEST_RUN + 1)),
    "": (Line.PROSE, ""),
    "   ": (Line.PROSE, ""),
    " " * WHITE_HOLD + "- item": (Line.ITEM, "item"),
    " " * WHITE_HOLD + " - item": (Line.PROSE, " - item"),
}


@pytest.mark.parametrize(("text", "expected"), KINDS.items())
def test_a_line_has_a_kind_and_a_content(text: str, expected: tuple[Line, str]) -> None:
    found = read_line(text, 0, final=True)
    assert found
    assert (found[0], text[found[1] :]) == expected


@pytest.mark.parametrize("text", KINDS)
def test_a_line_is_read_where_it_starts(text: str) -> None:
    found, moved = read_line(text, 0, final=True), read_line("- x\n" + text, 4, final=True)
    assert found
    assert moved == (found[0], found[1] + 4)


@pytest.mark.parametrize("text", KINDS)
def test_no_verdict_is_taken_back_when_more_arrives(text: str) -> None:
    text += " x"
    verdicts = [read_line(text[:end], 0, final=False) for end in range(len(text) + 1)]
    certain = [verdict for verdict in verdicts if verdict is not None]
    assert len(set(certain)) == 1
    assert verdicts[: -len(certain)] == [None] * (len(verdicts) - len(certain))


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("", True), (" ", True), ("-", True), ("-#", True), ("*", True), ("#", True), ("######", True),
        (">", True), (">>", True), (">>>", True), ("1", True), ("1.", True), ("|", True), ("`", True),
        ("```", True), ("h", True), ("h)", True), ("hx", False), ("k", False),
        ("A", True), ("A.", True), ("(", True), ("(2)", True), ("(se", False),
        ("三", True), ("１．", True), ("2．", True),
        ("-x", False), ("#######", False), ("> ", False), (">\n", False),
        (">x", False), ("1x", False), ("||", False), ("|a", False), ("`x", False),
        ("`" * LONGEST_RUN, True), ("`" * (LONGEST_RUN + 1), False),
    ],
)  # fmt: skip
def test_a_line_waits_exactly_while_its_kind_may_change(text: str, waits: bool) -> None:
    assert (read_line(text, 0, final=False) is None) is waits


HEADS = {
    "| a | b |\n|---|---|\n": True,
    "| a | b |\n| :-- | --: |\n| 1 |": True,
    "| a |\n|-|": True,
    "| a |\n---\n": False,
    "| a |\n| b |\n": False,
    "| a |\n||\n": False,
    "| a |\n\n|---|": False,
    "| a |": False,
    "| a |\n": False,
    "| a |\n|--x\n": False,
    "|" + "a" * HEAD_REACH + "\n|---|\n": False,
    "|" + "a" * (HEAD_REACH - 3) + "\n|---|\n": False,
}


@pytest.mark.parametrize(("text", "expected"), HEADS.items())
def test_a_table_has_a_line_of_dashes_below_its_header(text: str, expected: bool) -> None:
    assert is_table_head(text, 0, final=True) is expected


@pytest.mark.parametrize("text", HEADS)
def test_a_header_waits_for_its_line_of_dashes_and_then_stays_what_it_is(text: str) -> None:
    text += "\nx"
    verdicts = [is_table_head(text[:end], 0, final=False) for end in range(len(text) + 1)]
    certain = [verdict for verdict in verdicts if verdict is not None]
    assert len(set(certain)) == 1
    assert verdicts[: -len(certain)] == [None] * (len(verdicts) - len(certain))


def test_a_header_is_not_waited_for_without_end() -> None:
    head = "|" + "a" * (HEAD_REACH - 1)
    assert is_table_head(head, 0, final=False) is False
    assert is_table_head(head[:-1], 0, final=False) is None


def test_white_space_is_skipped_up_to_a_bound() -> None:
    assert skip_white("a \t\n b", 1) == 5
    assert skip_white("ab", 1) == 1
    assert skip_white(" " * 200, 10) == 10 + WHITE_HOLD


# Where tildes are fences, too.
TILDES: dict[str, Line] = {
    "~~~py\n": Line.FENCE,
    "~~~ py \n": Line.FENCE,
    "  ~~~~\nx": Line.FENCE,
    "~~~\n  x": Line.FENCE,
    "~~~\n\nx": Line.PROSE,
    "~~~\n~~~\n": Line.PROSE,
    "~~~\n" + " " * WHITE_HOLD + "x": Line.PROSE,
    "~~~\n": Line.PROSE,
    "~~~": Line.PROSE,
    "~~~py": Line.PROSE,
    "~~~" + "x" * WHITE_HOLD: Line.PROSE,
    "~~~" + " " * WHITE_HOLD + "\n": Line.PROSE,
    "~~~ The End ~~~\n": Line.PROSE,
    "~~~so~~~\n": Line.PROSE,
    "~~gone~~\n": Line.PROSE,
    "~" * LONGEST_RUN + "\nx": Line.FENCE,
    "~" * LONGEST_RUN + "~\nx": Line.PROSE,
    "```": Line.FENCE,
}


@pytest.mark.parametrize(("text", "kind"), TILDES.items())
def test_tildes_are_a_fence_where_they_may_be(text: str, kind: Line) -> None:
    assert read_line(text, 0, final=True, tildes=True) == (kind, len(text) - len(text.lstrip(" ")))
    early = [read_line(text[:size], 0, final=False, tildes=True) for size in range(1, len(text) + 1)]
    assert {found[0] for found in early if found} <= {kind}
    if "~" in text:
        assert read_line(text, 0, final=True) == (Line.PROSE, len(text) - len(text.lstrip(" ")))


def test_a_row_without_outer_pipes_has_a_bar_somewhere() -> None:
    assert has_pipe("a | b", 0, final=False)
    assert has_pipe("a\nb | c", 0, final=False) is False
    assert has_pipe("a", 0, final=False) is None
    assert has_pipe("a", 0, final=True) is False


def test_rows_below_a_line_without_an_outer_bar_need_none() -> None:
    assert is_bare("| a | b |\n--- | ---", 0)
    assert not is_bare("| a | b |\n |---|---|", 0)
    assert has_pipe("a" * HEAD_REACH, 0, final=False) is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("① x", (Line.ITEM, 1)), ("・x", (Line.ITEM, 1)), ("a) x", (Line.ITEM, 3)), ("a)x", (Line.PROSE, 0)),
        ("1、x", (Line.ITEM, 2)), ("1\ufe0f\u20e3 x", (Line.ITEM, 3)), ("1\u20e3 x", (Line.ITEM, 2)),
        ("1\ufe0fx", (Line.PROSE, 0)), ("1\ufe0f", None),
    ],
)  # fmt: skip
def test_many_signs_begin_an_item(text: str, expected: tuple[Line, int] | None) -> None:
    assert read_line(text, 0, final=False) == expected


@pytest.mark.parametrize(
    ("line", "leads"),
    [
        ("**Usage**", True), ("---", True), ("Luna: - a", True), ("Words.", False), ("-" * 300, False),
        ("Best,", True), ("└── a", True), ("***Usage***", True), ("__**Usage**__", True),
        ("**__Use__**", True), ("***So it is.***", False),
    ],
)  # fmt: skip
def test_some_lines_share_a_message_with_the_next(line: str, leads: bool) -> None:
    assert may_join_next_line(f"x\n{line}\ny", 2, 2 + len(line)) is leads


def test_the_line_below_the_end_of_a_letter_shares_a_message_with_the_next() -> None:
    assert may_join_next_line("Best,\nTom\nCEO", 6, 9)
    assert may_join_next_line("Hello,\nTom\nCEO", 7, 10) is False
    assert heads("Best,\nTom", light=True, blank=False)
    assert heads("Best,\nTom", light=True, blank=True) is False
    assert heads("Best,", light=False, blank=True)
    assert heads("Hello,\nTom", light=True, blank=False) is False


def test_a_bold_line_and_a_rule_belong_to_what_follows() -> None:
    assert heads("x\n**Usage**", light=True, blank=True)
    assert heads("**Usage**", light=False, blank=True) is False
    assert heads("---", light=False, blank=True)


@pytest.mark.parametrize(
    "line", ["# a", "###### a", "**a**", "🔥 **a** 🔥", "**a?**", "---", "⸻", "• • •", "~ ~ ~"]
)
def test_a_line_that_belongs_to_what_follows(line: str) -> None:
    assert is_head(line)


@pytest.mark.parametrize("line", ["a", "**a.**", "**a** b", "- a", "#a", "• a", "-# a", "***"[:2], ""])
def test_a_line_that_stands_for_itself(line: str) -> None:
    assert not is_head(line)


def find(marked: str, *, final: bool = True) -> bool | None:
    """Whether an item begins at the bar; None to wait."""
    at = marked.index("|")
    found = find_item(marked.replace("|", ""), at, final=final)
    assert found in (at, NOT_FOUND, NEED_MORE)
    return None if found == NEED_MORE else found == at


@pytest.mark.parametrize(
    "marked",
    [
        "1. Boil water. |2. Add tea",
        "so\n1) Boil water. |2) Add tea",
        "(1) Boil. |(2) Add",
        "1.烧水。|2.下面",
        "1、烧水。|2、下面",
        "（1）烧水。|（2）下面",
        "①烧水。|②下面",
        "一、烧水。|二、下面",
        "a) Wash it. |b) Dry it",
        "أ) افتح. |ب) أغلق",
        "– Vieni? |– No.",
        "1. " + "x" * 590 + ". |2. y",
    ],
)
def test_the_next_marker_begins_an_item(marked: str) -> None:
    assert find(marked) is True


@pytest.mark.parametrize(
    "marked",
    [
        "1. Boil water. |Then tea",
        "1. Boil water. |3. Add tea",
        "1. Boil water. |2) Add tea",
        "1. It is A11. |12. Add tea",
        "1. It costs. |2.5 is",
        "1. It costs. |a) much",
        "- Vieni? |– No.",
        "- It fell. |-5 is cold",
        "1. x\nBoil. |2. y",
        "1. " + "x" * 600 + ". |2. y",
    ],
)
def test_anything_else_begins_none(marked: str) -> None:
    assert find(marked) is False


@pytest.mark.parametrize("half", ["", "2", "2.", "12)", "(", "(2", "b", "b)", "二", "-"])
def test_half_a_marker_is_waited_for(half: str) -> None:
    assert find(f"1. Boil. |{half}", final=False) is None
    assert find(f"1. Boil. |{half}") is False
    assert find(f"1. Boil. |{half}xy", final=False) is False
