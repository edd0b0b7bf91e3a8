"""Rule 8: extract tables as values, to be drawn as images; the text around them keeps its order.

A table that is too large to draw, or that the settings do not want as an image, becomes a code block with
aligned columns. The same text is the fallback if drawing fails later.
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

RULE = "tables"
MAX_STRIPPED_CELLS = 1000
"""Tables up to this size lose the markers in their cells even if they are too large to draw."""

MAX_SPOILER_CODE_CHARS = 1500
"""Longest code block in a spoiler, which must fit in one message."""


class Part(NamedTuple):
    """A piece of a text, or the source of a table."""

    traced: TracedText
    table: Table | None = None


def split_tables(traced: TracedText, settings: Settings) -> list[Part]:
    """Split a text into its tables and the text between them, in order."""
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
        # White space before a table belongs to the table, so that no empty message remains.
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
    """Split a table into as many parts as it needs images."""
    parts: list[Part] = []
    tables = divide_rows(table)
    start = 0
    for part in tables[:-1]:
        # The first part also has the header and the line below it.
        rows = len(part.rows) + (0 if parts else 2)
        end = start
        for _ in range(rows):
            end = source.text.index("\n", end) + 1
        parts.append(Part(source.cut(start, end), part))
        start = end
    parts.append(Part(source.cut(start, len(source.text)), tables[-1]))
    return parts


def _with_names(source: TracedText, table: Table | None, settings: Settings) -> Table | None:
    """Return the table with written names instead of mentions: an image cannot ping."""
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
    """Remove closing markers that were added after the table: a cell ends its own markers."""
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
    """Return the text that replaces an image of a table: a code block with aligned columns."""
    rows = [[_cell_text(cell) for cell in row] for row in (table.header, *table.rows)]
    shown = show_rows(rows, table.alignments)
    return _hide(shown) if table.spoiler else shown


def _hide(shown: str) -> str:
    """Put a code block into spoilers; a long one becomes several blocks that fit in one message each."""
    blocks: list[str] = [""]
    for line in shown.split("\n")[1:-1]:
        for at in range(0, len(line) or 1, MAX_SPOILER_CODE_CHARS):
            if blocks[-1] and len(blocks[-1]) + len(line) > MAX_SPOILER_CODE_CHARS:
                blocks.append("")
            blocks[-1] += line[at : at + MAX_SPOILER_CODE_CHARS] + "\n"
    return "\n".join(f"||```\n{block}```||" for block in blocks)


def _in_code(source: TracedText, table: Table | None, settings: Settings) -> TracedText:
    """Replace a table by a code block."""
    body = source.text.strip()
    start = source.text.index(body)
    shown = table_text(table) if table else _plain_text(body, settings)
    return source.replace(RULE, [(start, start + len(body), shown)])


def _plain_text(source: str, settings: Settings) -> str:
    """Return the code block for a table that is too large to draw."""
    rows = read_rows(source)
    hidden = any(cell.count("||") > 1 for row in rows for cell in row)
    if len(rows) * len(rows[0]) <= MAX_STRIPPED_CELLS:
        rows = [[_cell_text(read_cell(cell, settings)) for cell in row] for row in rows]
    return _hide(show_rows(rows)) if hidden else show_rows(rows)


def _cell_text(cell: Cell) -> str:
    """Return the text of a cell with its URLs: links do not work in a code block."""
    text = ""
    for number, words in enumerate(cell, 1):
        text += words.text
        leaves = number == len(cell) or cell[number].url != words.url
        text += f" ({words.url})" if words.url and words.url != words.text and leaves else ""
    return text
