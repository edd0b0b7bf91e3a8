"""Repair characters that Discord cannot show, before any other stage reads the text.

Carriage returns become newlines, halves of surrogate pairs are joined (JSON escapes may arrive cut in two) or
replaced, control characters go. Escape stays: code blocks of the kind `ansi` are coloured by it.
`standalone_markdown.py` later puts the records of repairs into each segment.
"""

from __future__ import annotations

import re

from .._events import Replaced

RULE = "repair"

ODD = re.compile("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f\ud800-\udfff]")
"""Characters that need repair; text without them passes as it is."""


class Sanitizer:
    """Turn text into clean pieces with their source positions."""

    def __init__(self) -> None:
        self._pending = ""  # a carriage return or half a pair, until the next character is known
        self.repairs: list[Replaced] = []  # what was replaced; the pipeline removes them with their segment

    def feed(self, text: str, start: int) -> list[tuple[str, int]]:
        """Return clean pieces of the text at `start`, each with the source position of its first character."""
        text, start = self._pending + text, start - len(self._pending)
        if text and (text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff"):
            self._pending, text = text[-1], text[:-1]
        else:
            self._pending = ""
        return self._clean(text, start)

    def flush(self, end: int) -> list[tuple[str, int]]:
        """Return the pending character, as nothing follows it."""
        text, self._pending = self._pending, ""
        return self._clean(text, end - len(text))

    def _clean(self, text: str, start: int) -> list[tuple[str, int]]:
        pieces: list[tuple[str, int]] = []
        at = 0
        while found := ODD.search(text, at):
            odd = found.start()
            if odd > at:
                pieces.append((text[at:odd], start + at))
            before, after = _repair(text, odd)
            self.repairs.append(Replaced(RULE, before, after, ((start + odd, start + odd + len(before)),)))
            if after:
                pieces.append((after, start + odd))
            at = odd + len(before)
        if at < len(text):
            pieces.append((text[at:], start + at))
        return pieces


def _repair(text: str, at: int) -> tuple[str, str]:
    """Return the characters at a position that need repair, and their replacement."""
    odd = text[at]
    after = text[at + 1 : at + 2]
    # `\r\n` becomes one newline.
    if odd == "\r":
        return odd, "" if after == "\n" else "\n"
    if "\ud800" <= odd <= "\udbff" and "\udc00" <= after <= "\udfff":
        pair = odd + after
        return pair, pair.encode("utf-16", "surrogatepass").decode("utf-16")
    return odd, "\ufffd" if "\ud800" <= odd <= "\udfff" else ""
