"""How a table looks and where everything stands: colours, widths of columns, lines of cells, heights of rows.

Lengths of a `TableStyle` are pixels of an ordinary screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .._events import Style
from .fonts import NEWLINE, Atom

if TYPE_CHECKING:
    from PIL import ImageFont

    from .fonts import Faces

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
    leading: int = 24
    """From one line to the next."""
    pad: tuple[int, int] = (14, 9)
    """Between a cell's edge and its words, across and down."""
    width: int = 640
    """What the table should fit into; words that cannot be broken make it wider,"""
    widest: int = 1400
    """but no wider than this."""
    tallest: int = 5000
    """A table that would be taller is not drawn."""
    pixels: int = 16_000_000
    """A picture of more pixels is drawn at half the scale, or not at all."""


DARK = TableStyle()
LIGHT = TableStyle(
    head="#f2f3f5", rows=("#ffffff", "#fafbfb"), line="#d9dbe0", head_text="#060607", text="#2e3338",
    link="#006ce7", code="#e8eaed",
)  # fmt: skip
PHONE = TableStyle(width=360, size=15, leading=22, pad=(9, 7))


LEAST = 28
"""A column narrower than this shows nothing."""
LONG_WORD = 150
"""A word longer than this may be broken."""


class Placed(NamedTuple):
    """An atom and where in its line it begins."""

    atom: Atom
    x: int
    width: int


class Layout(NamedTuple):
    """A table laid out: for each row its height, for each of its cells the lines."""

    widths: list[int]
    heights: list[int]
    lines: list[list[list[list[Placed]]]]


class Pen:
    """Measures atoms in a look; lengths are pixels of the picture."""

    def __init__(self, look: TableStyle, faces: Faces) -> None:
        self.look, self.faces = look, faces
        self.size = look.size * look.scale
        self._known: dict[tuple[str, bool], int] = {}

    def width(self, atom: Atom, *, head: bool = False) -> int:
        """How wide an atom is."""
        if atom.emoji:
            return round(self.size * 1.3)
        bold = head or bool(atom.style & Style.BOLD)
        key = (atom.text, bold)
        if key not in self._known:
            self._known[key] = round(self.faces.font(self.size, bold=bold).getlength(atom.text))
        return self._known[key]

    def wrap(self, atoms: Sequence[Atom], room: int, *, head: bool = False) -> list[list[Placed]]:
        """Lines of atoms, each at most so wide; a word that is wider is broken."""
        lines: list[list[Placed]] = [[]]
        x = 0
        for atom in atoms:
            if atom.text == NEWLINE:
                lines.append([])
                x = 0
                continue
            width = self.width(atom, head=head)
            if x + width > room and lines[-1] and atom.text != " ":
                lines.append([])
                x = 0
            if atom.text == " " and (not lines[-1] or x + width > room):
                continue
            for part in self._break(atom, room, head=head) if width > room else [atom]:
                wide = self.width(part, head=head) if part is not atom else width
                if x + wide > room and lines[-1]:
                    lines.append([])
                    x = 0
                lines[-1].append(Placed(part, x, wide))
                x += wide
        return lines

    def _break(self, atom: Atom, room: int, *, head: bool) -> list[Atom]:
        """Parts of a word, each as long as fits."""
        parts: list[Atom] = []
        font = self.faces.font(self.size, bold=head or bool(atom.style & Style.BOLD))
        rest = "" if atom.emoji else atom.text
        while rest:
            fitting = _count_fitting(rest, room, font)
            parts.append(atom._replace(text=rest[:fitting]))
            rest = rest[fitting:]
        return parts or [atom]


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
    room = look.width * look.scale
    most = look.widest * look.scale
    columns = [
        _measure([(row[index], not number) for number, row in enumerate(rows)], pen)
        for index in range(len(rows[0]))
    ]
    longest = min(LONG_WORD * look.scale, room // 3)
    fair = room * 2 // 3 // len(columns)
    widths = fit_columns(
        [natural + 2 * across for natural, _ in columns],
        [max(min(word, longest), min(natural, fair)) + 2 * across for natural, word in columns],
        room,
        most,
    )
    if min(widths) < LEAST * look.scale + 2 * across and sum(widths) >= most:
        return None
    lines = [
        [pen.wrap(cell, width - 2 * across, head=not number) for cell, width in zip(row, widths, strict=True)]
        for number, row in enumerate(rows)
    ]
    leading = look.leading * look.scale
    heights = [max(len(cell) for cell in row) * leading + 2 * down for row in lines]
    return Layout(widths, heights, lines)


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
    """Widths that fit: narrow columns get what they want, wide ones share the rest, words stay whole."""
    if sum(naturals) <= room:
        return list(naturals)
    widths = [0] * len(naturals)
    left = max(room, min(sum(words), most))
    order = sorted(range(len(naturals)), key=lambda index: (naturals[index], index))
    floors = [min(word, left // len(naturals)) if sum(words) > left else word for word in words]
    reserve = sum(floors)
    for place, index in enumerate(order):
        reserve -= floors[index]
        share = min(left // (len(order) - place), left - reserve)
        widths[index] = max(floors[index], min(naturals[index], share))
        left -= widths[index]
    return widths
