"""Strings of several lines in code, which may contain fences.

Models write prompts, documents and scripts that contain Markdown: in triple quotes, in JavaScript's backticks,
after `<<EOF`, or in comments of several lines. Such a string continues after a fence only if its end is in sight:
a stray quote must not swallow the following text.
"""

from __future__ import annotations

import re

INDENT = 64
"""The deepest indentation of a string's end word."""
STRING_REACH = 1500
"""Characters after a fence within which the string that contains it must end."""

TEMPLATE = "`"

_STRING = re.compile(
    r"\"\"\"|'''|<<[-~]?[ \t]?(?P<quote>['\"]?)(?P<word>[A-Z_][A-Z0-9_]{1,31})(?P=quote)(?![\w<])"
    r"|^[ \t]*/\*[*!]?[ \t]*$(?P<comment>)"
    r"|[=(:,+>?][ ]?[\w.]{0,16}(?P<template>`)[^`\n]*$",
    re.MULTILINE,
)
_TEMPLATE_END = re.compile(r"^[^`\n]*`[;),\]}]*(?:\.\w+\(\)[;)]*)?[ \t]*$", re.MULTILINE)
_FENCE_LINE = re.compile(r"^[ \t]{0,16}`{3,}[ \t]*(\S?)", re.MULTILINE)


def pass_strings(text: str, start: int, end: int, closer: str) -> str:
    """Return the text that ends the string which is open after these lines, or an empty string."""
    at = start
    while True:
        if closer:
            at = _find_end(text, at, end, closer, final=True)
            if at < 0:
                return closer
        found = _STRING.search(text, at, end)
        if found is None:
            return ""
        closer, at = _closer(text, found), found.end()


def _closer(text: str, opener: re.Match[str]) -> str:
    """Return what ends the string or comment that may open here, or an empty string if none does."""
    if opener["comment"] is not None:
        return "*/"
    if opener["template"]:
        line = text.rfind("\n", 0, opener.start()) + 1
        return "" if text.count("`", line, opener.start("template")) % 2 else TEMPLATE
    return opener["word"] or opener[0]


def string_continues(text: str, at: int, closer: str, *, final: bool) -> bool | None:
    """Return whether an open string ends after this position and before the next code block; None to wait."""
    end = _find_end(text, at, at + STRING_REACH, closer, final=final)
    if end < 0:
        return None if len(text) < at + STRING_REACH and not final else False
    last = ""
    for fence in _FENCE_LINE.finditer(text, at, end):
        last = fence[1]
    return not last


def _find_end(text: str, start: int, end: int, closer: str, *, final: bool) -> int:
    """Return where a string ends: after its quotes, or after a line with its end word; -1 if not here."""
    if closer == TEMPLATE:
        found = _TEMPLATE_END.search(text, start, end)
        certain = found and (final or found.end() < len(text))
        return found.end() if found and certain else -1
    place = text.find(closer, start, end)
    while place >= 0:
        stop = place + len(closer)
        if closer[0] in "\"'*":
            return stop
        _, newline, indent = text[max(0, place - INDENT) : place].rpartition("\n")
        alone = text[stop : stop + 1] == "\n" or (final and stop == len(text))
        if newline and not indent.strip() and alone:
            return stop
        place = text.find(closer, stop, end)
    return -1
