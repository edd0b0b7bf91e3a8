"""Recognize lines that belong together without a marker: labels, stanzas, code without a fence, rows of bars.

Every look ahead is bounded and returns `None` if a character that has not arrived could change the result.
"""

from __future__ import annotations

import re
from enum import Enum

from ..language.punctuation import CLOSERS, COMMAS, DASHES, ENDS, SEMICOLONS, WIDE, class_of
from .alike_lines import TREE_STROKES, AlikeKind, alike_kind, are_alike
from .line_kinds import WHITE_HOLD, Line, is_table_head, read_line

MAX_LABEL_CHARS = 200
"""A longer line that ends with a colon is a paragraph."""

MAX_VERSE_CHARS = 72
"""A longer line is no verse."""
STANZA_LINES = 4
"""Lines that are read to find out whether they are a stanza."""
MIN_VERSE_WORDS = 3
"""A shorter first line that ends a sentence is no verse."""
MAX_CODE_LINE_CHARS = 200
"""A longer line is no code, as far as this module cares."""

MAX_TITLE_CHARS = 100
"""A longer line is no title, and a line below a title that is not longer is no paragraph."""

_MARKER = re.compile(r"[ \t]*(?:[-*•+–]|\d{1,3}[.)]|[A-Za-z][.)])[ \t]+")
_COLON_END = re.compile(r"[^\W_][^\n]*(?<![\s:：([{])[:：][*_]{0,3}\Z|[*_]{1,3}[^\n*_]+[*_]{1,3}[:：]\Z")
# Every word of a title has a capital, or is short: `Real-World Example: Procter & Gamble (P&G)`.
_TITLE_WORD = r"(?:\([^\W\d_a-z][^()\n]{0,40}\)|[A-Z][\w'’&-]{0,32})"
_TITLE = re.compile(
    rf"[A-Z][\w'’-]{{1,32}}:?(?:[ \t]+(?:{_TITLE_WORD}:?|[a-z]{{1,3}}|[&–-]|\d{{1,4}})){{0,12}}"
    rf"[ \t]+{_TITLE_WORD}(?: (?:Inc|Co|Corp|Ltd)\.)?"
)
_LABEL_ENDS = frozenset(":：*_")
_SHORTCODE_END = re.compile(r":[\w+-]{1,32}:\Z")
_SENTENCE = re.compile(rf"[{class_of(ENDS)}](?:\s|(?<=[{class_of(WIDE)}]))")


def is_label(line: str) -> bool:
    """Return whether a line announces the next one: a phrase of one sentence that ends with a colon."""
    line = line.strip()
    if line[-1:] not in _LABEL_ENDS or len(line) > MAX_LABEL_CHARS:
        return False
    line = line[marker.end() :] if (marker := _MARKER.match(line)) else line
    if _COLON_END.match(line.lstrip("*_")) is None and _COLON_END.match(line) is None:
        return False
    return _SENTENCE.search(line) is None and _SHORTCODE_END.search(line) is None


class LineGroup(Enum):
    """Why a line stays with the next one."""

    NONE = "it does not"
    NEW = "it does not, and begins a paragraph"
    NEW_STRICT = "so, where lines without end marks are a chat rather than a stanza"
    STANZA = "verses"
    CODE = "code without a fence"
    ROWS = "rows of bars without a delimiter row"
    ALIKE = "lines that are written alike"
    TITLE = "a title above a paragraph"


_NEW = (LineGroup.NEW, LineGroup.NEW_STRICT)


def find_group(  # noqa: PLR0911
    text: str, line: int, end: int, below: int, *, group: LineGroup, final: bool, strict: bool = False
) -> LineGroup | None:
    """Return what joins two lines of prose or bars, or None to wait for more text.

    Args:
        text: The text so far.
        line: Start of the line.
        end: Its end.
        below: Start of the next line that is not blank.
        group: What joins the line to the one above it; verses are looked for in a `NEW` paragraph only.
        strict: Whether only lines are joined that mean nothing alone.
        final: Whether no more text follows.

    """
    above = text[line:end]
    blank = _is_blank_between(text, end, below)
    if not blank and _is_grid(above):
        return _find_grid(text, above, below, group=group, final=final)
    if above.lstrip().startswith("|"):
        return _find_rows(text, below, final=final)
    indent, indent_below = _indent(above), _indent(text[below : below + WHITE_HOLD])
    deeper = indent_below > indent and (not blank or looks_like_code(above))
    if (group is LineGroup.CODE and indent_below) or deeper:
        return LineGroup.CODE
    if not blank and (group is LineGroup.CODE or looks_like_code(above)):
        code = _find_code(text, below, final=final)
        if code is not LineGroup.NONE:
            return code
    if blank:
        return LineGroup.NONE
    joined: LineGroup | None = LineGroup.NONE
    if group in _NEW:
        joined = _find_stanza(text, line, strict=group is LineGroup.NEW_STRICT, final=final)
    elif group is LineGroup.STANZA:
        verse = _read_verse(text, below, above=above.rstrip(), final=final)
        joined = None if verse is None else LineGroup.STANZA if verse else LineGroup.NONE
    if joined is LineGroup.NONE and group in _NEW and not strict and _is_title(above):
        return _find_paragraph(text, below, final=final)
    return (
        joined
        if joined is not LineGroup.NONE
        else _find_alike(text, above, below, strict=strict, final=final)
    )


def may_group(  # noqa: PLR0911
    text: str, line: int, end: int, below: int, group: LineGroup, *, strict: bool = False
) -> bool:
    """Return whether the kind of the next line decides about a line: whether they may belong together."""
    if text[max(line, end - 8) : end].rstrip()[-1:] in _LABEL_ENDS:
        return True
    above = text[line:end]
    blank = _is_blank_between(text, end, below)
    if not blank and _is_grid(above):
        return True
    if blank:
        code = text[below] in " \t" and looks_like_code(above)
        return group is LineGroup.CODE or text[below] == "|" or code
    if group is LineGroup.CODE or text[below] in "| \t" or text[below] in TREE_STROKES:
        return True
    if end - line > MAX_CODE_LINE_CHARS:
        return False
    if alike_kind(above, strict=strict) is not AlikeKind.NONE or looks_like_code(above):
        return True
    if group in _NEW and not strict and _is_title(above):
        return True
    alone = group in _NEW and not _may_begin_stanza(above.rstrip(), strict=strict)
    return group is not LineGroup.NONE and not alone


def _is_title(line: str) -> bool:
    """Return whether a line is written like a title: several words with capitals, and no end of a sentence."""
    return len(line) <= MAX_TITLE_CHARS and _TITLE.fullmatch(line.strip()) is not None


def _find_paragraph(text: str, below: int, *, final: bool) -> LineGroup | None:
    """Return whether the line below a title is long, so that it is a paragraph and no line of a list or chat."""
    end = _find_line_end(text, below, MAX_TITLE_CHARS, final=final)
    return None if end is None else LineGroup.NONE if end else LineGroup.TITLE


def _is_blank_between(text: str, end: int, below: int) -> bool:
    return text.count("\n", end, below) > 1


def _find_alike(text: str, above: str, below: int, *, strict: bool, final: bool) -> LineGroup | None:
    """Return whether a line leads to a tree, or is written like the one below it."""
    if text[below] in TREE_STROKES and not _SENTENCE.search(above + " "):
        return LineGroup.ALIKE
    if alike_kind(above, strict=strict) is AlikeKind.NONE:
        return LineGroup.NONE
    end = _find_line_end(text, below, MAX_CODE_LINE_CHARS, final=final)
    if end is None:
        return None
    return LineGroup.ALIKE if are_alike(above, text[below : end or below], strict=strict) else LineGroup.NONE


def _indent(line: str) -> int:
    """Return the width of the indentation; a single space is none."""
    line = line.expandtabs(4)
    width = len(line) - len(line.lstrip(" "))
    return width if width > 1 else 0


def _find_rows(text: str, below: int, *, final: bool) -> LineGroup | None:
    """Return whether a row of bars follows that begins no table."""
    if text[below : below + WHITE_HOLD].lstrip()[:1] != "|":
        return LineGroup.NONE
    head = is_table_head(text, below, final=final)
    return None if head is None else LineGroup.NONE if head else LineGroup.ROWS


_BORDER = re.compile(r"[ \t]*[+|]?(?:[-=_]{2,}[+|]){1,32}[-=_]*[+|]?[ \t]*")  # `+---+---+`, `---+---`
_DASHES_ONLY = re.compile(r"[ \t]*[-=_]{3,}[ \t]*")
_CELLS = re.compile(
    r"[ \t]*\|?[^\n|`]{0,60}(?:[ \t]\|(?!\|)[^\n|`]{0,60}){1,32}(?<![.!?])\|?[ \t]*"
)  # `a | b`
_TABLATURE = re.compile(r"[ \t]*[A-Ga-g][#b]?\|[^\n]*-[^\n]*")  # `e|--0--|`


def _is_grid(line: str) -> bool:
    """Return whether a line may belong to a drawn grid: a border, or cells with bars between them."""
    if len(line) > MAX_CODE_LINE_CHARS or not ("|" in line or "+" in line or _DASHES_ONLY.fullmatch(line)):
        return False
    row = line.lstrip().startswith("|") and not line.lstrip().startswith("||")
    return row or any(kind.fullmatch(line) for kind in (_BORDER, _DASHES_ONLY, _CELLS, _TABLATURE))


def _find_grid(text: str, above: str, below: int, *, group: LineGroup, final: bool) -> LineGroup | None:
    """Return whether the line below a line of a grid belongs to it: a border, or a row like the one above."""
    if text[below : below + WHITE_HOLD].lstrip().startswith("|") and (
        above.lstrip().startswith("|") or _BORDER.fullmatch(above)
    ):
        return _find_rows(text, below, final=final)
    end = _find_line_end(text, below, MAX_CODE_LINE_CHARS, final=final)
    if end is None:
        return None
    line = text[below : end or below]
    if _BORDER.fullmatch(line) or ("|" in above and _DASHES_ONLY.fullmatch(line)):
        return LineGroup.ROWS
    if _TABLATURE.fullmatch(above) and _TABLATURE.fullmatch(line):
        return LineGroup.ROWS
    inside = _BORDER.fullmatch(above) or group is LineGroup.ROWS or above.count("|") == line.count("|")
    return LineGroup.ROWS if inside and _CELLS.fullmatch(line) else LineGroup.NONE


# --- Code ------------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\n]+")
_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)+")
_CODE_LINE = re.compile(
    r"[ \t]*(?:"
    r"[\])}]+[;,]?|(?:end|fi|done|esac|endif|endwhile|loop|wend)[;,)]?"  # `});`, `end`
    r"|[^\n]*(?:[{}]|[=()\[\]{}<>.][^\n]*;)"  # `if (x) {`, `foo();`
    r"|(?:[\w.*&<>\[\]]+[ ]){0,2}[\w.\[\]'\"]+[ ]?(?:[-+*/%|&^]|\*\*|//)?=(?!=)[ ]?\S[^\n]*"  # `x = 5`
    r"|[a-zA-Z_][\w.]*\([^\n]*\)"  # `print(x)`
    r"|(?:def|class|for|while|if|elif|else|try|except|finally|with|match|case|switch)\b[^\n]*[:({]"
    r"|</?[a-zA-Z][\w-]*(?:\s[^<>\n]*)?/?>"  # `<div class="a">`
    r"|(?:\$|>>>|PS [A-Z]:\\[^>\n]*>|[\w.-]+@[\w.-]+:[^$#\n]*[$#]) ?[a-zA-Z./][^\n$]*"  # `$ npm install`, `>>> x`
    r"|(?:SELECT|FROM|(?:LEFT |RIGHT |INNER |FULL )?(?:OUTER )?JOIN|WHERE|GROUP BY|ORDER BY|INSERT INTO|DELETE FROM"
    r"|CREATE (?:TABLE|INDEX|VIEW)|ALTER TABLE|DROP TABLE|HAVING) [^\n]*"  # SQL
    r"|return\b[^\n]*|import \w[\w.]*|from \S+ import [^\n]+|//[^\n]*|/\*[^\n]*|#include[^\n]*"
    r")[ \t]*"
)


def looks_like_code(line: str) -> bool:
    """Return whether a line is code rather than prose."""
    return len(line) <= MAX_CODE_LINE_CHARS and _CODE_LINE.fullmatch(line) is not None


def _find_code(text: str, below: int, *, final: bool) -> LineGroup | None:
    """Return whether the line below code is code, too."""
    end = _find_line_end(text, below, MAX_CODE_LINE_CHARS, final=final)
    if end is None:
        return None
    return LineGroup.CODE if end and looks_like_code(text[below:end]) else LineGroup.NONE


def find_unchangeable_lines(text: str) -> list[tuple[int, int]]:
    """Return the lines of a message whose letters and marks matter: code without a fence, and verses."""
    lines = [found.span() for found in _LINE.finditer(text)]
    code = {line for line in lines if looks_like_code(text[line[0] : line[1]])}
    found = [line for line in lines if line in code or (code and _indent(text[line[0] : line[1]]))]
    paragraphs = [paragraph.span() for paragraph in _PARAGRAPH.finditer(text)]
    return found + [
        one for one in paragraphs if _find_stanza(text, one[0], strict=True, final=True) is LineGroup.STANZA
    ]


# --- Stanzas ---------------------------------------------------------------------------------------

# A verse begins with a capital, or with a letter of a script without capitals.
_NO_LINE_BEGINS = r"[ \t]*[\"“«‘'(\[*_¿¡]{0,3}(?:[^\w\s\"“«‘'(\[*_¿¡]|[IVX]{1,5}\.\s|[A-Z]\.\s|\d"
_NO_VERSE_BEGINS = re.compile(rf"{_NO_LINE_BEGINS}|[a-zß-öø-ÿά-ώа-џ])")
_NO_VERSE_AFTER_COMMA_BEGINS = re.compile(rf"{_NO_LINE_BEGINS})")
_NOT_VERSE = re.compile(r"://|\A[^\n:：]{1,64}(?::\s|：)")  # an address, or what a name says
_OPEN_END = re.compile(rf"[\w{class_of(COMMAS, SEMICOLONS, DASHES)}][\"”’»)\]*_]*\Z")
_COMMAS_AND_SEMICOLONS = COMMAS | SEMICOLONS
_LAST_WORD = re.compile(rf"([^\W\d_]+)[{class_of(ENDS, COMMAS, SEMICOLONS, CLOSERS, DASHES)}:\s]*\Z")
_RHYME = re.compile("[aeiouyäöüáàâéèêíîóôúûаеёиоуыэюя]+[^aeiouyäöüáàâéèêíîóôúûаеёиоуыэюя]*e?\\Z")
_COMMON_ENDS = ("ing", "ed", "ly", "ion", "er", "s")
_SCHEMES = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)), ((1, 3),))


def _find_line_end(text: str, start: int, max_chars: int, *, final: bool) -> int | None:
    """Return the end of a line, 0 if it is longer than `max_chars`, or None to wait."""
    until = start + max_chars + 1
    end = text.find("\n", start, until)
    if end >= 0:
        return end
    return len(text) if final and len(text) < until else None if len(text) < until else 0


def _read_verse(text: str, start: int, *, above: str, final: bool) -> str | None:
    """Return the line that begins here if it may be a verse, an empty text if not, or None to wait.

    Only below a comma may it begin with a small letter.
    """
    begins = _NO_VERSE_AFTER_COMMA_BEGINS if _ends_with_comma(above) else _NO_VERSE_BEGINS
    if begins.match(text, start, start + WHITE_HOLD):
        return ""
    end = _find_line_end(text, start, MAX_VERSE_CHARS, final=final)
    if end is None:
        return None
    line = text[start:end] if end else ""
    return "" if _NOT_VERSE.search(line) else line


def _find_stanza(  # noqa: PLR0911
    text: str, start: int, *, strict: bool, final: bool
) -> LineGroup | None:
    """Return whether a paragraph is a stanza: two lines without an end mark, or lines that rhyme.

    If it is `strict`, the lines must end with commas.
    """
    verses: list[str] = []
    while len(verses) < STANZA_LINES and start < len(text):
        kind = read_line(text, start, final=final)
        if kind is None:
            return None
        if text.startswith("\n", kind[1]) or kind[0] is not Line.PROSE:
            break
        verse = _read_verse(text, start, above=verses[-1] if verses else "", final=final)
        if verse is None:
            return None
        if not verse:
            return LineGroup.NONE
        if not verses and not _may_begin_stanza(verse.rstrip(), strict=strict):
            return LineGroup.NONE
        verses.append(verse.rstrip())
        start += len(verse) + 1
    else:
        if len(verses) < STANZA_LINES and not final:
            return None
    if strict:
        return LineGroup.STANZA if sum(map(_ends_with_comma, verses)) > 1 else LineGroup.NONE
    trailing = sum(map(_trails_off, verses)) if any(map(_ends_with_comma, verses)) else 0
    opened = sum(map(_is_open, verses)) + trailing
    return LineGroup.STANZA if opened > 1 or _rhymes(verses) else LineGroup.NONE


def _may_begin_stanza(verse: str, *, strict: bool = False) -> bool:
    """Return whether a line may be the first one of a stanza: `Hey!` does not wait for a rhyme."""
    if len(verse) > MAX_VERSE_CHARS or _NO_VERSE_BEGINS.match(verse):
        return False
    if strict:
        return _ends_with_comma(verse) or verse[:1] in ("(", "[")
    return len(verse.split()) >= MIN_VERSE_WORDS or _is_open(verse)


def _is_open(verse: str) -> bool:
    """Return whether a line neither ends nor contains the end of a sentence."""
    return _OPEN_END.search(verse) is not None and _SENTENCE.search(verse) is None


def _ends_with_comma(verse: str) -> bool:
    return verse[-1:] in _COMMAS_AND_SEMICOLONS


def _trails_off(verse: str) -> bool:
    return verse.endswith(("...", "…"))


def _rhymes(verses: list[str]) -> bool:
    words = [found[1].lower() if (found := _LAST_WORD.search(verse)) else "" for verse in verses]
    if len(words) < STANZA_LINES:
        return len(words) > 1 and _rhyme(*words[:2]) and not words[0].endswith(_COMMON_ENDS)
    return any(all(_rhyme(words[one], words[other]) for one, other in pairs) for pairs in _SCHEMES)


def _rhyme(one: str, other: str) -> bool:
    """Return whether two words end alike, as far as their spelling tells."""
    first, second = _RHYME.search(one), _RHYME.search(other)
    if one == other or first is None or second is None:
        return False
    return first[0] == second[0] and (len(first[0]) > 1 or one[-2:] == other[-2:])
