"""Scan Discord's Markdown incrementally.

The scanner reads each character of the visible text once and answers the questions of all later stages: where
may the text be cut (`delimiters.breaks`), what must stay whole (`delimiters.spans`), is this code (`code_ahead`).
Markers around text (emphasis, spoilers, quotes, brackets) wait on a stack, see `delimiter_stack.py`. Opaque pieces
(inline code, URLs, tags, link targets, see `inline_code_and_urls.py`) stop the scan until their end is known.

The result depends on the text alone, not on its chunks: no step looks further ahead than its fixed reach, nor
further back than the text that is kept. Discord's grammar is not CommonMark; `code_fences.py` explains how
Discord and models differ about code blocks. The grammar follows the public replicas
https://github.com/brussell98/discord-markdown and https://github.com/ItzDerock/discord-markdown-parser
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._events import Boundary, Degree
from ..language.graphemes import is_boundary
from ..language.punctuation import CARRIED, ENDS, class_of
from ..tokens import LINE_REACH, NEED_MORE, NOT_FOUND
from .code_fence_lines import NeedMore
from .code_fence_matching import Opening, judge_opening, judge_opening_after_words
from .code_fences import FENCED, Fence, open_code, read_fence
from .delimiter_stack import NEVER, DelimiterStack, Span, SpanKind
from .inline_code_and_urls import ANY, fence_opens, find_code_end
from .inline_rules import LOOK_BACK, PAIRS, READERS, SENTENCE_READERS, Reader
from .line_groups import LineGroup, find_group, is_label, may_group
from .line_kinds import (
    HEAD_REACH,
    LONGEST_RUN,
    WHITE_HOLD,
    Line,
    has_pipe,
    is_bare,
    is_table_head,
    may_join_next_line,
    read_line,
    skip_white,
)

if TYPE_CHECKING:
    from ..._settings import Settings

MIN_FORGET_CHARS = 2048
"""Text is forgotten in steps of at least this many characters."""
MAX_EARLY_ENDS = 3
"""Documents without an end that are read again at the end of a text; the cost of a flush must be bounded."""

_NON_WHITE = re.compile("[\x00-\x08\x0b-\x1f!-\U0010ffff]")
_TICK = re.compile(r"[`~\n]")
_TICK_OR_NEWLINE = re.compile(r"[`\n]")
_TICKS = re.compile(r"`+|~+")
_PLAIN_CODE = re.compile(r"(?<!`)`[^`\n]{1,500}+`(?=[^`])")  # as most code in a line is
_NEWLINE = re.compile(r"[\n]")
_FENCE_OR_NEWLINE = re.compile(r"```|\n")
_QUOTED = re.compile(r"[ \t]{0,3}(>?)")
_CARRIED = re.compile(rf"[{class_of(CARRIED)}]{{1,32}}")
# Lines on which a code block may begin right after the marker.
_HOLDS_FENCE = frozenset({Line.ITEM, Line.QUOTE, Line.BLOCK_QUOTE})
# Lines to which the next line may belong.
_MAY_CONTINUE = frozenset({Line.ITEM, Line.MORE, Line.QUOTE, Line.TABLE, Line.HEADING})
_CLOSES_LINE = frozenset({Line.HEADING, Line.SUBTEXT, Line.PIPE, Line.TABLE})
_OPENS_BLOCK = frozenset(set(Line) - {Line.PROSE, Line.MORE, Line.QUOTE})


class Scanner:
    """Read visible text; positions count from the start of `text`, which `forget` moves.

    This is one state machine: `_state` is the method that reads the next character. It has more attributes than
    most classes because each is a fact about the current line that several inline rules need.

    Args:
        settings: Limits and switches.
        sentences: Whether the ends of sentences are break points, too.
        nested: Whether code blocks may contain code blocks, as models write them, or end at the next fence.
        tildes: Whether `~~~` opens a code block.
        finished: Whether the text is a complete message, so that no spoiler is cut.
        groups: Whether stanzas, code without a fence and rows of bars are recognized.

    """

    def __init__(
        self,
        settings: Settings,
        *,
        sentences: bool = False,
        nested: bool = False,
        tildes: bool = False,
        finished: bool = False,
        groups: bool = False,
    ) -> None:
        self.settings = settings
        self._groups = groups
        # At degree 0 and in a finished message paragraphs stay together.
        self.cuts_paragraphs = not finished and settings.degree is not Degree.NONE
        self._strict = sentences  # whether lines are joined only if they mean nothing alone
        self._new_group = LineGroup.NEW_STRICT if sentences else LineGroup.NEW
        self._nested = nested
        self._tildes = tildes
        self.spoiler_reach = NEVER if finished else settings.spoiler_length
        self.readers = _SENTENCE_READERS if sentences else _READERS
        self._hot = _SENTENCE_HOT if sentences else _HOT
        self._cutting = _SENTENCE_CUTTING if sentences else _CUTTING
        self.reset()

    def reset(self) -> None:
        """Forget everything and start a new text."""
        self.delimiters = DelimiterStack()
        self.text = ""
        self.at = 0  # the first character not read yet
        self.tail: list[str] = []  # text that arrived and was not read yet
        self.length = 0  # length of text and tail together
        self.interesting_chars = ANY  # only these characters can change the result,
        self.interesting_length = NEVER  # or text of this length
        self.fence: Fence | None = None  # the code block that is open
        self.opening: Line | None = None  # the kind of the very first line
        self.first: Line | None = None  # the kind of the last line that began before its kind was known
        self.line = Line.BLANK  # the kind of the current line
        self.block_quote = NEVER  # where a >>> quote began
        self._line_start = 0  # where the current line began
        self._bare = False  # whether the current table has no outer pipes
        self.bare_head = -1  # where the last table without outer pipes began
        self._content = 0  # where the line's content begins, after its marker
        self._group = self._new_group  # what joins the current line to the one above it
        self._early_ends = (
            0  # how many documents ended before the end of the text, although nothing closed them
        )
        self._kind_until = NEVER  # the text length at which the kind of a line is known, whatever arrives
        self._stray = -1  # where a closing fence without an opening one was found
        self._state: Reader = Scanner._read_first

    # --- In and out -----------------------------------------------------------------------------

    def push(self, text: str) -> None:
        """Store text without reading it; `read` is due once `interesting_chars` or `interesting_length` says so."""
        self.tail.append(text)
        self.length += len(text)

    def read(self, *, final: bool = False) -> None:
        """Read as far as the text decides."""
        if self.tail:
            self.text += "".join(self.tail)
            self.tail.clear()
        self.interesting_chars, self.interesting_length = ANY, NEVER
        size = len(self.text)
        while self.at < size or (final and self._ends_early()):
            step = self._state(self, self.at, final)
            if step == NEED_MORE:
                break
            self.at = step
        else:
            if self._state is Scanner._read_text:
                # A closing delimiter may decide about waiting break points. If none waits, only new ones matter.
                self.interesting_chars = (
                    self._hot if self.delimiters.stack and self.delimiters.breaks else self._cutting
                )
        if self.delimiters.stack:
            self.delimiters.expire(self.at, self.text)
            if final:
                self.delimiters.end_text(self.text)

    def skip_until(self, *, over_items: bool) -> bool:
        """Skip text until a new break point is possible, as no break point waits.

        Returns whether the start of a further list item is skipped, too, because it is not a cut.
        """
        if self.interesting_chars is not self._hot and self.interesting_chars is not self._cutting:
            return False
        over_items = over_items and self.line is Line.ITEM
        self.interesting_chars = _LISTING if over_items else self._cutting
        return over_items

    @property
    def ignores_single_backtick(self) -> bool:
        """Whether text is skipped and a single backtick does not end that."""
        return self.interesting_chars is self._cutting or self.interesting_chars is _LISTING

    @property
    def certain(self) -> int:
        """Everything before this position is read and decided."""
        certain = min(self.at, self.delimiters.floor)
        # A document that is never closed ends where the first block in it does, and code where prose begins below it,
        # unless it is too long.
        if self.fence and self.fence.undecided and self._may_end_early(self.at):
            return min(certain, self.fence.undecided)
        return certain

    def forget(self, until: int) -> int:
        """Forget the text before `until` except for the look-back; return how far positions moved."""
        cut = until - LOOK_BACK
        if cut < MIN_FORGET_CHARS:
            return 0
        self.text = self.text[cut:]
        self.length -= cut
        self.at -= cut
        self.interesting_length -= cut
        self._line_start -= cut
        self.bare_head -= cut
        self._content -= cut
        self._stray -= cut
        self.block_quote -= cut
        self.delimiters.shift(cut, until)
        if self.fence:
            self.fence = self.fence.shift(cut)
        return cut

    def code_ahead(self) -> int:
        """Return whether the next character is code: `FENCED`, the length of an open run of backticks, or 0."""
        self.read()
        self.interesting_chars = ANY
        text, at = self.text, self.at
        if self.fence:
            # A run of backticks that may still grow closes the block if it ends here.
            at = read_fence(text, self.fence, at, final=True)[1]
            if at <= 0:
                return FENCED
        fresh = self._state in (Scanner._read_first, Scanner._read_kind) or at == self._content
        return open_code(text, at, line_start=fresh)[1]

    def wait(self, interesting_chars: re.Pattern[str], until: int) -> int:
        """Wait until one of these characters arrives, or text up to this length."""
        self.interesting_chars, self.interesting_length = interesting_chars, until
        return NEED_MORE

    def _read_text(self, at: int, final: bool) -> int:
        text, hot, readers, state = self.text, self._hot, self.readers, self._state
        while found := hot.search(text, at):
            self.at = at = found.start()
            at = readers[text[at]](self, at, final)
            if at == NEED_MORE or self._state is not state:
                return at
        return len(text)

    def around(self, at: int, end: int, final: bool) -> tuple[str, str]:
        """Return the characters before and after a marker; the one after it is empty if it has not arrived."""
        before = self.text[at - 1] if at else "\n"
        after = self.text[end : end + 1]
        return before, after or ("\n" if final else "")

    # --- Lines ----------------------------------------------------------------------------------

    def _read_first(self, at: int, final: bool) -> int:
        """Read the start of the first line, which has a kind but no break point before it."""
        white = skip_white(self.text, at)
        if white == len(self.text) < at + WHITE_HOLD and not final:
            return self.wait(_NON_WHITE, at + WHITE_HOLD)
        self._line_start = self.text.rfind("\n", at, white) + 1
        self._state = Scanner._read_kind
        return self._read_kind(self._line_start, final)

    def _read_kind(self, at: int, final: bool) -> int:
        """Find the kind of a line that has begun."""
        self.at = at
        found = self._find_line(at, final)
        if found is None:
            # Whatever kind it is, the next event is a break point.
            return self.wait(self._cutting, self._kind_until)
        self.first = found[0]
        self.opening = found[0] if self.opening is None else self.opening
        self.delimiters.set_next_line_kind(found[0])
        return self._start_line(*found)

    def _find_line(self, at: int, final: bool) -> tuple[Line, int] | None:
        """Return the kind of a line and where its content begins, or None to wait; backticks may be no fence."""
        self._kind_until = NEVER
        found = read_line(self.text, at, final=final, tildes=self._tildes)
        if found is None or found[0] is not Line.FENCE or not self._nested or self.text[found[1]] == "~":
            return found
        start = found[1]
        try:
            opening = judge_opening(self.text, at, start, self._run_end(start), final=final)
        except NeedMore as error:
            self._kind_until = error.until
            return None
        if opening is Opening.STRAY:
            self._stray = start
        return found if opening is Opening.BLOCK else (Line.PROSE, start)

    def _start_line(self, kind: Line, content: int) -> int:
        self.line, self._content = kind, content
        self._bare = self._bare and kind is Line.TABLE
        self._state = Scanner._read_text
        if kind is Line.FENCE:
            return self._open_fence(content)
        if kind is Line.PIPE:
            self._state = Scanner._read_head
        if kind is Line.BLOCK_QUOTE:
            self.block_quote = min(self.block_quote, self._line_start)
        return content

    def read_newline(self, at: int, final: bool) -> int:
        """End a line; if it has a pipe, it may be the header of a table without outer pipes."""
        if self.line is Line.PROSE and self.text.find("|", self._line_start, at) >= 0:
            head = is_table_head(self.text, at, final=final)
            if head is None:
                return NEED_MORE
            if head:
                self.line, self._bare, self.bare_head = Line.TABLE, True, self._line_start
        return self._read_line_end(at, final, Boundary.NEWLINE)

    def _read_line_end(self, at: int, final: bool, why: Boundary) -> int:  # noqa: PLR0911
        """End a line; the next line decides whether the text may be cut here, and where exactly."""
        text = self.text
        white = skip_white(text, at)
        clamped = white - at == WHITE_HOLD
        if white == len(text) and not clamped:
            return len(text) if final else self.wait(_NON_WHITE, at + WHITE_HOLD)
        start = text.rfind("\n", at, white) + 1
        if start == 0:
            # A combining mark after the fence is not a message of its own.
            return self._continue_line(white, why) if white > at or is_boundary(text, at) else at + 1
        blank = text.count("\n", at, white) > 1
        if clamped:
            return self._leave_line(start, why, Line.BLANK, start, blank=True)
        if why is Boundary.NEWLINE and (not blank or text[white] in "?!？！"):
            carried = self._read_carried(white, final)
            if carried != NOT_FOUND:
                return carried
        found = self._find_line(start, final)
        if found is None:
            self.delimiters.expire(start, self.text)
            waits = (
                self.line in _MAY_CONTINUE
                or self.delimiters.stack
                or may_join_next_line(text, self._line_start, at)
                or (
                    self._groups
                    and may_group(text, self._line_start, at, start, self._group, strict=self._strict)
                )
            )
            return NEED_MORE if waits else self._cut_early(start, why, blank=blank)
        kind, content = self._read_context(*found, start, white, blank=blank, final=final)
        if kind is None:
            return NEED_MORE
        group = self._find_group(at, start, why, kind, final=final)
        if group is None:
            return NEED_MORE
        return self._leave_line(start, why, kind, content, blank=blank, group=group)

    def _read_context(
        self, kind: Line, content: int, start: int, white: int, *, blank: bool, final: bool
    ) -> tuple[Line | None, int]:
        """Return the kind of the next line after the current one, None to wait, and where its content begins."""
        if kind is Line.PROSE and white - start > 1 and self.line in (Line.ITEM, Line.MORE):
            return Line.MORE, content  # also a paragraph of the item below a blank line
        if kind is Line.ITEM and self.text[white].isalpha() and "(" in self.delimiters:
            return Line.PROSE, white  # `(a`, and on the next line `b) c`
        if kind is Line.PIPE and not blank and self.line is Line.TABLE:
            return Line.TABLE, content
        if kind is Line.PROSE and not blank and self.line is Line.TABLE and self._bare:
            row = has_pipe(self.text, start, final=final)
            return (None if row is None else Line.TABLE if row else kind), content
        return kind, content

    def _find_group(self, at: int, start: int, why: Boundary, kind: Line, *, final: bool) -> LineGroup | None:
        """Return what joins the current line to the next one, or None to wait."""
        prose = self.line is Line.PROSE and kind in (Line.PROSE, Line.PIPE)
        if not (self._groups and prose and why is Boundary.NEWLINE):
            return LineGroup.NONE
        return find_group(
            self.text, self._line_start, at, start, group=self._group, strict=self._strict, final=final
        )

    def _cut_early(self, start: int, why: Boundary, *, blank: bool) -> int:
        """Add a break point before a line whose kind does not matter for it."""
        self.add_break(start, why, None, blank=blank)
        self._group = self._group_below(start, LineGroup.NONE, blank=blank)
        self.first, self.line = None, Line.BLANK
        self._line_start = self._content = start
        self._state = Scanner._read_kind
        return start

    def _leave_line(
        self,
        start: int,
        why: Boundary,
        kind: Line,
        content: int,
        *,
        blank: bool,
        group: LineGroup = LineGroup.NONE,
    ) -> int:
        """Start a line of a known kind; delimiters that cannot be closed on it are removed."""
        self.delimiters.expire(start, self.text)
        new_quote = kind is Line.QUOTE and self.line is not Line.QUOTE
        if blank or new_quote or kind in _OPENS_BLOCK or self.line in _CLOSES_LINE:
            self.delimiters.end_paragraph(blank=blank, prose=blank and kind is Line.PROSE)
        else:
            self.delimiters.end_line(self._line_start)
        self.add_break(start, why, kind, blank=blank, group=group)
        self._group = self._group_below(start, group, blank=blank)
        self._line_start = start
        return self._start_line(kind, content)

    def _group_below(self, start: int, group: LineGroup, *, blank: bool) -> LineGroup:
        """Return what joins the line that begins here to the current one: if nothing does, a paragraph may begin."""
        label = is_label(self.text[self._line_start : start])
        opens = group is LineGroup.NONE and (blank or self.line is not Line.PROSE or label)
        return self._new_group if opens else group

    def _continue_line(self, at: int, why: Boundary) -> int:
        """Continue the line after a code block or carried punctuation."""
        self.add_break(at, why, Line.PROSE)
        if why is Boundary.CODE_CLOSE:
            # The code is no part of the line that may belong to the next one.
            self._line_start = at
        self._state, self.line, self._content = Scanner._read_text, Line.PROSE, -1
        return at

    def add_break(
        self,
        at: int,
        why: Boundary,
        after: Line | None,
        *,
        blank: bool = False,
        group: LineGroup = LineGroup.NONE,
    ) -> None:
        """Add a break point."""
        self.delimiters.add_break(at, why, self.line, after, blank=blank, group=group)

    def _read_carried(self, at: int, final: bool) -> int:
        """Read sentence punctuation alone on a line, which belongs to the line before it."""
        text = self.text
        run = _CARRIED.match(text, at)
        # With `prefix`, the rule for orphan punctuation puts longer runs before the next line.
        longest = 2 if self.settings.held_punctuation == "prefix" else 32
        if run is None or text.startswith(("..", ". ."), at) or len(run[0]) > longest:
            return NOT_FOUND
        end = run.end()
        if end == len(text):
            return end if final else NEED_MORE
        if text[end] not in " \t\n":
            return NOT_FOUND
        white = skip_white(text, end)
        if white == len(text) < end + WHITE_HOLD and not final:
            return NEED_MORE
        newline = text.find("\n", end, white)
        if newline >= 0:
            return newline
        self.delimiters.end_line(self._line_start)
        self._line_start = at
        return self._continue_line(white, Boundary.NEWLINE)

    def _read_head(self, at: int, final: bool) -> int:
        """Read a line that starts with a pipe: a table's header if a delimiter line follows."""
        head = is_table_head(self.text, at, final=final)
        if head is None:
            return self.wait(_NEWLINE, at + HEAD_REACH) if self.text.find("\n", at) < 0 else NEED_MORE
        self.line = Line.TABLE if head else Line.PROSE
        self._bare = head and is_bare(self.text, at)
        self._state = Scanner._read_text
        return at + 1

    # --- Code -----------------------------------------------------------------------------------

    def _run_end(self, at: int) -> int:
        """Return the end of a run of backticks or tildes."""
        return _TICKS.match(self.text, at).end()  # type: ignore[union-attr]

    def _open_fence(self, at: int, *, inside: bool = False) -> int:
        """Open a code block; one `inside` a line is closed by the next three backticks."""
        end = self._run_end(at)
        quoted = self.line is Line.QUOTE
        indent = self.text[self._line_start : at] if not inside else ""
        nested = self._nested and not quoted and not inside
        self.fence = Fence(at, end - at, quoted, nested, self.text[at], len(indent.expandtabs(4)))
        self._state = Scanner._read_quoted_fence if quoted else Scanner._read_fence
        return end

    def _read_fence(self, at: int, final: bool) -> int:
        assert self.fence
        self.fence, end, search = read_fence(self.text, self.fence, at, final=final)
        if end > 0 and self.fence.unclosed:
            return self._leave_unclosed(end)
        if end > 0:
            self._close_fence(end)
            return end
        if final:
            return len(self.text)
        self.at = search
        return self.wait(_TICK, NEVER) if end == NOT_FOUND else NEED_MORE

    def _leave_unclosed(self, at: int) -> int:
        """End a block that has no closing fence before the line that begins here: a fence, or prose."""
        assert self.fence
        self.delimiters.spans.append(Span(SpanKind.FENCE, self.fence.start, at))
        before_prose = at == self.fence.tail
        kind = None if before_prose else Line.FENCE
        self.delimiters.add_break(at, Boundary.CODE_CLOSE, self.line, kind, blank=before_prose, unclosed=True)
        self._line_start = at
        if not before_prose:
            return self._start_line(Line.FENCE, skip_white(self.text, at))
        self.fence, self._content = None, at
        self.line, self._group = Line.BLANK, self._new_group
        self._state = Scanner._read_kind
        return at

    def _may_end_early(self, end: int) -> bool:
        """Return whether nothing of the open block up to a position can have been cut off."""
        assert self.fence
        return end - self.fence.start <= self.settings.code_overflow

    def _ends_early(self) -> bool:
        """End a block that the text leaves open: a document where the first block in it has ended, code before prose.

        Returns whether text follows that must be read again.
        """
        if self.fence is None or self.fence.quoted or not self._may_end_early(len(self.text)):
            return False
        if self._early_ends == MAX_EARLY_ENDS:
            return False
        if not self.fence.inner_end:
            return self._end_before_prose()
        self._early_ends += 1
        self.at = self.fence.inner_end
        self._close_fence(self.at)
        return self.at < len(self.text)

    def _end_before_prose(self) -> bool:
        """End code that the text leaves open where prose begins, and return whether there is some."""
        assert self.fence
        tail = self.fence.find_tail(self.text)
        if not tail:
            return False
        self._early_ends += 1
        self.fence = self.fence._replace(tail=tail)
        self.at = self._leave_unclosed(tail)
        return True

    def _read_quoted_fence(self, at: int, final: bool) -> int:
        """Read a code block in a quote: it ends with the quote and has no break points."""
        assert self.fence
        found = _FENCE_OR_NEWLINE.search(self.text, at)
        if found is None:
            self.at = len(self.text) if final else max(at, len(self.text) - 2)
            return self.at if final else NEED_MORE
        if found[0] == "```":
            self._close_fence(found.end())
            return found.end()
        line = _QUOTED.match(self.text, found.end())
        assert line
        if line.end() == len(self.text) and not line[1] and len(line[0]) < 3 and not final:
            self.at = found.start()
            return NEED_MORE
        if line[1] and found.start() - self.fence.start < self.settings.code_overflow:
            return found.end()
        self.fence, self._state = None, Scanner._read_text
        return found.start()

    def _close_fence(self, end: int) -> None:
        assert self.fence
        self.delimiters.spans.append(Span(SpanKind.FENCE, self.fence.start, end))
        self._state = Scanner._read_text if self.fence.quoted else Scanner._read_fence_end
        self.fence = None

    def _read_fence_end(self, at: int, final: bool) -> int:
        self.line = Line.FENCE
        return self._read_line_end(at, final, Boundary.CODE_CLOSE)

    def read_ticks(self, at: int, final: bool) -> int:  # noqa: PLR0911
        """Read backticks: a fence at the start of a line's content, inline code, or text."""
        plain = _PLAIN_CODE.match(self.text, at)
        if plain:
            self.delimiters.spans.append(Span(SpanKind.CODE, at, plain.end()))
            return plain.end()
        end = self._run_end(at)
        run = end - at
        if (at and self.text[at - 1] == "`") or run > LONGEST_RUN:
            return end
        if end == len(self.text) and not final:
            return NEED_MORE
        if at == self._stray:
            self.delimiters.spans.append(Span(SpanKind.STRAY, at, end))
            return end
        if run >= 3 and self._nested:
            return self._read_long_run(at, end, final)
        if run >= 3 and self.line in _HOLDS_FENCE and self.is_content(at):
            self.delimiters.end_paragraph()
            return self._open_fence(at)
        if run == 3:
            return self._read_inner_fence(at, final)
        return self._read_code(at, run, final)

    def is_content(self, at: int) -> bool:
        """Return whether the content of the line begins here."""
        return at - self._content < WHITE_HOLD and not self.text[self._content : at].strip(" \t")

    def _read_long_run(self, at: int, end: int, final: bool) -> int:
        """Read three or more backticks that may open a block inside a line."""
        held = self.line in _HOLDS_FENCE and self.is_content(at)
        judge = judge_opening if held else judge_opening_after_words
        try:
            opening = judge(self.text, self._line_start, at, end, final=final)
        except NeedMore as error:
            return self.wait(_TICK_OR_NEWLINE, error.until)
        if opening is not Opening.BLOCK:
            return self._read_code(at, end - at, final)
        self.delimiters.end_paragraph()
        if not held and self.line is not Line.QUOTE:
            self.add_break(at, Boundary.CODE_OPEN, Line.FENCE)
        return self._open_fence(at, inside=not held)

    def _read_inner_fence(self, at: int, final: bool) -> int:
        """Read three backticks inside a line as Discord does."""
        opens = fence_opens(self.text, at, final=final)
        if opens == NEED_MORE:
            return self.wait(_TICK_OR_NEWLINE, at + LINE_REACH)
        if opens == NOT_FOUND:
            return at + 3
        if self.line is not Line.QUOTE:
            self.delimiters.end_paragraph()
            self.add_break(at, Boundary.CODE_OPEN, Line.FENCE)
        return self._open_fence(at, inside=True)

    def _read_code(self, at: int, run: int, final: bool) -> int:
        end = find_code_end(self.text, at, run, final=final)
        if end == NEED_MORE:
            # A run of backticks at the very end may still grow.
            interesting_chars = ANY if self.text.endswith("`") else _TICK_OR_NEWLINE
            return self.wait(interesting_chars, at + LINE_REACH)
        if end == NOT_FOUND:
            return at + run
        self.delimiters.spans.append(Span(SpanKind.CODE, at, end))
        return end


_READERS = {"\n": Scanner.read_newline, "`": Scanner.read_ticks, **READERS}
_SENTENCE_READERS = {**_READERS, **SENTENCE_READERS}
_SPANNED = re.compile(
    '[`*_~|"<{$\\\\\\[' + "".join(PAIRS) + "]"
)  # characters that can begin a span, except for a URL
_IN_NAME = "(?<![A-Za-z0-9]_(?=[A-Za-z0-9]))"  # `snake_case` has no emphasis
_ALONE = "(?<![^`]`(?=[^`]))"  # one backtick alone opens no block
# The lookarounds come after the set of characters: `re` is fast for patterns that begin with a set.
_HOT = re.compile(f"[{re.escape(''.join(_READERS))}]{_IN_NAME}")
_SENTENCE_HOT = re.compile(f"[{re.escape(''.join(_SENTENCE_READERS))}]{_IN_NAME}")
# What can make a break point: the end of a line or a sentence, a code block, a long spoiler.
_CUTTING = re.compile(rf"[\n|`]{_ALONE}")
_SENTENCE_CUTTING = re.compile(rf"[\n|`{class_of(ENDS)}]{_ALONE}")
_NEXT_ITEM = r"(?<!\n(?=[ ]{0,8}(?:[0-9]{1,3}[.)]|[-*+])[ ](?:\*\*)?[^\W\d_]))"
# The same inside a list item that stays with the next one: the newline between them is not a cut.
_LISTING = re.compile(rf"[\n|`]{_ALONE}{_NEXT_ITEM}")


def scan(text: str, settings: Settings) -> list[Span]:
    """Return the spans of a finished text: the ranges that must not be cut."""
    if _SPANNED.search(text) is None and "://" not in text:
        return []
    scanner = Scanner(settings, finished=True)
    scanner.push(text.rstrip("\n"))  # newlines at the end make no span
    scanner.read(final=True)
    return scanner.delimiters.spans
