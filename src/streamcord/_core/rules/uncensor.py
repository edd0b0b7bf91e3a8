"""Rule 4: characters that only serve to slip past a filter, if the settings ask for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..passage import Edit
    from ..reading import Reading

__all__ = ["BLANK", "DOT", "blanks_to_spaces", "drop_dots"]

BLANK, DOT = "\u2800", "\u00b7"
_BLANKS = re.compile(f"{BLANK}+")
_DOTS = re.compile(f"{DOT}+")


def blanks_to_spaces(reading: Reading) -> list[Edit]:
    """Edits that turn the Braille blank into a space."""
    found = _BLANKS.finditer(reading.text)
    return [(*m.span(), " " * len(m[0])) for m in found if reading.free(m.start())]


def drop_dots(reading: Reading) -> list[Edit]:
    """Edits that remove middle dots."""
    return [(*m.span(), "") for m in _DOTS.finditer(reading.text) if reading.free(m.start())]
