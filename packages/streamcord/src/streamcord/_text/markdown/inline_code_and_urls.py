"""Find the end of an opaque piece of a line: inline code, a URL, a tag, a link's target."""

from __future__ import annotations

import re

from ..language.punctuation import WIDE, class_of
from ..tokens import LINE_REACH, NEED_MORE, NOT_FOUND

ANY = re.compile(r"(?s:.)")
"""The characters to wait for if the very next one decides."""

TAG_REACH = 128
"""Longer than any mention, emoji or timestamp."""
NESTED = 16
"""Parentheses that may be open at once in a link's target; deeper ones are not a URL."""

_TICKS_OR_NEWLINE = re.compile(r"`+|\n")
_LANGUAGE_LINE = re.compile(r"[A-Za-z0-9_+\-.#]{0,32}[ \t]*\Z")
_TAG_STOP = re.compile(r"[<>\n]|\|\|")  # a spoiler is not part of a tag
_TAG_FIRST = re.compile(r"[A-Za-z@#:/!]")
_URL_ENDS = rf"\s<>\"`「」『』【】《》（）{class_of(WIDE)}"
_URL_STOP = re.compile(rf"[{_URL_ENDS}]|\|\|")
URL_STOP_CHARS = re.compile(rf"[{_URL_ENDS}|]")
_URL_TAIL = ".,:;!?'*~|)]}"
_PAREN_OR_NEWLINE = re.compile(r"[()\n\\]")


def _stops(text: str, until: int, *, final: bool) -> int:
    """Return the result of an unsuccessful search: wait if the text ended, not if the reach did."""
    return NOT_FOUND if final or len(text) >= until else NEED_MORE


def find_code_end(text: str, at: int, run: int, *, final: bool) -> int:
    """Return the end of inline code: the next run of as many backticks on the line."""
    until = at + LINE_REACH
    for found in _TICKS_OR_NEWLINE.finditer(text, at + run, until):
        if found[0] == "\n":
            return NOT_FOUND
        # A run at the end of the text may still grow and then close nothing.
        if found.end() == len(text) < until and not final:
            return NEED_MORE
        if found.end() - found.start() == run:
            return found.end()
    return _stops(text, until, final=final)


def fence_opens(text: str, at: int, *, final: bool) -> int:
    """Return 1 if three backticks inside a line open a fence: only a language follows, or three more do."""
    until = at + LINE_REACH
    newline = text.find("\n", at, until)
    end = newline if newline >= 0 else min(len(text), until)
    if text.find("```", at + 3, end) >= 0:
        return 1
    if newline >= 0:
        return 1 if _LANGUAGE_LINE.match(text, at + 3, newline) else NOT_FOUND
    return _stops(text, until, final=final)


def find_tag_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of `<…>` on one line: a mention, emoji, timestamp, suppressed link or HTML-like tag."""
    if at + 1 == len(text):
        return NOT_FOUND if final else NEED_MORE
    if not _TAG_FIRST.match(text, at + 1):
        return NOT_FOUND
    # A URL in angle brackets has no embed in Discord; it may be much longer than a mention.
    until = at + (LINE_REACH if text.startswith("http", at + 1) else TAG_REACH)
    stop = _TAG_STOP.search(text, at + 1, until)
    if stop is None:
        return _stops(text, until, final=final)
    return stop.end() if stop[0] == ">" else NOT_FOUND


def find_url_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of a bare URL, without the punctuation of the sentence around it."""
    until = at + LINE_REACH
    stop = _URL_STOP.search(text, at, until)
    if stop is None and len(text) < until and not final:
        return NEED_MORE
    end = stop.start() if stop else min(len(text), until)
    # A closing parenthesis belongs to the URL only if the URL opens it: `(see https://a.b/c_(d))`.
    opened = text.count("(", at, end) - text.count(")", at, end)
    while text[end - 1] in _URL_TAIL:
        if text[end - 1] == ")":
            if opened >= 0:
                break
            opened += 1
        end -= 1
    return end


def find_link_end(text: str, at: int, *, final: bool) -> int:
    """Return the end of a link's `(target)` on one line, whose parentheses may nest."""
    until = at + LINE_REACH
    depth = 0
    skip = -1
    for found in _PAREN_OR_NEWLINE.finditer(text, at, until):
        if found.start() == skip:
            continue
        match found[0]:
            case "(":
                depth += 1
                if depth > NESTED:
                    return NOT_FOUND
            case ")":
                depth -= 1
            case "\\":
                skip = found.end()
            case _:
                return NOT_FOUND
        if depth == 0:
            return found.end()
    return _stops(text, until, final=final)
