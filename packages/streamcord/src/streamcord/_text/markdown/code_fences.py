"""Code blocks: how they open and where they close. How they are reopened after a cut: `code_fence_reopening.py`.

Discord reads our messages: three backticks close at the next three, wherever they are, and `~~~` is not a fence
(`find_fence_end`). Models write GitHub's Markdown, more or less (`read_fence`): what a fence means is judged by the
lines around it, see `code_fence_matching.py`. Discord does not know fences of four or more backticks, but models use
them to show fences: a run that is at least as long closes them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..language.punctuation import COLONS
from ..tokens import LINE_REACH, NEED_MORE, NOT_FOUND
from .code_fence_lines import (
    LINE_CHARS,
    LinesAhead,
    NeedMore,
    TailLine,
    indent_of,
    is_announcement,
    is_comment,
    is_sentence,
    last_line,
    read_tail_line,
)
from .code_fence_matching import Block, FenceLine, Kind, Verdict, closes_at_line_end, judge_fence, kind_of
from .code_fence_strings import pass_strings, string_continues
from .line_kinds import LONGEST_RUN

FENCED = -1
"""Result of `open_code`: in a code block."""
INDENT = 64
"""The deepest indentation of a closing fence that is looked for."""
INFO_REACH = 200
"""Characters of a line within which it must show whether it is a fence or prose."""
LOOK_BACK = 400
"""Characters before a run of backticks that may decide what it means."""

_CODE_MARKS = re.compile(r"`+|\n|\\")
_RUN = re.compile(r"`{3,}|~{3,}")
_INFO_STOP = re.compile(r"`{3,}|\n")


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
    # The line below the last opening fence.
    first_line: int = 0
    # Where the first block inside a document has ended; the document ends there if nothing closes it.
    inner_end: int = 0
    # Whether the block ended without a closing fence.
    unclosed: bool = False
    # Where prose begins below code and a blank line, if only prose follows; the block ends there if nothing closes it.
    # In a bare block: the line above, if it announces another block.
    tail: int = 0
    # Where a heading is below code and a blank line, with which that prose would begin.
    head: int = 0
    # Whether the line that was read last is blank.
    blank: bool = False

    def pass_lines(self, text: str, start: int, end: int) -> Fence:
        """Return the same block, read up to `end`."""
        newline = text.rfind("\n", start, end)
        if newline < 0:
            return self
        kind, string = self.nest[0].kind, ""
        if kind.is_code:
            string = pass_strings(text, max(0, self.line), newline + 1, self.string)
        lines = self._pass_tail(text, newline, inside_string=bool(string)) if kind <= Kind.BARE else self
        return lines._replace(line=newline + 1, runs=0, string=string)

    def find_tail(self, text: str) -> int:
        """Return where the prose begins that follows the code up to the end of the text, or 0."""
        if len(self.nest) != 1 or not self.nest[0].kind.is_code:
            return 0
        return self._pass_tail(text, len(text), inside_string=bool(self.string)).tail

    def _pass_tail(self, text: str, end: int, *, inside_string: bool) -> Fence:
        """Return the block with the place where prose begins in it, as far as a line that ends here."""
        tail, head, blank, start = self.tail, self.head, self.blank, max(0, self.line)
        while start <= end:
            newline = text.find("\n", start, end)
            stop = newline if newline >= 0 else end
            line = text[start : min(stop, start + LINE_CHARS)]
            kind = read_tail_line(line)
            begins = start > self.first_line and (blank or self._is_outside(line))
            if self.nest[0].kind is Kind.BARE:
                # Any words may be the content of a bare block, but the line above a fence announces another block.
                announces = begins and kind is TailLine.PROSE and is_announcement(line)
                tail = start if announces else tail if kind is TailLine.BLANK else 0
            elif inside_string or kind is TailLine.CODE:
                tail = head = 0
            elif kind is TailLine.PROSE or (kind is TailLine.ITEM and (head or self._is_outside(line))):
                tail = tail or head or (start if begins else 0)
            elif kind is TailLine.HEADING and begins:
                head = head or start
            blank = kind is TailLine.BLANK
            start = stop + 1
        return self._replace(tail=tail, head=head, blank=blank)

    def _is_outside(self, line: str) -> bool:
        """Return whether a line is less indented than the block, which is in a list item."""
        indent = self.nest[0].indent
        return indent > 0 and bool(line.strip()) and indent_of(line) < indent

    @property
    def undecided(self) -> int:
        """Where text begins that may turn out to be outside of the block, or 0."""
        return self.inner_end or self.head or self.tail

    def shift(self, by: int) -> Fence:
        """Return the same block, positions counted from `by` characters later."""
        return self._replace(
            start=self.start - by,
            line=self.line - by,
            tail=self.tail and self.tail - by,
            head=self.head and self.head - by,
            first_line=self.first_line - by,
            inner_end=self.inner_end and self.inner_end - by,
        )


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


def read_fence(  # noqa: PLR0911
    text: str, fence: Fence, at: int, *, final: bool
) -> tuple[Fence, int, int]:
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
            try:
                nest, ends_before, ends_line = _judge(text, fence, start, stop, final=final)
            except NeedMore:
                return fence, NEED_MORE, start
            if not nest:
                newline = text.find("\n", stop) if ends_line else stop
                stop = newline if newline >= 0 else len(text)
                return fence, stop, stop
            if ends_before and len(fence.nest) == 1:
                end = fence.tail or fence.line
                return fence._replace(unclosed=True), end, end
            fence = _enter(text, fence, nest, stop, opens=ends_before or len(nest) > len(fence.nest))
        at = stop
    end = max(at, len(text) - 2)
    return fence.pass_lines(text, at, end), NOT_FOUND, end


def _enter(text: str, fence: Fence, nest: tuple[Block, ...], stop: int, *, opens: bool) -> Fence:
    """Return a block after a run of backticks in it, with the blocks that are open now."""
    first_line, inner_end = fence.first_line, fence.inner_end
    if opens:
        newline = text.find("\n", stop)
        first_line = newline + 1 if newline >= 0 else len(text)
    elif len(nest) < len(fence.nest) and not inner_end and nest[0].kind is Kind.DOCUMENT:
        inner_end = stop
    return fence._replace(nest=nest, runs=fence.runs + 1, first_line=first_line, inner_end=inner_end)


def _read_info(text: str, fence: Fence, at: int) -> tuple[Fence, int, int]:
    """Read the first line of a block, which says what the block contains, unless the block ends on it."""
    for found in _INFO_STOP.finditer(text, at):
        if found[0] == "\n":
            long = found.start() - fence.start > LINE_REACH
            words = ["?"] if long else text[fence.start + fence.ticks : found.start()].split()
            block = Block(fence.mark, fence.ticks, fence.indent, kind_of(words[0] if words else ""))
            line = found.end()
            return fence._replace(nest=(block,), line=line, runs=0, first_line=line), NOT_FOUND, line
        if fence.mark == "`" and len(found[0]) >= fence.ticks:
            return fence, found.start() + fence.ticks, found.start()
        if found.end() == len(text):
            return fence, NOT_FOUND, found.start()
    return fence, NOT_FOUND, max(at, len(text) - 2)


def _judge(text: str, fence: Fence, start: int, stop: int, *, final: bool) -> Verdict:
    """Return the open blocks after a run of backticks or tildes in a block.

    Raises:
        NeedMore: a character that has not arrived could change the answer.

    """
    nest, inner = fence.nest, fence.nest[-1]
    before = text[max(fence.line, start - LOOK_BACK) : start]
    alone = not fence.runs and not before.strip(" \t") and start - fence.line <= LOOK_BACK
    if not alone and (fence.runs or text[start] != inner.mark):
        return Verdict(nest)
    newline = text.find("\n", stop, stop + INFO_REACH)
    if newline < 0 and len(text) < stop + INFO_REACH and not final:
        raise NeedMore(stop + INFO_REACH)
    end = newline if newline >= 0 else min(len(text), stop + INFO_REACH)
    info = text[stop:end]
    if fence.string and text[start] == inner.mark and stop - start >= inner.ticks:
        inside = string_continues(text, stop, fence.string, final=final)
        if inside is None:
            raise NeedMore(len(text) + 1)
        if inside:
            return Verdict(nest)
    ahead = LinesAhead(text, end, final=final)
    if alone:
        block = Block(text[start], stop - start, len(before.expandtabs(4)), Kind.BARE)
        above = last_line(text, fence.line) if fence.line > fence.first_line else None
        announced = above is not None and above.rstrip(" *_")[-1:] in COLONS
        line = FenceLine(
            block, info, _line_above(text, fence), ahead, announced=announced, below_prose=fence.tail > 0
        )
        return judge_fence(line, nest)
    # A sentence may follow on the same line, too.
    ends = not info.strip() or (
        info[0] == " " and inner.kind <= Kind.BARE and not is_comment(before)
        and info.strip()[0].isupper() and is_sentence(info)
    )  # fmt: skip
    return Verdict(nest[:-1] if ends and closes_at_line_end(before, stop - start, inner, ahead) else nest)


def _line_above(text: str, fence: Fence) -> str | None:
    """Return the line above the one that is read, or None below an opening fence."""
    if fence.line == fence.first_line:
        return None
    above = text[max(0, fence.line - 1 - LOOK_BACK) : max(0, fence.line - 1)]
    return above[above.rfind("\n") + 1 :]


# --- Code at the end of a text ---------------------------------------------------------------


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
