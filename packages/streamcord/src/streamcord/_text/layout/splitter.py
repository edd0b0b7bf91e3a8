"""Cut a segment into messages: by lines, by sentences, or only where it is too long.

Custom emoji are sent alone, punctuation alone joins its neighbour, and at degree 3 the text is made to look
typed. Text that a rule changed is segmented again, by the same segmenter that cut the stream.
"""

from __future__ import annotations

import re
from itertools import accumulate, chain, pairwise
from random import Random
from typing import TYPE_CHECKING

from ..._events import Added, Degree, Replaced
from ..language.attribution import follows_particle
from ..language.graphemes import is_boundary
from ..language.punctuation import CARRIED, ELLIPSES, LONE, PLAIN_ENDS, class_of
from ..markdown.break_points import AtomicRange
from ..markdown.delimiter_stack import SpanKind
from ..markdown.line_groups import find_unchangeable_lines
from ..markdown.line_kinds import HEADING, Line, is_head, read_line
from ..markdown.scanner import scan
from ..rules.markdown_compat import CONVERT_MARKDOWN
from ..rules.orphan_punctuation import OrphanKind, classify_orphan
from ..segmenter import Segmenter
from ..spoilers.keep_hidden import find_joints
from ..traced_text import TracedText, to_record
from .cut_to_limit import cut_to_limit
from .humanizer import humanize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..._events import Spans
    from ..._settings import Persona, Settings
    from ..traced_text import Edit, Run

HUMANIZER = "humanizer"
"""The name of the humanizer in records."""

_CUT_ADDITIONS = frozenset({"reopened", "closed"})  # reasons of additions at a cut; they make no new lines
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_LONE_PUNCTUATION = re.compile(rf"[{class_of(LONE | ELLIPSES)}\s]+")
_CARRIED = re.compile(rf"(?<![ \t])[ \t]*\n[ \t]*(?=[{class_of(CARRIED)}]+(?:\s|\Z))")
_EMPHATIC_RUN = re.compile("[!?！？]{3}")
_CODE = frozenset({SpanKind.FENCE, SpanKind.CODE})


class Splitter:
    """Cut normalized text into messages."""

    def __init__(
        self, settings: Settings, random: Random | None = None, persona: Persona | None = None
    ) -> None:
        self._settings = settings
        # The humanizer keeps the capitals of its names.
        self._persona = persona
        self._random = random or Random(0)
        self._segmenter = Segmenter(settings, nested=False)
        self._joins = settings.degree is Degree.NONE
        self._humanizes = settings.degree is Degree.HEAVY and settings.humanize

    def split(self, text: str, *, limit: int | None = None) -> list[str]:
        """Return the messages of one finished text."""
        traced = TracedText.from_spans(text, ((0, len(text)),))
        parts = self.cut(traced, limit=limit, segmented=False)
        return [content for part in parts if (content := trim(part.text))]

    def cut(
        self, traced: TracedText, *, limit: int | None = None, segmented: bool = True
    ) -> list[TracedText]:
        """Return the parts of a text, one per message.

        `segmented` means that the segmenter has already cut it.
        """
        size = self._settings.message_length if limit is None else limit
        if self._joins:
            return cut_to_limit(self.tidy(traced), size, self._settings, known=True)
        if segmented and self._is_plain(traced, size):
            parts = [traced]
        else:
            lines = [self._glue(line) for line in self._lines(traced, segmented=segmented)]
            parts = _merge([part for line in lines for part in self._isolate(line)], size)
            parts = [part for whole in parts for part in cut_to_limit(whole, size, self._settings)]
        if self._humanizes:
            return (
                self._humanize(parts[0])
                if len(parts) == 1
                else [*chain.from_iterable(map(self._humanize, parts))]
            )
        return parts

    def _is_plain(self, traced: TracedText, size: int) -> bool:
        """Return whether there is nothing to do: short, no emoji to isolate, no punctuation to move."""
        text = traced.text
        one_line = "\n" not in text.rstrip("\n")
        if len(text) > size or _has_lone_emoji(text) or not (one_line or _CARRIED.search(text) is None):
            return False
        if len(traced.runs) == 1 and traced.runs[0][1] is not None:
            return True
        return one_line and self._is_line(traced)

    def _is_line(self, traced: TracedText) -> bool:
        """Return whether changed text is still one line, and lines are the unit of cutting."""
        settings, text = self._settings, traced.text
        window = settings.overflow_target + settings.overflow_after
        if settings.degree is Degree.HEAVY or len(text) >= window or "```" in text:
            return False
        return "\n" not in text.rstrip("\n") or not any(_makes_lines(record) for _, _, record in traced.runs)

    def tidy(self, traced: TracedText) -> TracedText:
        """Reduce three or more newlines to one blank line, outside code.

        The first newline stays: the spoiler rule may have written bars together with it.
        """
        found = list(_BLANK_LINES.finditer(traced.text))
        if not found:
            return traced
        code = self._whole(traced.text, _CODE)
        edits = [(m.start() + 1, m.end(), "\n") for m in found if code.free(m.start() + 1)]
        return traced.replace("blank lines", edits) if edits else traced

    def _lines(self, traced: TracedText, *, segmented: bool) -> list[TracedText]:
        """Return lines or sentences; text that no rule changed is one already."""
        changed = traced.edits or any(added.why not in _CUT_ADDITIONS for added in traced.additions)
        if segmented and (not changed or traced.text.lstrip().startswith("```") or self._is_line(traced)):
            return [traced]
        segmenter = self._segmenter
        segments = [*segmenter.feed(traced.text), *segmenter.flush()]
        cuts = list(accumulate(len(segment.text) for segment in segments[:-1]))
        whole = AtomicRange(find_joints(traced))
        return _cut_at(traced, [cut for cut in cuts if whole.free(cut)])

    def _glue(self, traced: TracedText) -> TracedText:
        """Move punctuation at the start of a line to the end of the line before it."""
        found = list(_CARRIED.finditer(traced.text))
        if not found:
            return traced
        text = traced.text
        whole = self._whole(text, None)
        edits = [
            (m.start(), m.end(), "")
            for m in found
            if whole.free(m.start() + 1) and m.start() and not text.startswith(("..", ". ."), m.end())
            and not is_emoji_run(text[: m.start()]) and not _is_last_line(text, m)
        ]  # fmt: skip
        return traced.replace("punctuation", edits) if edits else traced

    def _isolate(self, traced: TracedText) -> list[TracedText]:
        """Cut before and after emoji that are sent alone."""
        if not _has_lone_emoji(traced.text):
            return [traced]
        spans = traced.atomic_spans
        if spans is None:
            spans = tuple(scan(traced.text, self._settings))
        whole = AtomicRange((span.start, span.end) for span in spans if span.mark != SpanKind.TAG)
        settings = self._settings
        cuts = emoji_cuts(
            traced.text, settings.emoji_run_prefix_length, whole, particles=settings.emoji_particles
        )
        return _cut_at(traced, [cut for cut in cuts if not _follows_head(traced.text, cut)])

    def _humanize(self, traced: TracedText) -> list[TracedText]:
        """Apply the humanizer to a part; code stays as it is, with and without a fence."""
        text, spans = traced.text, traced.atomic_spans
        if spans is None or "```" in text:
            spans = tuple(scan(text, self._settings))
            if any(span.mark == SpanKind.FENCE for span in spans):
                return [traced]
        protected = [(start, end) for _, start, end in spans] if spans else []
        protected += find_unchangeable_lines(text)
        if len(traced.runs) > 1 or traced.runs[0][1] is None:
            protected += _inserted(traced)
        edits, breaks = humanize(
            text, self._random, self._settings, persona=self._persona, protected=protected
        )
        if not breaks:
            return [_HumanizedText.over(traced, edits) if edits else traced]
        pieces, at = [], 0
        for end in [*breaks, len(text)]:
            mine = [(first - at, last - at, after) for first, last, after in edits if at <= first < end]
            piece = traced.cut(at, end)
            pieces.append(_HumanizedText.over(piece, mine) if mine else piece)
            at = end
        return pieces

    def _whole(self, text: str, marks: frozenset[str] | None) -> AtomicRange:
        """Return the ranges of all spans, or of those with the given marks."""
        spans = scan(text, self._settings)
        return AtomicRange((span.start, span.end) for span in spans if marks is None or span.mark in marks)


def _is_last_line(text: str, carried: re.Match[str]) -> bool:
    """Return whether marks are an emphatic run such as `!!!`, which stays on its own line."""
    return text[carried.start() - 1] != "\n" and _EMPHATIC_RUN.match(text, carried.end()) is not None


class _HumanizedText(TracedText):
    """A text after the humanizer.

    Its records are known at once; its runs are computed only if they are needed.
    """

    __slots__ = ("_before", "_edits", "_made")

    def __init__(self, text: str, before: TracedText, edits: Sequence[Edit]) -> None:
        self.text = text
        self.lines, self._atomic_spans, self._starts = (), None, None
        self._edited = before, edits
        self._before, self._edits = before, edits
        self._made: TracedText | None = None

    @staticmethod
    def over(before: TracedText, edits: Sequence[Edit]) -> TracedText:
        """Return a text with these edits, which are in order."""
        # Text that a rule changed needs the general implementation.
        if len(before.runs) > 1 or before.runs[0][1] is None:
            return before.replace(HUMANIZER, edits)
        text, at = before.text, 0
        texts: list[str] = []
        for start, end, after in edits:
            texts += (text[at:start], after)
            at = end
        texts.append(text[at:])
        return _HumanizedText("".join(texts), before, edits)

    @property
    def runs(self) -> tuple[Run, ...]:  # type: ignore[override]
        if self._made is None:
            self._made = self._before.replace(HUMANIZER, self._edits)
        return self._made.runs

    def account(self) -> tuple[Spans, tuple[Replaced, ...], tuple[Added, ...]]:
        text, ((length, source, _),) = self._before.text, self._before.runs
        assert source is not None
        spans: list[tuple[int, int]] = []
        edits: list[Replaced] = []
        at = 0
        for start, end, after in self._edits:
            if at < start:
                spans.append((source + at, source + start))
            edits.append(to_record((HUMANIZER, text[start:end], after, ((source + start, source + end),))))
            at = end
        if at < length:
            spans.append((source + at, source + length))
        return tuple(spans), tuple(edits), ()


def trim(text: str) -> str:
    """Return what Discord receives: no white space at the ends, but the first line's indentation."""
    text = text.rstrip()
    if not text[:1].isspace():
        return text
    start = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, start) + 1 :]


def _cut_at(traced: TracedText, cuts: list[int]) -> list[TracedText]:
    edges = [0, *cuts, len(traced.text)]
    return [traced.cut(start, end) for start, end in pairwise(edges)]


def _follows_head(text: str, at: int) -> bool:
    """Return whether the line above a position is a heading or a divider, which belongs to the text below."""
    before = text[max(0, at - HEADING) : at]
    return before.endswith("\n") and is_head(before.rstrip().rpartition("\n")[2])


def _makes_lines(record: Replaced | Added | None) -> bool:
    """Return whether a rule may have changed the line structure here."""
    if isinstance(record, Replaced):
        return record.rule != CONVERT_MARKDOWN or "\n" in record.after
    return record is not None and record.why not in _CUT_ADDITIONS


def _inserted(traced: TracedText) -> list[tuple[int, int]]:
    """Return the ranges that the model did not write: the humanizer leaves them alone."""
    found: list[tuple[int, int]] = []
    at = 0
    for length, source, _ in traced.runs:
        if source is None and length:
            found.append((at, at + length))
        at += length
    return found


def _merge(parts: list[TracedText], limit: int) -> list[TracedText]:
    """Join punctuation alone with the part before it, or else after it; with emoji if nothing else is there."""
    merged: list[TracedText] = []
    waiting: TracedText | None = None
    for part in parts:
        if waiting is not None:
            if merged and is_emoji_run(part.text):
                _append(merged, waiting, limit)
            else:
                part = waiting + part  # noqa: PLW2901
            waiting = None
        if not _LONE_PUNCTUATION.fullmatch(part.text) or not part.text.strip():
            merged.append(part)
        elif merged and not is_emoji_run(merged[-1].text) and _fits_together(merged[-1], part, limit):
            end = len(merged[-1].text.rstrip())
            before = merged[-1]
            if end < len(before.text):
                before = before.replace("punctuation", [(end, len(before.text), "")])
            merged[-1] = before + part
        elif len(parts) > 1:
            waiting = part
        else:
            merged.append(part)
    if waiting is not None:
        _append(merged, waiting, limit)
    return merged


def _append(merged: list[TracedText], mark: TracedText, limit: int) -> None:
    """Append marks to the last part, which is emoji; a stop alone stays a part, and is dropped later."""
    is_stop = classify_orphan(mark.text) is OrphanKind.FRAGMENT
    if merged and not is_stop and _fits_together(merged[-1], mark, limit - 1):
        merged[-1] = merged[-1] + mark
    else:
        merged.append(mark)


def _fits_together(before: TracedText, part: TracedText, limit: int) -> bool:
    return len(before.text.strip()) + len(part.text.strip()) <= limit


EMOJI = re.compile(r"<a?:(\w{1,64}):\d{1,24}>")
# Emoji that belong together with the text between them: `:cat:/:dog:`, `:cat: and :dog:`
_UNIT = re.compile(
    rf"{EMOJI.pattern}(?:[ \t]?(?:[,，、;；/／&+~×→=和と与및-]|and|or|und|oder|et|ou|y|e|и|или|ve)[ \t]?"
    r"<a?:\w{1,64}:\d{1,24}>)*"
)
_RUN = re.compile(r"(?:<a?:\w{1,64}:\d{1,24}>\s{0,64})+")
_NOT_NAME = re.compile(r"[^a-z0-9]")
_TIED = frozenset("'’,;:，、；：-")  # an emoji before one of these is part of a sentence
_SENTENCE_END = PLAIN_ENDS | ELLIPSES
_WORD_FOLLOWS = re.compile(r"[ \t]*[^\W_]")
_MARKS = re.compile(rf"[{class_of(_SENTENCE_END)}]{{0,16}}")
_PARTICLE = re.compile(rf"[가-힣]|だ[ねよなけ]|だ(?=[{class_of(_SENTENCE_END)}]|$)|って|と[思言]")
_WORDS = rf"[^\s>{class_of(_SENTENCE_END)}]"
# An emoji without a word right before it, or without one right after it.
_MAY_BE_LONE = re.compile(
    rf"<(?:(?<!{_WORDS}<)(?<!{_WORDS}[ \t]<)a?:\w{{1,64}}:\d|a?:\w{{1,64}}:\d{{1,24}}>(?![ \t]?[^\s<]))"
)


def is_emoji_run(text: str) -> bool:
    """Return whether a text is custom emoji and nothing else."""
    return bool(_RUN.fullmatch(text.strip()))


def emoji_cuts(text: str, prefix_length: int, whole: AtomicRange, *, particles: bool = True) -> list[int]:
    """Return where to cut so that each run of similar emoji is sent alone, unless it has `particles`."""
    cuts: list[int] = []
    family = ""
    for found in _find_lone_emoji(text):
        if particles and (text[found.end() : found.end() + 1] in _TIED or _is_particle(text, found.end())):
            continue  # `:cry:'s fault`, `:cry:だね`
        start, end = found.start(), _skip_space(text, _MARKS.match(text, found.end()).end())  # type: ignore[union-attr]
        joined = not (is_boundary(text, start) and is_boundary(text, end))
        if joined or not whole.free(start):
            continue
        name = _NOT_NAME.sub("", found[1].lower())[:prefix_length]
        if cuts and cuts[-1] == start:
            if name == family:
                cuts.pop()
        else:
            cuts.append(start)
        cuts.append(end)
        family = name
    return [cut for cut in cuts if 0 < cut < len(text.rstrip())]


def _has_lone_emoji(text: str) -> bool:
    """Return whether any emoji is sent alone; a pattern rules out emoji between words."""
    return "<" in text and _MAY_BE_LONE.search(text) is not None and any(_find_lone_emoji(text))


def _is_particle(text: str, at: int) -> bool:
    """Return whether the text after an emoji is no word of its own; Hangul has a space before words."""
    return _PARTICLE.match(text, at) is not None or follows_particle(text, at, closes=True)


def _find_lone_emoji(text: str) -> Iterator[re.Match[str]]:
    """Yield emoji with no words before or after them on their line, or only a finished sentence before."""
    found = list(_UNIT.finditer(text))
    words_after = _have_words_after(text, found)
    at, line, last = 0, 0, ""
    for emoji, has_words_after in zip(found, words_after, strict=True):
        newline = text.rfind("\n", at, emoji.start()) + 1
        if newline:
            at = line = newline
            last = ""
        last = text[at : emoji.start()].rstrip()[-1:] or last
        at = emoji.end()
        if last and has_words_after and last not in _SENTENCE_END:
            continue
        if has_words_after and emoji[0].count("<") > 1 and _WORD_FOLLOWS.match(text, emoji.end()):
            continue  # `:cat: and :dog: are here`
        kind, _ = read_line(text, line, final=True) or (Line.PROSE, line)
        if kind in (Line.PROSE, Line.BLANK):
            yield emoji


def _have_words_after(text: str, found: list[re.Match[str]]) -> list[bool]:
    """Return for each emoji whether words follow on its line."""
    words: list[bool] = []
    until, follows = len(text), False
    for emoji in reversed(found):
        between, newline, _ = text[emoji.end() : until].partition("\n")
        follows = bool(between.strip()) or (follows and not newline)
        words.append(follows)
        until = emoji.start()
    return words[::-1]


def _skip_space(text: str, end: int) -> int:
    while end < len(text) and text[end].isspace():
        end += 1
    return end
