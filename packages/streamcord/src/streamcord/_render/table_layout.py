"""How a table looks and where everything stands: colours, widths of columns, lines of cells, heights of rows.

Lengths of a `TableStyle` are pixels of an ordinary screen. Discord shows a picture in a box of 550 x 350 of
them, and on a phone in one some 360 wide; larger pictures are made smaller. So a table is laid out to be
narrow, and wider only if that keeps words whole or rows low: letters of 16 are then shown as 12 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .._events import Style
from .fonts import NEWLINE, Atom, is_right_to_left, order_as_seen

if TYPE_CHECKING:
    from PIL import ImageFont

    from .fonts import Faces, Pick

__all__ = ["DARK", "LIGHT", "PHONE", "Layout", "Pen", "Placed", "TableStyle", "fit_columns", "lay_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStyle:
    """Colours are `#rrggbb`; lengths are multiplied by `scale`, so that fine screens show fine letters."""

    head: str = "#2b2d31"
    rows: tuple[str, str] = ("#313338", "#2e3035")
    line: str = "#43454c"
    head_text: str = "#f2f3f5"
    text: str = "#dbdee1"
    link: str = "#4ea8fc"
    code: str = "#1e1f22"
    scale: int = 2
    size: int = 16
    """The height of a line's letters."""
    leading: int = 22
    """From one line to the next."""
    pad: tuple[int, int] = (10, 6)
    """Between a cell's edge and its words, across and down."""
    width: int = 480
    """What the table should fit into: a phone; words that cannot be broken make it wider,"""
    widest: int = 730
    """but no wider than this."""
    height: int = 466
    """A table that would be taller is made wider first."""
    tallest: int = 5000
    """A table that would be taller is not drawn."""
    pixels: int = 16_000_000
    """A picture of more pixels is drawn at half the scale, or not at all."""


DARK = TableStyle()
LIGHT = TableStyle(
    head="#f2f3f5", rows=("#ffffff", "#fafbfb"), line="#d9dbe0", head_text="#060607", text="#2e3338",
    link="#006ce7", code="#e8eaed",
)  # fmt: skip
PHONE = TableStyle(width=360, widest=480, size=15, leading=21, pad=(8, 5))


LEAST = 28
"""A column narrower than this shows nothing."""
LONG_WORD = 150
"""A word longer than this may be broken."""


class Placed(NamedTuple):
    """An atom and where in its line it begins."""

    atom: Atom
    x: int
    width: int


class CellLine(NamedTuple):
    """A line of a cell as it is seen, from left to right."""

    placed: list[Placed]
    width: int
    right_to_left: bool


class Layout(NamedTuple):
    """A table laid out: for each row its height, for each of its cells the lines."""

    widths: list[int]
    heights: list[int]
    lines: list[list[list[CellLine]]]


class Pen:
    """Measures atoms in a look; lengths are pixels of the picture."""

    def __init__(self, look: TableStyle, faces: Faces) -> None:
        self.look, self.faces = look, faces
        self.size = look.size * look.scale
        self._known: dict[tuple[str, Style, bool], int] = {}

    def pick(self, atom: Atom, *, head: bool = False) -> Pick:
        """The font of an atom that has letters."""
        assert atom.family is not None
        bold, italic = head or bool(atom.style & Style.BOLD), bool(atom.style & Style.ITALIC)
        return self.faces.font(atom.family, self.size, bold=bold, italic=italic)

    def width(self, atom: Atom, *, head: bool = False) -> int:
        """How wide an atom is."""
        if atom.emoji:
            return round(self.size * 1.3)
        key = (atom.text, atom.style, head)
        if key not in self._known:
            self._known[key] = round(self.pick(atom, head=head).font.getlength(atom.text))
        return self._known[key]

    def wrap(self, atoms: Sequence[Atom], room: int, *, head: bool = False) -> list[CellLine]:
        """Lines of atoms, each at most so wide; a word that is wider is broken."""
        lines: list[list[Atom]] = [[]]
        used = 0
        for atom in atoms:
            if atom.text == NEWLINE:
                lines.append([])
                used = 0
                continue
            width = self.width(atom, head=head)
            if atom.text == " " and (not lines[-1] or used + width > room):
                continue
            for part in self._break(atom, room, head=head) if width > room else [atom]:
                wide = self.width(part, head=head)
                if used + wide > room and lines[-1]:
                    lines.append([])
                    used = 0
                lines[-1].append(part)
                used += wide
        return [self._place(line, head=head) for line in lines]

    def _place(self, atoms: list[Atom], *, head: bool) -> CellLine:
        """Where each atom of a line stands, in the order in which it is seen."""
        texts = [atom.text for atom in atoms]
        placed, x = [], 0
        for atom in order_as_seen(atoms, texts):
            width = self.width(atom, head=head)
            placed.append(Placed(atom, x, width))
            x += width
        return CellLine(placed, x, is_right_to_left(texts))

    def _break(self, atom: Atom, room: int, *, head: bool) -> list[Atom]:
        """Parts of a word, each as long as fits."""
        if atom.emoji:
            return [atom]
        parts: list[Atom] = []
        font = self.pick(atom, head=head).font
        rest = atom.text
        while rest:
            fitting = _count_fitting(rest, room, font)
            parts.append(atom._replace(text=rest[:fitting]))
            rest = rest[fitting:]
        return parts


def _count_fitting(text: str, room: int, font: ImageFont.FreeTypeFont) -> int:
    """How many letters fit, but at least one."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if font.getlength(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def lay_out(rows: Sequence[Sequence[list[Atom]]], pen: Pen) -> Layout | None:
    """The layout of a table whose first row is its header, or None if it cannot be shown in its look."""
    look = pen.look
    across, down = (length * look.scale for length in look.pad)
    columns = [
        _measure([(row[index], not number) for number, row in enumerate(rows)], pen)
        for index in range(len(rows[0]))
    ]
    room = look.width * look.scale
    fair = room * 2 // 3 // len(columns) - 2 * across
    naturals = [natural + 2 * across for natural, _ in columns]
    longest = max(LONG_WORD, look.widest // len(columns)) * look.scale - 2 * across
    words = [max(min(word, longest), min(natural, fair)) + 2 * across for natural, word in columns]
    leading = look.leading * look.scale
    layout = None
    for room in (look.width, (look.width + look.widest) // 2, look.widest):
        widths = fit_columns(naturals, words, room * look.scale, look.widest * look.scale)
        if min(widths) < min(LEAST * look.scale + 2 * across, *naturals):
            return None
        lines = [
            [
                pen.wrap(cell, width - 2 * across, head=not number)
                for cell, width in zip(row, widths, strict=True)
            ]
            for number, row in enumerate(rows)
        ]
        heights = [max(len(cell) for cell in row) * leading + 2 * down for row in lines]
        layout = Layout(widths, heights, lines)
        if sum(heights) <= look.height * look.scale or sum(widths) >= sum(naturals):
            break
    return layout


def _measure(cells: Sequence[tuple[list[Atom], bool]], pen: Pen) -> tuple[int, int]:
    """How wide a column would like to be, and its longest word."""
    natural = word = 0
    for atoms, head in cells:
        line = 0
        for atom in atoms:
            width = 0 if atom.text == NEWLINE else pen.width(atom, head=head)
            line = 0 if atom.text == NEWLINE else line + width
            natural, word = max(natural, line), max(word, width)
    return natural, word


def fit_columns(naturals: Sequence[int], words: Sequence[int], room: int, most: int) -> list[int]:
    """Widths that fit: each column has room for its longest word, and what is left goes where the text is."""
    if sum(naturals) <= room:
        return list(naturals)
    room = max(room, min(sum(words), most))
    if sum(words) > room:  # words must be broken
        fair = room // len(words)
        spare = sum(max(0, fair - word) for word in words)
        greed = sum(max(0, word - fair) for word in words)
        return [word if word <= fair else fair + (word - fair) * spare // greed for word in words]
    wishes = [min(natural, room) - min(word, room) for natural, word in zip(naturals, words, strict=True)]
    left = room - sum(words)
    return [
        word + (wish * left // sum(wishes) if wish else 0) for word, wish in zip(words, wishes, strict=True)
    ]
