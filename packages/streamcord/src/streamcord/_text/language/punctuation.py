"""The marks that end, part and close sentences: every other file takes them from here.

The names say what a mark does, not what it looks like: a rule that wants a mark of its own writes which of
these it means, so that a script that is added once is known everywhere.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category

__all__ = [
    "CARRIED",
    "CLOSERS",
    "COLONS",
    "COMMAS",
    "DASHES",
    "ELLIPSES",
    "EMPHATIC",
    "ENDS",
    "FOOTNOTE_STARTS",
    "LONE",
    "MAX_WORD_CHARS",
    "PLAIN_ENDS",
    "QUOTE_ENDS",
    "SEMICOLONS",
    "SPACED_ENDS",
    "SPACES",
    "STOPS",
    "UNAMBIGUOUS_CLOSERS",
    "WIDE",
    "WIDE_COMMAS",
    "class_of",
    "opens_line",
    "plain_word_before",
    "skip_footnotes",
    "word_before",
    "word_start",
]

ELLIPSES: Final = frozenset("…‥")
"""Dots in one character: an ellipsis is three stops, however it is written."""
STOPS: Final = ELLIPSES | frozenset(".。．｡︒﹒۔।॥።։។៕။᠃᠉")
"""Full stops."""
EMPHATIC: Final = frozenset("!?！？︕︖﹖﹗؟‼⁇⁈⁉‽⸮፧፨")
"""Marks that ask or cry out."""
ENDS: Final = STOPS | EMPHATIC
"""Characters that may end a sentence."""
SPACED_ENDS: Final = ELLIPSES | frozenset(".!?‽")
"""Ends of scripts that write a space after them; the others need none."""

COMMAS: Final = frozenset(",、，､،")
WIDE_COMMAS: Final = frozenset("、，､")
"""Commas that have their space inside them."""
SEMICOLONS: Final = frozenset(";；؛")
COLONS: Final = frozenset(":：")
DASHES: Final = frozenset("—–―‒-")
"""Dashes that may lead to who spoke, or to the next who speaks."""

PLAIN_ENDS: Final = frozenset(".!?。！？")
CARRIED: Final = PLAIN_ENDS | frozenset(",;、，")
"""What may stand alone on a line and belongs to the line before it, as the seeds list it."""
LONE: Final = CARRIED | frozenset(":")
"""What is no message by itself."""
WIDE: Final = frozenset("。！？、，；")
"""Marks of full width, which no address contains."""

QUOTE_ENDS: Final = frozenset("\"”’»›」』》〉〞｣＂“‘«'")
"""What ends a quotation; some of them begin one in other languages."""
UNAMBIGUOUS_CLOSERS: Final = frozenset(")]}”’»›」』》】〉〕〗〙〞｣）］｝＞")
"""Brackets and quotes that only close."""
CLOSERS: Final = UNAMBIGUOUS_CLOSERS | frozenset("\"'＂＇*_~|")
"""What may stand between a sentence's mark and its end; the markers also open what comes next."""
SPACES: Final = frozenset(" \t\u00a0\u1680\u202f\u205f\u3000") | frozenset(map(chr, range(0x2000, 0x200B)))
MAX_WORD_CHARS: Final = 32
"""How far is looked back for the start of a word."""
FOOTNOTE_STARTS: Final = frozenset("[¹²³⁰⁴⁵⁶⁷⁸⁹†‡")
"""What notes begin with that a mark carries."""
_LINE_LEADS = " \t>*_#-+•|~(–—"
_FOOTNOTE = re.compile(r"\[\^?\d{1,3}\](?:\([^()\s]{1,500}\)|(?!\())|[¹²³⁰⁴-⁹†‡]{1,4}")
_PARTIAL_FOOTNOTE = re.compile(r"\[(?:\^?\d{0,3}|\^?\d{1,3}\](?:\([^()\s]{0,500})?)\Z")


def class_of(*marks: frozenset[str]) -> str:
    """Return the inside a regular expression's brackets that match any of these marks."""
    return re.escape("".join(sorted(frozenset().union(*marks))))


def skip_footnotes(text: str, at: int) -> int:
    """After notes that a mark carries: `so it is.[1][2]`, `so.¹ Then`; after all if one may yet come."""
    while footnote := _FOOTNOTE.match(text, at):
        at = footnote.end()
    return len(text) if _PARTIAL_FOOTNOTE.match(text, at) else at


def word_start(text: str, at: int, start: int) -> int:
    """Return where the word that ends at `at` begins, dots inside it included."""
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
    """Return the same without any dot: nothing, if one is before the space."""
    lower_bound = max(start, begin - MAX_WORD_CHARS)
    end = begin
    while end > lower_bound and text[end - 1] in SPACES:
        end -= 1
    at = end
    while at > lower_bound and text[at - 1].isalnum():
        at -= 1
    return text[at:end]


def opens_line(text: str, begin: int, start: int) -> bool:
    """Return whether only indentation and markers stand between the start of the line and `begin`."""
    lower_bound = max(start, begin - MAX_WORD_CHARS)
    newline = text.rfind("\n", lower_bound, begin)
    if newline < 0 and lower_bound > start:
        return False
    return not text[max(newline + 1, lower_bound) : begin].strip(_LINE_LEADS)
