"""Rule 8: a table leaves the text as a value of its own, to be drawn; text around it keeps its place.

A table that is too large to be drawn, or that nobody wants as a picture, becomes a code block with aligned
columns. So does a picture that cannot be made, later on: the same text travels with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..._events import Added, Replaced
from ..markdown.scanner import scan
from ..markdown.table_cells import read_cell
from ..markdown.tables import divide_rows, find_tables, has_head, read_rows, show_rows
from ..traced_text import TracedText

if TYPE_CHECKING:
    from ..._events import Cell, Table
    from ..._settings import Settings

__all__ = ["RULE", "Part", "split_tables", "table_text"]

RULE = "tables"
MAX_STRIPPED_CELLS = 1000
"""Cells of a table that is too large to be drawn, up to which they still lose their markers."""

MAX_SPOILER_CODE_CHARS = 1500
"""Characters of a code block in a spoiler: Discord's messages must hold one as a whole."""


class Part(NamedTuple):
    """A piece of a passage: text, or the source of a table."""

    traced: TracedText
    table: Table | None = None


def split_tables(traced: TracedText, settings: Settings) -> list[Part]:
    """The parts of a passage, in order; one part if it has no table to draw."""
    if not has_head(traced.text):
        return [Part(traced)]
    written = _without_closers(traced)
    text = written.text
    found = find_tables(text, scan(text, settings), settings)
    if not found:
        return [Part(traced)]
    traced = written
    parts: list[Part] = []
    at = 0
    for start, end, read in found:
        if text[at:start].strip():
            parts.append(Part(traced.cut(at, start)))
            at = start
        line_end = end + len(text[end:]) - len(text[end:].lstrip())
        source, at = traced.cut(at, line_end), line_end
        table = _with_names(source, read, settings)
        if table is None or settings.tables == "code":
            parts.append(Part(_in_code(source, table, settings)))
        else:
            parts += _image_parts(source, table)
    if at < len(text):
        parts.append(Part(traced.cut(at, len(text))))
    return parts


def _image_parts(source: TracedText, table: Table) -> list[Part]:
    """A table as one part, or as several if one picture could not be read."""
    parts: list[Part] = []
    tables = divide_rows(table)
    start = 0
    for part in tables[:-1]:
        rows = len(part.rows) + (0 if parts else 2)
        end = start
        for _ in range(rows):
            end = source.text.index("\n", end) + 1
        parts.append(Part(source.cut(start, end), part))
        start = end
    parts.append(Part(source.cut(start, len(source.text)), tables[-1]))
    return parts


def _with_names(source: TracedText, table: Table | None, settings: Settings) -> Table | None:
    """Nobody is pinged by a picture: a mention in it is the name that the model wrote."""
    text, at = "", 0
    for length, _, record in source.runs:
        if isinstance(record, Replaced) and record.rule == "mention":
            text += record.before.partition("|")[0]
        else:
            text += source.text[at : at + length]
        at += length
    again = find_tables(text, (), settings) if text != source.text else ()
    return again[0].table if again else table


def _without_closers(traced: TracedText) -> TracedText:
    """A marker that the last cell leaves open ends with its cell: nothing is closed behind a table."""
    if not traced.additions:
        return traced
    kept, at = TracedText("", ()), 0
    for run in traced.runs:
        length, _, record = run
        if not (isinstance(record, Added) and record.why == "closed" and "|" not in record.text):
            kept += TracedText(traced.text[at : at + length], (run,))
        at += length
    return kept


def table_text(table: Table) -> str:
    """What is said instead of a picture of a table: a code block with aligned columns."""
    rows = [[_cell_text(cell) for cell in row] for row in (table.header, *table.rows)]
    shown = show_rows(rows, table.alignments)
    return _hide(shown) if table.spoiler else shown


def _hide(shown: str) -> str:
    """A code block that hides everything, in several blocks if it is long: a spoiler has an end."""
    blocks: list[str] = [""]
    for line in shown.split("\n")[1:-1]:
        for at in range(0, len(line) or 1, MAX_SPOILER_CODE_CHARS):
            if blocks[-1] and len(blocks[-1]) + len(line) > MAX_SPOILER_CODE_CHARS:
                blocks.append("")
            blocks[-1] += line[at : at + MAX_SPOILER_CODE_CHARS] + "\n"
    return "\n".join(f"||```\n{block}```||" for block in blocks)


def _in_code(source: TracedText, table: Table | None, settings: Settings) -> TracedText:
    body = source.text.strip()
    start = source.text.index(body)
    shown = table_text(table) if table else _plain_text(body, settings)
    return source.replace(RULE, [(start, start + len(body), shown)])


def _plain_text(source: str, settings: Settings) -> str:
    """The same for a table that is too large to be drawn."""
    rows = read_rows(source)
    hidden = any(cell.count("||") > 1 for row in rows for cell in row)
    if len(rows) * len(rows[0]) <= MAX_STRIPPED_CELLS:
        rows = [[_cell_text(read_cell(cell, settings)) for cell in row] for row in rows]
    return _hide(show_rows(rows)) if hidden else show_rows(rows)


def _cell_text(cell: Cell) -> str:
    """The words of a cell; nobody can follow a link in a code block, so its address is told."""
    text = ""
    for number, words in enumerate(cell, 1):
        text += words.text
        leaves = number == len(cell) or cell[number].url != words.url
        text += f" ({words.url})" if words.url and words.url != words.text and leaves else ""
    return text
