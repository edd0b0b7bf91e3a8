"""Text that knows where it came from: every character is either source text or an insertion with a reason.

A traced text is made of runs. A run is source text (its characters equal the source from `source` on) or text
that a rule or we put there; a record of what was replaced or added travels at the run's start. So, whatever
happens to the text later, shown, replaced, captured and dropped ranges still tile what the model wrote.
`SourceMap` knows where visible text stood in the source, although blocks were taken out between.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .._common.redaction import STAR
from .._events import Added, Replaced
from .markdown.delimiter_stack import Span
from .parsed_text import is_quiet, move_spans

if TYPE_CHECKING:
    from .._events import Boundary, Figure, Spans, Speaker

SECRET = "secret"  # noqa: S105  (a name)
"""The rule whose records do not say what it took out."""

Edit: TypeAlias = tuple[int, int, str]
"""Replace the characters from start to end by a text."""


Run: TypeAlias = tuple[int, int | None, "Replaced | Added | None"]
"""A stretch: its length, its first source character (None for an insertion), what was done there."""


_LENGTH = itemgetter(0)
to_record: Callable[[tuple[str, str, str, Spans]], Replaced] = partial(tuple.__new__, Replaced)
"""A record of its four values, at half the price: at degree 3 every message has a few."""


# Not frozen: every message takes a few of these, and freezing doubles what one costs.
@dataclass(slots=True)
class TracedText:
    """A text and the runs it is made of; instances are never changed."""

    text: str
    runs: tuple[Run, ...]
    _atomic_spans: tuple[Span, ...] | None = None
    _edited: tuple[TracedText, Sequence[Edit]] | None = field(default=None, repr=False, compare=False)
    lines: Sequence[TracedText] = field(default=(), repr=False, compare=False)
    """Those that it was joined of, if they still tell what must stay whole in it."""
    _starts: list[int] | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def from_spans(cls, text: str, spans: Spans, atomic_spans: tuple[Span, ...] | None = None) -> TracedText:
        """Return text that equals these source ranges."""
        if len(spans) == 1:  # as nearly always
            return cls(text, ((len(text), spans[0][0], None),), atomic_spans)
        return cls(text, tuple([(end - start, start, None) for start, end in spans]), atomic_spans)

    @classmethod
    def added(cls, text: str, why: str) -> TracedText:
        """Return text that the model did not write."""
        return cls(text, ((len(text), None, Added(text, why)),)) if text else cls("", ())

    @property
    def atomic_spans(self) -> tuple[Span, ...] | None:
        """What must stay whole in it; None if a change made the known ranges invalid."""
        if self._edited is not None:  # few ever ask
            self._atomic_spans, self._edited = self._move_atomic_spans(0), None
        elif self.lines:
            self._atomic_spans, self.lines = _join_atomic_spans(self.lines), ()
        return self._atomic_spans

    @property
    def has_certain_spans(self) -> bool:
        """Whether no edit can have opened or closed a span, so that `atomic_spans` need no new scan."""
        if self._edited is None:
            return self._atomic_spans is not None
        before, edits = self._edited
        return before.has_certain_spans and is_quiet(edits, before.text)

    def find_atomic_ranges(self, by: int) -> tuple[Span, ...] | None:
        """What must stay whole in a line that begins at this offset; None if that is not sure."""
        return self._move_atomic_spans(by) if _is_set_apart(self) else None

    def _move_atomic_spans(self, by: int) -> tuple[Span, ...] | None:
        if self._edited is not None:
            before, edits = self._edited
            return (
                None
                if before.atomic_spans is None
                else move_spans(before.atomic_spans, edits, before.text, by)
            )
        return self.atomic_spans and move_spans(self.atomic_spans, (), self.text, by)

    def __add__(self, other: TracedText) -> TracedText:
        return TracedText(self.text + other.text, self.runs + other.runs)

    def cut(self, start: int, end: int) -> TracedText:
        """Return a part; records at a cut stay with the text before it."""
        if start == 0 and end >= len(self.text):
            return self
        starts = self._find_starts()
        first = bisect_right(starts, start) - 1 if start else 0
        last = bisect_right(starts, end) - 1
        runs = [*self.runs[first:last]]
        if last < len(self.runs) and max(start, starts[last]) < end:
            runs.append(_cut_run(self.runs[last], max(0, start - starts[last]), end - starts[last]))
        if first < last and starts[first] < start:
            runs[0] = _cut_run(runs[0], start - starts[first], runs[0][0])
        return TracedText(self.text[start:end], tuple(runs))

    def _find_starts(self) -> list[int]:
        """Return where each run starts, and where the last one ends."""
        if self._starts is None:
            self._starts = [*accumulate(map(_LENGTH, self.runs), initial=0)]
        return self._starts

    def replace(self, rule: str | Sequence[str], edits: Sequence[Edit]) -> TracedText:
        """Return a new text with some ranges replaced, each with a record of the rule that did it.

        Args:
            rule: The name of the rule that wants all edits, or one name per edit.
            edits: The replacements, in the order of their positions.

        """
        rules = [rule] * len(edits) if isinstance(rule, str) else rule
        texts: list[str] = []
        runs: list[Run] = []
        done: list[Edit] = []
        at = 0
        for name, (start, end, after) in self._widen(rules, edits):
            done.append((start, end, after))
            if start > at:
                kept = self.cut(at, start)
                texts.append(kept.text)
                runs += kept.runs
            texts.append(after)
            # At the very start there is nothing to replace, and records that stand there stay where they are.
            runs += _insert(name, self.cut(start, end) if start or end else TracedText("", ()), after)
            at = end
        if at < len(self.text):
            rest = self.cut(at, len(self.text))
            texts.append(rest.text)
            runs += rest.runs
        return TracedText("".join(texts), tuple(runs), None, (self, done))

    def _widen(self, rules: Sequence[str], edits: Sequence[Edit]) -> list[tuple[str, Edit]]:
        """Make edits cover whole insertions, because a part of one has no source; join edits of the same one."""
        found: list[tuple[str, Edit]] = []
        done = 0  # where the last edit itself ended; the rest of its insertion comes after that
        for rule, (start, end, after) in zip(rules, edits, strict=True):
            first, last = self._insertion(start), self._insertion(end)
            until = last[1] if last else end
            if found and start < found[-1][1][1]:
                # An edit that overlaps the one before it is left out.
                if start < done:
                    continue
                name, (before, tail, so_far) = found.pop()
                kept = so_far[: len(so_far) - (tail - done)] + self.text[done:start]
                until = max(until, tail)
            else:
                name = rule
                before = first[0] if first else start
                kept = self.text[before:start]
            found.append((name, (before, until, kept + after + self.text[end:until])))
            done = end
        return found

    def _insertion(self, place: int) -> tuple[int, int] | None:
        """Return the insertion that a cut here would split."""
        starts = self._find_starts()
        index = bisect_right(starts, place) - 1
        if index == len(self.runs) or starts[index] == place or self.runs[index][1] is not None:
            return None
        return starts[index], starts[index + 1]

    def account(self) -> tuple[Spans, tuple[Replaced, ...], tuple[Added, ...]]:
        """Return `spans`, `edits` and `additions` in one pass."""
        spans: list[tuple[int, int]] = []
        edits: list[Replaced] = []
        additions: list[Added] = []
        first = last = -1  # of the last span, which the next run may extend
        for length, source, record in self.runs:
            if source is None:
                (edits if isinstance(record, Replaced) else additions).append(record)  # type: ignore[arg-type]
            elif source == last:
                last = source + length
                spans[-1] = (first, last)
            else:
                first, last = source, source + length
                spans.append((first, last))
        return tuple(spans), tuple(edits), tuple(additions)

    @property
    def written(self) -> str:
        """The text that is still here as it was written."""
        found, at = "", 0
        for length, source, _ in self.runs:
            found += self.text[at : at + length] if source is not None else ""
            at += length
        return found

    @property
    def spans(self) -> Spans:
        """The source ranges that are still here as they were written."""
        return _merge([(source, source + length) for length, source, _ in self.runs if source is not None])

    @property
    def edits(self) -> tuple[Replaced, ...]:
        """What rules replaced in here."""
        return tuple([record for _, _, record in self.runs if isinstance(record, Replaced)])

    @property
    def additions(self) -> tuple[Added, ...]:
        """What was added in here."""
        return tuple([record for _, _, record in self.runs if isinstance(record, Added)])


def join_traced(traced_texts: Sequence[TracedText]) -> TracedText:
    """Lines that follow each other as one text; what must stay whole in it is known if that is sure."""
    text = "".join([traced.text for traced in traced_texts])
    runs = tuple([run for traced in traced_texts for run in traced.runs])
    return TracedText(text, runs, lines=() if any(map(text.__contains__, _RESCANNED)) else traced_texts)


_RESCANNED = ("\\", "||", "```")  # what joined lines may give another meaning to


def _join_atomic_spans(lines: Sequence[TracedText]) -> tuple[Span, ...] | None:
    """What must stay whole in lines that follow each other; None if they must be searched again."""
    found: list[Span] = []
    at = 0
    for line in lines:
        atomic_spans = line.find_atomic_ranges(at)
        if atomic_spans is None:
            return None
        found += atomic_spans
        at += len(line.text)
    return tuple(found)


def _is_set_apart(traced: TracedText) -> bool:
    """Whether there is white space around whatever a rule has put in, so that no marker touches it."""
    at = 0
    for length, source, _ in traced.runs:
        end = at + length
        if source is None and (traced.text[max(0, at - 1) : at] + traced.text[end : end + 1]).strip():
            return False
        at = end
    return True


def _merge(spans: list[tuple[int, int]]) -> Spans:
    """Merge ranges that touch."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end)
        elif start < end:
            found.append((start, end))
    return tuple(found)


def _cut_run(run: Run, start: int, end: int) -> Run:
    """Return a part of a run."""
    _, source, record = run
    return (
        (end - start, None, _part(record, start, end))
        if source is None
        else (end - start, source + start, None)
    )


def _slice(spans: Spans, start: int, end: int) -> Spans:
    """Return the source ranges of a part of the characters in these ranges."""
    found: list[tuple[int, int]] = []
    at = 0
    for first, last in spans:
        low, high = max(start, at), min(end, at + last - first)
        if low < high:
            found.append((first + low - at, first + high - at))
        at += last - first
    return tuple(found)


def _insert(rule: str, old: TracedText, after: str) -> tuple[Run, ...]:
    """Return the runs that replace a text; records of earlier replacements are kept without their text."""
    marks = [edit._replace(after="") for edit in old.edits]
    record: Replaced | Added
    if old.spans or not (marks or old.additions):
        record = Replaced(rule, _recorded_text(rule, old.written), after, old.spans)
    elif marks:
        record = marks.pop(0)._replace(after=after)
        if after != old.text and after.endswith(old.text):  # all is there that the first rule has put there
            record = record._replace(rule=rule)
    else:
        record = Added(after, old.additions[0].why)
    # A record inside or after the replaced text goes after it: a cut between them must keep their order.
    late = [mark for mark in marks if old.spans and mark.spans and mark.spans[0] > old.spans[0]]
    runs: list[Run] = [(0, None, mark) for mark in marks if mark not in late]
    return (*runs, (len(after), None, record), *((0, None, mark) for mark in late))


def _recorded_text(rule: str, before: str) -> str:
    """Return the replaced text for a record; secrets are masked."""
    return STAR * len(before) if rule == SECRET else before


def _part(record: Replaced | Added | None, start: int, end: int) -> Replaced | Added:
    """Return the record for a part of an insertion: its share of the replaced text."""
    assert record
    if isinstance(record, Added):
        return Added(record.text[start:end], record.why)
    before, after = record.before, record.after[start:end]
    first, last = (_share(before, record.after, at) for at in (start, end))
    if first == last:  # the other parts stand for all that was there
        return Added(after, record.rule)
    return Replaced(record.rule, before[first:last], after, _slice(record.spans, first, last))


def _share(before: str, after: str, at: int) -> int:
    """Return how much of the replaced text belongs to the first characters of the new text."""
    if at in (0, len(after)):
        return len(before) if at else 0
    if after.endswith(before):  # something was put before it
        return max(0, at - len(after) + len(before))
    return min(len(before), max(1, min(len(before) - 1, len(before) * at // len(after))))


class NormalizedSegment(NamedTuple):
    """A segment after the text rules: its text, why it ended, its speaker, and what is drawn of it."""

    traced: TracedText
    boundary: Boundary
    speaker: Speaker | None = None
    figure: Figure | None = None


class SourceMap:
    """Map positions in visible text to source positions; blocks that were taken out make jumps."""

    def __init__(self, source: int = 0) -> None:
        self._at = [0]
        self._source = [source]

    def add(self, at: int, source: int) -> None:
        """Record the source position of the visible text at a position."""
        if self._source[-1] + at - self._at[-1] != source:
            self._at.append(at)
            self._source.append(source)

    def source(self, at: int) -> int:
        """Return the source position of a visible character."""
        index = bisect_right(self._at, at) - 1
        return self._source[index] + at - self._at[index]

    def spans(self, start: int, end: int) -> Spans:
        """Return the source ranges of a piece of visible text."""
        if len(self._at) == 1:
            first = self._source[0] + start
            return ((first, first + end - start),) if start < end else ()
        found = []
        index = bisect_right(self._at, start) - 1
        while start < end:
            stop = min(end, self._at[index + 1]) if index + 1 < len(self._at) else end
            first = self._source[index] + start - self._at[index]
            found.append((first, first + stop - start))
            start, index = stop, index + 1
        return tuple(found)

    def shift(self, by: int) -> None:
        """Forget the first characters: positions count from `by` characters later."""
        index = bisect_right(self._at, by) - 1
        first = self.source(by)
        self._at = [0, *(at - by for at in self._at[index + 1 :])]
        self._source = [first, *self._source[index + 1 :]]

    def unshift(self, count: int, source: int) -> None:
        """Put characters of a source position in front again."""
        self._at = [0, *(at + count for at in self._at)]
        self._source = [source, *self._source]
