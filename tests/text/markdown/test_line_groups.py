"""Which lines announce the next one."""

from __future__ import annotations

import pytest

from streamcord._text.markdown.line_groups import (
    MAX_CODE_LINE_CHARS,
    MAX_LABEL_CHARS,
    MAX_VERSE_CHARS,
    LineGroup,
    find_group,
    find_unchangeable_lines,
    is_label,
    looks_like_code,
    may_group,
)


@pytest.mark.parametrize("line", ["Cons:", "- Cons:", "**Cons:**", "**Cons**:", "手順："])
def test_a_phrase_that_ends_with_a_colon_is_a_label(line: str) -> None:
    assert is_label(line)


@pytest.mark.parametrize(
    "line", ["Cons", "*so*", "::", "One. Two:", "hello :wave:", "x" * MAX_LABEL_CHARS + ":", ""]
)
def test_other_lines_are_no_labels(line: str) -> None:
    assert not is_label(line)


def group(text: str, above: LineGroup = LineGroup.NEW, *, final: bool = True) -> LineGroup | None:
    """What joins the first two lines of a text that are not blank."""
    end = text.index("\n")
    below = end + len(text[end:]) - len(text[end:].lstrip("\n"))
    return find_group(text, 0, end, below, group=above, final=final)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Roses are red,\nViolets are blue,\nSugar is sweet.", LineGroup.STANZA),
        ("Apples\nPears", LineGroup.STANZA),
        ("The sun is high.\nThe day is long.\nThe birds all fly.\nWe sing a song.", LineGroup.STANZA),
        ("I see the light.\nIt is so bright.", LineGroup.STANZA),
        ("I am going.\nYou are knowing.", LineGroup.NONE),
        ("I see the light.\nIt is a day.", LineGroup.NONE),
        ("I see the ‘7’.\nIt is a day.", LineGroup.NONE),
        ("I see the light.\nIt is a day.\n\nIt is so bright.", LineGroup.NONE),
        ("Row the boat now.\nRow the boat now.", LineGroup.NONE),
        ("Hey!\nHow are you?", LineGroup.NONE),
        ("hey you\nwhat is it", LineGroup.NONE),
        ("Hey you\nwhat is it", LineGroup.NONE),
        ("One. Two\nThree", LineGroup.NONE),
        ("Tom: hi\nAnn: hello", LineGroup.NONE),
        ("Look\nAt https://a.b", LineGroup.NONE),
        (f"Look\n{'X' * (MAX_VERSE_CHARS + 1)}", LineGroup.NONE),
        ("Look\n- at this", LineGroup.NONE),
        ("Look\n    at this", LineGroup.CODE),
        ("Look\n\n    at this", LineGroup.NONE),
        ("x = 5\ny = 6", LineGroup.CODE),
        ("x = 5\nthat is it", LineGroup.NONE),
        (f"x = 5\n{'y' * (MAX_CODE_LINE_CHARS + 1)}", LineGroup.NONE),
        ("| a |\n| b |", LineGroup.ROWS),
        ("| a |\n\n| b |", LineGroup.ROWS),
        ("| a |\n| b |\n|---|", LineGroup.NONE),
        ("| a |\nb", LineGroup.NONE),
        ("+---+\n| a |", LineGroup.ROWS),
        ("a | b\nc | d", LineGroup.ROWS),
        ("a | b\n---+---", LineGroup.ROWS),
        ("a | b\nc", LineGroup.NONE),
        ("a | b.\nc | d", LineGroup.NONE),
        ("---\nc", LineGroup.NONE),
    ],
)
def test_lines_belong_together(text: str, expected: LineGroup) -> None:
    assert group(text) == expected


def test_lines_go_on_as_those_above_them() -> None:
    assert group("That is it.\nSo it is", LineGroup.STANZA) == LineGroup.STANZA
    assert group("That is it.\nso it is", LineGroup.STANZA) == LineGroup.NONE
    assert group("That is it.\n\nSo it is", LineGroup.STANZA) == LineGroup.NONE
    assert group("Apples\nPears", LineGroup.NONE) == LineGroup.NONE
    assert group("    x\n\n    y", LineGroup.CODE) == LineGroup.CODE
    assert group("    x\nfoo()", LineGroup.CODE) == LineGroup.CODE
    assert group("    x\nSo it is.", LineGroup.CODE) == LineGroup.NONE


@pytest.mark.parametrize(
    "text",
    [
        "| a |\n| b |",
        "x = 5\ny = ",
        "Apples\nPe",
        "Apples\n1",
        "Apples are good.\nPears are fine.\n",
    ],
)
def test_undecided_lines_wait(text: str) -> None:
    assert group(text, final=False) is None


def test_verse_waits_for_the_end_of_the_next_one() -> None:
    assert group("Apples\nPe", LineGroup.STANZA, final=False) is None


@pytest.mark.parametrize(
    "line",
    ["});", "if (x) {", "foo();", "x = 5", "const x = 5", "print(x)", "def f(n):", "return n", "import os",
     "from a import b", "// so", "#include <a>", "    x += 1", "else:"],
)  # fmt: skip
def test_code_looks_like_code(line: str) -> None:
    assert looks_like_code(line)


@pytest.mark.parametrize(
    "line",
    [
        "So it is.",
        "For example:",
        "Yes; no;",
        "I love (you)",
        "=",
        "",
        "x" * 300 + ";",
    ],
)
def test_prose_does_not_look_like_code(line: str) -> None:
    assert not looks_like_code(line)


@pytest.mark.parametrize(
    ("text", "above", "expected"),
    [
        ("so it is\n1", LineGroup.NEW, False),
        ("so it is\n1", LineGroup.STANZA, True),
        ("So it is\n1", LineGroup.NEW, True),
        ("so it is:\n1", LineGroup.NONE, True),
        ("so it is\n  1", LineGroup.NONE, True),
        ("x = 5\n1", LineGroup.NONE, True),
        (f"{'x' * 300}\n1", LineGroup.STANZA, False),
    ],
)
def test_next_line_decides_only_where_lines_may_belong_together(
    text: str, above: LineGroup, expected: bool
) -> None:
    end = text.index("\n")
    assert may_group(text, 0, end, end + 1, above) is expected


def test_over_a_blank_line_only_code_rows_and_labels_lead_on() -> None:
    assert may_group("x = 5\n\ny", 0, 5, 7, LineGroup.CODE)
    assert may_group("| a |\n\n|", 0, 5, 7, LineGroup.NEW)
    assert may_group("Cons:\n\n1", 0, 5, 7, LineGroup.NEW)
    assert not may_group("So it\n\n1", 0, 5, 7, LineGroup.NEW)


def test_strict_stanza_has_lines_that_end_with_commas() -> None:
    assert group("Roses are red,\nViolets are blue,", LineGroup.NEW_STRICT) == LineGroup.STANZA
    assert group("Roses are red\nViolets are blue", LineGroup.NEW_STRICT) == LineGroup.NONE
    assert group("I. Introduction\nII. Methods") == LineGroup.NONE


def test_humanizer_leaves_code_and_verses_alone() -> None:
    text = "The loop:\nfor x in y:\n    go\n\nRoses are red,\nViolets are blue,\n\nSo it is.\nYes"
    found = [text[start:end] for start, end in find_unchangeable_lines(text)]
    assert found == ["for x in y:", "    go", "Roses are red,\nViolets are blue,"]
