"""Close what an answer leaves open when it ends: `auto_close`.

Models stop in the middle of bold text, a quotation or a code block, and so do people who press *Stop*. Discord would
show the opening marker as text, or run on in code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .markdown.code_fences import open_code
from .markdown.delimiter_stack import NEVER, Span
from .tokens import LINE_REACH

if TYPE_CHECKING:
    from .._settings import Settings
    from .markdown.delimiter_stack import Delimiter
    from .markdown.scanner import Scanner

_CLOSED = {"markdown": frozenset({"**", "***", "__", "___", "~~"}), "off": frozenset[str]()}
_CLOSERS = {"(": ")", "（": "）", "「": "」", "『": "』", "｢": "｣", "【": "】", "〈": "〉", "《": "》",
            "«": "»", "‹": "›", "“": "”", "„": "“", "»": "«", "[": "](#)", "{": "}", "{{": "}}",
            "[OOC": "]", "[OOC]": "[/OOC]"}  # fmt: skip


def close_open_markers(scanner: Scanner, settings: Settings, start: int) -> str:
    """Return the closing markers for everything that the text leaves open; from there on it is not cut."""
    delimiters, text = scanner.delimiters, scanner.text
    suffix = ""
    first = NEVER
    if settings.auto_close != "off":
        line = max(text.rfind("\n") + 1, start)
        code, run = -1, 0
        if "`" in text[line:] and not scanner.fence:
            code, run = open_code(text, line, line_start=False)
        if 0 < run < 3 and _is_code(text, code, run):
            suffix, first = "`" * run, code
    for delimiter in reversed(delimiters.stack):
        closer = _closer(text, delimiter, suffix, settings.auto_close)
        if closer and delimiter.at < first:
            suffix += closer
            first = min(first, delimiter.at)
        if delimiter.mark == "||":
            delimiters.spans.append(Span("||", delimiter.at, len(text)))
    if scanner.fence:
        quote = "> " if scanner.fence.quoted else ""
        newline = "" if text.endswith("\n") and not quote else "\n"
        suffix = f"{newline}{quote}```{suffix}"
    if first < NEVER:
        delimiters.drop_breaks_after(first)
    delimiters.flush()
    return suffix


def _closer(text: str, delimiter: Delimiter, suffix: str, auto_close: str) -> str:
    """Return the closing marker of an open delimiter; a spoiler is closed whatever the settings say."""
    mark = delimiter.mark
    if mark == "||":
        half = not suffix and text.endswith("|") and not text.endswith("\\|")
        # After a backslash a pipe would close nothing.
        mark = "\u200b||" if not suffix and text.endswith("\\") else "|" if half else mark
        return "" if delimiter.loose else mark
    if auto_close == "all":
        return _CLOSERS.get(mark, mark)
    return mark if mark in _CLOSED[auto_close] else ""


def _is_code(text: str, at: int, run: int) -> bool:
    """Return whether an unclosed backtick is code: a word follows it, and none is right before it."""
    before, after = text[at - 1 : at], text[at + run : at + run + 1]
    closable = len(text) - at <= LINE_REACH and not text.rstrip().endswith("`")
    return closable and (not before or before.isspace()) and bool(after.strip())
