"""Strings of several lines in code: a fence inside of one is a part of it.

Models write prompts, documents and shell scripts that hold Markdown: between three quotes, or behind `<<EOF`.
Whether such a string is open is known line by line. That it really goes on behind a fence is believed only if
its end is in sight, so that a stray quote does not swallow what follows a block.
"""

from __future__ import annotations

import re

__all__ = ["goes_on", "pass_strings"]

REACH = 1500
"""Characters behind a fence within which its string must end."""
INDENT = 16
"""The deepest indentation of a word that ends a string."""

_OPENS = re.compile(r"\"\"\"|'''|<<[-~]?[ \t]?(['\"]?)([A-Z_][A-Z0-9_]{1,31})\1(?![\w<])")
_FENCE = re.compile(r"^[ \t]{0,16}`{3,}[ \t]*(\S?)", re.MULTILINE)


def pass_strings(text: str, start: int, end: int, closer: str) -> str:
    """What ends the string that is open behind these whole lines, if one is; `closer` that of one before."""
    at = start
    while True:
        if closer:
            at = _find_end(text, at, end, closer, final=True)
            if at < 0:
                return closer
        found = _OPENS.search(text, at, end)
        if found is None:
            return ""
        closer, at = found[2] or found[0], found.end()


def goes_on(text: str, at: int, closer: str, *, final: bool) -> bool | None:
    """Whether an open string ends behind this place, and in none of the next code blocks; None to wait."""
    end = _find_end(text, at, at + REACH, closer, final=final)
    if end < 0:
        return None if len(text) < at + REACH and not final else False
    last = ""
    for fence in _FENCE.finditer(text, at, end):
        last = fence[1]
    return not last


def _find_end(text: str, start: int, end: int, closer: str, *, final: bool) -> int:
    """Where a string ends: behind its quotes, or behind a line that is its word; -1 if not here."""
    place = text.find(closer, start, end)
    while place >= 0:
        stop = place + len(closer)
        if closer[0] in "\"'":
            return stop
        _, newline, indent = text[max(0, place - INDENT) : place].rpartition("\n")
        alone = text[stop : stop + 1] == "\n" or (final and stop == len(text))
        if newline and not indent.strip() and alone:
            return stop
        place = text.find(closer, stop, end)
    return -1
