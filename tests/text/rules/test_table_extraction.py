"""Rule 8: a passage parted by its tables."""

from __future__ import annotations

import sys
from time import process_time

import pytest

from conservation import conserve
from streamcord._events import Message, Table, TurnEvent
from streamcord._settings import Settings, read_settings
from streamcord._text.markdown.tables import MAX_ROWS
from streamcord._text.pipeline import Pipeline
from streamcord._text.rules.table_extraction import RULE, split_tables, table_text
from streamcord._text.traced_text import TracedText

TABLE = "| a | b |\n|---|--:|\n| **1** | 2 |"
BLOCK = "```\na │ b\n──┼──\n1 │ 2\n```"
LARGE = "| a | b |\n|---|---|\n" + "| *x* | y |\n" * (MAX_ROWS + 1)


def split(text: str, **settings: str) -> list[tuple[str, Table | None]]:
    traced = TracedText.from_spans(text, ((0, len(text)),))
    return [(p.traced.text, p.table) for p in split_tables(traced, Settings.from_mapping(settings))]


@pytest.mark.parametrize("text", ["plain", "a | b", "| a\nb", "```\n" + TABLE + "\n```"])
def test_text_without_a_table_is_one_part(text: str) -> None:
    assert split(text) == [(text, None)]


def test_text_around_tables_keeps_its_place() -> None:
    parts = split(f"one\n\n{TABLE}\n\ntwo\n{TABLE}\n\n{TABLE}\n")

    assert [(text, table is not None) for text, table in parts] == [
        ("one\n\n", False),
        (TABLE + "\n\n", True),
        ("two\n", False),
        (TABLE + "\n\n", True),
        (TABLE + "\n", True),
    ]


def test_a_table_knows_its_source() -> None:
    ((_, table),) = split(f"\n{TABLE}\n")

    assert table
    assert table.source == TABLE


def test_without_pictures_a_table_is_a_code_block() -> None:
    assert split(f"{TABLE}\nbye", tables="code") == [(BLOCK + "\n", None), ("bye", None)]


def test_a_table_that_is_too_large_is_a_code_block_without_markers() -> None:
    ((text, table),) = split(LARGE)

    assert table is None
    assert text.startswith("```\na │ b\n──┼──\nx │ y\n")


def test_a_huge_table_keeps_its_markers() -> None:
    ((text, _),) = split(LARGE + "| *x* | y |\n" * 1000)

    assert "*x* │ y" in text


def test_the_edit_is_recorded() -> None:
    traced = TracedText.from_spans(TABLE, ((5, 5 + len(TABLE)),))
    (part,) = split_tables(traced, Settings(tables="code"))

    (edit,) = part.traced.edits
    assert (edit.rule, edit.before, edit.after) == (RULE, TABLE, BLOCK)
    assert edit.spans == ((5, 5 + len(TABLE)),)


def test_what_the_last_cell_leaves_open_is_not_closed_behind_the_table() -> None:
    written = TracedText.from_spans(TABLE, ((0, len(TABLE)),))
    (part,) = split_tables(written + TracedText.added("**", "closed"), Settings())

    assert part.traced.text == TABLE
    (part,) = split_tables(TracedText.added(">>> ", "reopened") + written, Settings())
    assert part.table is None


def test_the_other_half_of_bars_that_hide_is_no_marker_behind_the_table() -> None:
    text = "| who | n |\n|---|---|\n| 1 | ||Bob|"
    written = TracedText.from_spans(text, ((0, len(text)),))
    (part,) = split_tables(written + TracedText.added("|", "closed"), Settings())

    assert part.table
    assert part.table.spoiler


@pytest.mark.parametrize("cell", ["||Bob|| did it", r"\|\|Bob\|\| did it"])
def test_a_table_that_hides_something_is_covered_as_a_whole(cell: str) -> None:
    ((_, table),) = split(f"| who | n |\n|---|---|\n| {cell} | 1 |")

    assert table
    assert table.spoiler
    assert table.name == "SPOILER_table.png"
    assert "Bob" not in table.alt
    assert table_text(table).startswith("||```\n")
    assert table_text(table).endswith("\n```||")


@pytest.mark.parametrize("rows", [MAX_ROWS + 1, 600])
def test_a_large_table_that_hides_something_is_covered_in_every_message(rows: int) -> None:
    text = "| who | n |\n|---|---|\n" + "| ||Bob|| | 1 |\n" * rows + "| ||" + "x" * 5000 + "|| | 2 |"
    messages = [event.content for event in run(text) if isinstance(event, Message)]

    assert all(content.startswith("||```") and content.endswith("```||") for content in messages)


def test_url_is_written_out_in_code_block() -> None:
    ((_, table),) = split("| a |\n|---|\n| [x *y*](http://u.v) http://w.x [z](http://z.z)[q](http://q.q) |")

    assert table
    assert "x y (http://u.v) http://w.x z (http://z.z)q (http://q.q)" in table_text(table)


def test_a_mention_in_a_picture_is_the_name_that_was_written() -> None:
    text = "| who |\n|---|\n| @bob|1 |\n"
    at = text.index("@")
    traced = TracedText.from_spans(text, ((0, len(text)),)).replace("mention", [(at, at + 6, "<@1>")])
    (part,) = split_tables(traced, Settings())

    assert part.table
    assert part.table.texts == [["who"], ["@bob"]]
    assert part.traced.edits[0].after == "<@1>"


# --- In the pipeline ------------------------------------------------------------------------------


def run(text: str, **settings: object) -> list[TurnEvent]:
    chosen, context = read_settings({"message_cap": 0, "answer_cap": 0, **settings})
    pipeline = Pipeline(chosen, context=context)
    return [*pipeline.feed(text), *pipeline.flush()]


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_a_table_is_a_message_of_its_own(degree: int) -> None:
    events = run(f"One.\n\n{TABLE}\n\nTwo!", degree=degree, humanize=False)

    messages = [event for event in events if isinstance(event, Message)]
    assert [message.content for message in messages] == ["One.", "", "Two!"]
    (table,) = messages[1].files
    assert isinstance(table, Table)
    assert table.texts == [["a", "b"], ["1", "2"]]
    assert messages[1].fallback == BLOCK
    assert conserve(f"One.\n\n{TABLE}\n\nTwo!", events).violations == []


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_a_long_table_goes_on_as_further_tables_with_its_header(degree: int) -> None:
    row = "| " + "long words in a cell " * 25 + "| {} |\n"
    text = "One:\n| :a: | b |\n|---|---|\n" + "".join(row.format(n) for n in range(80)) + "\nTwo!"
    events = run(text, degree=degree, humanize=False, emoji=[{"name": "z", "id": 1}])

    first, *tables, last = (event for event in events if isinstance(event, Message))
    assert (first.content, last.content) == ("One:", "Two!")
    drawn = [file for message in tables for file in message.files if isinstance(file, Table)]
    assert len(tables) == len(drawn)
    assert [len(table.rows) for table in drawn] == [3] * 26 + [2]
    assert {table.texts[0][1] for table in drawn} == {"b"}
    assert [row[1] for table in drawn for row in table.texts[1:]] == [str(n) for n in range(80)]
    assert conserve(text, events).violations == []


def test_a_table_that_one_picture_cannot_show_is_several_and_nothing_is_lost() -> None:
    text = "| No. | Word |\n|---|---|\n" + "".join(f"| {n} | word {n} |\n" for n in range(30)) + "Done."
    events = run(text, degree=2)

    *tables, last = (event for event in events if isinstance(event, Message))
    drawn = [file for message in tables for file in message.files if isinstance(file, Table)]
    assert last.content == "Done."
    assert [len(table.rows) for table in drawn] == [11, 11, 8]
    assert all(table.source.startswith("| No. | Word |\n|---|---|\n| ") for table in drawn)
    assert conserve(text, events).violations == []


BOMBS = {
    "a million cells": "| a |\n|---|\n" + ("| x " * 1000 + "|\n") * 1000,
    "ten thousand rows": "| a " * 10 + "|\n" + "|---" * 10 + "|\n" + ("| x " * 10 + "|\n") * 10_000,
    "a cell of a megabyte": "| a | b |\n|---|---|\n| " + "x" * 1_000_000 + " | y |",
    "ten thousand columns": "| x " * 10_000 + "|\n" + "|---" * 10_000 + "|\n" + "| y " * 10_000 + "|",
    "five hundred tables": (TABLE + "\n\n") * 500,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_a_bomb_loses_nothing_and_costs_little(text: str) -> None:
    def seconds(mode: str) -> float:
        began = process_time()
        run(text, tables=mode)
        return process_time() - began

    events = run(text)
    assert conserve(text, events).violations == []
    if sys.gettrace() is not None:
        return  # the one who counts lines makes every line slow
    # The bar is 0.1; a busy machine is given some room, and several tries: what is slow is slow in each.
    assert any(seconds("picture") - seconds("off") < 0.3 for _ in range(4))
