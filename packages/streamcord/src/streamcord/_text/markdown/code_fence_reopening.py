"""The lines that close a code block at a cut and reopen it in the next message."""

from __future__ import annotations

import re

_LANGUAGE = re.compile(r"[ \t]*([A-Za-z0-9_+\-.#]{1,32})(?![^ \t])")


def reopening_line(text: str, start: int, ticks: int, end: int | None = None) -> str:
    """Return the line that reopens a block: three backticks and its language.

    The language is the first word of the info line, unless that line also closes the block.
    """
    newline = text.find("\n", start, end)
    info = text[start + ticks : newline] if newline >= 0 else ""
    word = _LANGUAGE.match(info) if "`" not in info else None
    return f"```{word[1] if word else ''}\n"


def closing_line(text: str, at: int) -> str:
    """Return what closes a block that is cut at `at`: its backticks are on a line of their own."""
    return "```" if text[at - 1] == "\n" else "\n```"


def reopening_markers(text: str, start: int, limit: int) -> tuple[str, str]:
    """Return what reopens and what closes each part of a block, also one inside a quote.

    Args:
        text: the text of the block.
        start: where its backticks begin.
        limit: the longest message; the language is left out if it would take half of it.

    """
    line = text[text.rfind("\n", 0, start) + 1 : start]
    quote = "> " if line.lstrip().startswith(">") and ">>>" not in line else ""
    prefix = quote + reopening_line(text, start, 3)
    if 2 * len(prefix) > limit:
        prefix = f"{quote}```\n"
    return prefix, f"\n{quote}```"
