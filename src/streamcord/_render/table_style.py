"""How a picture looks: colours and measures, in the pixels of an ordinary screen."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DARK", "LIGHT", "PHONE", "Look"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
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


DARK = Look()
LIGHT = Look(
    head="#f2f3f5", rows=("#ffffff", "#fafbfb"), line="#d9dbe0", head_text="#060607", text="#2e3338",
    link="#006ce7", code="#e8eaed",
)  # fmt: skip
PHONE = Look(width=360, size=15, leading=22, pad=(9, 7))
