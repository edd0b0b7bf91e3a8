"""Read two pipes: the markers of a spoiler, or an operator of a programming language.

Tight pipes (`||x`) open a spoiler, and the next pipes close it. Pipes before white space open one only if they are
closed in the same paragraph, and never between terms (`a || b || c`) or next to a word of code. An operator is
escaped later, so that Discord shows it. Pipes that are alone on their line hide the next lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..language.emoticons import emoticon_around
from ..language.punctuation import COLONS, PLAIN_ENDS
from ..tokens import LINE_REACH, NEED_MORE
from .delimiter_stack import Span, SpanKind
from .line_kinds import Line

if TYPE_CHECKING:
    from .scanner import Scanner

TERM_REACH = 48
"""Characters of a term that are read."""
LINE_OF_TERMS_REACH = 192
"""Characters of a line of terms that are read."""

MAX_PIPES = 4
"""A longer run of pipes is a drawing."""

_RUN = re.compile(r"\|+")
_FENCE = "```"
_OPENS = "([{<*_~`\"'"
_CELL_END = re.compile(r"[|\n]")
_WORD = re.compile(r"[ \t]*([^\s|]*)")
_ARTICLES = frozenset({"I", "a", "A"})
_CODE_WORD = re.compile(
    r"\w\(|\(\)|\w_\w|&&|[=!<>]=|->|=>|\$[A-Za-z_]|^!\w|^[a-z]+[A-Z]\w*$|^(?:true|false|null|nil|undefined|NULL|None)$"
)
_SHORT = re.compile(r"[A-Za-z]|\d{1,9}")
_MARKS = " \t.,;:!?)"
_LEAD_IN = COLONS | PLAIN_ENDS
_LEADS = " \t>*#-+•"


def read_pipes(scanner: Scanner, at: int, final: bool) -> int:  # noqa: PLR0911
    """Read pipes: the start or end of a spoiler, an operator, or text."""
    text, delimiters = scanner.text, scanner.delimiters
    if text[at + 1 : at + 2] not in {"|", ""}:
        return at + 1  # a single pipe: the most frequent case, as in tables
    end = _RUN.match(text, at).end()  # type: ignore[union-attr]
    # A run that was read before, or one that is too long, is text.
    if end - at > MAX_PIPES or (at and text[at - 1] == "|"):
        return end
    if scanner.line is Line.TABLE:
        return _read_in_row(scanner, at, end, final)
    before, after = scanner.around(at, end, final)
    if not after:
        return NEED_MORE
    if end - at == 1:
        return end
    delimiters.expire(at, text)
    index = delimiters.find("||", at)
    if end - at > 2:
        return _read_many(scanner, index, at, end, final)
    if index is not None:
        delimiter = delimiters.stack[index]
        if not delimiter.loose or after.isspace() or text[delimiter.at + 2 : at].strip():
            return _close(scanner, index, at, end, final)
        delimiters.drop("||", at)  # `|| ||x||`: there is nothing to hide between the first two
        delimiters.add_operator(delimiter.at)
    return _open(scanner, at, before, after, final)


def _open(scanner: Scanner, at: int, before: str, after: str, final: bool) -> int:
    """Read pipes that close nothing."""
    text, delimiters = scanner.text, scanner.delimiters
    verdict = _classify_opening(text, at, before, after, final)
    if verdict is None:
        return NEED_MORE
    if verdict == SpanKind.OPERATOR:
        delimiters.add_operator(at)
    elif verdict == "tight":
        delimiters.push("||", at, scanner.spoiler_reach)
    elif verdict == "loose" and at + 2 < len(text):
        delimiters.push(
            "||", at, scanner.settings.unmatched_delimiter_limit, loose=True, tied=not before.isspace()
        )
    return at + 2


def _read_in_row(scanner: Scanner, at: int, end: int, final: bool) -> int:  # noqa: PLR0911
    """Read pipes in a table row: a spoiler inside one cell, or the borders of cells."""
    if end - at != 2:
        return NEED_MORE if end - at == 1 and end == len(scanner.text) and not final else end
    stop = _CELL_END.search(scanner.text, end, end + LINE_REACH)
    if stop is None and len(scanner.text) < end + LINE_REACH:
        if not final:
            return scanner.wait(_CELL_END, end + LINE_REACH)
        if scanner.text[end:].strip():
            scanner.delimiters.push("||", at, scanner.spoiler_reach)
        return end
    if stop is None or stop[0] == "\n" or stop.start() == end:
        return end
    if stop.end() == len(scanner.text) and not final:
        return NEED_MORE
    if not scanner.text.startswith("||", stop.start()):
        before, after = scanner.around(at, end, final)
        if stop.end() == len(scanner.text) and before.isspace() and not after.isspace():
            scanner.delimiters.push("||", at, scanner.spoiler_reach)  # the text ends inside the closing pipes
        return end
    scanner.delimiters.spans.append(Span("||", at, stop.start() + 2))
    return stop.start() + 2


def _classify_opening(  # noqa: PLR0911
    text: str, at: int, before: str, after: str, final: bool
) -> str | None:
    """Return what pipes are that close nothing: `tight`, `loose`, an operator, or text; None to wait."""
    if before == "(" or after == ")" or not (before + after).isascii():
        emoticon = emoticon_around(text, at, final=final)
        if emoticon:
            return None if emoticon == NEED_MORE else ""
    if _stands_alone(text, at):
        return "tight"
    if after == "\n":  # a block that is hidden: `Spoiler: ||`, and on the next line a fence
        below = text[at + 3 : at + 6]
        if below == _FENCE:
            return "tight"
        if _FENCE.startswith(below) and at + 3 + len(below) == len(text) and not final:
            return None
    attached = before.isalnum() or before in ")]}"
    if not after.isspace() and not (attached and (after.isalnum() or after in "!($")):
        return "tight"
    first = _WORD.match(text, at + 2, at + 2 + TERM_REACH)
    assert first
    if first.end() == len(text) < at + 2 + TERM_REACH and not final:
        return None
    left = text[max(0, at - TERM_REACH, text.rfind("\n", 0, at) + 1) : at].replace("|", " ").split()[-1:]
    words = [*left, *first[1].split()]
    code = any(map(_is_code, words)) or (len(words) == 2 and _are_short(*words) and {*words} - _ARTICLES)
    return SpanKind.OPERATOR if code else "loose" if after.isspace() else "tight"


def _stands_alone(text: str, at: int) -> bool:
    """Return whether pipes are alone on their line, so that they hide the next lines."""
    return text.startswith("\n", at + 2) and not text[text.rfind("\n", 0, at) + 1 : at].strip(_LEADS)


def _read_many(scanner: Scanner, index: int | None, at: int, end: int, final: bool) -> int:
    """Read three or four pipes: Discord hides text between such, too."""
    after = scanner.text[end : end + 1]
    if index is not None:
        continues = after.isalnum() or (after and after in _OPENS)
        return end if continues else _close(scanner, index, at, end, final)
    if after.strip():
        scanner.delimiters.push("||", at, scanner.settings.unmatched_delimiter_limit, loose=True, tied=True)
    return end


def _close(scanner: Scanner, index: int, at: int, end: int, final: bool) -> int:
    """Close a spoiler, unless the opening and the closing pipes are operators between terms."""
    delimiters = scanner.delimiters
    delimiter = delimiters.stack[index]
    spaced = delimiter.loose and not delimiter.tied
    operator = spaced and _is_operator(scanner, delimiter.at, at, final)
    if operator is None:
        return NEED_MORE
    if operator:
        delimiters.drop("||", at)
        delimiters.add_operator(delimiter.at)
        tied = not scanner.text[at - 1].isspace()
        delimiters.push("||", at, scanner.settings.unmatched_delimiter_limit, loose=True, tied=tied)
    else:
        delimiters.close("||", at, end)
    return end


def _is_operator(scanner: Scanner, start: int, at: int, final: bool) -> bool | None:
    """Return whether both pairs of pipes are between terms or next to code; None to wait."""
    text = scanner.text
    inner = text[start + 2 : at].split()
    rest = _right(text, at + 2, TERM_REACH, final)
    if rest is None:
        return None
    left = _left(scanner, start)
    words = [*left[-1:], *(rest.partition("||")[0].split()[:1])]
    if any(map(_is_code, [*words, *inner[:1], *inner[-1:]])) or any("`" in word for word in words):
        return True
    if not len(inner) == len(left) == 1:
        return len(words) == 2 and _are_short(*words, *inner[:1], *inner[-1:]) and bool(inner)
    if left[0][-1] in _LEAD_IN:
        return False  # `The end: || Bob || wow`
    rest = _right(text, at + 2, LINE_OF_TERMS_REACH, final)
    if rest is None:
        return None
    return all(len(term.split()) == 1 and term.strip(_MARKS) for term in rest.split("||"))


def _left(scanner: Scanner, start: int) -> list[str]:
    """Return the words of the term before pipes, on their line."""
    line = scanner.text[max(0, start - TERM_REACH, scanner.text.rfind("\n", 0, start) + 1) : start]
    before, bars, term = line.rpartition("||")
    ends = {span.end for span in scanner.delimiters.spans[-8:] if span.mark == SpanKind.OPERATOR}
    if bars and start - len(term) not in ends:
        return line.split()
    return (term if bars else before + term).strip(_LEADS).split()


def _right(text: str, at: int, reach: int, final: bool) -> str | None:
    """Return the text after a position on its line, up to `reach` characters; None to wait."""
    newline = text.find("\n", at, at + reach)
    if newline < 0 and len(text) < at + reach and not final:
        return None
    return text[at : newline if newline >= 0 else at + reach]


def _is_code(word: str) -> bool:
    return _CODE_WORD.search(word) is not None


def _are_short(*words: str) -> bool:
    return all(_SHORT.fullmatch(word.strip("().,;:!?")) for word in words)
