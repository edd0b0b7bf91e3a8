"""Cut a text that is too long for one message at the best position, so that each part renders as before.

A span that fits in one message stays whole. A longer one (a code block, a spoiler) is cut inside, closed in one
part and reopened in the next. The limit wins over everything: a word or a line that cannot fit is cut between
two graphemes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..language.graphemes import grapheme_start
from ..language.punctuation import COLONS
from ..markdown.break_points import SPACES, adjust_unspaced_cut, is_wide, sentence_cuts
from ..markdown.line_groups import MAX_LABEL_CHARS, is_label
from ..markdown.line_kinds import HEADING, WHITE_HOLD, Line, is_head, read_line, skip_white
from ..traced_text import TracedText
from .reopened_spans import LINE_MARKS, TextStructure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._settings import Settings

MAX_LEAD_CHARS = 400
"""A longer paragraph that ends with a colon is cut before its last sentence."""

_NEWLINES = re.compile(r"\n[ \t\n]*\n|\n")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)++")
_MARKER = re.compile(r"\s*(?:>>>|>|-#|#{1,6})\s*")
_TITLE = re.compile(r"(?:[A-Z]|\d{1,3}[.)] )[^\n]*[\w)]")
_CLOSERS_AFTER_SPACE = "\n`>"  # closers that go after the white space at a cut, not before it
_MARKED = LINE_MARKS | {Line.ITEM}


def cut_to_limit(
    traced: TracedText, limit: int, settings: Settings, *, known: bool = False
) -> list[TracedText]:
    """Split a text into parts of at most `limit` characters, not counting white space at their ends.

    Args:
        traced: The text.
        limit: Longest part.
        settings: Whether headings stay with the text below them.
        known: The spans that the text remembers are complete, so it is not scanned again.

    """
    text = traced.text
    if len(text) <= limit or len(text.rstrip()) - _blank_before(text) <= limit:
        return [traced]
    return _Cutter(traced, limit, settings, known=known).parts()


def _blank_before(text: str) -> int:
    """Return the length of the blank lines before a text, which are not sent."""
    return text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1


class _Cutter:
    """Choose the cuts of one text."""

    def __init__(self, traced: TracedText, limit: int, settings: Settings, *, known: bool) -> None:
        self._traced = traced
        self._text = traced.text
        self._limit = limit
        # Whether a heading stays with the text below it.
        self._keeps_heads = settings.headings == "together"
        # End of the text and start of its first line, without blank lines.
        self._end = len(self._text.rstrip())
        self._lead = _blank_before(self._text)
        self._structure = TextStructure(traced, limit, settings, known=known)

    def parts(self) -> list[TracedText]:
        """Return the parts in order."""
        at = 0
        done: list[TracedText] = []
        while at < len(self._text):
            prefix = sum(map(len, self._prefixes(at)))
            rest = self._end - max(at, self._lead) + prefix <= self._limit
            cut = len(self._text) if rest else self._skip_blank_code(at, prefix) or self._choose(at, prefix)
            # White space alone is no part; the previous one keeps it for the record of sources.
            if done and not self._text[at:cut].strip():
                done[-1] += self._traced.cut(at, cut)
            else:
                done.append(self._part(at, cut))
            at = cut
        return done

    def _skip_blank_code(self, at: int, prefix: int) -> int:
        """Return the end of blank code lines at a cut, if the next line fits only without them, or 0."""
        code = next((outer for outer in self._structure.around(at) if outer.code), None)
        blank = _BLANK_LINES.match(self._text, at)
        if code is None or blank is None or blank.end() > code.end:
            return 0
        start = blank.end()
        newline = self._text.find("\n", start, code.end)
        end = newline if newline >= 0 else code.end
        available = self._limit - prefix - len(self._suffix(end))
        return start if end - start <= available < end - at else 0

    def _prefixes(self, at: int) -> tuple[str, str]:
        """Return what a part begins with: line markers, and markers of reopened spans."""
        around = self._structure.around(at)
        lines = [outer.prefix for outer in around if not outer.suffix]
        return "".join(lines), "".join(outer.prefix for outer in around if outer.suffix)

    def _suffix(self, cut: int) -> str:
        """Return the markers that close the open spans at a cut, innermost first."""
        suffix = ""
        for outer in reversed(self._structure.around(cut)):
            newline = outer.code and self._text[cut - 1] == "\n"
            suffix += outer.suffix[1:] if newline else outer.suffix
        return suffix

    def _part(self, at: int, cut: int) -> TracedText:
        """Return the text between two cuts with the markers that it needs."""
        body, suffix = self._traced.cut(at, cut), self._suffix(cut)
        if not body.text.strip():
            return body
        lines, opened = self._prefixes(at)
        marker = self._marker(at) - at if opened else 0
        if marker:
            body, opened = body.replace("reopened", [(0, marker, body.text[:marker] + opened)]), ""
        inner = len(body.text.rstrip())
        if not suffix or self._closes_after_space(body.text, suffix):
            inner = len(body.text)
        words = TracedText.added(lines + opened, "reopened") + body.cut(0, inner)
        return words + TracedText.added(suffix, "closed") + body.cut(inner, len(body.text))

    def _marker(self, at: int) -> int:
        """Return where the marker of a line that begins here ends: spans are reopened after it."""
        if self._text[at - 1] != "\n" or any(outer.code for outer in self._structure.around(at)):
            return at
        kind, content = read_line(self._text, at, final=True) or (Line.PROSE, at)
        return content if kind in _MARKED else at

    def _closes_after_space(self, body: str, suffix: str) -> bool:
        """Return whether a closer goes after white space: before it, it would touch bars or be escaped."""
        end = body.rstrip()[-1:]
        return suffix[0] in _CLOSERS_AFTER_SPACE or end == "\\" or end == suffix[0] == "|"

    def _free(self, cut: int) -> bool:
        return self._structure.whole(cut).free(cut)

    def _fits(self, at: int, cut: int, prefix: int) -> bool:
        """Return whether a part may end at a cut: it fits and breaks nothing."""
        if not at < cut < self._end or not self._free(cut) or self._is_bare(at, cut):
            return False
        if self._text[cut] == "`" and self._prefixes(cut)[1].endswith("`"):
            return False  # more backticks in a row would mean something else
        suffix = self._suffix(cut)
        body = self._text[at:cut]
        size = len(body) if suffix and self._closes_after_space(body, suffix) else len(body.rstrip())
        size -= 0 if at else self._lead
        return len(body.strip()) > 0 and prefix + size + len(suffix) <= self._limit

    def _is_bare(self, at: int, cut: int) -> bool:
        """Return whether a cut would leave a marker alone, an empty code block, or code without indentation."""
        for outer in self._structure.around(cut):
            # Inside code nothing is a marker.
            if outer.code:
                line = self._text.rfind("\n", 0, cut) + 1
                if line < cut and not self._text[line:cut].strip():
                    return True
                code = self._text.find("\n", outer.start, cut) + 1 or outer.start
                return not self._text[max(at, code) : cut].strip()
        return _MARKER.fullmatch(self._text, at, cut) is not None

    def _may_leave(self, at: int, cut: int) -> bool:
        """Return whether a cut before an atomic range leaves more than a marker. Spoilers always may."""
        return self._text.startswith("||", cut) or not self._is_bare(at, cut)

    def _choose(self, at: int, prefix: int) -> int:
        """Return the best cut, which leaves no heading or label at the end of the part."""
        cut = self._find_cut(at, prefix)
        return self._before_heads(at, cut, prefix) if self._keeps_heads else cut

    def _find_cut(self, at: int, prefix: int) -> int:
        """Return a cut after a paragraph, a line, a sentence or a space, in the second half if possible."""
        high = at + self._limit - prefix + (0 if at else self._lead)
        half = at + (self._limit - prefix) // 2
        # A cut before this would cost one message more than needed.
        messages = -(-(self._end - at) // self._limit)
        thrifty = max(half, self._end - (messages - 1) * self._limit)
        # Finding sentences is the most expensive step, so it is done last and once.
        ends: list[int] | None = None
        for low in (thrifty, half):
            for cut in self._line_cuts(half, low, high):
                if self._fits(at, cut, prefix):
                    return cut
            if ends is None:
                ends = sentence_cuts(self._text, half, min(high, self._end), final=True)
            for cut in reversed(ends):
                if cut >= low and self._fits(at, cut, prefix):
                    return cut
        # In a script without spaces, a distant space is no better than any other position.
        for low in (half,) if is_wide(self._text[high]) else (half, at):
            for cut in self._spaces(low, high):
                if self._fits(at, cut, prefix):
                    return cut
        return self._force(at, high, prefix)

    def _before_heads(self, at: int, cut: int, prefix: int) -> int:
        """Return a cut before the headings and labels at the end of a part, so that they stay with their text."""
        best, block = cut, self._find_block(cut)
        while cut - best <= MAX_LEAD_CHARS:
            end = at + len(self._text[at:best].rstrip())
            line = max(self._text.rfind("\n", at, end) + 1, at)
            starts = self._head_starts(line, end)
            if not starts:
                return best
            # A block that fits in one message is not cut to make room for what leads to it.
            fitting = (one for one in starts if not block or prefix + block - one <= self._limit)
            place = next((one for one in fitting if self._fits(at, one, prefix)), None)
            if place is None:
                return cut if line <= at else best
            best = place
        return cut

    def _find_block(self, cut: int) -> int:
        """Return the end of the code block that begins at a cut and fits in a message, or 0."""
        start = skip_white(self._text, cut)
        around = self._structure.whole(start + 1).around(start + 1)
        return around[1] if around and around[0] <= start and self._text.startswith("```", start) else 0

    def _head_starts(self, line: int, end: int) -> list[int]:
        """Return where what leads to the next line begins: at its line, or at the last sentence of its paragraph."""
        last = self._text[line:end]
        if end - line <= HEADING and (is_head(last) or is_label(last) or self._is_title(line, end)):
            return [line]
        if last.rstrip("*_")[-1:] not in COLONS:
            return []
        sentences = [cut for cut in sentence_cuts(self._text, line, end, final=True) if end - cut <= HEADING]
        return [line] * (end - line <= MAX_LEAD_CHARS) + [cut for cut in sentences[-1:] if line < cut < end]

    def _is_title(self, line: int, end: int) -> bool:
        """Return whether a line is a short paragraph without an end mark: `Method 3: Using a formula`."""
        if self._text[max(0, line - 2) : line] != "\n\n" or not self._text.startswith("\n\n", end):
            return False
        return 0 < end - line <= MAX_LABEL_CHARS and _TITLE.fullmatch(self._text, line, end) is not None

    def _line_cuts(self, half: int, low: int, high: int) -> Iterator[int]:
        """Yield the ends of paragraphs, then of lines, last first; indented lines stay with those above them.

        To keep an item with its nested items, a cut may even be before `low`.
        """
        lines = [*reversed(self._newlines(low, high))]
        nested = {found.end() for found in lines if self._is_nested(found.end())}
        yield from (found.end() for found in lines if len(found[0]) > 1 and found.end() not in nested)
        yield from (found.end() for found in lines if len(found[0]) == 1 and found.end() not in nested)
        if nested:
            earlier = [found.end() for found in reversed(self._newlines(half, low))]
            yield from (cut for cut in earlier if not self._is_nested(cut))
        yield from (found.end() for found in lines if len(found[0]) > 1 and found.end() in nested)
        yield from (found.end() for found in lines if len(found[0]) == 1 and found.end() in nested)

    def _is_nested(self, cut: int) -> bool:
        """Return whether an indented line outside code begins here: a nested item, or more of an item."""
        return self._text[cut : cut + 1] in (" ", "\t") and not any(
            outer.code for outer in self._structure.around(cut)
        )

    def _spaces(self, low: int, high: int) -> Iterator[int]:
        """Yield the positions after spaces and line breaks, last first."""
        places = [found.end() for found in SPACES.finditer(self._text, low, min(high + 1, self._end))]
        lines = [found.end() for found in self._newlines(low, high)]
        yield from sorted((*places, *lines), reverse=True)

    def _newlines(self, low: int, high: int) -> list[re.Match[str]]:
        """Return the line breaks that begin in a range; their white space may extend beyond it."""
        found = _NEWLINES.finditer(self._text, low, min(high + WHITE_HOLD, self._end))
        return [newline for newline in found if newline.start() <= high]

    def _force(self, at: int, high: int, prefix: int) -> int:
        """Return a cut where no good one exists: before an atomic range, or between two graphemes."""
        cut = min(high, self._end - 1)
        while cut > at + 1:
            inside = self._structure.whole(cut).around(cut)
            if inside and inside[0] > at and self._may_leave(at, inside[0]):
                cut = inside[0]
            cut = next((start for start, end in self._structure.spoiler_edges if at < start < cut < end), cut)
            whole = self._unescaped(grapheme_start(self._text, cut))
            whole = adjust_unspaced_cut(self._text, whole, at, self._free)
            cut = whole if whole > at else cut
            size = prefix + cut - max(at, self._lead) + len(self._suffix(cut))
            if size <= self._limit:
                return cut
            cut -= max(1, size - self._limit)
        return at + 1

    def _unescaped(self, cut: int) -> int:
        """Return a cut that does not separate a character from its backslash."""
        before = self._text[max(0, cut - self._limit) : cut]
        return cut - (len(before) - len(before.rstrip("\\"))) % 2
