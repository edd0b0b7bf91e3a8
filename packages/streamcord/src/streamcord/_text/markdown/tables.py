"""Find pipe tables in a text and read them: header, alignments, rows, cells.

The grammar is GitHub's (https://github.github.com/gfm/#tables-extension-), more tolerant of what models write: a
pipe in inline code separates nothing, a short row is filled up, extra cells of a long row stay in its last cell,
and the outer pipes of all rows may be missing. The size of a table is checked before it is read, so that a huge
one costs little.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..._events import Align, Table
from ..._events.message import MAX_ALT_CHARS
from ..language.graphemes import display_width
from .break_points import AtomicRange
from .table_cells import read_cell

if TYPE_CHECKING:
    from ..._settings import Settings
    from .delimiter_stack import Span

MAX_ROWS = 100
"""Rows of a table that is drawn, its header not counted."""
MAX_COLUMNS = 20
"""Columns of a table that is drawn."""
MAX_CELL_CHARS = 600
"""Characters of one cell of a table that is drawn."""
IMAGE_ROW_UNITS = 38
"""Size of the part of a table that is one image: a row counts 1, and 2 for each of its lines."""
IMAGE_LINE_CHARS = 64
"""Characters in a line of an image, all columns together."""
MAX_IMAGES = 10
"""Maximum number of images of one table; those of a larger table contain more rows."""
MAX_PADDED_CHARS = 40
"""Maximum width to which the columns of a code block are padded."""

_HEAD = re.compile(r"^(?![ \t]*(?:\|\||[>#]))(?=[^\n|]*+\|)[^\n]*+\n(?=[ \t:-]*+\|)[ \t:|-]*+$", re.MULTILINE)
_ROW = re.compile(r"\n[ \t]*\|[^\n]*")
_BARE_ROW = re.compile(r"\n(?=[^\n|]*+\|)[^\n]*")
_DELIMITER = re.compile(r":?-+:?")
_TICKS = re.compile("`+")
_PIPE = re.compile(r"(?<!\\)\|")
_SPOILER = re.compile(r"(?<!\\)\|\|[^|\n]+(?<!\\)\|\|")
_CODE_FENCE = "`\u200b`\u200b`"


class Found(NamedTuple):
    """A table in a text: where it is, and what it is, unless it is too large to be drawn."""

    start: int
    end: int
    table: Table | None


def has_head(text: str) -> bool:
    """Return whether there may be a table: a row with a line of dashes below it."""
    return "|" in text and _HEAD.search(text) is not None


def find_tables(text: str, spans: Sequence[Span], settings: Settings) -> list[Found]:
    """Return the tables of a text that have a row and are not inside a span."""
    found: list[Found] = []
    whole = AtomicRange((span.start, span.end) for span in spans)
    at = 0
    while head := _HEAD.search(text, at):
        at = head.end()
        start = at
        rows = _ROW if all(line.lstrip(" \t").startswith("|") for line in head[0].split("\n")) else _BARE_ROW
        while row := rows.match(text, at):
            at = row.end()
        # A table in a code block or a spoiler is shown as it was written.
        free = whole.free(head.start()) and whole.free(at)
        if at > start and free and _has_delimiter(head[0]):
            found.append(Found(head.start(), at, _read_table(text[head.start() : at], settings)))
    return found


def _has_delimiter(head: str) -> bool:
    return all(_DELIMITER.fullmatch(cell) for cell in _divide(head.splitlines()[1]))


def _read_table(source: str, settings: Settings) -> Table | None:
    """Return the table of a source text, or None if it is too large to be drawn."""
    lines = source.split("\n")
    if (
        len(lines) - 2 > MAX_ROWS
        or lines[0].count("|") > MAX_COLUMNS + 1
        or lines[1].count("|") > MAX_COLUMNS + 1
    ):
        return None
    if max(map(len, lines)) > MAX_CELL_CHARS * MAX_COLUMNS:
        return None
    header, *rows = read_rows(source)
    if any(len(cell) > MAX_CELL_CHARS for row in (header, *rows) for cell in row):
        return None
    aligned = [_alignment(cell) for cell in _divide(lines[1])]
    aligned += [Align.LEFT] * (len(header) - len(aligned))
    head, *body = (tuple(read_cell(cell, settings) for cell in row) for row in (header, *rows))
    return Table(head, tuple(body), tuple(aligned), source)


def divide_rows(table: Table) -> list[Table]:
    """A table as several with the same header, each small enough for a picture and its alt text."""
    texts = table.texts
    shares = _shares(texts)
    costs = [1 + 2 * max(map(_count_lines, row, shares)) for row in texts]
    lengths = [len(line) + 1 for line in table.plain.split("\n")]
    size = 1
    while len(parts := _divide_rows(costs, lengths, size)) > MAX_IMAGES:
        size *= 2
    return [_rows_of(table, start, end) for start, end in parts] if len(parts) > 1 else [table]


def _divide_rows(costs: list[int], lengths: list[int], size: int) -> list[tuple[int, int]]:
    """Ranges of rows for pictures of `size` times the usual size; the lists begin with the header."""
    units, chars = IMAGE_ROW_UNITS * size - costs[0], MAX_ALT_CHARS * size - lengths[0]
    starts = [0]
    used, said = 0, 0
    for index, (cost, length) in enumerate(zip(costs[1:], lengths[1:], strict=True)):
        if index > starts[-1] and (used + cost > units or said + length > chars):
            starts.append(index)
            used, said = 0, 0
        used, said = used + cost, said + length
    return list(pairwise([*starts, len(costs) - 1]))


def _rows_of(table: Table, start: int, end: int) -> Table:
    written = table.source.split("\n")
    source = "\n".join([*written[:2], *written[start + 2 : end + 2]])
    return replace(table, rows=table.rows[start:end], source=source)


def _shares(texts: list[list[str]]) -> list[int]:
    """Characters of a line that each column gets, by its longest cell."""
    widths = [min(IMAGE_LINE_CHARS, max(map(len, column))) for column in zip(*texts, strict=True)]
    whole = max(IMAGE_LINE_CHARS, sum(widths) or 1)
    return [max(4, width * IMAGE_LINE_CHARS // whole) for width in widths]


def _count_lines(cell: str, share: int) -> int:
    return sum(max(1, -(-len(line) // share)) for line in cell.split("\n"))


def _alignment(cell: str) -> Align:
    if cell.endswith(":"):
        return Align.CENTER if cell.startswith(":") else Align.RIGHT
    return Align.LEFT


# --- Rows and cells -------------------------------------------------------------------------------


def read_rows(source: str) -> list[list[str]]:
    """Return the cells of all rows, header first; every row has the same number of cells."""
    lines = source.split("\n")
    header, delimiter = _divide(lines[0]), _divide(lines[1])
    columns = max(len(header), len(delimiter))
    rows = [header, *(_read_row(line, columns) for line in lines[2:])]
    return [_fit(row, columns) for row in rows]


def _read_row(line: str, columns: int) -> list[str]:
    """A row's cells; pipes in inline code count only if the row has too few cells without them.

    Those of a spoiler do not if the row has just the right cells then; else they stand around an empty cell.
    """
    cells = _divide(line)
    # `
    #
    # x
    #
    # ` in a row is either a spoiler or two empty cells; the number of columns decides.
    if len(cells) != columns and "||" in line:
        hidden = _divide(line, spoilers=True)
        if len(hidden) == columns:
            return hidden
    if len(cells) != columns and "`" in line:
        plain = _divide(line, code=False)
        return plain if len(plain) == columns else cells
    return cells


def _divide(line: str, *, code: bool = True, spoilers: bool = False) -> list[str]:
    """Return the cells of a line, without its outer pipes."""
    line = line.strip()
    pipes = [found.start() for found in _PIPE.finditer(line)]
    if code and "`" in line:
        pipes = _outside(pipes, _code_ranges(line))
    if spoilers:
        pipes = _outside(pipes, [found.span() for found in _SPOILER.finditer(line)])
    edges = [-1, *pipes, len(line)]
    cells = [line[start + 1 : end].strip().replace("\\|", "|") for start, end in zip(edges, edges[1:])]  # noqa: B905, RUF007
    first = 1 if pipes and pipes[0] == 0 else 0
    last = -1 if len(pipes) > first and pipes[-1] == len(line) - 1 else None
    return cells[first:last]


def _code_ranges(line: str) -> list[tuple[int, int]]:
    """Inline code: a run of backticks up to the next of the same length, found from the end in one go."""
    runs = [found.span() for found in _TICKS.finditer(line)]
    partner: dict[int, tuple[int, int]] = {}
    closers: list[tuple[int, int] | None] = []
    for start, end in reversed(runs):
        closers.append(partner.get(end - start))
        partner[end - start] = (start, end)
    ranges: list[tuple[int, int]] = []
    for (start, _), closer in zip(runs, reversed(closers), strict=True):
        if closer and (not ranges or start >= ranges[-1][1]):
            ranges.append((start, closer[1]))
    return ranges


def _outside(places: list[int], ranges: list[tuple[int, int]]) -> list[int]:
    """Return the positions that are in none of the ranges; both are in order."""
    kept: list[int] = []
    index = 0
    for place in places:
        while index < len(ranges) and ranges[index][1] <= place:
            index += 1
        if index == len(ranges) or place < ranges[index][0]:
            kept.append(place)
    return kept


def _fit(row: list[str], columns: int) -> list[str]:
    # Empty extra cells are dropped; others are kept in the last column.
    while len(row) > columns and not row[-1]:
        row.pop()
    if len(row) > columns:
        return [*row[: columns - 1], " | ".join(row[columns - 1 :]).strip()]
    return row + [""] * (columns - len(row))


# --- As text --------------------------------------------------------------------------------------


def show_rows(rows: Sequence[Sequence[str]], alignments: Sequence[Align] = ()) -> str:
    """Return a table as a code block, its columns aligned unless that makes it much longer."""
    lines = align_rows(rows, alignments)
    loose = [" | ".join(" ".join(cell.split("\n")) for cell in row) for row in rows]
    # One very long cell would pad every row of its column.
    if sum(map(len, lines)) > 4 * sum(map(len, loose)) + 400:
        lines = loose
    text = "\n".join(line.rstrip() for line in lines)
    return f"```\n{text.replace('```', _CODE_FENCE)}\n```"


def align_rows(rows: Sequence[Sequence[str]], alignments: Sequence[Align] = ()) -> list[str]:
    """Return the lines of a table, its columns aligned by their display width."""
    cells = [[cell.split("\n") for cell in row] for row in rows]
    widths = [
        min(MAX_PADDED_CHARS, max((display_width(line) for cell in column for line in cell), default=0))
        for column in zip(*cells, strict=True)
    ]
    sides = [*alignments, *[Align.LEFT] * (len(widths) - len(alignments))]
    lines: list[str] = []
    for number, row in enumerate(cells):
        for index in range(max((len(cell) for cell in row), default=0)):
            parts = [cell[index] if index < len(cell) else "" for cell in row]
            lines.append(" │ ".join(map(_pad, parts, widths, sides)))
        if number == 0:
            lines.append("─┼─".join("─" * width for width in widths))
    return lines


def _pad(text: str, width: int, side: Align) -> str:
    padding = max(0, width - display_width(text))
    left = {Align.LEFT: 0, Align.CENTER: padding // 2, Align.RIGHT: padding}[side]
    return " " * left + text + " " * (padding - left)
