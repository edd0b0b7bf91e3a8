"""Stage 6: turns segments into utterances by rules, in the order in which they stand here.

Each rule looks at a text and says which edits it wants; the passage remembers them. Punctuation that was held
goes in front only after the rules have run, so that they still see where a line starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..events import Boundary, Degree, Dropped, Replaced, Segment
from .lines import Line, read_line
from .markup import scan
from .passage import Passage, Run, Utterance
from .rules.long_fences import shorten_fences
from .rules.operators import escape_operators
from .rules.orphans import Orphan, judge_orphan
from .rules.own_name import label_pattern, strip_own_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..settings import Normalizing
    from .passage import Edit

__all__ = ["Normalizer"]

ORPHANS = "orphan punctuation"


class Normalizer:
    """`feed` segments, take utterances and what became of the rest."""

    def __init__(self, settings: Normalizing) -> None:
        self._settings = settings
        self._labels = label_pattern(settings.persona) if settings.persona else None
        self._rules: tuple[tuple[str, Callable[[str], list[Edit]]], ...] = (
            ("own name", self._own_name),
            ("operator", self._operators),
        )
        self._holds = settings.rules and settings.degree is not Degree.NONE
        self._restart()

    def _restart(self) -> None:
        self._held: Passage | None = None  # expressive punctuation, for the next utterance
        self._fragment: Passage | None = None  # a lone mark, in case nothing else is ever said
        self._line_start = True
        self._spoke = False

    def feed(self, segment: Segment, repairs: list[Replaced]) -> list[Utterance | Dropped | Replaced]:
        """What a segment says, with the repairs that were made in it."""
        passage = dress(segment, repairs)
        starts_line, self._line_start = self._line_start, segment.text.endswith("\n")
        if not segment.text.strip():
            return [Dropped(passage.written, "white space", passage.spans), *passage.edits]
        orphan = judge_orphan(segment.text) if self._holds else Orphan.NONE
        if orphan is Orphan.HELD:
            self._held = _glue(self._held, passage) if self._held else passage
            return []
        if orphan is Orphan.FRAGMENT:
            return self._put_aside(passage)
        if self._settings.rules and not segment.ticks:
            passage = self._apply(passage, starts_line=starts_line)
        return self._speak(passage, segment.boundary)

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[Utterance | Dropped | Replaced]:
        """What was held and has nothing to stand before."""
        last = self._held or (None if self._spoke else self._fragment)
        lost = self._drop_fragment() if last is not self._fragment else []
        self._restart()
        return [*lost, Utterance(last, boundary)] if last else [*lost]

    # --- Rules ----------------------------------------------------------------------------------

    def _apply(self, passage: Passage, *, starts_line: bool) -> Passage:
        self._starts_line = starts_line
        for name, rule in self._rules:
            edits = rule(passage.text)
            if edits:
                passage = passage.replace(name, edits)
        return passage

    def _own_name(self, text: str) -> list[Edit]:
        if self._labels is None or not self._labels.search(text):
            return []
        spans = scan(text, self._settings)
        code = [span for span in spans if span.mark in ("`", "```")]
        return strip_own_name(text, self._labels, code, line_start=self._starts_line)

    def _operators(self, text: str) -> list[Edit]:
        return escape_operators(scan(text, self._settings)) if "||" in text else []

    # --- Punctuation alone ----------------------------------------------------------------------

    def _put_aside(self, passage: Passage) -> list[Utterance | Dropped | Replaced]:
        lost = self._drop_fragment()
        self._fragment = passage
        return lost + (self._drop_fragment() if self._spoke else [])

    def _drop_fragment(self) -> list[Utterance | Dropped | Replaced]:
        passage, self._fragment = self._fragment, None
        return [Dropped(passage.written, "fragment", passage.spans), *passage.edits] if passage else []

    def _speak(self, passage: Passage, boundary: Boundary) -> list[Utterance | Dropped | Replaced]:
        if not passage.text.strip():
            return [*passage.edits, *_rest(passage)]
        lost = self._drop_fragment()
        self._spoke = True
        if self._held:
            passage = _glue(self._held, passage)
            self._held = None
        return [*lost, Utterance(passage, boundary)]


def _glue(held: Passage, passage: Passage) -> Passage:
    """Held punctuation goes right before prose, and on its own line before a block."""
    end = len(held.text.rstrip())
    kind, _ = read_line(passage.text, 0, final=True) or (Line.PROSE, 0)
    own_line = kind is not Line.PROSE
    if held.text[end:] != ("\n" if own_line else ""):
        # The last mark is replaced with what follows it, so that the edit has a place in the source.
        mark = held.text[end - 1]
        held = held.replace(ORPHANS, [(end - 1, len(held.text), f"{mark}\n" if own_line else mark)])
    return held + passage


def _rest(passage: Passage) -> list[Dropped]:
    """White space that a rule left of a segment."""
    return [Dropped(passage.written, "white space", passage.spans)] if passage.spans else []


def dress(segment: Segment, repairs: list[Replaced]) -> Passage:
    """A segment as a passage that renders alone: repaired, opened and closed."""
    passage = _repaired(segment, repairs)
    if segment.ticks > 3:
        opens, closes = "`" not in segment.prefix, not segment.suffix
        edits = shorten_fences(segment.text, opens=opens, closes=closes)
        passage = passage.replace("four backticks", edits)
    if segment.prefix:
        passage = Passage.added(segment.prefix, "reopened") + passage
    if segment.suffix:
        body = len(passage.text) if segment.ticks else len(passage.text.rstrip())
        passage = (
            passage.cut(0, body)
            + Passage.added(segment.suffix, "closed")
            + passage.cut(body, len(passage.text))
        )
    return passage


def _repaired(segment: Segment, repairs: list[Replaced]) -> Passage:
    """The segment's text with the records of repaired characters in their places."""
    if not repairs:
        return Passage.from_spans(segment.text, segment.spans)
    runs: list[Run] = []
    waiting = list(repairs)
    for start, end in segment.spans:
        at = start
        while waiting and waiting[0].spans[0][0] < end:
            repair = waiting.pop(0)
            odd = max(at, repair.spans[0][0])
            shown = len(repair.after)
            runs += [Run(odd - at, at), Run(shown, None, repair)]
            at = odd + shown
        runs.append(Run(end - at, at))
    runs += [Run(0, None, repair) for repair in waiting]
    return Passage(segment.text, tuple(run for run in runs if run.length or run.record))
