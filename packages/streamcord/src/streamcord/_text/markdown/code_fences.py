"""Code blocks: how they open, where they close, how they are repeated after a cut.

Discord reads our messages: three backticks close at the next three, wherever they are, and `~~~` is not a fence
(`find_fence_end`). Models write GitHub's Markdown, more or less: a block ends at a closing fence on a line of its
own, and a document in a block has blocks of its own (`read_fence`). Discord does not know fences of four or more
backticks, but models use them to show fences: a run that is at least as long closes them.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from ..language.punctuation import COLONS, PLAIN_ENDS, SPACED_ENDS, class_of
from ..tokens import LINE_REACH, NEED_MORE, NOT_FOUND
from .line_kinds import LONGEST_RUN, WHITE_HOLD

__all__ = [
    "FENCED",
    "Block",
    "Fence",
    "Kind",
    "find_fence_end",
    "open_code",
    "opening_line",
    "pass_strings",
    "read_fence",
    "string_continues",
]

FENCED = -1
"""Result of `open_code`: in a code block."""
INDENT = 64
"""The deepest indentation of a closing fence that is looked for."""
NESTED = 64
"""Blocks that may be open at once; deeper ones are content."""
INFO_REACH = 200
"""Characters of a line within which it must show whether it is a fence or prose."""
LOOK_BACK = 400
"""Characters before a run of backticks that may decide what it means."""
STRING_REACH = 1500
"""Characters after a fence within which the string that contains it must end."""

_LANGUAGE = re.compile(r"[ \t]*([A-Za-z0-9_+\-.#]{1,32})(?![^ \t])")
_DOCUMENTS = frozenset({"markdown", "md", "mdx"})
_PLAIN = frozenset({"text", "txt", "plaintext"})  # no language: they hold anything
_TICKS = re.compile(r"`{1,33}")
_CODE_MARKS = re.compile(r"`+|\n|\\")
_RUN = re.compile(r"`{3,}|~{3,}")
_INFO_STOP = re.compile(r"`{3,}|\n")
_BLANK = re.compile(r"[ \t]*")
_NAMED_LINE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*[^\s`]")
_PROSE = re.compile(r"[^\W\d_a-z][^\W\d_]*,? [^\W\d_]+[ ,][^={}]*\Z")  # `Then it` is no language
_SENTENCE = re.compile(
    f"[^\\W\\d_][{class_of(SPACED_ENDS)}][\"')*_]*(?=\\s|\\Z)|[{class_of(PLAIN_ENDS - SPACED_ENDS)}]"
)
_TITLE = re.compile(r"[^\W\d_][^\W\dA-Z_]*(?:['’]\w+)?,?(?: [^\s=(){};<>$|\\]+){2,}")
_COMMENT = re.compile(r"[ \t]*(?://|/\*|#|\*|--|;|%|<!--)")
_MARKS = re.compile(r"[.,:!?。，、：！？)）*]{1,3}[ \t]*")  # of the sentence that contains a block
_NO_WORD = re.compile(r"[^\w)}\]]*\Z")
_STRING_OPENS = frozenset("\"'(=,[{+")

_STRING = re.compile(r"\"\"\"|'''|<<[-~]?[ \t]?(['\"]?)([A-Z_][A-Z0-9_]{1,31})\1(?![\w<])")
_FENCE_LINE = re.compile(r"^[ \t]{0,16}`{3,}[ \t]*(\S?)", re.MULTILINE)


class Kind(IntEnum):
    """The content of a block: code, anything, or a document with blocks of its own."""

    CODE = 0
    BARE = 1
    DOCUMENT = 2


class Block(NamedTuple):
    """An open block: the sign and length of its fence, how deep that is indented, and what it holds."""

    mark: str
    ticks: int
    indent: int
    kind: Kind

    @property
    def deliberate(self) -> bool:
        """Whether the fence was chosen so that fences inside do not close it."""
        return self.ticks > 3 or self.mark == "~"


class Fence(NamedTuple):
    """An open code block: where it starts, how many backticks opened it, whether in a quote.

    One that is read as it was `meant` also knows its sign and indentation, the nest of blocks that are open
    in it (none before its first line has ended), the line it was read up to, the runs of backticks there and
    what ends the string that is open before it.
    """

    start: int
    ticks: int
    quoted: bool = False
    nested: bool = False
    mark: str = "`"
    indent: int = 0
    nest: tuple[Block, ...] = ()
    line: int = 0
    runs: int = 0
    string: str = ""

    def pass_lines(self, text: str, start: int, end: int) -> Fence:
        """Return the same block, read up to `end`."""
        newline = text.rfind("\n", start, end)
        if newline < 0:
            return self
        string = ""
        if self.nest[0].kind is Kind.CODE:
            string = pass_strings(text, max(0, self.line), newline + 1, self.string)
        return self._replace(line=newline + 1, runs=0, string=string)

    def shift(self, by: int) -> Fence:
        """Return the same block, positions counted from `by` characters later."""
        return self._replace(start=self.start - by, line=self.line - by)


@lru_cache(maxsize=LONGEST_RUN)
def _long_end(ticks: int) -> re.Pattern[str]:
    return re.compile(rf"\n[ \t]{{0,{INDENT}}}`{{{ticks},33}}")


def find_fence_end(text: str, fence: Fence, at: int, *, final: bool) -> tuple[int, int]:
    """Return the end of a code block (or NEED_MORE, or NOT_FOUND) and where to continue the search."""
    if fence.ticks == 3:
        found = text.find("```", at)
        return (found + 3, found) if found >= 0 else (NOT_FOUND, max(at, len(text) - 2))
    match = _long_end(fence.ticks).search(text, at)
    if match is None:
        return NOT_FOUND, max(at, len(text) - INDENT - LONGEST_RUN - 2)
    if match.end() == len(text) and match[0].count("`") <= LONGEST_RUN and not final:
        return NEED_MORE, match.start()
    return match.end(), match.start()


# --- As models write it ------------------------------------------------------------------------------


def read_fence(text: str, fence: Fence, at: int, *, final: bool) -> tuple[Fence, int, int]:
    """Return the updated block, its end (or NEED_MORE, or NOT_FOUND), and where to continue the search."""
    if not fence.nested:
        return (fence, *find_fence_end(text, fence, at, final=final))
    if not fence.nest:
        fence, end, at = _read_info(text, fence, at)
        if end or not fence.nest:
            return fence, end, at
    while found := _RUN.search(text, at):
        start, stop = found.span()
        fence = fence.pass_lines(text, at, start)
        if stop - start <= LONGEST_RUN and text[start - 1] != text[start]:
            if stop == len(text) and not final:
                return fence, NEED_MORE, start
            nest = _judge(text, fence, start, stop, final=final)
            if nest is None:
                return fence, NEED_MORE, start
            if not nest:
                return fence, stop, stop
            fence = fence._replace(nest=nest, runs=fence.runs + 1)
        at = stop
    end = max(at, len(text) - 2)
    return fence.pass_lines(text, at, end), NOT_FOUND, end


def _read_info(text: str, fence: Fence, at: int) -> tuple[Fence, int, int]:
    """Read the first line of a block, which says what the block contains, unless the block ends on it."""
    for found in _INFO_STOP.finditer(text, at):
        if found[0] == "\n":
            long = found.start() - fence.start > LINE_REACH
            words = ["?"] if long else text[fence.start + fence.ticks : found.start()].split()
            block = Block(fence.mark, fence.ticks, fence.indent, _kind(words))
            return fence._replace(nest=(block,), line=found.end(), runs=0), NOT_FOUND, found.end()
        if fence.mark == "`" and len(found[0]) >= fence.ticks:
            return fence, found.start() + fence.ticks, found.start()
        if found.end() == len(text):
            return fence, NOT_FOUND, found.start()
    return fence, NOT_FOUND, max(at, len(text) - 2)


def _kind(words: list[str]) -> Kind:
    if not words or words[0].lower() in _PLAIN:
        return Kind.BARE
    return Kind.DOCUMENT if words[0].lower() in _DOCUMENTS else Kind.CODE


def _judge(text: str, fence: Fence, start: int, stop: int, *, final: bool) -> tuple[Block, ...] | None:
    """Return the open blocks after a run of backticks or tildes in code, or None to wait."""
    before = text[fence.line : start] if 0 <= start - fence.line <= LOOK_BACK else "?"
    alone = not fence.runs and not before.strip(" \t")
    rest = _BLANK.match(text, stop, stop + WHITE_HOLD).end()  # type: ignore[union-attr]
    if rest == len(text) < stop + WHITE_HOLD and not final:
        return None
    bare = rest == len(text) or rest == stop + WHITE_HOLD or text[rest] == "\n"
    if not alone:
        return fence.nest[:-1] if bare and _ends_line(text, fence, start, stop) else fence.nest
    block = Block(text[start], stop - start, len(before.expandtabs(4)), Kind.BARE)
    if bare:
        return _judge_bare(text, fence, block, rest, final=final)
    return _judge_named(text, fence.nest, block, stop, rest, final=final)


def _ends_line(text: str, fence: Fence, start: int, stop: int) -> bool:
    """Return whether backticks at the end of a code line close the block: not in a comment or string."""
    inner = fence.nest[-1]
    if text[start] != "`" or inner.mark != "`" or stop - start < inner.ticks or fence.runs % 2:
        return False
    if start - fence.line <= LOOK_BACK:
        before = text[fence.line : start]
        if _NO_WORD.match(before) or (inner.kind is Kind.CODE and _COMMENT.match(before)):
            return False
    return text[start - 1] not in _STRING_OPENS


def _judge_named(
    text: str, nest: tuple[Block, ...], block: Block, stop: int, rest: int, *, final: bool
) -> tuple[Block, ...] | None:
    """Read a fence with words after it: it opens a block of a document, or closes one in a sloppy way."""
    inner = nest[-1]
    closes = block.mark == inner.mark and block.ticks >= inner.ticks
    if closes and block.indent <= inner.indent and text.startswith("||", stop):
        return nest[:-1]  # the spoiler around the block ends, too
    until = rest + INFO_REACH
    newline = text.find("\n", rest, until)
    if newline < 0 and len(text) < until and not final:
        return None
    info = text[rest : newline if newline >= 0 else until]
    words = info.split()
    if "`" in info or (not closes and (block.mark == inner.mark or inner.deliberate)):
        return nest
    spaced = rest > stop and (inner.kind is not Kind.DOCUMENT or len(words) > 1)
    prose = _MARKS.fullmatch(info) or (inner.kind is not Kind.DOCUMENT and _PROSE.match(info))
    if closes and (spaced or prose) and block.indent <= inner.indent:
        return nest[:-1]
    if inner.kind is Kind.CODE or len(nest) == NESTED:
        return nest
    if block.indent <= inner.indent:
        nest = (*nest[:-1], inner._replace(kind=Kind.DOCUMENT))
    return (*nest, block._replace(kind=_kind(words)))


def _judge_bare(text: str, fence: Fence, block: Block, end: int, *, final: bool) -> tuple[Block, ...] | None:
    """Read a fence without words: in a document it may open a block."""
    nest, inner = fence.nest, fence.nest[-1]
    own = block.mark == inner.mark
    if block.indent > inner.indent or (own and block.ticks < inner.ticks):
        return nest
    if inner.kind is not Kind.DOCUMENT or inner.deliberate:
        inside = string_continues(text, end, fence.string, final=final) if own and fence.string else False
        return None if inside is None else nest[:-1] if own and not inside else nest
    at = _next_words(text, end + 1, final=final)
    if at == NEED_MORE:
        return None
    outside = len(text[end + 1 : at].expandtabs(4)) < inner.indent
    opens = at != NOT_FOUND and not outside and (not own or _opens(text, fence, at, final=final))
    if opens is None:
        return None
    if opens:
        return (*nest, block) if len(nest) < NESTED else nest
    return nest[:-1] if own else nest


def _next_words(text: str, line: int, *, final: bool) -> int:
    """Return where the words of a line begin, or NOT_FOUND for a blank line."""
    at = _BLANK.match(text, line, line + WHITE_HOLD).end()  # type: ignore[union-attr]
    if at >= len(text) and at < line + WHITE_HOLD:
        return NOT_FOUND if final else NEED_MORE
    return NOT_FOUND if at == line + WHITE_HOLD or text[at] == "\n" else at


def _opens(text: str, fence: Fence, at: int, *, final: bool) -> bool | None:
    """Return whether a bare fence in a document opens a block: announced by the line before, or not before prose."""
    nested, mark = len(fence.nest) > 1, fence.nest[-1].mark
    if nested and text[at] == mark:
        run = _RUN.match(text, at)
        if run is None and len(text) < at + 3 and not final:
            return None
        if run:
            return False  # the next fence closes the block around
    before = text[max(0, fence.line - 1 - LOOK_BACK) : max(0, fence.line - 1)]
    line = before[before.rfind("\n") + 1 :].rstrip()
    if not line or line[-1] in COLONS or _NAMED_LINE.match(line):
        return True
    newline = text.find("\n", at, at + INFO_REACH)
    if newline < 0 and len(text) < at + INFO_REACH and not final:
        return None
    words = text[at : newline if newline >= 0 else at + INFO_REACH].rstrip()
    prose = _SENTENCE.search(words) or (words[0].isupper() and _TITLE.fullmatch(words))
    return not (words[0].isalpha() and prose)


# --- Strings of several lines ---------------------------------------------------------------------
# Models write prompts, documents and scripts that contain Markdown: in triple quotes, or after `<<EOF`. Such a
# string continues after a fence only if its end is in sight: a stray quote must not swallow the following text.


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
        closer, at = found[2] or found[0], found.end()


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
    place = text.find(closer, start, end)
    while place >= 0:
        stop = place + len(closer)
        if closer[0] in "\"'":
            return stop
        _, newline, indent = text[max(0, place - INDENT) : place].rpartition("\n")
        alone = text[stop : stop + 1] == "\n" or (final and stop == len(text))
        if newline and not indent.strip() and alone:
            return stop
        place = text.find(closer, stop, end)
    return -1


# --- Reopening, and code at the end of a text -----------------------------------------------


def opening_line(text: str, start: int, ticks: int, end: int | None = None) -> str:
    """Return the line that reopens a block: three backticks and its language.

    The language is the first word of the info line, unless that line also closes the block.
    """
    newline = text.find("\n", start, end)
    info = text[start + ticks : newline] if newline >= 0 else ""
    word = _LANGUAGE.match(info) if "`" not in info else None
    return f"```{word[1] if word else ''}\n"


def open_code(text: str, at: int, *, line_start: bool) -> tuple[int, int]:
    """Return where the code at the end of a text opened, and `FENCED` or its number of backticks."""
    opened, run = -1, 0
    begins = at if line_start else None
    while found := _CODE_MARKS.search(text, at):
        mark, at = found[0], found.end()
        if mark == "\n":
            opened, run, begins = -1, 0, at
        elif mark == "\\":
            at += not run  # in code a backslash escapes nothing
        elif run:
            opened, run = (-1, 0) if len(mark) == run else (opened, run)
        elif len(mark) <= LONGEST_RUN:
            opened, run = found.start(), len(mark)
            if run >= 3 and begins is not None and not text[begins:opened].strip(" \t"):
                return opened, FENCED
    return opened, run
