"""Draws a table with Pillow: styles, alignment, wrapping, East Asian letters and colour emoji.

The same table, look and faces give the same bytes. What the faces cannot show is not drawn at all: boxes
instead of letters help nobody, and Discord itself has a face for every script.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

from PIL import Image, ImageDraw

from .._events import Align, Attachment, Style, Table
from .fonts import Atom, Faces, Pick, find_faces, find_unknown, read_atoms
from .table_layout import DARK, CellLine, Layout, Pen, TableStyle, lay_out

__all__ = ["TableRenderer"]

CELLS = 2500
LETTERS = 100_000
SLANT = 0.2


class TableRenderer:
    """Draws tables in one look."""

    def __init__(self, look: TableStyle = DARK, faces: Faces | None = None) -> None:
        self._look = look
        self._faces = faces or find_faces()

    def draw(self, value: object) -> Attachment | None:
        """The picture of a table; None for anything else, and for a table that cannot be shown."""
        if not isinstance(value, Table) or not _is_moderate(value):
            return None
        rows = [[read_atoms(cell, self._faces) for cell in row] for row in (value.header, *value.rows)]
        if any(find_unknown(cell) for row in rows for cell in row):
            return None
        for scale in range(self._look.scale, 0, -1):
            pen = Pen(replace(self._look, scale=scale), self._faces)
            layout = lay_out(rows, pen)
            if layout and _fits(layout, pen.look):
                picture = _Picture(layout, pen, value.alignments).draw()
                return Attachment(value.name, _encode(picture), value.alt, spoiler=value.spoiler)
        return None


def _is_moderate(table: Table) -> bool:
    """Whether it is worth a try: nothing is measured before this."""
    if not table.header or (len(table.rows) + 1) * len(table.header) > CELLS:
        return False
    rows = (table.header, *table.rows)
    return sum(len(words.text) for row in rows for cell in row for words in cell) <= LETTERS


def _fits(layout: Layout, look: TableStyle) -> bool:
    width, height = sum(layout.widths), sum(layout.heights)
    return height <= look.tallest * look.scale and width * height <= look.pixels


def _encode(picture: Image.Image) -> bytes:
    stream = BytesIO()
    picture.save(stream, "PNG", compress_level=3)
    return stream.getvalue()


class _Picture:
    def __init__(self, layout: Layout, pen: Pen, alignments: tuple[Align, ...]) -> None:
        self._layout = layout
        self._pen = pen
        self._look = pen.look
        self._alignments = alignments
        self._image = Image.new("RGB", (sum(layout.widths) + 1, sum(layout.heights) + 1), pen.look.line)
        self._canvas = ImageDraw.Draw(self._image)

    def draw(self) -> Image.Image:
        y = 0
        for number, height in enumerate(self._layout.heights):
            x = 0
            for column, width in enumerate(self._layout.widths):
                self._draw_cell(number, column, (x, y, x + width, y + height))
                x += width
            y += height
        return self._image

    def _draw_cell(self, number: int, column: int, box: tuple[int, int, int, int]) -> None:
        look = self._look
        ground = look.rows[number % 2] if number else look.head
        left, top, right, bottom = box
        line = look.scale
        self._canvas.rectangle((left + line, top + line, right - 1, bottom - 1), fill=ground)
        across, down = (length * look.scale for length in look.pad)
        leading = look.leading * look.scale
        lines = self._layout.lines[number][column]
        for index, seen in enumerate(lines):
            room = right - left - 2 * across - seen.width
            side = self._alignments[column]
            if seen.right_to_left and side is Align.LEFT:
                side = Align.RIGHT
            x = left + across + {Align.LEFT: 0, Align.CENTER: room // 2, Align.RIGHT: room}[side]
            self._draw_line(seen, x, top + down + index * leading, head=not number)

    def _draw_line(self, seen: CellLine, x: int, top: int, *, head: bool) -> None:
        size, leading = self._pen.size, self._look.leading * self._look.scale
        base = top + (leading + round(size * 0.72)) // 2
        for atom, dx, width in seen.placed:
            if atom.style & Style.CODE:
                high = (base - round(size * 0.95), base + round(size * 0.3))
                edge = 2 * self._look.scale
                box = (x + dx - edge, high[0], x + dx + width + edge, high[1])
                self._canvas.rectangle(box, fill=self._look.code)
        for atom, dx, width in seen.placed:
            if atom.emoji:
                self._draw_emoji(atom, x + dx, base)
            elif atom.text != " ":
                self._draw_word(atom, x + dx, base, head=head)
            self._draw_marks(atom.style, x + dx, width, base, head=head)

    def _colour(self, style: Style, *, head: bool) -> str:
        if style & Style.LINK:
            return self._look.link
        return self._look.head_text if head else self._look.text

    def _draw_word(self, atom: Atom, x: int, base: int, *, head: bool) -> None:
        colour = self._colour(atom.style, head=head)
        pick = self._pen.pick(atom, head=head)
        for shift in (0, self._look.scale / 2) if pick.embolden else (0,):
            if pick.slant:
                self._draw_slanted(atom.text, x + round(shift), base, pick, colour)
            else:
                self._canvas.text((x + shift, base), atom.text, fill=colour, font=pick.font, anchor="ls")

    def _draw_slanted(self, text: str, x: int, base: int, pick: Pick, colour: str) -> None:
        """Letters that lean, for a font without an italic."""
        size = self._pen.size
        up, down = size + size // 3, size // 2
        width = round(pick.font.getlength(text)) + size
        mask = Image.new("L", (width, up + down), 0)
        ImageDraw.Draw(mask).text((size // 4, up), text, fill=255, font=pick.font, anchor="ls")
        leaning = (1, SLANT, -SLANT * up, 0, 1, 0)
        mask = mask.transform(mask.size, Image.Transform.AFFINE, leaning, Image.Resampling.BILINEAR)
        self._image.paste(colour, (x - size // 4, base - up), mask)

    def _draw_emoji(self, atom: Atom, x: int, base: int) -> None:
        size = round(self._pen.size * 1.2)
        picture = self._pen.faces.picture(atom.emoji, size)
        self._image.paste(picture, (x + size // 24, base - round(size * 0.82)), picture)

    def _draw_marks(self, style: Style, x: int, width: int, base: int, *, head: bool) -> None:
        colour, size = self._colour(style, head=head), self._pen.size
        for wanted, height in ((Style.STRIKETHROUGH, -0.32), (Style.UNDERLINE, 0.14)):
            if style & wanted:
                y = base + round(size * height)
                self._canvas.rectangle((x, y, x + width - 1, y + self._look.scale - 1), fill=colour)
