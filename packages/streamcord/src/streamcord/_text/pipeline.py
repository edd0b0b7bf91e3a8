"""The text pipeline: model text in, messages out, no I/O.

    text → KeyBlocks, SecretFilter   mask secrets
         → Sanitizer                 repair characters that Discord cannot show
         → BlockExtractor            take out reasoning and details blocks
         → Segmenter                 cut visible text where a cut is certain
         → Normalizer                apply the text rules to each segment
         → Planner | LivePlanner     make messages of the normalized segments

The first four stages only read. What they find waits in a backlog, from which the last two stages make events.
`feed` and `flush` do both at once. `feed_deferred` and `flush_deferred` only read, and each `process_batch` then
does a bounded amount of work, so that a caller on an event loop can yield in between.

How the text is chunked never changes the events, only when they come.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from .._common.key_blocks import KeyBlocks
from .._common.known_secrets import SecretFilter
from .._common.redaction import hide_secrets, mask_secrets
from .._events import Boundary, Captured, Dropped, Halt, Replaced, Segment, Visible
from .._settings import NO_CONTEXT, AnswerContext, Settings
from .layout.live_planner import LivePlanner, as_live_settings, undecided_chars
from .layout.planner import Planner
from .normalizer import Normalizer, TextRules
from .reasoning_blocks import STRAY, BlockExtractor
from .sanitize import Sanitizer
from .segmenter import Segmenter
from .traced_text import NormalizedSegment, TracedText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._events import TurnEvent
    from .layout.live_planner import LiveDraft
    from .rules.custom_rules import Rule

MAX_CHUNK_CHARS = 4096
"""Longer texts are read in chunks of this length: the stages let go of finished text between two chunks."""
EXCESS_CHARS = 4096
"""Text after the answer cap is reported as dropped in pieces of this length."""
BATCH_SEGMENTS = 32
"""`process_batch` stops after this many segments,"""
BATCH_CHARS = 2048
"""or after this many characters."""

_Read: TypeAlias = Segment | Dropped | Captured | Halt | Boundary
"""What the reading stages leave in the backlog; a `Boundary` is the end of a phase."""


class Pipeline:
    """Turn the text of one turn into messages.

    A turn has one or more phases: the text before each tool call, and the answer. `flush` ends a phase; `feed`
    may follow it.

    Args:
        settings: How the text is cut, changed and paced.
        random: Source of all random choices; the default makes the same choices every time.
        rules: Rules of the user, which run after the built-in cleaning.
        context: Who takes part in the conversation, and what was said before.

    Example:
        >>> pipeline = Pipeline()
        >>> events = [*pipeline.feed("Hello "), *pipeline.feed("there."), *pipeline.flush()]
        >>> [event.content for event in events]
        ['Hello there.']

    """

    def __init__(
        self,
        settings: Settings | None = None,
        random: Random | None = None,
        rules: Sequence[Rule] = (),
        *,
        context: AnswerContext | None = None,
    ) -> None:
        context = context or NO_CONTEXT
        # Number of segments that were processed so far.
        self.segments = 0
        self._settings = settings = settings or Settings()
        # Whether messages are shown while they are written, see `draft`.
        self.is_live = settings.delivery == "live"
        if self.is_live:
            settings = as_live_settings(settings)
        # Custom rules may look at a whole line, so lines are cut before their end only without them.
        early = undecided_chars(settings, context) if self.is_live and not rules else 0

        # The stages, in order.
        self._key_blocks = KeyBlocks()
        self._secrets = SecretFilter(settings.secrets)
        self._sanitizer = Sanitizer()
        tildes = settings.convert_markdown and settings.rules
        self._blocks = BlockExtractor(settings, tildes=tildes)
        self._segmenter = Segmenter(settings, tildes=tildes, early=early)
        self._normalizer = Normalizer(settings, rules, context)
        planner = LivePlanner if self.is_live else Planner
        self._planner = planner(settings, random or Random(0), context)

        # Called with a step that leaves no record of its own, and with its text, see `trace`.
        self._on_step: Callable[[str, str], object] | None = None
        # What was read and is not processed yet, in source order.
        self._backlog: deque[_Read] = deque()
        # Characters that passed the secret filter; this counts source positions.
        self._received = 0
        # Text after the answer cap that was not reported as dropped yet.
        self._excess = ""

    @property
    def failed_rules(self) -> dict[str, Exception]:
        """The first exception of each custom rule that raised; the text such a rule looked at is unchanged."""
        custom_rules = self._normalizer.custom_rules
        return custom_rules.failed if custom_rules else {}

    def trace(self, on_step: Callable[[str, str], object]) -> None:
        """Call a function with each step that leaves no record of its own, and with its text, for debug logs.

        The steps are `overflow` (a long line is cut), `hold`, `prepend` and `release` (of orphan punctuation).
        """
        self._on_step = self._normalizer.on_step = on_step

    @property
    def buffered_chars(self) -> int:
        """Number of characters that the segmenter has read and not cut yet."""
        return self._segmenter.buffered_chars

    # --- Text in, events out ------------------------------------------------------------------------

    def feed(self, text: str) -> list[TurnEvent]:
        """Read text and return all events that are certain now."""
        self._read(text)
        return self._process_all()

    def flush(self, boundary: Boundary = Boundary.FINAL, *, stopped: bool = False) -> list[TurnEvent]:
        """End a phase and return the events of all remaining text.

        An incomplete clause at the end is dropped if a user stopped the answer; before a tool call it is
        dropped only with `clause_trim`.
        """
        events = self._process_all()
        self._read_end(boundary, trim=stopped or self._trims(boundary))
        return events + self._process_all()

    def feed_deferred(self, text: str) -> list[TurnEvent]:
        """Read text; `process_batch` as long as `has_backlog` then makes events of it.

        Returns the events of an older backlog, if there is one.
        """
        events = self._process_all()
        self._read(text)
        # An answer that has reached its cap ends at once, so that nothing more is read for it.
        return events + self._process_all() if self._is_over_cap() else events

    def flush_deferred(self, boundary: Boundary = Boundary.FINAL) -> list[TurnEvent]:
        """End a phase like `flush`, but leave the events to `process_batch`."""
        events = self._process_all()
        self._read_end(boundary, trim=self._trims(boundary))
        return events

    @property
    def has_backlog(self) -> bool:
        """Whether text was read of which no events were made yet."""
        return bool(self._backlog)

    def process_batch(self) -> list[TurnEvent]:
        """Return the events of a part of the backlog, small enough not to block an event loop."""
        events: list[TurnEvent] = []
        segments = chars = 0
        while self._backlog and segments < BATCH_SEGMENTS and chars < BATCH_CHARS:
            item = self._backlog.popleft()
            events += self._process(item)
            if isinstance(item, Segment | Dropped | Captured):
                segments += 1
                chars += len(item.text)
        return events

    def _process_all(self) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        while self._backlog:
            events += self.process_batch()
        return events

    def count_post(self) -> list[Halt]:
        """Count a message that a tool posts; a `Halt` means that the turn may not post it."""
        return self._planner.count_post()

    def ends_finished(self) -> bool:
        """Whether the text that waits looks finished: nothing is open, and a sentence or line has ended."""
        held = self._blocks.held_text
        return held is not None and not held.strip() and self._segmenter.ends_finished(held)

    # --- Live messages ------------------------------------------------------------------------------

    def has_grown(self) -> bool:
        """Whether the draft has become longer since the last call."""
        return isinstance(self._planner, LivePlanner) and self._planner.has_grown()

    def draft(self) -> LiveDraft | None:
        """Return the certain part of the message that is being written, or `None` if there is none."""
        return self._planner.draft() if isinstance(self._planner, LivePlanner) else None

    def finalize(self, pieces: int) -> list[TurnEvent]:
        """End the message that is being written after this number of its pieces, as counted by a draft."""
        events = self._process_all()
        return (
            [*events, *self._planner.finalize(pieces)] if isinstance(self._planner, LivePlanner) else events
        )

    # --- Reading: from text to the backlog ----------------------------------------------------------

    def _read(self, text: str) -> None:
        """Mask secrets, then read the text in chunks up to the answer cap."""
        text = self._key_blocks.feed(text)
        if self._secrets:
            text = self._secrets.feed(text)
        self._read_masked(text)

    def _read_masked(self, text: str) -> None:
        for at in range(0, len(text), MAX_CHUNK_CHARS):
            chunk = text[at : at + MAX_CHUNK_CHARS]
            start, self._received = self._received, self._received + len(chunk)
            if self._is_over_cap():
                self._read_over_cap(chunk, start)
            else:
                self._read_chunk(chunk, start)

    def _read_chunk(self, text: str, start: int) -> None:
        """Pass text at a source position through the sanitizer and the stages after it."""
        for piece, source in self._sanitizer.feed(text, start):
            self._segment(self._blocks.feed(piece, source))

    def _segment(self, found: Iterable[Visible | Captured | Dropped]) -> None:
        """Segment visible text and put everything else into the backlog."""
        for event in found:
            if isinstance(event, Visible):
                self._backlog += self._segmenter.feed(event.text, event.start)
            elif isinstance(event, Dropped) and event.reason == STRAY:
                self._backlog.append(self._segmenter.end_reasoning(event))
            else:
                self._backlog.append(event)

    def _read_end(self, boundary: Boundary, *, trim: bool) -> None:
        """Make every reading stage give what it has buffered: nothing follows it."""
        if self._secrets:
            self._read_masked(self._secrets.flush())
        for piece, start in self._sanitizer.flush(self._received):
            self._segment(self._blocks.feed(piece, start))
        self._blocks.at = self._received
        self._segment(self._blocks.flush())
        self._backlog += self._segmenter.flush(boundary, trim=trim)
        self._backlog.append(boundary)

    def _trims(self, boundary: Boundary) -> bool:
        """Whether an incomplete clause before this boundary is dropped."""
        return boundary is Boundary.TOOL_CALL and self._settings.clause_trim

    # --- Processing: from the backlog to events -----------------------------------------------------

    def _process(self, item: _Read) -> list[TurnEvent]:
        if isinstance(item, Boundary):
            return self._end_phase(item)
        if isinstance(item, Halt):
            return [item]
        if isinstance(item, Segment):
            self.segments += 1
            if self._on_step and item.boundary is Boundary.OVERFLOW and not item.ticks:
                self._on_step("overflow", item.text)
            return self._plan(self._normalizer.feed(item, self._take_repairs(item)))
        self._forget_repairs(item)
        return [_redacted(item)]

    def _plan(self, normalized: Iterable[NormalizedSegment | Dropped | Replaced | Halt]) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        for event in normalized:
            if isinstance(event, NormalizedSegment):
                events += self._planner.feed(event)
                continue
            # A halt comes after the messages of all text before it.
            if isinstance(event, Halt):
                events += self._planner.flush()
            events.append(_redacted(event) if isinstance(event, Dropped) else event)
        return events

    def _end_phase(self, boundary: Boundary) -> list[TurnEvent]:
        """Return what the later stages have buffered, and the repairs that are in no message."""
        events = self._plan(self._normalizer.flush(boundary))
        events += self._planner.flush(boundary)
        events += [_redacted(dropped) for dropped in self._drop_excess(min_chars=1)]
        repairs, self._sanitizer.repairs = self._sanitizer.repairs, []
        return [*events, *repairs]

    def _take_repairs(self, segment: Segment) -> list[Replaced]:
        """Remove and return the repairs inside of a segment or before it."""
        repairs = self._sanitizer.repairs
        end = segment.spans[-1][1] if segment.spans else 0
        count = 0
        while count < len(repairs) and repairs[count].spans[0][0] < end:
            count += 1
        taken, self._sanitizer.repairs = repairs[:count], repairs[count:]
        return taken

    def _forget_repairs(self, event: Captured | Dropped) -> None:
        """Remove the repairs inside of a captured or dropped range, which accounts for all of its text."""
        self._sanitizer.repairs = [
            repair
            for repair in self._sanitizer.repairs
            if not any(start <= repair.spans[0][0] < end for start, end in event.spans)
        ]

    # --- The answer cap -----------------------------------------------------------------------------

    def _is_over_cap(self) -> bool:
        cap = self._settings.answer_cap
        return bool(cap) and self._received > cap

    def _read_over_cap(self, text: str, start: int) -> None:
        """Read text up to the answer cap, halt the answer there, and drop the remaining text."""
        cap = self._settings.answer_cap
        remaining = max(0, cap - start)
        self._read_chunk(text[:remaining], start)
        if start <= cap:
            self._backlog.append(Halt("answer_cap"))
        self._excess += text[remaining:]
        self._backlog += self._drop_excess(min_chars=EXCESS_CHARS)

    def _drop_excess(self, *, min_chars: int) -> list[Dropped]:
        """Return text after the cap as dropped, as long as there is at least this much of it."""
        dropped: list[Dropped] = []
        while len(self._excess) >= min_chars:
            start = self._received - len(self._excess)
            piece, self._excess = self._excess[:EXCESS_CHARS], self._excess[EXCESS_CHARS:]
            dropped.append(Dropped(piece, "answer_cap", ((start, start + len(piece)),)))
        return dropped


def _redacted(event: Captured | Dropped) -> Captured | Dropped:
    """Mask secrets in text that is not shown: a result or a file may still contain it."""
    clean = hide_secrets(event.text) if isinstance(event, Captured) else mask_secrets(event.text)
    return event if clean == event.text else replace(event, text=clean)


def clean_tool_text(
    text: str, settings: Settings | None = None, *, context: AnswerContext | None = None
) -> str:
    """Return a tool's text with emoji, mentions and labels cleaned as in an answer, and no secrets.

    Args:
        text: What the tool wants to show.
        settings: The settings of the answer; by default `Settings()`.
        context: The context of the answer: its persona, people and emoji.

    Example:
        await channel.send(clean_tool_text(result, settings, context=context))

    """
    traced = TracedText.from_spans(text, ((0, len(text)),)) if text else TracedText("", ())
    settings = settings or Settings()
    return SecretFilter(settings.secrets).hide(
        TextRules(settings, context or NO_CONTEXT).clean(traced).text.strip()
    )
