"""Code blocks: how they open, where they close, how they are repeated when cut.

Three backticks close at the next three, wherever they stand. A run of four or more at a line's start is not
known to Discord, but models write it to show fences: it closes at a line that starts with as many.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .inline import TEXT, WAIT
from .line_kinds import LONGEST_RUN

__all__ = ["FENCED", "Fence", "find_fence_end", "open_code", "opening_line"]

FENCED = -1
"""Answer of `open_code`: in a code block."""
INDENT = 64
"""The deepest indentation of a closing fence that is looked for."""

_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,32}")
_TICKS = re.compile(r"`{1,33}")
_CODE_MARKS = re.compile(r"`+|\n|\\")


class Fence(NamedTuple):
    """An open code block: where it starts, how many backticks opened it, whether in a quote."""

    start: int
    ticks: int
    quoted: bool = False


@lru_cache(maxsize=LONGEST_RUN)
def _long_end(ticks: int) -> re.Pattern[str]:
    return re.compile(rf"\n[ \t]{{0,{INDENT}}}`{{{ticks},33}}")


def find_fence_end(text: str, fence: Fence, at: int, *, final: bool) -> tuple[int, int]:
    """The end of a code block (or WAIT, or TEXT for none in sight) and where to search on from."""
    if fence.ticks == 3:
        found = text.find("```", at)
        return (found + 3, found) if found >= 0 else (TEXT, max(at, len(text) - 2))
    match = _long_end(fence.ticks).search(text, at)
    if match is None:
        return TEXT, max(at, len(text) - INDENT - LONGEST_RUN - 2)
    if match.end() == len(text) and match[0].count("`") <= LONGEST_RUN and not final:
        return WAIT, match.start()
    return match.end(), match.start()


def opening_line(text: str, start: int, ticks: int, end: int | None = None) -> str:
    """The line that reopens a block: three backticks and its language, the first word of the info line."""
    newline = text.find("\n", start, end)
    word = _LANGUAGE.fullmatch((text[start + ticks : newline].split() or [""])[0]) if newline >= 0 else None
    return f"```{word[0] if word else ''}\n"


def open_code(text: str, at: int, *, line_start: bool) -> tuple[int, int]:
    """The code that the end of a text stands in: where it opened, and `FENCED` or its run of backticks."""
    opened, run = -1, 0
    begins = at if line_start else None
    while found := _CODE_MARKS.search(text, at):
        mark, at = found[0], found.end()
        if mark == "\n":
            opened, run, begins = -1, 0, at
        elif mark == "\\":
            at += not run  # in code a backslash is just one
        elif run:
            opened, run = (-1, 0) if len(mark) == run else (opened, run)
        elif len(mark) <= LONGEST_RUN:
            opened, run = found.start(), len(mark)
            if run >= 3 and begins is not None and not text[begins:opened].strip(" \t"):
                return opened, FENCED
    return opened, run
