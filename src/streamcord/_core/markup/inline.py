"""Where an opaque piece of a line ends: inline code, a URL, a tag, a link's target.

Each reader answers an end, `TEXT` (it is none after all) or `WAIT` (a character that has not arrived could
change the answer). No reader looks further than its reach, whether or not more has arrived: so the answer
does not depend on how the text was sliced.
"""

from __future__ import annotations

import re

from ..words.sentence_marks import WIDE, class_of, late_pattern

__all__ = [
    "ANY",
    "LINE_REACH",
    "TAG_REACH",
    "TEXT",
    "UNSPACED",
    "UNSPACED_LETTER",
    "URL_WAKE",
    "WAIT",
    "fence_opens",
    "find_code_end",
    "find_link_end",
    "find_tag_end",
    "find_url_end",
    "is_word",
]

TEXT = 0
WAIT = -1

ANY = re.compile(r"(?s:.)")
"""What a reader wakes up at that must see the very next character; all others wake up at those of a class."""

LINE_REACH = 2000
"""Longer than a message: what goes on so long on its line need not be kept whole."""
TAG_REACH = 128
"""Longer than any mention, emoji or timestamp."""
UNSPACED = (
    "\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
"""Scripts written without spaces, for a class of a pattern: a marker next to them stands between words."""
UNSPACED_LETTER = late_pattern(f"[{UNSPACED}]")
"""One letter of them."""
NESTED = 16
"""Parentheses that may be open at once in a link's target: more are no address."""

_TICKS_OR_NEWLINE = re.compile(r"`+|\n")
_LANGUAGE_LINE = re.compile(r"[A-Za-z0-9_+\-.#]{0,32}[ \t]*\Z")
_TAG_STOP = re.compile(r"[<>\n]|\|\|")  # what is hidden is in no tag
_TAG_FIRST = re.compile(r"[A-Za-z@#:/!]")
_URL_ENDS = rf"\s<>\"`「」『』【】《》（）{class_of(WIDE)}"
_URL_STOP = re.compile(rf"[{_URL_ENDS}]|\|\|")
URL_WAKE = re.compile(rf"[{_URL_ENDS}|]")
_URL_TAIL = ".,:;!?'*~|)]}"
_PAREN_OR_NEWLINE = re.compile(r"[()\n\\]")


def _stops(text: str, until: int, *, final: bool) -> int:
    """What to answer when the search ran out: wait if the text did, not if the reach did."""
    return TEXT if final or len(text) >= until else WAIT


def find_code_end(text: str, at: int, run: int, *, final: bool) -> int:
    """The end of inline code opened by a run of backticks: the next run of that length on the line."""
    until = at + LINE_REACH
    for found in _TICKS_OR_NEWLINE.finditer(text, at + run, until):
        if found[0] == "\n":
            return TEXT
        if found.end() == len(text) < until and not final:
            return WAIT
        if found.end() - found.start() == run:
            return found.end()
    return _stops(text, until, final=final)


def fence_opens(text: str, at: int, *, final: bool) -> int:
    """Whether three backticks in mid-line open a fence (1): only a language follows, or three more do."""
    until = at + LINE_REACH
    newline = text.find("\n", at, until)
    end = newline if newline >= 0 else min(len(text), until)
    if text.find("```", at + 3, end) >= 0:
        return 1
    if newline >= 0:
        return 1 if _LANGUAGE_LINE.match(text, at + 3, newline) else TEXT
    return _stops(text, until, final=final)


def find_tag_end(text: str, at: int, *, final: bool) -> int:
    """The end of `<…>` on one line: a mention, emoji, timestamp, suppressed link or HTML-like tag."""
    if at + 1 == len(text):
        return TEXT if final else WAIT
    if not _TAG_FIRST.match(text, at + 1):
        return TEXT
    until = at + (LINE_REACH if text.startswith("http", at + 1) else TAG_REACH)
    stop = _TAG_STOP.search(text, at + 1, until)
    if stop is None:
        return _stops(text, until, final=final)
    return stop.end() if stop[0] == ">" else TEXT


def find_url_end(text: str, at: int, *, final: bool) -> int:
    """The end of a bare URL, punctuation that belongs to the sentence left out."""
    until = at + LINE_REACH
    stop = _URL_STOP.search(text, at, until)
    if stop is None and len(text) < until and not final:
        return WAIT
    end = stop.start() if stop else min(len(text), until)
    opened = text.count("(", at, end) - text.count(")", at, end)
    while text[end - 1] in _URL_TAIL:
        if text[end - 1] == ")":
            if opened >= 0:
                break
            opened += 1
        end -= 1
    return end


def find_link_end(text: str, at: int, *, final: bool) -> int:
    """The end of a link's `(target)`, whose parentheses may nest, on one line."""
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
                    return TEXT
            case ")":
                depth -= 1
            case "\\":
                skip = found.end()
            case _:
                return TEXT
        if depth == 0:
            return found.end()
    return _stops(text, until, final=final)


def is_word(character: str) -> bool:
    """Whether a marker next to this character stands inside a word."""
    if character.isascii():
        return character.isalnum() or character == "_"
    return character.isalnum() and not UNSPACED_LETTER.match(character)
