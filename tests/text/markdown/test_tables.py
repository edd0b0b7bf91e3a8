"""Pipe tables: where they are, what is in them, how they look as text."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamcord._events import Align, Table
from streamcord._settings import Settings
from streamcord._text.markdown.scanner import scan
from streamcord._text.markdown.tables import (
    MAX_CELL_CHARS,
    MAX_COLUMNS,
    MAX_IMAGES,
    MAX_ROWS,
    align_rows,
    divide_rows,
    find_tables,
    has_head,
    read_rows,
    show_rows,
)

SETTINGS = Settings()


def tables(text: str) -> list[Table | None]:
    return [found.table for found in find_tables(text, scan(text, SETTINGS), SETTINGS)]


def texts(text: str) -> list[list[str]]:
    (table,) = tables(text)
    assert table
    return table.texts


def grid(rows: int, columns: int, cell: str = "x") -> str:
    line = f"| {cell} " * columns + "|"
    return "\n".join([line, "|---" * columns + "|", *[line] * rows])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |", [["a", "b"], ["1", "2"]]),
        ("|a|b|\n|-|-|\n|1|2|", [["a", "b"], ["1", "2"]]),
        ("| a | b\n|---|---\n| 1 | 2", [["a", "b"], ["1", "2"]]),
        ("  | a | b |\n  |---|---|\n  | 1 | 2 |", [["a", "b"], ["1", "2"]]),
        ("| a |\n|---|\n| 1 |", [["a"], ["1"]]),
        ("| a | b |\n|---|---|\n| 1 |", [["a", "b"], ["1", ""]]),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", [["a", "b"], ["1", "2 | 3"]]),
        ("| a | b |\n|---|---|\n| 1 | 2 | |", [["a", "b"], ["1", "2"]]),
        ("| a |\n|---|---|\n| 1 | 2 |", [["a", ""], ["1", "2"]]),
        ("| a | b |\n|---|---|\n| `x|y` | 2 |", [["a", "b"], ["x|y", "2"]]),
        ("| a | b |\n|---|---|\n| `` x|`y `` | 2 |", [["a", "b"], ["x|`y", "2"]]),
        ("| a | b | c |\n|---|---|---|\n| ` | tick | ` |", [["a", "b", "c"], ["`", "tick", "`"]]),
        ("| a | b | c |\n|---|---|---|\n| `x|y` `z` |", [["a", "b", "c"], ["x|y z", "", ""]]),
        ("| a | b |\n|---|---|\n| x \\| y | 2 |", [["a", "b"], ["x | y", "2"]]),
        ("| a | b |\n|---|---|\n| x || y |", [["a", "b"], ["x", "| y"]]),
        ("| a | b |\n|---|---|\n| ||x y|| | 2 |", [["a", "b"], ["x y", "2"]]),
        ("| a | b |\n|---|---|\n| 1 | ||x|| and ||y|| |", [["a", "b"], ["1", "x and y"]]),
        ("| a | b | c |\n|---|---|---|\n| 1 || 3 |", [["a", "b", "c"], ["1", "", "3"]]),
        ("| a | b |\n|---|---|\n|", [["a", "b"], ["", ""]]),
    ],
)
def test_cells_are_read_and_none_is_lost(text: str, expected: list[list[str]]) -> None:
    assert texts(text) == expected


def test_text_around_a_table_is_not_a_part_of_it() -> None:
    text = "Before:\n| a |\n|---|\n| 1 |\nafter\n\n| b |\n|---|\n| 2 |"
    found = find_tables(text, [], SETTINGS)

    assert [text[start:end] for start, end, _ in found] == ["| a |\n|---|\n| 1 |", "| b |\n|---|\n| 2 |"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "| a | b |",
        "| a | b |\n|---|---|",
        "| a | b |\n|---|---|\n\n| 1 | 2 |",
        "| a | b |\n|::|---|\n| 1 | 2 |",
        "| a | b |\n| | |\n| 1 | 2 |",
        "a | b\n---\n1 | 2",
        "> a | b\n--- | ---\n1 | 2",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "||secret\n| a | b |\n|---|---|\n| 1 | 2 |\nend||",
    ],
)
def test_what_is_no_table_stays_text(text: str) -> None:
    assert tables(text) == []


def test_a_table_needs_a_line_of_dashes() -> None:
    assert has_head("text\n| a |\n|---|")
    assert not has_head("| a |\n| b |")
    assert not has_head("text")


def test_colons_align_columns_and_the_rest_stands_left() -> None:
    (table,) = tables("| a | b | c | d |\n|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |")

    assert table
    assert table.alignments == (Align.LEFT, Align.CENTER, Align.RIGHT, Align.LEFT)


@pytest.mark.parametrize(
    "text",
    [
        grid(MAX_ROWS + 1, 2),
        grid(2, MAX_COLUMNS + 1),
        grid(2, 2, "x" * (MAX_CELL_CHARS + 1)),
        grid(1, 1) + "\n| " + "x" * MAX_CELL_CHARS * (MAX_COLUMNS + 1),
        "| a |\n" + "|---" * (MAX_COLUMNS + 1) + "|\n| 1 |",
    ],
)
def test_a_table_that_is_too_large_is_found_but_not_read(text: str) -> None:
    assert tables(text) == [None]


def test_the_largest_table_is_read() -> None:
    (table,) = tables(grid(MAX_ROWS, MAX_COLUMNS))

    assert table
    assert len(table.rows) == MAX_ROWS
    assert len(table.header) == MAX_COLUMNS


@given(st.text("|-: `\\ab\n*日", max_size=120))
def test_any_text_is_read_calmly_and_no_letter_of_a_table_is_lost(text: str) -> None:
    text = "| a |\n|---|\n" + text
    for start, end, _ in find_tables(text, [], SETTINGS):
        source = text[start:end]
        kept = "".join(cell for row in read_rows(source) for cell in row)
        lines = source.split("\n")
        for letter in "ab*日":
            assert kept.count(letter) == sum(line.count(letter) for line in (lines[0], *lines[2:]))


def test_a_plain_text_round_trips_to_the_same_cells() -> None:
    (table,) = tables("| a \\| b | **c** |\n|---|---|\n| [x](http://y.z) | `1|2` |\n| 日本 | |")

    assert table
    lines = [line.split(" | ") for line in table.plain.split("\n")]
    assert [[cell.replace(r"\|", "|") for cell in line] for line in lines] == table.texts
    assert table.alt == table.plain


@pytest.mark.parametrize("flood", ["|", "`|", "` `` ``` ", "\\|", "|-", "|\n|-\n", "| a |\n|---|\n"])
def test_cost_grows_with_the_length_only(flood: str) -> None:
    def seconds(length: int) -> float:
        text = "| a |\n|---|\n" + flood * (length // len(flood))
        began = process_time()
        for found in find_tables(text, [], SETTINGS):
            read_rows(text[found.start : found.end])
        return process_time() - began

    assert min(seconds(200_000) for _ in range(3)) < 0.02 + 20 * min(seconds(40_000) for _ in range(3))


# --- As text --------------------------------------------------------------------------------------


def test_columns_are_aligned_by_what_a_reader_sees() -> None:
    rows = [["Name", "Price", "Q"], ["日本", "3", "1"], ["x", "1000", "👍"]]

    assert align_rows(rows, (Align.LEFT, Align.RIGHT, Align.CENTER)) == [
        "Name │ Price │ Q ",
        "─────┼───────┼───",
        "日本 │     3 │ 1 ",
        "x    │  1000 │ 👍",
    ]


def test_lines_of_a_cell_stand_below_each_other() -> None:
    assert align_rows([["a", "b"], ["1\n22", "3"]]) == ["a  │ b", "───┼──", "1  │ 3", "22 │  "]


def test_backticks_in_a_cell_do_not_end_the_block() -> None:
    block = show_rows([["a"], ["```"]])

    assert block.startswith("```\n")
    assert block.endswith("\n```")
    assert block.count("```") == 2


def test_a_table_is_not_blown_up_by_its_longest_cells() -> None:
    rows = [["a"] * 200, *[["b"] * 200] * 20, ["x" * 39] * 200]
    block = show_rows(rows)

    assert block.startswith("```\na | a | a")
    assert len(block) < 4 * sum(len(cell) + 3 for row in rows for cell in row)


# --- Several pictures of one table ----------------------------------------------------------------


def divide(text: str) -> list[Table]:
    (table,) = tables(text)
    assert table
    return divide_rows(table)


def test_a_small_table_is_one_picture() -> None:
    (table,) = tables(grid(8, 3))

    assert table
    assert divide_rows(table) == [table]


@pytest.mark.parametrize("rows", [12, 30, 60, MAX_ROWS])
def test_a_long_one_is_several_with_the_same_header_and_all_rows(rows: int) -> None:
    (whole,) = tables(grid(rows, 3))
    parts = divide(grid(rows, 3))

    assert whole
    assert {part.header for part in parts} == {whole.header}
    assert [row for part in parts for row in part.rows] == list(whole.rows)
    assert all(part.plain == part.alt for part in parts)
    assert max(len(part.rows) for part in parts) <= 12
    assert 1 < len(parts) <= MAX_IMAGES


def test_a_row_of_many_lines_counts_more() -> None:
    low, high = divide(grid(24, 2)), divide(grid(24, 2, "some words to fill a line " * 5))

    assert len(high) > len(low)


def test_there_are_never_more_than_a_few() -> None:
    assert len(divide(grid(MAX_ROWS, 2, "word " * 100))) <= MAX_IMAGES


def test_cells_with_line_breaks_and_no_words_are_counted() -> None:
    assert len(divide(grid(12, 1, "a<br>b<br>c"))) > len(divide(grid(12, 1, "a")))
    assert len(divide(grid(3, 1, " "))) == 1


def test_a_table_may_have_no_outer_pipes() -> None:
    text = "x\na | b\n:-: | --\n1 | 2\n**3** | 4\nend"
    (found,) = find_tables(text, [], SETTINGS)
    assert text[found.start : found.end] == "a | b\n:-: | --\n1 | 2\n**3** | 4"
    assert texts(text) == [["a", "b"], ["1", "2"], ["3", "4"]]
