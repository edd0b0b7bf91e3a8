"""The marks that end, separate and close sentences, and helpers to find the words around them.

The names say what a mark does, not what it looks like. Other modules combine these sets instead of listing marks,
so that a script that is added here is known everywhere.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category

ELLIPSES: Final = frozenset("…‥")
"""Ellipses in one character; they count as three full stops."""
STOPS: Final = ELLIPSES | frozenset(".。．｡︒﹒۔।॥።։។៕။᠃᠉")
"""Full stops."""
EMPHATIC: Final = frozenset("!?！？︕︖﹖﹗؟‼⁇⁈⁉‽⸮፧፨")
"""Question and exclamation marks."""
ENDS: Final = STOPS | EMPHATIC
"""Characters that may end a sentence."""
SPACED_ENDS: Final = ELLIPSES | frozenset(".!?‽")
"""End marks of scripts that write a space after them; the others need none."""

COMMAS: Final = frozenset(",、，､،")
"""Commas of all scripts."""
WIDE_COMMAS: Final = frozenset("、，､")
"""Commas that include their space."""
SEMICOLONS: Final = frozenset(";；؛")
COLONS: Final = frozenset(":：")
DASHES: Final = frozenset("—–―‒-")
"""Dashes that may precede an attribution or the next speaker."""

PLAIN_ENDS: Final = frozenset(".!?。！？")
"""The common end marks, as the specification lists them."""
CARRIED: Final = PLAIN_ENDS | frozenset(",;、，")
"""Marks that belong to the previous line if they are alone on a line, as the specification lists them."""
LONE: Final = CARRIED | frozenset(":")
"""Marks that are no message by themselves."""
WIDE: Final = frozenset("。！？、，；")
"""Full-width marks, which no URL contains."""

QUOTE_ENDS: Final = frozenset("\"”’»›」』》〉〞｣＂“‘«'")
"""Marks that end a quotation; some begin one in other languages."""
UNAMBIGUOUS_CLOSERS: Final = frozenset(")]}”’»›」』》】〉〕〗〙〞｣）］｝＞")
"""Brackets and quotes that only close."""
CLOSERS: Final = UNAMBIGUOUS_CLOSERS | frozenset("\"'＂＇*_~|")
"""Characters between a sentence's end mark and the end of the sentence; some also open the next span."""
SPACES: Final = frozenset(" \t\u00a0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
MAX_WORD_CHARS: Final = 32
"""Characters that are searched for the start of a word."""
FOOTNOTE_STARTS: Final = frozenset("[¹²³⁰⁴⁵⁶⁷⁸⁹†‡")
"""First characters of footnotes that may follow an end mark."""
# Indentation and line markers, which may precede the first word of a line.
_LINE_LEADS = " \t>*_#-+•|~(–—"
_FOOTNOTE = re.compile(r"\[\^?\d{1,3}\](?:\([^()\s]{1,500}\)|(?!\())|[¹²³⁰⁴-⁹†‡]{1,4}")
_PARTIAL_FOOTNOTE = re.compile(r"\[(?:\^?\d{0,3}|\^?\d{1,3}\](?:\([^()\s]{0,500})?)\Z")


def class_of(*marks: frozenset[str]) -> str:
    """Return the inside of a regular expression's character class for these marks."""
    return re.escape("".join(sorted(frozenset().union(*marks))))


def skip_footnotes(text: str, at: int) -> int:
    """Return the position after footnotes: `so it is.[1][2]`, `so.¹ Then`.

    Returns the end of the text if a footnote is incomplete.
    """
    while footnote := _FOOTNOTE.match(text, at):
        at = footnote.end()
    return len(text) if _PARTIAL_FOOTNOTE.match(text, at) else at


def word_start(text: str, at: int, start: int) -> int:
    """Return the start of the word that ends at `at`, including dots inside it."""
    lower_bound = max(start, at - MAX_WORD_CHARS)
    while at > lower_bound and (
        text[at - 1].isalnum() or text[at - 1] == "." or category(text[at - 1])[0] == "M"
    ):
        at -= 1
    return at


def word_before(text: str, begin: int, start: int) -> str:
    """Return the word before the one at `begin`, with its dot."""
    end = begin
    while end > max(start, begin - MAX_WORD_CHARS) and text[end - 1] in SPACES:
        end -= 1
    return text[word_start(text, end, start) : end]


def plain_word_before(text: str, begin: int, start: int) -> str:
    """Return the word before `begin` without any dot: empty if a dot is before the space."""
    lower_bound = max(start, begin - MAX_WORD_CHARS)
    end = begin
    while end > lower_bound and text[end - 1] in SPACES:
        end -= 1
    at = end
    while at > lower_bound and text[at - 1].isalnum():
        at -= 1
    return text[at:end]


def opens_line(text: str, begin: int, start: int) -> bool:
    """Return whether only indentation and markers are between the start of the line and `begin`."""
    lower_bound = max(start, begin - MAX_WORD_CHARS)
    newline = text.rfind("\n", lower_bound, begin)
    # The line is longer than the search, so a word comes first.
    if newline < 0 and lower_bound > start:
        return False
    return not text[max(newline + 1, lower_bound) : begin].strip(_LINE_LEADS)
