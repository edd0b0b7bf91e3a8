"""Cut visible text into segments as soon as each cut is certain.

The scanner finds break points. The segmenter decides which of them are cuts at the chosen degree, and adds cuts
where a line is too long. Segments are slices: together they are the text, and nothing is added.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

from .._events import Boundary, Captured, Degree, Dropped, Segment
from .auto_close import close_open_markers
from .language.emoticons import find_emoticons
from .language.graphemes import grapheme_start
from .markdown import line_kinds as lines
from .markdown.break_points import AtomicRange, complete_until, find_overflow, sentence_cuts
from .markdown.code_fence_reopening import closing_line, reopening_line
from .markdown.delimiter_stack import NEVER, Span, SpanKind
from .markdown.line_groups import LineGroup, is_label
from .markdown.line_kinds import (
    HEAD_REACH,
    HEADING,
    LABELLED,
    LABELLED_HEADING,
    LABELLED_QUOTE,
    LETTERED,
    Line,
    read_line,
    skip_white,
)
from .markdown.live_cuts import find_early_code_cut, find_early_cut
from .markdown.scanner import Scanner
from .reasoning_blocks import may_be_reasoning
from .traced_text import SourceMap

if TYPE_CHECKING:
    from .._settings import Settings
    from .markdown.delimiter_stack import BreakPoint

URL_SCHEME_CHARS = 8
"""A URL is recognized at its `://`, so the last characters that were read may belong to one."""

JOIN_EVERY_CHARS = 1024
"""Text that needs no reading is joined this often: many small strings take much more memory."""

EARLY_STEP_CHARS = 32
"""Characters between two checks whether a line can be cut before its end."""

MAX_TABLE_CELLS = 6000
"""After this many cells the rows of a table are plain text."""

PROBE = " Then it"
"""A continuation after which a finished sentence is recognized."""

_FREE = frozenset({None, Line.PROSE})
_ALONE = frozenset({Line.FENCE, Line.PIPE, Line.TABLE})
_TABLES = frozenset({Line.PIPE, Line.TABLE})
_GROUPED = frozenset({Line.ITEM, Line.MORE, Line.QUOTE, Line.PIPE, Line.TABLE})
_EARLY = frozenset({None, Line.PROSE, Line.ITEM, Line.MORE, Line.QUOTE, Line.BLOCK_QUOTE, Line.FENCE})
_QUOTES = frozenset({Line.QUOTE, Line.BLOCK_QUOTE})  # no quote begins in another
_GROUPING = frozenset({Degree.LIGHT, Degree.MEDIUM})  # lines are cut, and lists stay together
_HEAD_LINES = frozenset({Line.PROSE, Line.ITEM})
_LABEL_LINES = frozenset({Line.PROSE, Line.ITEM, Line.MORE})
_NOT_LABELLED = frozenset({None, Line.BLANK, Line.HEADING, Line.FENCE, Line.PIPE, Line.TABLE})
_INDENTATION = re.compile(r"[ \t]{0,64}")
_LINE_MARKERS = frozenset({"> ", "-# ", "# ", "## ", "### "})
_HASHES = re.compile(r"[ \t]{0,64}(#{1,6})")
_BEGINS_ROW = re.compile(f"({lines.PICTURED.pattern})|{lines.LETTERED.pattern}|([\\[—―])")
_LED = {
    "[": lines.FOOTNOTE,
    "—": lines.QUOTATION,
    "―": lines.QUOTATION,
}  # first characters that continue such lines
_AUTHOR = frozenset("—―–")  # dashes that introduce the author below a quotation
_FENCE = re.compile("`+|~+")
_DIAGRAMS = ("mermaid", "mmd")  # languages of code blocks that become pictures
_CLOSING = re.compile("`{3}|~{3}")


def _indentation(text: str, at: int) -> int:
    """Return the width of the white space at the start of a line."""
    return len(_INDENTATION.match(text, at)[0].expandtabs(4))  # type: ignore[index]


def _find_emoji(text: str) -> list[tuple[int, int]]:
    """Return the ranges of emoji and other pictures."""
    signs = ("So", "Sk", "Mn", "Me")
    return [(at, at + 1) for at, one in enumerate(text) if one >= "\u203c" and category(one) in signs]


class Segmenter:
    """Cut text into segments; `feed` and `flush` return them.

    It has many attributes because the scanner, the current segment and the current table each have a state.

    Args:
        settings: Degree and lengths.
        nested: Whether code blocks may contain code blocks, as models write them, or end as in Discord.
        tildes: Whether `~~~` opens a code block.
        early: If not 0, long lines are cut before their end, but not in their first `early` characters.

    """

    def __init__(
        self, settings: Settings, *, nested: bool = True, tildes: bool = False, early: int = 0
    ) -> None:
        self._settings = settings
        self._early = early
        finished = not nested
        nested = nested and settings.code_fence_matching == "nested"
        self._heavy = heavy = settings.degree is Degree.HEAVY
        self._joins = settings.degree is Degree.NONE  # segments are joined to one text again
        grouping = settings.degree in _GROUPING and settings.lists == "together" and not early
        self._list_split_length = (
            settings.list_split_length if grouping else 0
        )  # items stay together up to this length
        self._prose = settings.overflow_target + settings.overflow_after  # a line that is longer is cut,
        self._windows: dict[Line | None, int] = dict.fromkeys(
            _GROUPED, settings.table_split_length
        )  # and others
        self._windows[Line.FENCE] = settings.code_overflow
        self._windows[None] = min(self._prose, *self._windows.values())  # then the scanner decides what it is
        self._groups = not self._joins and settings.lists == "together"
        self.scanner = Scanner(
            settings,
            sentences=heavy,
            nested=nested,
            tildes=nested and tildes,
            finished=finished,
            groups=self._groups,
        )
        self._ahead = 0  # source position minus position in the scanner
        self._restart()

    def _restart(self) -> None:
        self._ahead += self.scanner.length
        self.scanner.reset()
        self._source_map = SourceMap(self._ahead)
        self._start = 0
        self._table = 0  # where the last table, or this part of it, began
        self._lines = 0  # of that table, that have ended
        self._row = 0  # where its last row began
        self._head = ""  # its first two lines
        self._cells = 0  # how many it had before this part
        self.mark = 0  # the text length at which the scanner must read, whatever arrives
        self.untouched = True  # whether nothing was cut yet
        self._begin(0, None)

    def _begin(self, at: int, line: Line | None, reopen: str = "", ticks: int = 0) -> None:
        """Start the next segment: its position, the kind of its first line, and the code block it is in."""
        if line in _TABLES:
            self._begin_table(at, new=line is Line.PIPE)
        self._start, self._line, self._reopen, self._ticks = at, line, reopen, ticks
        self._window = self._limit = at + self._windows.get(line, self._prose)  # longer text is cut here
        if self._early and line in _EARLY:
            self._limit = min(self._window, at + EARLY_STEP_CHARS)

    def _begin_table(self, at: int, *, new: bool) -> None:
        if new:
            self._table, self._lines, self._head, self._cells = at, 0, "", 0
        else:
            self._table, self._cells = at, self._cells + self.scanner.text.count("|", self._start, at)

    @property
    def buffered_chars(self) -> int:
        """Number of characters that are not cut yet."""
        return self.scanner.length - self._start

    def ends_finished(self, white: str = "") -> bool:
        """Return whether the text so far looks finished: it ends with a sentence or a line of prose.

        `white` is white space after the text that was not fed yet.
        """
        scanner = self.scanner
        scanner.read()
        text = scanner.text[self._start :]
        if scanner.fence or scanner.delimiters.stack or not text.strip():
            return False
        last = text.rstrip().rpartition("\n")[2]
        kind = read_line(last, 0, final=True)
        if kind is None or kind[0] is not Line.PROSE or self._line not in _FREE:
            # More items of a list, lines of a quote or rows of a table may follow, and a heading heads something.
            return False
        if last.endswith((":", "：")):
            return False
        if "\n" in text[len(text.rstrip()) :] + white:
            return True
        # A word after it shows whether a period ends a sentence or an abbreviation.
        end = len(last)
        return end in {
            skip_white(last + PROBE, cut) - 1 for cut in sentence_cuts(last + PROBE, 0, end + len(PROBE))
        }

    # --- In -------------------------------------------------------------------------------------

    def feed(self, text: str, source: int | None = None) -> list[Segment]:
        """Read text at a source position (default: after the last one) and return the certain segments."""
        scanner = self.scanner
        length = scanner.length
        if source is not None and source - length != self._ahead:
            self._source_map.add(length, source)
            self._ahead = source - length
        scanner.push(text)
        # Most characters can neither end a segment nor change what a later one does.
        if scanner.length < self.mark and scanner.interesting_chars.search(text) is None:
            return []
        scanner.read()
        delimiters = scanner.delimiters
        segments: list[Segment] = []
        if self._line is None and (first := scanner.opening if self.untouched else scanner.first) is not None:
            self._begin(self._start, first)
        if delimiters.breaks or scanner.length > self._limit:
            segments = self._advance(scanner.certain - URL_SCHEME_CHARS)
            self._forget()
        mark = min(
            scanner.length + JOIN_EVERY_CHARS, self._limit + URL_SCHEME_CHARS + 1, scanner.interesting_length
        )
        if not delimiters.breaks:
            until = self._start + self._list_split_length
            mark = min(mark, until) if scanner.skip_until(over_items=scanner.length < until) else mark
        self.mark = min(mark, delimiters.expiry) if delimiters.stack else mark
        return segments

    def flush(self, boundary: Boundary = Boundary.FINAL, *, trim: bool = False) -> list[Segment | Dropped]:
        """End the text and return the remaining segments; with `trim`, an incomplete last clause is dropped."""
        scanner = self.scanner
        scanner.read(final=True)
        if self._line is None:
            self._begin(self._start, scanner.opening if self.untouched else scanner.first)
        dropped = self._trim() if trim else []
        suffix = close_open_markers(self.scanner, self._settings, self._start)
        end = len(scanner.text)
        segments: list[Segment | Dropped] = [*self._advance(end)]
        if self._start < end:
            segments.append(self._cut(end, boundary, suffix))
        self._restart()
        return segments + dropped

    def end_reasoning(self, stray: Dropped) -> Captured | Dropped:
        """Read a closing tag without its opening one; return what it is.

        Some chat templates put `<think>` into the prompt, so that only its end is streamed. Then the text before
        it is reasoning, unless a part of that text was cut already.
        """
        scanner = self.scanner
        scanner.read()
        if not stray.text.lower().endswith("think>") or not self._may_be_reasoning():
            return stray
        text, spans = scanner.text[self._start :], self._source_map.spans(self._start, len(scanner.text))
        self._restart()
        return Captured("think", text.strip(), (*spans, *stray.spans))

    def _may_be_reasoning(self, until: int = NEVER) -> bool:
        """Return whether a `</think>` without an opening tag would make the text up to here reasoning."""
        return self.untouched and (
            not self._joins or may_be_reasoning(self.scanner.text[self._start : until])
        )

    # --- Cutting --------------------------------------------------------------------------------

    def _advance(self, certain: int) -> list[Segment]:
        """Return the segments of all certain cuts."""
        segments: list[Segment] = []
        while place := self.scanner.delimiters.pop_break():
            if self._line is None:  # the line before this break point began before its kind was known
                self._begin(self._start, Line.PIPE if place.before is Line.TABLE else place.before)
            self._cut_label(place, segments)
            if place.at > self._limit:
                self._overflow(place.at, segments)
            if place.at == self._start or self._is_cut(place):
                if place.at > self._start:
                    segments.append(self._cut(place.at, place.why, "```" if place.unclosed else place.inside))
                self._begin(place.at, place.after, place.inside)
        if certain > self._limit:
            self._overflow(certain, segments)
        return segments

    def _is_cut(self, place: BreakPoint) -> bool:  # noqa: PLR0911
        """Return whether a break point is a cut: lists, quotes and tables stay together up to a length."""
        settings = self._settings
        before, after = place.before, place.after
        if place.why is not Boundary.NEWLINE:
            return True
        if before is Line.TABLE and after is Line.TABLE:
            if self.scanner.bare_head == self._start and self._line is not Line.PIPE:
                self._begin(self._start, Line.PIPE)  # only its second line shows that it is a table
            return self._is_cut_row(place.at)
        if self._joins:
            return True
        if settings.headings == "together" and after not in _ALONE and self._heads(place):
            return False
        if not self._groups:
            return True
        if (after is Line.MORE and not place.blank) or self._leads_on(place):
            return False
        if place.blank and not self._heavy and (after is Line.MORE or self._is_nested_item(place)):
            return place.at - self._start > max(settings.message_length, settings.list_split_length)
        if place.blank or self._heavy:
            empty = before is after is Line.QUOTE and self.scanner.text[self._start : place.at].strip() == ">"
            return not empty  # an empty quoted line is not a message
        item = after is Line.ITEM and (before in (Line.ITEM, Line.MORE) or self._ends_in(place.at, LABELLED))
        author = self.scanner.text[place.at : place.at + 1] in _AUTHOR
        quoted = before is Line.QUOTE or (after is Line.QUOTE and self._ends_in(place.at, LABELLED_QUOTE))
        quote = quoted and (after is Line.QUOTE or author)
        row = before is after is Line.PROSE and self._is_row(place.at)
        size = place.at - self._start
        if item and self._is_nested(place.at):
            return size > max(settings.message_length, settings.list_split_length)
        return not (item or quote or row) or size > settings.list_split_length

    def _leads_on(self, place: BreakPoint) -> bool:
        """Return whether a line belongs to the next one: a label, a verse, code without a fence, a row of bars."""
        if place.group is not LineGroup.NONE:
            code = place.group is LineGroup.CODE
            limit = self._settings.message_length if code else self._settings.list_split_length
            return place.at - self._start <= limit
        if place.before not in _LABEL_LINES or place.after in _NOT_LABELLED:
            return False
        return self._ends_with_label(place.at)

    def _cut_label(self, place: BreakPoint, segments: list[Segment]) -> None:
        """Cut before a table without outer bars, which only its second line shows, if a label is above it."""
        head = self.scanner.bare_head
        if place.after is Line.TABLE and self._start < head < place.at and self._ends_with_label(head):
            segments.append(self._cut(head, Boundary.NEWLINE))
            self._begin(head, Line.PIPE)

    def _ends_with_label(self, at: int) -> bool:
        """Return whether the line above a position is a label."""
        text = self.scanner.text
        end = self._start + len(text[self._start : at].rstrip())
        line = max(self._start, text.rfind("\n", self._start, end) + 1)
        return is_label(text[line:end])

    def _is_nested_item(self, place: BreakPoint) -> bool:
        """Return whether an item begins here that is indented deeper than the item above it."""
        items = place.after is Line.ITEM and place.before in (Line.ITEM, Line.MORE)
        return items and self._is_nested(place.at)

    def _is_nested(self, at: int) -> bool:
        """Return whether the item that begins here is indented deeper than the first one of the segment."""
        text = self.scanner.text
        start = self._start
        while start < at:
            found = read_line(text, start, final=True)
            if found and found[0] is Line.ITEM:
                break
            start = text.find("\n", start, at) + 1 or at
        return _indentation(text, at) > _indentation(text, start)

    def _heads(self, place: BreakPoint) -> bool:
        """Return whether the segment so far is a heading or a `---` line that belongs to the next line."""
        light = not self._heavy
        if place.before is Line.HEADING:
            return light and (place.after is not Line.HEADING or self._heads_deeper(place.at))
        if place.at - self._start > HEADING or place.before not in _HEAD_LINES:
            return False
        line = self.scanner.text.rfind("\n", 0, self._start) + 1
        if self.scanner.text[line : self._start].strip():
            return False  # the rest of a line that was cut is not a heading
        text = self.scanner.text[self._start : place.at].strip()
        if light and "# " in text and self._ends_in(place.at, LABELLED_HEADING):
            return True
        if light and LETTERED.match(text) and self._heads_outline(text, place):
            return True
        return lines.heads(text, light=light, blank=place.blank)

    def _heads_outline(self, text: str, place: BreakPoint) -> bool:
        """Return whether the segment so far is a heading such as `II. Market` that belongs to the next line."""
        below = self.scanner.text[place.at : place.at + HEAD_REACH]
        return lines.heads_outline(text, below, blank=place.blank, item=place.after is Line.ITEM)

    def _heads_deeper(self, at: int) -> bool:
        """Whether the heading below a heading is one of its parts."""
        text = self.scanner.text
        line = text.rfind("\n", self._start, len(text[self._start : at].rstrip()) + self._start) + 1
        above = _HASHES.match(text, max(self._start, line))
        below = _HASHES.match(text, at)
        return bool(above and below) and len(above[1]) < len(below[1])  # type: ignore[index]

    def _ends_in(self, at: int, pattern: re.Pattern[str]) -> bool:
        """Whether the line before a place begins so."""
        text = self.scanner.text
        end = self._start + len(text[self._start : at].rstrip())
        line = max(self._start, text.rfind("\n", self._start, end) + 1)
        return pattern.match(text, line, at) is not None

    def _is_row(self, at: int) -> bool:
        """Whether this line and the one before it begin alike, as lists without markers do."""
        begins = _BEGINS_ROW.match(self.scanner.text, at)
        if begins is None:
            return False
        return self._ends_in(at, _LED.get(begins[2]) or (lines.PICTURED if begins[1] else lines.LETTERED))

    def _is_cut_row(self, at: int) -> bool:
        """A long table is cut between two rows, never before its first one."""
        self._lines += 1
        if self._lines == 2 and self._start == self._table and at - self._table <= HEAD_REACH:
            self._head = self.scanner.text[self._table : at]
        if self._lines > 2 and at - self._table > self._settings.table_split_length:
            return True
        self._row = at if self._lines > 2 else 0
        self._limit = at + self._settings.table_split_length
        return False

    def _cut(self, at: int, boundary: Boundary, suffix: str = "") -> Segment:
        scanner = self.scanner
        # At degree 0 the segments are joined again, so that the quote continues by itself.
        quoted = self._start > scanner.block_quote and not self._joins and self._line not in _QUOTES
        ticks = self._ticks
        if self._line is Line.FENCE and not ticks:
            ticks = self._fence_start()[1]
        self.untouched = False
        text = scanner.text[self._start : at]
        atomic_spans = scanner.delimiters.within(self._start, at)
        further = self._head and self._line is Line.TABLE and self._cells <= MAX_TABLE_CELLS
        return Segment(
            text,
            boundary,
            self._source_map.spans(self._start, at),
            (">>> " if quoted else "") + self._reopen,
            suffix,
            ticks,
            atomic_spans,
            self._head if further and self._start <= scanner.block_quote else "",
            () if ticks or not ("```" in text or "~~~" in text) else self._blocks(atomic_spans, at),
        )

    def _blocks(self, atomic_spans: tuple[Span, ...], at: int) -> tuple[tuple[int, int], ...]:
        """The code blocks in what is cut here, counted from its start."""
        blocks = tuple([(span.start, span.end) for span in atomic_spans if span.mark == SpanKind.FENCE])
        fence = self.scanner.fence
        if fence and self._start <= fence.start < at:
            return (*blocks, (fence.start - self._start, at - self._start))
        return blocks

    def _forget(self) -> None:
        """Forget text that was cut off."""
        moved = self.scanner.forget(self._start)
        if moved:
            self._ahead += moved
            self._start -= moved
            self._limit -= moved
            self._window -= moved
            self._table -= moved
            self._row -= moved
            self._source_map.shift(moved)

    # --- Lines that are too long -------------------------------------------------------------

    def _overflow(self, until: int, segments: list[Segment]) -> None:
        """Cut text that is longer than its window and has no break point in it."""
        whole = AtomicRange((span.start, span.end) for span in self.scanner.delimiters.spans)
        while until > self._limit:
            if self._limit < self._window:
                self._cut_early(until, segments, whole)
                continue
            if self._line is Line.FENCE:
                segments.append(self._cut_code())
                continue
            if self._line in (Line.PIPE, Line.TABLE) and self._row > self._start:
                segments.append(self._cut(self._row, Boundary.OVERFLOW))
                self._begin(self._row, Line.PROSE)
                continue
            settings = self._settings
            target = self._target(whole)
            self._limit = self._start + target + settings.overflow_after
            if until <= self._limit:
                return
            at = find_overflow(
                self.scanner.text,
                self._start,
                target,
                settings.overflow_before,
                settings.overflow_after,
                whole,
            )
            at = min(at, until)  # uncertain text is not cut
            marker = self._marker(at)
            segments.append(self._cut(at, Boundary.OVERFLOW))
            self._begin(at, Line.PROSE, marker)

    def _cut_early(self, until: int, segments: list[Segment], whole: AtomicRange) -> None:
        """Cut an unfinished line at a position that can no longer change, or check again a little later."""
        scanner, code = self.scanner, self._line is Line.FENCE
        end = min(until, self._window)
        at = 0
        if code and self._is_drawn():  # a diagram grows to its end unseen
            at = 0
        elif code:  # in code, `</think>` is text
            at = find_early_code_cut(scanner.text, self._start, end)
        elif not self._may_be_reasoning(until) and not (scanner.fence and scanner.fence.start < until):
            at = find_early_cut(scanner.text, self._start, end, whole, self._early)
        if not at:
            self._limit = min(self._window, until + EARLY_STEP_CHARS)
        elif code:
            segments.append(self._cut_code(at))
        else:
            segments.append(self._cut(at, Boundary.OVERFLOW))
            self._begin(at, Line.PROSE)

    def _is_drawn(self) -> bool:
        """Return whether the code block that is open is a diagram that becomes a picture."""
        if self._settings.diagrams != "picture" or not self._settings.rules:
            return False
        fence, ticks = self._fence_start()
        return self.scanner.text.startswith(_DIAGRAMS, fence + ticks)

    def _marker(self, at: int) -> str:
        """Return the marker with which the rest of a cut quote, heading or subtext begins."""
        text = self.scanner.text
        line = text.rfind("\n", self._start, at) + 1
        if line == at or text[at : at + 1] in ("", "\n") or self._joins:
            return ""
        if not line and self._reopen in _LINE_MARKERS:
            return self._reopen
        line = line or self._start
        _, content = read_line(text, line, final=True) or (Line.PROSE, line)
        marker = text[line:content].strip() + " "
        return marker if marker in _LINE_MARKERS else ""

    def _target(self, whole: AtomicRange) -> int:
        """Return how long prose may be; a long URL with few words before it keeps some text after it."""
        settings = self._settings
        target = settings.overflow_target
        inside = whole.around(self._start + target)
        if inside is None or inside[1] < self._start + target + settings.overflow_after:
            return target
        words = inside[0] - self._start
        return (
            inside[1] - self._start + settings.overflow_before if words < settings.overflow_before else target
        )

    def _cut_code(self, early: int = 0) -> Segment:
        """A long code block is cut between lines and stays code; an `early` cut has its place already."""
        text = self.scanner.text
        fence, ticks = self._fence_start() if not self._reopen else (self._start, self._ticks)
        limit = self._start + self._settings.code_overflow
        reopen = self._reopen or reopening_line(text, fence, ticks, limit)
        head = text.find("\n", self._start, limit) + 1 if not self._reopen else self._start
        first = max(head, self._start + 1)
        at = text.rfind("\n", first, limit) + 1 or grapheme_start(text, limit)
        closing = found.start() if (found := _CLOSING.search(text, at - 2, at + 3)) else 0
        at = early or at
        if closing and not early:  # otherwise the next segment would be an empty block
            at = text.rfind("\n", first, closing - 1) + 1 or closing - 1
        segment = self._cut(at, Boundary.OVERFLOW, closing_line(text, at))
        self._begin(at, Line.FENCE, reopen, ticks)
        return segment

    def _fence_start(self) -> tuple[int, int]:
        found = _FENCE.search(self.scanner.text, self._start)
        return (found.start(), found.end() - found.start()) if found else (self._start, 0)

    # --- The end --------------------------------------------------------------------------------

    def _trim(self) -> list[Segment | Dropped]:
        """Drop the incomplete clause at the end, but never a part of a span."""
        scanner = self.scanner
        if scanner.fence or scanner.line in (Line.ITEM, Line.MORE):
            return []
        spans = [(span.start, span.end) for span in scanner.delimiters.spans]
        opened = [(delimiter.at, NEVER) for delimiter in scanner.delimiters.stack]
        blocks = [span.end for span in scanner.delimiters.spans if span.mark == SpanKind.FENCE]
        end = complete_until(scanner.text, self._start, spans + opened, blocks)
        emoticons = [*find_emoticons(scanner.text[end:]), *_find_emoji(scanner.text[end:])]
        whole = [last for _, last in spans] + [end + last for _, last in emoticons]
        end = max([end, *(last for last in whole if last <= len(scanner.text))])
        text = scanner.text[end:]
        if not text.strip():
            return []
        spans_of_text = self._source_map.spans(end, len(scanner.text))
        scanner.text = scanner.text[:end]
        scanner.delimiters.stack = [delimiter for delimiter in scanner.delimiters.stack if delimiter.at < end]
        scanner.delimiters.breaks = [place for place in scanner.delimiters.breaks if place.at < end]
        return [Dropped(text, "incomplete clause", spans_of_text)]
