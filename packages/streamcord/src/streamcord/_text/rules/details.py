"""Show `<details>` blocks, for which Discord has no markup: as spoilers with their summary above, or as plain text.

The rule reads one segment after the other, so a block may begin in one and end in another: what is between is covered
segment by segment. A tag counts only where it can be meant: `<details>` at the start of a line or before `<summary>`,
the others inside of a block. Code is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..parsed_text import ParsedText
    from ..traced_text import Edit

DETAILS = "details"
"""The name of this rule in records."""

_TAG = re.compile(r"[ \t]*<(/?)(details|summary)(?:\s[^<>]{0,80})?>[ \t]*", re.IGNORECASE)
_SUMMARY_NEXT = re.compile(r"\s{0,16}<summary\b", re.IGNORECASE)
_BARS = re.compile(r"\|\|")


class DetailsRule:
    """Rewrites the tags of `<details>` blocks; keeps whether a block is open.

    Args:
        hidden: Whether the contents become spoilers.

    """

    def __init__(self, *, hidden: bool) -> None:
        self._hidden = hidden
        self.reset()

    def reset(self) -> None:
        """Forget an open block at the end of a phase."""
        # Blocks that are open.
        self.depth = 0
        # Whether the text is inside of a summary.
        self._in_summary = False

    def edit(self, parsed: ParsedText) -> list[Edit]:
        """Return the edits of one segment, in order."""
        text = parsed.text
        edits: list[Edit] = []
        at = 0
        for tag in _TAG.finditer(text):
            name, closes = tag[2].lower(), bool(tag[1])
            if not (
                parsed.code.free(text.index("<", tag.start()))
                and self._counts(text, tag, name, closes=closes)
            ):
                continue
            edits += self._cover(parsed, at, tag.start())
            edits.append((tag.start(), tag.end(), self._replacement(text, tag, name, closes=closes)))
            at = tag.end()
        return edits + self._cover(parsed, at, len(text))

    def _counts(self, text: str, tag: re.Match[str], name: str, *, closes: bool) -> bool:
        if self.depth:
            return True
        if name != "details" or closes:
            return False
        starts_line = not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()
        return starts_line or _SUMMARY_NEXT.match(text, tag.end()) is not None

    def _replacement(self, text: str, tag: re.Match[str], name: str, *, closes: bool) -> str:
        """Return what means a tag, and change the state."""
        # Words on both sides of a tag stay apart.
        inner = bool(text[: tag.start()].rstrip(" \t")[-1:].strip()) and bool(
            text[tag.end() : tag.end() + 1].strip()
        )
        gap = " " if inner else ""
        if name == "details":
            self.depth += -1 if closes else 1
            self._in_summary = False
            return "" if _SUMMARY_NEXT.match(text, tag.end()) else gap
        self._in_summary = not closes
        return f"**{gap}" if closes else f"{gap}**"

    def _cover(self, parsed: ParsedText, start: int, end: int) -> list[Edit]:
        """Return the edits that make a range of contents a spoiler."""
        text = parsed.text
        inside = text[start:end]
        if not (self._hidden and self.depth and not self._in_summary and inside.strip()):
            return []
        first = start + len(inside) - len(inside.lstrip())
        last = start + len(inside.rstrip())
        bars = [
            found.span() for found in _BARS.finditer(text, first, last) if parsed.code.free(found.start())
        ]
        edits: list[Edit] = [(*span, "") for span in bars]
        if not any(begin == first for begin, _ in bars):
            edits.insert(0, (first, first + 1, f"||{text[first]}"))
        else:
            edits[0] = (*bars[0], "||")
        if last - 1 == first and len(edits) == 1:
            return [(first, last, f"||{text[first]}||")]
        if any(stop == last for _, stop in bars):
            edits[-1] = (*bars[-1], "||")
        else:
            edits.append((last - 1, last, f"{text[last - 1]}||"))
        return edits
