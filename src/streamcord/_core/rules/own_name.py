"""Rule 4, first part: the persona's own name before a line is a label, not something it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..._settings import Persona
    from ..passage import Edit
    from ..reading import Reading

__all__ = ["label_pattern", "name_pattern", "strip_own_name"]


def label_pattern(persona: Persona) -> re.Pattern[str]:
    """A chain of the persona's names at the start of a line, each with its colon, bold or not."""
    name = name_pattern(persona)
    label = rf"(?:\*\*{name}[ \t]{{0,3}}[:：]\*\*|\*\*{name}\*\*[ \t]{{0,3}}[:：]|{name}[ \t]{{0,3}}[:：])"
    return re.compile(rf"(?:^|(?<=\n))([ \t]*)((?:{label}(?![:：/])[ \t]{{0,8}})+)", re.IGNORECASE)


def name_pattern(persona: Persona) -> str:
    """Any of the persona's names, as a part of a pattern."""
    names = sorted({name.strip() for name in (persona.name, *persona.aliases)}, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(name) for name in names if name) + ")"


def strip_own_name(reading: Reading, pattern: re.Pattern[str], *, line_start: bool) -> list[Edit]:
    """Edits that remove own labels from the starts of lines outside code."""
    edits: list[Edit] = []
    for found in pattern.finditer(reading.text):
        start, end = found.span(2)
        if (line_start or found.start()) and reading.code.free(start):
            edits.append((start, end, ""))
    return edits
