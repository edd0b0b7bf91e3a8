"""Find the kind of a line as Discord reads it: list item, quote, heading, table row, fence.

Every look ahead is bounded and returns `None` if a character that has not arrived could change the result.
"""

from __future__ import annotations

import re
from enum import IntEnum
from itertools import pairwise

from ..language.attribution import is_farewell
from ..language.punctuation import STOPS, class_of
from ..tokens import NEED_MORE, NOT_FOUND

WHITE_HOLD = 64
"""White space after which a line break no longer waits for what follows it."""
LONGEST_RUN = 32
"""Backticks after which a run is text."""
HEAD_REACH = 2000
"""Characters within which a table's header must show its delimiter line."""

HEADING = 256
"""A bold line that is longer heads nothing."""

RULE_LINE = re.compile(
    r"(?:-[ \t]?){3,64}|(?:\*[ \t]?){3,64}|(?:_[ \t]?){3,64}|={3,64}|[─━═—–]{3,64}"
    r"|⸻{1,32}|⁂|[~•·](?: [~•·]){2,32}|[◇◆＊※❖✦✧](?:[ \u3000]{0,4}[◇◆＊※❖✦✧]){2,32}"
)
"""A rule across the page."""
_PICTURES = (
    r"[\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u23ff\u25aa-\u27bf\u2b05-\u2b55\U0001f000-\U0001faff"
    r"\u2500-\u257f"
)
_BESIDE = rf"{_PICTURES}\ufe0f\u200d]{{1,8}}"
_OPEN_END = rf"[^*_\n{class_of(STOPS)}]"
BOLD_LINE = re.compile(
    rf"(?:{_BESIDE}[ ]?)?(?:\*\*[^*\n]{{0,200}}{_OPEN_END}\*\*|__[^_\n]{{0,200}}{_OPEN_END}__"
    rf"|(\*\*\*|__\*\*\*?)[^*_\n]{{0,200}}{_OPEN_END}(?:\*\*\*|\*\*\*?__)|\*\*__[^*_\n]{{0,200}}{_OPEN_END}__\*\*)"
    rf":?(?:[ ]?{_BESIDE})?|【[^【】\n]{{1,40}}】[:：]?"
)
"""A line that is bold as a whole and no statement, or enclosed in `【】`; pictures may be beside it."""
_LABEL = r"[^\s:：-][^\n:：]{0,63}[:：][*_]{0,3}[ \t]*"
LABELLED = re.compile(rf"{_LABEL}(?:[-*•+–・‣◦▪●■]|\d{{1,9}}[.)]|[A-Ja-j]\)|\(\d{{1,3}}\)|>|#{{1,6}})[ \t]")
"""An item, a quote or a heading after a label."""
LABELLED_QUOTE = re.compile(rf"{_LABEL}>[ \t]")
LABELLED_HEADING = re.compile(rf"{_LABEL}#{{1,6}}[ \t]")
_HANGUL = "가나다라마바사아자차카타파하"
_KANA = "アイウエオカキク"
LETTERED = re.compile(
    rf"[ \t]{{0,64}}(?:[A-Ja-j{_HANGUL}{_KANA}]|[IVX\u2160-\u217f]{{1,5}}|[iv][ivx]{{0,4}})\.[ \t]"
)
"""A letter or a roman number that may count lines, if the next line has one too."""
_PART = re.compile("[IVX]{1,5}[.]")
_OUTLINE_HEADING = re.compile(r"(?:[A-J]|[IVX]{1,5})\.[ \t][^\W\d_][^\n.!?:;]{0,80}[\w)][ \t]*")
FOOTNOTE = re.compile(r"\[\^?\d{1,3}\]:?[ \t]")
"""A note below a text: a bracket on the next line is another one's."""
QUOTATION = re.compile(r"[*_]{0,3}[\"“„«»「『][^\n]{1,600}[\"”“»«」』][*_.]{0,4}\s*\Z")
"""A line that is a quotation, so that a dash below it leads to who said it."""
PICTURED = re.compile(rf"[ \t]{{0,64}}(?:{_PICTURES}]|:[a-zA-Z0-9_+-]{{1,32}}:[ \t])")
"""A picture, its shortcode or a stroke of a tree that may lead lines, if the next line has one too."""

_MARKERS = frozenset("`>#-*•|0123456789+–・‣⁃◦‐−▪▫■□●○◆◇►▸·‧")
_CIRCLED = re.compile("[\U0001f51f\u2460-\u2473\u2474-\u2487\u24f5-\u24fe\u2776-\u2793]")
_LETTER = rf"(?:[A-Ja-jа-иА-Иأبجدهو{_HANGUL}{_KANA}]|[IVX\u2160-\u217f]{{1,5}}|[iv][ivx]{{0,4}})"
_HAN = "[一二三四五六七八九十]"
# `a) `, `iv) `, `(1) ` and `١. ` count with a space after them, `一、`, `（１）` and `１．` without.
_COUNTED = re.compile(
    rf"{_LETTER}\)(?=[ \t])|\((?:\d{{1,3}}|{_LETTER})\)(?=[ \t])|（(?:\d{{1,3}}|{_LETTER}|{_HAN}{{1,3}})）"
    rf"|\d{{1,3}}(?:[.)-](?=[ \t])|．(?!\d)|、)|{_HAN}{{1,3}}、"
)
_HALF_COUNTED = re.compile(
    rf"(?::[a-zA-Z0-9_+-]{{0,32}}:?|{_LETTER}[.)]?|[(（](?:\d{{1,3}}|{_LETTER}|{_HAN}{{1,3}})?\)?|\d{{1,3}}[.)．-]?|{_HAN}{{1,3}})\Z"
)
_COUNTERS = frozenset(
    f":ABCDEFGHIJVXabcdefghijvабвгдежзиАБВГДЕЖЗИأبجدهو{_HANGUL}{_KANA}(（一二三四五六七八九十"
    + "".join(
        chr(zero + digit) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for digit in range(10)
    )
    + "".join(map(chr, range(0x2160, 0x2180)))
)
_SEQUENCES = (
    "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", "一二三四五六七八九十", "ABCDEFGHIJ", "abcdefghij", "АБВГДЕЖЗИ", "абвгдежзи",
    "أبجدهو", _HANGUL,
)  # fmt: skip
_BEFORE = {one: before for row in _SEQUENCES for before, one in pairwise(row)}
_NEXT = re.compile(
    rf"([(（]?)(\d{{1,3}})([.)](?=[ \t])|\.(?=[\u3041-\u9fff\uac00-\ud7a3])|[．）、])"
    rf"|([(（]?)({_LETTER})([)）](?=[ \t]))|([(（]?)({_HAN})([、）])|()([①-⑳])()|()([-–・•])(?=[ \t])()"
)
_HALF_NEXT = re.compile(rf"(?:[(（]|[(（]?(?:\d{{1,3}}[.)]?|{_LETTER}[)）]?|{_HAN})|[-–・•])\Z")
_DASHES = frozenset("-–・•")
_SHARED = 600
_WHITE = re.compile(r"[ \t\n]*")
_BLANK = re.compile(r"[ \t]*")
_INDENT = re.compile("[ \t\u3000]*")
_TICKS = re.compile(r"`{1,33}")
_TILDES = re.compile(r"~*")
_TILDE_INFO = re.compile(r"[ \t]*(?:[A-Za-z0-9_+\-.#]{1,32}[ \t]*)?")  # nothing, or one word: a language
_DIGITS = re.compile(r"\d{1,9}")
_UNSPACED = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_HASHES = re.compile(r"#{1,7}")
_DELIMITER = re.compile(r"[ \t:|-]*")


class Line(IntEnum):
    """The kinds of lines that decide where text may be cut."""

    __hash__ = int.__hash__  # they are looked up for every line; an enum's own hash is slow

    PROSE = 0
    BLANK = 1
    ITEM = 2
    MORE = 3  # an indented line that continues the item above it
    QUOTE = 4
    BLOCK_QUOTE = 5  # >>> lasts to the end of the message
    HEADING = 6
    SUBTEXT = 7
    PIPE = (
        8  # starts with |, perhaps a table's header; one without outer bars is known only by its second line
    )
    TABLE = 9
    FENCE = 10


def skip_white(text: str, start: int) -> int:
    """Return the position of the first character that is not white space, at most `WHITE_HOLD` later."""
    return _WHITE.match(text, start, start + WHITE_HOLD).end()  # type: ignore[union-attr]


def may_join_next_line(text: str, start: int, end: int) -> bool:
    """Return whether a line of prose may share a message with the next: an item, a bold line, a `---` line."""
    if end - start > HEADING:
        return False
    line = text[start:end].strip()
    word = line[:1].isascii() and line[:1].isalnum()  # max_length lines begin with one
    marked = not word and (BOLD_LINE.fullmatch(line) or RULE_LINE.fullmatch(line) or PICTURED.match(line))
    return is_farewell(line) or bool(
        marked
        or LABELLED.match(line)
        or LETTERED.match(line)
        or is_farewell(text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start].strip())
    )


def heads(text: str, *, light: bool, blank: bool) -> bool:
    """Whether the last line belongs to what follows: a rule, a letter's end, with `light` a bold line.

    The line below a letter's end does so too, if no `blank` line follows it.
    """
    above, _, line = text.rpartition("\n")
    if line[:1].isalnum():
        signs = bool(above) and not blank and is_farewell(above.rpartition("\n")[2].strip())
        return signs or is_farewell(line)
    return bool(light and BOLD_LINE.fullmatch(line)) or RULE_LINE.fullmatch(line) is not None


def heads_outline(text: str, below: str, *, blank: bool, item: bool) -> bool:
    """Return whether a text is a heading of an outline (`II. Market`, `A. Industry`) that belongs to what is below.

    Args:
        text: The text so far: the heading, or the heading of a part and the heading of its first section.
        below: The beginning of the next line.
        blank: Whether a blank line is between them.
        item: Whether the next line is an item of a list.

    """
    headings = [line for line in text.split("\n") if line.strip()]
    if not 0 < len(headings) < 3 or not all(map(_OUTLINE_HEADING.fullmatch, headings)):
        return False
    # Letters or numbers in a row are options or items: `A. Paris`, `B. London`.
    if headings[1:] and not headings[1].startswith("A."):
        return False
    if LETTERED.match(below):
        return len(headings) == 1 and _PART.match(text) is not None and below.startswith("A.")
    return not blank or (item and _PART.match(headings[-1]) is not None)


def is_head(line: str) -> bool:
    """Return whether a line belongs to the next one: a heading, a bold line or a `---` line."""
    if BOLD_LINE.fullmatch(line) or RULE_LINE.fullmatch(line):
        return True
    found = read_line(line, 0, final=True)
    return found is not None and found[0] is Line.HEADING


def read_line(  # noqa: PLR0911
    text: str, start: int, *, final: bool, tildes: bool = False
) -> tuple[Line, int] | None:
    """The kind of the line that starts here and where its content begins, or None to wait.

    With `tildes`, `~~~` is a fence as three backticks are.
    """
    at = _INDENT.match(text, start, start + WHITE_HOLD).end()  # type: ignore[union-attr]
    if at == len(text):
        return (Line.PROSE, at) if final else None
    if text[at] not in _MARKERS:
        if tildes and text[at] == "~":
            return _read_tildes(text, at, final=final)
        return (Line.ITEM, at + 1) if _CIRCLED.match(text, at) else _read_counted(text, at, final=final)
    match text[at]:
        case "`":
            return _read_fence(text, at, final=final)
        case ">":
            return _read_quote(text, at, final=final)
        case "#":
            return _read_marker(text, at, _HASHES, 6, Line.HEADING, final=final)
        case "-":
            if text.startswith("-#", at):
                return _read_marker(text, at, None, 2, Line.SUBTEXT, final=final)
            return _read_marker(text, at, None, 1, Line.ITEM, final=final)
        case "・" | "•":
            return _read_bullet(text, at, final=final)
        case "|":
            return _read_pipe(text, at, final=final)
        case digit if digit.isdecimal():
            return _read_number(text, at, final=final)
    return _read_marker(text, at, None, 1, Line.ITEM, final=final)


def _read_bullet(text: str, at: int, *, final: bool) -> tuple[Line, int] | None:
    """Read a bullet that needs no space after it."""
    if at + 1 == len(text) and not final:
        return None
    return Line.ITEM, at + 1 + (text[at + 1 : at + 2] in (" ", "\t"))


def _read_fence(text: str, at: int, *, final: bool) -> tuple[Line, int] | None:
    run = _TICKS.match(text, at).end() - at  # type: ignore[union-attr]
    if at + run == len(text) and run <= LONGEST_RUN and not final:
        return None
    return (Line.FENCE if 3 <= run <= LONGEST_RUN else Line.PROSE), at


def _read_tildes(text: str, at: int, *, final: bool) -> tuple[Line, int] | None:  # noqa: PLR0911
    """Read tildes: a fence if a language or text follows, else the end of a scene."""
    end = _TILDES.match(text, at, at + LONGEST_RUN + 1).end()  # type: ignore[union-attr]
    until = end + WHITE_HOLD
    newline = text.find("\n", end, until)
    info = text[end : newline if newline >= 0 else until]
    if end == len(text) and end - at <= LONGEST_RUN and not final:
        return None
    if not 3 <= end - at <= LONGEST_RUN or not _TILDE_INFO.fullmatch(info):
        return Line.PROSE, at
    if newline < 0:
        return (Line.PROSE, at) if final or len(text) >= until else None
    if info.strip(" \t"):
        return Line.FENCE, at
    below = _BLANK.match(text, newline + 1, newline + 1 + WHITE_HOLD).end()  # type: ignore[union-attr]
    if below == newline + 1 + WHITE_HOLD or (below == len(text) and final):
        return Line.PROSE, at
    if below == len(text):
        return None
    return (Line.PROSE if text[below] in "\n~" else Line.FENCE), at


def _read_quote(text: str, at: int, *, final: bool) -> tuple[Line, int] | None:
    """`> ` quotes a line, `>>> ` the rest of the message; a lone `>` is an empty quoted line."""
    if text.startswith(">>>", at):
        return _read_marker(text, at, None, 3, Line.BLOCK_QUOTE, final=final)
    if at + 1 == len(text):
        return (Line.QUOTE, at + 1) if final else None
    if text[at + 1] == "\n":
        return Line.QUOTE, at + 1
    if ">>>".startswith(text[at : at + 3]) and at + 2 == len(text) and not final:
        return None
    return _read_marker(text, at, None, 1, Line.QUOTE, final=final)


def _read_marker(
    text: str, at: int, run: re.Pattern[str] | None, max_length: int, kind: Line, *, final: bool
) -> tuple[Line, int] | None:
    """Read a marker of at most `max_length` characters, which needs a space after it."""
    end = run.match(text, at).end() if run else at + max_length  # type: ignore[union-attr]
    if end - at > max_length:
        return Line.PROSE, at
    if end >= len(text):
        # An answer that ends after a list marker keeps it.
        return (kind if kind is Line.ITEM else Line.PROSE, at) if final else None
    return (kind, end + 1) if text[end] in " \t" else (Line.PROSE, at)


def _read_counted(text: str, at: int, *, final: bool) -> tuple[Line, int] | None:
    """Read letters, roman numbers, numbers in brackets and digits of other scripts as list markers."""
    if text[at] not in _COUNTERS:
        return Line.PROSE, at
    if not final and _HALF_COUNTED.match(text, at):
        return None
    counted = _COUNTED.match(text, at)
    if counted is None:
        return Line.PROSE, at
    end = counted.end()
    return Line.ITEM, end + (text[end : end + 1] in (" ", "\t"))


def _read_number(text: str, at: int, *, final: bool) -> tuple[Line, int] | None:
    end = _DIGITS.match(text, at).end()  # type: ignore[union-attr]
    if end < len(text) and text[end] in "．、\ufe0f\u20e3":
        return _read_keycap(text, at, end, final=final)
    if end < len(text) and (text[end] in ".)" or (text[end] == "-" and end - at < 3)):
        if text[end] != "-" and _UNSPACED.match(text, end + 1) and end - at <= 3:
            return Line.ITEM, end + 1  # `1.苹果`
        return _read_marker(text, at, None, end + 1 - at, Line.ITEM, final=final)
    return None if end == len(text) and not final else (Line.PROSE, at)


def _read_keycap(text: str, at: int, end: int, *, final: bool) -> tuple[Line, int] | None:
    """`1、`, `1．` and the digit on a key, which need no space after them."""
    if text[end] == "．":
        if end + 1 == len(text) and not final:
            return None
        return (Line.PROSE, at) if text[end + 1 : end + 2].isdecimal() else (Line.ITEM, end + 1)
    if text[end] != "\ufe0f":
        return Line.ITEM, end + 1
    if end + 1 == len(text) and not final:
        return None
    return (Line.ITEM, end + 2) if text.startswith("\u20e3", end + 1) else (Line.PROSE, at)


def _read_pipe(text: str, at: int, *, final: bool) -> tuple[Line, int] | None:
    if at + 1 == len(text):
        return (Line.PROSE, at) if final else None
    return (Line.PROSE if text[at + 1] == "|" else Line.PIPE), at


def is_table_head(text: str, start: int, *, final: bool) -> bool | None:
    """Return whether the line is a table's header: the next one is made of dashes, pipes and colons."""
    until = min(len(text), start + HEAD_REACH)
    waits = until == len(text) and until < start + HEAD_REACH and not final
    newline = text.find("\n", start, until)
    if newline < 0:
        return None if waits else False
    end = _DELIMITER.match(text, newline + 1, until).end()  # type: ignore[union-attr]
    if end == until and waits:
        return None
    if end < until and text[end] != "\n":
        return False
    delimiter = text[newline + 1 : end].strip(" \t")
    return "-" in delimiter and "|" in delimiter


def is_bare(text: str, start: int) -> bool:
    """Return whether the line below a table's header has no outer pipe, so that its rows need none either."""
    line = text.find("\n", start) + 1
    return not text[line : line + WHITE_HOLD].lstrip(" \t").startswith("|")


def has_pipe(text: str, start: int, *, final: bool) -> bool | None:
    """Return whether the line has a pipe, so that it may be a row of a table without outer pipes."""
    until = start + HEAD_REACH
    newline = text.find("\n", start, until)
    if text.find("|", start, newline if newline >= 0 else until) >= 0:
        return True
    return None if newline < 0 and len(text) < until and not final else False


def find_item(text: str, at: int, *, final: bool) -> int:
    """Where it begins, if another item of a line that is one begins here, or `NOT_FOUND`, or `NEED_MORE`.

    `1. Boil water. 2. Add tea.` has two of them, and in `– Vieni? – No.` two people speak.
    """
    if not final and (at == len(text) or _HALF_NEXT.match(text, at)):
        return NEED_MORE
    marker = _NEXT.match(text, at)
    if marker is None:
        return NOT_FOUND
    low = max(0, at - _SHARED)
    line = text[text.rfind("\n", low, at) + 1 or low : at]
    opening, one, closing = (part for part in marker.groups() if part is not None)
    if one in _DASHES:
        return at if line.lstrip().startswith(f"{one} ") else NOT_FOUND
    before = str(int(one) - 1) if one.isdecimal() else _BEFORE.get(one, "-")
    return at if re.search(rf"(?<!\w){re.escape(opening + before + closing)}", line) else NOT_FOUND
