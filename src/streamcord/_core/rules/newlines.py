"""Rule 4: three newlines and more become two, outside of code; those at the end of a text are cut anyway."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..passage import Edit
    from ..reading import Reading

__all__ = ["join_blank_lines"]

_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)++(?=[ \t]*[^\s])")


def join_blank_lines(reading: Reading) -> list[Edit]:
    """Edits that leave one blank line of several."""
    found = _BLANK_LINES.finditer(reading.text)
    return [(m.start(), m.end(), "\n\n") for m in found if reading.code.free(m.start() + 1)]
