"""Compute the layout of a table image: column widths, wrapped lines and row heights.

Discord scales images down to a box of 550 x 350 pixels, on a
phone to a width of about 360. So the layout prefers a narrow table and makes it wider only to keep words whole
or rows low; letters of 16 pixels are then still shown with 12 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .._events import Style
from .fonts import NEWLINE, Atom, is_right_to_left, visual_order
from .table_style import TableStyle

if TYPE_CHECKING:
    from PIL import ImageFont

    from .fonts import FontChoice, FontSet


MIN_COLUMN_WIDTH_PX = 28
"""A table with a narrower column is unreadable and not drawn."""
LONG_WORD_PX = 150
"""A word longer than this may be broken."""


class Placed(NamedTuple):
    """An atom and its position in the line."""

    atom: Atom
    x: int
    width: int


class CellLine(NamedTuple):
    """A line of a cell in visual order, from left to right."""

    placed: list[Placed]
    width: int
    right_to_left: bool


class Layout(NamedTuple):
    """Column widths, row heights, and the lines of every cell by row and column."""

    widths: list[int]
    heights: list[int]
    lines: list[list[list[CellLine]]]


class AtomMeasurer:
    """Measures and wraps atoms in a style; lengths are pixels of the image."""

    def __init__(self, style: TableStyle, fonts: FontSet) -> None:
        self.style = style
        self.fonts = fonts
        self.size = style.size * style.scale
        # Widths by (text, style, is header): the same words occur many times, and measuring is slow.
        self._widths: dict[tuple[str, Style, bool], int] = {}

    def pick(self, atom: Atom, *, head: bool = False) -> FontChoice:
        """Return the font of an atom that is text, not an emoji."""
        assert atom.family is not None
        bold, italic = head or bool(atom.style & Style.BOLD), bool(atom.style & Style.ITALIC)
        return self.fonts.font(atom.family, self.size, bold=bold, italic=italic)

    def width(self, atom: Atom, *, head: bool = False) -> int:
        """Return the width of an atom."""
        if atom.emoji:
            return round(self.size * 1.3)
        key = (atom.text, atom.style, head)
        if key not in self._widths:
            self._widths[key] = round(self.pick(atom, head=head).font.getlength(atom.text))
        return self._widths[key]

    def wrap(self, atoms: Sequence[Atom], width_limit: int, *, head: bool = False) -> list[CellLine]:
        """Wrap atoms into lines of at most `width_limit` pixels; a wider word is broken."""
        lines: list[list[Atom]] = [[]]
        used = 0
        for atom in atoms:
            if atom.text == NEWLINE:
                lines.append([])
                used = 0
                continue
            width = self.width(atom, head=head)
            # A space at the start or the end of a line would only move the text.
            if atom.text == " " and (not lines[-1] or used + width > width_limit):
                continue
            for part in self._break(atom, width_limit, head=head) if width > width_limit else [atom]:
                wide = self.width(part, head=head)
                if used + wide > width_limit and lines[-1]:
                    lines.append([])
                    used = 0
                lines[-1].append(part)
                used += wide
        return [self._place(line, head=head) for line in lines]

    def _place(self, atoms: list[Atom], *, head: bool) -> CellLine:
        """Return the line in visual order, with the position of each atom."""
        texts = [atom.text for atom in atoms]
        placed, x = [], 0
        for atom in visual_order(atoms, texts):
            width = self.width(atom, head=head)
            placed.append(Placed(atom, x, width))
            x += width
        return CellLine(placed, x, is_right_to_left(texts))

    def _break(self, atom: Atom, width_limit: int, *, head: bool) -> list[Atom]:
        """Break a word into parts, each as long as fits."""
        if atom.emoji:
            return [atom]
        parts: list[Atom] = []
        font = self.pick(atom, head=head).font
        rest = atom.text
        while rest:
            fitting = _count_fitting(rest, width_limit, font)
            parts.append(atom._replace(text=rest[:fitting]))
            rest = rest[fitting:]
        return parts


def _count_fitting(text: str, width_limit: int, font: ImageFont.FreeTypeFont) -> int:
    """Return how many letters fit into the width, at least one."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if font.getlength(text[:middle]) <= width_limit:
            low = middle
        else:
            high = middle - 1
    return low


def layout_table(rows: Sequence[Sequence[list[Atom]]], measurer: AtomMeasurer) -> Layout | None:
    """Lay out a table.

    Args:
        rows: The cells as atoms; the first row is the header.
        measurer: Measures the atoms in the style of the table.

    Returns:
        The layout, or None if a column would be too narrow to read.

    """
    style = measurer.style
    across, down = (length * style.scale for length in style.pad)
    columns = [
        _measure([(row[index], not number) for number, row in enumerate(rows)], measurer)
        for index in range(len(rows[0]))
    ]
    # A short column keeps its text on one line if it needs no more than its share of two thirds of the table.
    fair = style.width * style.scale * 2 // 3 // len(columns) - 2 * across
    naturals = [natural + 2 * across for natural, _ in columns]
    longest = max(LONG_WORD_PX, style.max_width // len(columns)) * style.scale - 2 * across
    words = [max(min(word, longest), min(natural, fair)) + 2 * across for natural, word in columns]
    leading = style.leading * style.scale
    layout = None
    # Try the preferred width first, and a wider table only if this one becomes too tall.
    for width_limit in (style.width, (style.width + style.max_width) // 2, style.max_width):
        widths = fit_columns(naturals, words, width_limit * style.scale, style.max_width * style.scale)
        if min(widths) < min(MIN_COLUMN_WIDTH_PX * style.scale + 2 * across, *naturals):
            return None
        lines = [
            [
                measurer.wrap(cell, width - 2 * across, head=not number)
                for cell, width in zip(row, widths, strict=True)
            ]
            for number, row in enumerate(rows)
        ]
        heights = [max(len(cell) for cell in row) * leading + 2 * down for row in lines]
        layout = Layout(widths, heights, lines)
        if sum(heights) <= style.height * style.scale or sum(widths) >= sum(naturals):
            break
    return layout


def _measure(cells: Sequence[tuple[list[Atom], bool]], measurer: AtomMeasurer) -> tuple[int, int]:
    """Return the width of a column without wrapping, and the width of its longest word."""
    natural = word = 0
    for atoms, head in cells:
        line = 0
        for atom in atoms:
            width = 0 if atom.text == NEWLINE else measurer.width(atom, head=head)
            line = 0 if atom.text == NEWLINE else line + width
            natural, word = max(natural, line), max(word, width)
    return natural, word


def fit_columns(naturals: Sequence[int], words: Sequence[int], width_limit: int, width_cap: int) -> list[int]:
    """Distribute the width of a table over its columns.

    Args:
        naturals: The width of each column without wrapping.
        words: The width of the longest word of each column.
        width_limit: The preferred width of the table.
        width_cap: The width that long words may extend it to.

    Returns:
        A width for each column. It holds the longest word if possible; columns with more text get more of the rest.

    """
    if sum(naturals) <= width_limit:
        return list(naturals)
    width_limit = max(width_limit, min(sum(words), width_cap))
    if sum(words) > width_limit:
        # Words must be broken: columns above the fair share divide what the narrow columns leave.
        fair = width_limit // len(words)
        spare = sum(max(0, fair - word) for word in words)
        greed = sum(max(0, word - fair) for word in words)
        return [word if word <= fair else fair + (word - fair) * spare // greed for word in words]
    wishes = [
        min(natural, width_limit) - min(word, width_limit)
        for natural, word in zip(naturals, words, strict=True)
    ]
    left = width_limit - sum(words)
    return [
        word + (wish * left // sum(wishes) if wish else 0) for word, wish in zip(words, wishes, strict=True)
    ]
