"""Colours and lengths of table images: the themes `DARK` and `LIGHT`, and `PHONE` for narrow screens.

Lengths are pixels at scale 1.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStyle:
    """Colours (`#rrggbb`) and lengths; lengths are multiplied by `scale` for high-resolution screens."""

    head: str = "#2b2d31"
    rows: tuple[str, str] = ("#313338", "#2e3035")
    line: str = "#43454c"
    head_text: str = "#f2f3f5"
    text: str = "#dbdee1"
    link: str = "#4ea8fc"
    code: str = "#1e1f22"
    scale: int = 2
    size: int = 16
    """Font size."""
    leading: int = 22
    """Distance from one line to the next."""
    pad: tuple[int, int] = (10, 6)
    """Padding of a cell: horizontal, vertical."""
    width: int = 480
    """Preferred width, which fits a phone; long words may make the table wider."""
    max_width: int = 730
    """The table is never wider than this."""
    height: int = 466
    """A taller table is made wider first."""
    max_height: int = 5000
    """A taller table is not drawn."""
    max_pixels: int = 16_000_000
    """A larger image is drawn at half the scale, or not at all."""


DARK = TableStyle()
LIGHT = TableStyle(
    head="#f2f3f5", rows=("#ffffff", "#fafbfb"), line="#d9dbe0", head_text="#060607", text="#2e3338",
    link="#006ce7", code="#e8eaed",
)  # fmt: skip
PHONE = TableStyle(width=360, max_width=480, size=15, leading=21, pad=(8, 5))
