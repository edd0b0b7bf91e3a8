"""Rule 4, first part: the persona's own name before a line is a label, not something it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...settings import Persona
    from ..openers import Span
    from ..passage import Edit

__all__ = ["label_pattern", "strip_own_name"]


def label_pattern(persona: Persona) -> re.Pattern[str]:
    """A chain of the persona's names at the start of a line, each with its colon, bold or not."""
    names = sorted({persona.name, *persona.aliases}, key=len, reverse=True)
    name = "(?:" + "|".join(re.escape(name) for name in names if name) + ")"
    label = rf"(?:\*\*{name}[ \t]{{0,3}}[:：]\*\*|\*\*{name}\*\*[ \t]{{0,3}}[:：]|{name}[ \t]{{0,3}}[:：])"
    return re.compile(rf"(?:^|(?<=\n))([ \t]*)((?:{label}(?![:：/])[ \t]{{0,8}})+)", re.IGNORECASE)


def strip_own_name(
    text: str, pattern: re.Pattern[str], spans: Sequence[Span], *, line_start: bool
) -> list[Edit]:
    """Edits that remove own labels from the starts of lines outside code."""
    edits: list[Edit] = []
    for found in pattern.finditer(text):
        start, end = found.span(2)
        inside = any(span.start < start < span.end for span in spans)
        if not inside and (line_start or found.start()):
            edits.append((start, end, ""))
    return edits
