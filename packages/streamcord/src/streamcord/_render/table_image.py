"""Draw a table with Pillow: styles, alignment, wrapping, East Asian letters and colour emoji.

The same table, style and fonts give the same bytes. A table with a character that no installed font has is not
drawn, because an empty box is unreadable; sent as text, Discord shows it with its own fonts.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

from PIL import Image, ImageDraw

from .._events import Align, Attachment, Style, Table
from .fonts import Atom, FontChoice, FontSet, find_fonts, find_unknown, read_atoms
from .table_layout import AtomMeasurer, CellLine, Layout, layout_table
from .table_style import DARK, TableStyle

MAX_CELLS = 2500
"""Larger tables are not drawn."""
MAX_CHARS = 100_000
"""Tables with more characters are not drawn."""
ITALIC_SLANT = 0.2
"""Horizontal shift per pixel of height, for fonts without an italic."""


class TableRenderer:
    """A `Renderer` that draws tables in one style."""

    def __init__(self, style: TableStyle = DARK, fonts: FontSet | None = None) -> None:
        self._style = style
        self._fonts = fonts or find_fonts()

    def draw(self, value: object) -> Attachment | None:
        """Return the image of a table, or None for any other value and for tables that cannot be drawn."""
        if not isinstance(value, Table) or not _is_moderate(value):
            return None
        rows = [[read_atoms(cell, self._fonts) for cell in row] for row in (value.header, *value.rows)]
        if any(find_unknown(cell) for row in rows for cell in row):
            return None
        # A table that is too large at full scale may still fit at a lower resolution.
        for scale in range(self._style.scale, 0, -1):
            measurer = AtomMeasurer(replace(self._style, scale=scale), self._fonts)
            layout = layout_table(rows, measurer)
            if layout and _fits(layout, measurer.style):
                picture = _TablePainter(layout, measurer, value.alignments).draw()
                return Attachment(value.name, _encode(picture), value.alt, spoiler=value.spoiler)
        return None


def _is_moderate(table: Table) -> bool:
    """Return whether the table is small enough to measure; measuring is the expensive part."""
    if not table.header or (len(table.rows) + 1) * len(table.header) > MAX_CELLS:
        return False
    rows = (table.header, *table.rows)
    return sum(len(words.text) for row in rows for cell in row for words in cell) <= MAX_CHARS


def _fits(layout: Layout, style: TableStyle) -> bool:
    width, height = sum(layout.widths), sum(layout.heights)
    return height <= style.max_height * style.scale and width * height <= style.max_pixels


def _encode(picture: Image.Image) -> bytes:
    stream = BytesIO()
    picture.save(stream, "PNG", compress_level=3)
    return stream.getvalue()


class _TablePainter:
    """Draws one table that is laid out already."""

    def __init__(self, layout: Layout, measurer: AtomMeasurer, alignments: tuple[Align, ...]) -> None:
        self._layout = layout
        self._measurer = measurer
        self._style = measurer.style
        self._alignments = alignments
        # The background has the colour of the grid lines: cells are painted over it and leave the lines free.
        self._image = Image.new("RGB", (sum(layout.widths) + 1, sum(layout.heights) + 1), measurer.style.line)
        self._canvas = ImageDraw.Draw(self._image)

    def draw(self) -> Image.Image:
        """Return the finished image."""
        y = 0
        for number, height in enumerate(self._layout.heights):
            x = 0
            for column, width in enumerate(self._layout.widths):
                self._draw_cell(number, column, (x, y, x + width, y + height))
                x += width
            y += height
        return self._image

    def _draw_cell(self, number: int, column: int, box: tuple[int, int, int, int]) -> None:
        style = self._style
        ground = style.rows[number % 2] if number else style.head
        left, top, right, bottom = box
        border = style.scale
        self._canvas.rectangle((left + border, top + border, right - 1, bottom - 1), fill=ground)
        across, down = (length * style.scale for length in style.pad)
        leading = style.leading * style.scale
        lines = self._layout.lines[number][column]
        for index, line in enumerate(lines):
            spare = right - left - 2 * across - line.width
            side = self._alignments[column]
            # LEFT is the default of Markdown; text that runs to the left starts at the right edge.
            if line.right_to_left and side is Align.LEFT:
                side = Align.RIGHT
            x = left + across + {Align.LEFT: 0, Align.CENTER: spare // 2, Align.RIGHT: spare}[side]
            self._draw_line(line, x, top + down + index * leading, head=not number)

    def _draw_line(self, line: CellLine, x: int, top: int, *, head: bool) -> None:
        size, leading = self._measurer.size, self._style.leading * self._style.scale
        # Capital letters are about 0.72 of the font size tall; this centres them in the line.
        base = top + (leading + round(size * 0.72)) // 2
        # Backgrounds first, so that the background of one word does not cover the letters of the next.
        for atom, dx, width in line.placed:
            if atom.style & Style.CODE:
                high = (base - round(size * 0.95), base + round(size * 0.3))
                edge = 2 * self._style.scale
                box = (x + dx - edge, high[0], x + dx + width + edge, high[1])
                self._canvas.rectangle(box, fill=self._style.code)
        for atom, dx, width in line.placed:
            if atom.emoji:
                self._draw_emoji(atom, x + dx, base)
            elif atom.text != " ":
                self._draw_word(atom, x + dx, base, head=head)
            self._draw_marks(atom.style, x + dx, width, base, head=head)

    def _colour(self, style: Style, *, head: bool) -> str:
        if style & Style.LINK:
            return self._style.link
        return self._style.head_text if head else self._style.text

    def _draw_word(self, atom: Atom, x: int, base: int, *, head: bool) -> None:
        colour = self._colour(atom.style, head=head)
        pick = self._measurer.pick(atom, head=head)
        # A font without a bold cut is drawn twice, half a pixel apart.
        for shift in (0, self._style.scale / 2) if pick.embolden else (0,):
            if pick.slant:
                self._draw_slanted(atom.text, x + round(shift), base, pick, colour)
            else:
                self._canvas.text((x + shift, base), atom.text, fill=colour, font=pick.font, anchor="ls")

    def _draw_slanted(self, text: str, x: int, base: int, pick: FontChoice, colour: str) -> None:
        """Draw sheared letters, for a font without an italic."""
        size = self._measurer.size
        up, down = size + size // 3, size // 2
        width = round(pick.font.getlength(text)) + size
        mask = Image.new("L", (width, up + down), 0)
        ImageDraw.Draw(mask).text((size // 4, up), text, fill=255, font=pick.font, anchor="ls")
        leaning = (1, ITALIC_SLANT, -ITALIC_SLANT * up, 0, 1, 0)
        mask = mask.transform(mask.size, Image.Transform.AFFINE, leaning, Image.Resampling.BILINEAR)
        self._image.paste(colour, (x - size // 4, base - up), mask)

    def _draw_emoji(self, atom: Atom, x: int, base: int) -> None:
        size = round(self._measurer.size * 1.2)
        picture = self._measurer.fonts.picture(atom.emoji, size)
        self._image.paste(picture, (x + size // 24, base - round(size * 0.82)), picture)

    def _draw_marks(self, style: Style, x: int, width: int, base: int, *, head: bool) -> None:
        colour, size = self._colour(style, head=head), self._measurer.size
        for wanted, height in ((Style.STRIKETHROUGH, -0.32), (Style.UNDERLINE, 0.14)):
            if style & wanted:
                y = base + round(size * height)
                self._canvas.rectangle((x, y, x + width - 1, y + self._style.scale - 1), fill=colour)
