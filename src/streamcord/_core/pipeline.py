"""Stages 5 to 7 behind two verbs: text in, messages out, no I/O.

    text → SecretFilter → Intake → BlockCapture → Segmenter → Normalizer → Planner → messages

One pipeline serves one turn. `flush` ends a phase (the answer, or what was said before a tool call); `feed`
goes on behind it.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from .._events import Boundary, Captured, Dropped, Halt, Replaced, Segment, Visible
from .._settings import Settings
from .._shared.safety.secret_texts import KeyBlocks, SecretFilter, hide_secrets, mask_secrets
from .capture import STRAY, BlockCapture
from .growth.growing_planner import GrowingPlanner, as_growing, early_hold
from .layout.planner import Planner
from .markup.inline import ANY
from .markup.line_kinds import WHITE_HOLD, Line
from .normalizer import Normalizer, TextRules
from .passage import Passage, Utterance
from .repair import ODD, Intake
from .segmenter import Segmenter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._events import TurnEvent
    from .growth.growing_planner import GrowingDraft
    from .rules.own_rules import Rule

__all__ = ["Pipeline", "clean_tool_text"]

# Only these concern the first two stages.
_SPECIAL = re.compile(f"{ODD.pattern[:-1]}<]")
_WHITE = frozenset(" \t\n")
_JUDGED_LATER = frozenset("\n.!?")  # what they are is decided by whatever follows them and white space
_NO_WORD = re.compile(r"[ \t\n]*").fullmatch
_NO_ITEM = re.compile(r"[ \t\n]*(?:[-*+]|\d{1,3}[.)]?)?").fullmatch  # below an item it may be another one
_ODD_OR_TAG = _SPECIAL.pattern[1:-1]
PORTION = 4096
"""So much is read at once: steps look at all that is not forgotten yet, and forget between two portions."""
DISCARD = 4096
"""What comes after the answer cap is dropped in pieces of this length."""
SHARE = 32
"""Segments of one share of work, see `Pipeline.go_on`,"""
SHARE_LENGTH = 2048
"""and characters, whichever are reached first."""
TOUCH = 8
"""So little white space behind a mark decides nothing."""
LIGHT = 512
"""So many characters are little work, see `Pipeline.is_light`."""


class Pipeline:
    """Turns the text of one turn into messages.

    settings: how the text is cut, changed and paced.
    random: draws what is left to chance; the default draws the same every time.
    rules: rules of your own, which run after the house's own cleaning.
    """

    def __init__(
        self, settings: Settings | None = None, random: Random | None = None, rules: Sequence[Rule] = ()
    ) -> None:
        self.segments = 0
        """How many segments there were so far."""
        self._settings = settings = settings or Settings()
        self._secrets = SecretFilter(settings.secrets) or None  # to ask for None is quicker
        self._key_blocks = KeyBlocks()
        self.grows = settings.delivery == "live"
        """Whether its messages are shown while they are written, see `draft`."""
        self._intake = Intake()
        if self.grows:
            settings = as_growing(settings)
        self._segmenter = Segmenter(
            settings,
            tildes=settings.adapt and settings.rules,
            early=early_hold(settings) if self.grows and not rules else 0,
        )
        self._capture = BlockCapture(settings, self._segmenter.scanner.code_ahead)
        self._normalizer = Normalizer(settings, rules)
        plans = GrowingPlanner if self.grows else Planner
        self._planner = plans(settings, random or Random(0))
        self._cap = settings.answer_cap or 1 << 62
        self._received = 0
        self._white = ""  # at the end of what passed by; it may stand before a captured block
        self._excess = ""
        self._calm = self._capture.idle
        self._later: deque[Segment | Dropped | Captured | Boundary] = deque()
        self._defers = False  # what was read waits in `_later`
        self._unread: list[str] = []  # what came since somebody looked,
        self._waiting = 0  # how long it is,
        self._room = 0  # how long it may become,
        self._wakes: Callable[..., re.Match[str] | None] = _SPECIAL.search  # what somebody must look at,
        self._is_open: Callable[[str], re.Match[str] | None] = _NO_WORD  # and what tells nothing behind it

    @property
    def failed_rules(self) -> dict[str, Exception]:
        """The rules of the user that raised, and what each raised first; what they were asked about stays."""
        own_rules = self._normalizer.own_rules
        return own_rules.failed if own_rules else {}

    def has_grown(self) -> bool:
        """Whether more is certain of the message that is being written than when this was last asked."""
        return isinstance(self._planner, GrowingPlanner) and self._planner.has_grown()

    def draft(self) -> GrowingDraft | None:
        """What is certain of the message that is being written, if it is to grow; `None` if nothing is."""
        return self._planner.draft() if isinstance(self._planner, GrowingPlanner) else None

    def seal(self, pieces: int) -> list[TurnEvent]:
        """End the message that is being written behind so many of its pieces, as a draft showed it."""
        events = self._catch_up()
        return [*events, *self._planner.seal(pieces)] if isinstance(self._planner, GrowingPlanner) else events

    def feed(self, text: str) -> list[TurnEvent]:
        """Take what has arrived; give what can be said of it for certain."""
        self._waiting += len(text)
        if self._waiting < self._room:
            # How a text is sliced does not matter: what nothing comes of yet is read with what follows it.
            woken = self._wakes(text)
            if woken is None:
                self._unread.append(text)
                return []
            if woken[0] == "`" and self._is_alone(text, woken.end()):
                self._unread.append(text)
                return []
            behind = text[woken.end() :]
            if woken[0] in _JUDGED_LATER and len(behind) < TOUCH and self._is_open(behind):
                self._unread.append(text)
                self._room = 0
                return []
        self._room = 0
        events = self._read_on(text)
        if self._calm and self._segmenter.scanner.wake is not ANY:
            self._sleep()
        return events

    def _is_alone(self, text: str, end: int) -> bool:
        """Whether a backtick at an edge of what arrives opens no block, and nothing behind it matters."""
        before = text[end - 2] if end > 1 else self._unread[-1][-1:] if self._unread else ""
        if before in ("`", "") or text.startswith("`", end) or not self._segmenter.scanner.skips_ticks:
            return False
        return self._wakes(text, end) is None

    # --- In shares, for who must not work for long ----------------------------------------------

    def begin_feed(self, text: str) -> list[TurnEvent]:
        """As `feed`, but the text is only read here: `go_on` as long as it is `behind`."""
        events = self._catch_up()
        self._defers = True
        try:
            return events + self.feed(text)
        finally:
            self._defers = False

    def begin_flush(self, boundary: Boundary = Boundary.FINAL) -> list[TurnEvent]:
        """As `flush`, and `go_on` as long as it is `behind`."""
        events = self._catch_up()
        self._defers = True
        try:
            events += self._read_out(boundary, trim=self._trims(boundary))
        finally:
            self._defers = False
        self._later.append(boundary)
        return events

    def is_light(self, text: str) -> bool:
        """Whether `feed` of this is little work: few lines, and little is held that it could let go."""
        if len(text) + self._waiting + self._segmenter.held > LIGHT or self._later:
            return False
        return self._calm and text.count("\n") < SHARE

    @property
    def held(self) -> int:
        """How many characters have come of which nothing is certain yet."""
        return self._segmenter.held + self._waiting

    @property
    def behind(self) -> bool:
        """Whether something was read of which nothing was made yet."""
        return bool(self._later)

    def go_on(self) -> list[TurnEvent]:
        """One share of what `begin_feed` and `begin_flush` have left."""
        events: list[TurnEvent] = []
        segments = length = 0
        while self._later and segments < SHARE and length < SHARE_LENGTH:
            one = self._later.popleft()
            if isinstance(one, Boundary):
                events += self._end_phase(one)
            else:
                events += self._say((one,))
                segments, length = segments + 1, length + len(one.text)
        return events

    def _catch_up(self) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        while self._later:
            events += self.go_on()
        return events

    # --- Through the stages ---------------------------------------------------------------------

    def _read_on(self, text: str) -> list[TurnEvent]:
        """Read what waits, and this behind it."""
        if self._unread:
            text = "".join([*self._unread, text])
            self._unread = []
        self._waiting = 0
        if self._key_blocks.watching or "-----" in text or text[-1:] == "-":
            text = self._key_blocks.feed(text)
        if self._secrets is not None:
            text = self._secrets.feed(text)
        return self._feed(text) if 0 < len(text) <= PORTION else self._feed_portions(text)

    def _sleep(self) -> None:
        """Find out how much may come, and of what, before anything comes of it."""
        scanner, held = self._segmenter.scanner, self._white
        wake = scanner.wake
        # By what it is and not by what it equals: to hash a pattern takes longer than to search by it.
        wakes = _SEARCHES.get(id(wake)) or _or_special(wake)
        if self._secrets is not None:
            held += self._secrets.held
        if not held or wakes(held) is None:
            left = self._cap + 1 - self._received + len(self._white)
            self._room = min(self._segmenter.mark - scanner.length, left) - len(held)
            self._wakes = wakes
            self._is_open = _NO_ITEM if scanner.line is Line.ITEM else _NO_WORD

    def _feed_portions(self, text: str) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        for at in range(0, len(text), PORTION):
            events += self._feed(text[at : at + PORTION])
        return events

    def _feed(self, text: str) -> list[TurnEvent]:
        start = self._received
        self._received = start + len(text)
        if self._white:
            text, start, self._white = self._white + text, start - len(self._white), ""
        if self._received > self._cap:
            return self._halt(text, start)
        if not self._calm or _SPECIAL.search(text):
            return self._read(text, start)
        if text[-1] in _WHITE:
            shown = text.rstrip(" \t\n")
            if len(text) - len(shown) > WHITE_HOLD:
                shown = text[: len(text) - WHITE_HOLD]
            text, self._white = shown, text[len(shown) :]
        segments = self._segmenter.read(text, start)
        return self._say(segments) if segments else []

    def flush(self, boundary: Boundary = Boundary.FINAL, *, stopped: bool = False) -> list[TurnEvent]:
        """A phase ends here: give all the rest.

        Half a clause is left out where a person stopped it; before a tool call only by `clause_trim`.
        """
        events = self._catch_up()
        events += self._read_out(boundary, trim=stopped or self._trims(boundary))
        return events + self._end_phase(boundary)

    def _trims(self, boundary: Boundary) -> bool:
        return boundary is Boundary.TOOL_CALL and self._settings.clause_trim

    def _read_out(self, boundary: Boundary, *, trim: bool) -> list[TurnEvent]:
        """All the rest through the first stages."""
        events = self._read_on("")
        self._room = 0
        if self._secrets:
            events += self._feed_portions(self._secrets.flush())
        white, self._white = self._white, ""
        held = self._intake.flush(self._received)
        for piece, start in [(white, self._received - len(white)), *held] if white else held:
            events += self._take(self._capture.read(piece, start))
        self._capture.at = self._received
        events += self._take(self._capture.finish())
        return events + self._say(self._segmenter.flush(boundary, trim=trim))

    def _end_phase(self, boundary: Boundary) -> list[TurnEvent]:
        """What the later stages have held."""
        events = self._plan(self._normalizer.flush(boundary))
        events += self._planner.flush(boundary)
        events += self._drop_excess(everything=True)
        repairs, self._intake.repairs = self._intake.repairs, []
        self._calm = self._capture.idle
        return [*events, *repairs]

    def count_post(self) -> list[Halt]:
        """Count a message that a tool posts; a `Halt` if the turn may have no more, and it is not sent."""
        return self._planner.count_post()

    def _read(self, text: str, start: int) -> list[TurnEvent]:
        """The long way, through all stages."""
        events: list[TurnEvent] = []
        for piece, source in self._intake.feed(text, start):
            events += self._take(self._capture.read(piece, source))
        if self._intake.idle and self._capture.at == self._received:
            self._white = self._capture.take_white()
        self._calm = self._intake.idle and self._capture.idle
        return events

    def _take(self, found: Iterable[Visible | Captured | Dropped]) -> list[TurnEvent]:
        """Visible text goes on, before capture is asked for more: it asks the scanner about code."""
        events: list[TurnEvent] = []
        for event in found:
            if isinstance(event, Visible):
                events += self._say(self._segmenter.feed(event.text, event.start))
                continue
            if isinstance(event, Dropped) and event.reason == STRAY:
                event = self._think_back(event)  # noqa: PLW2901
            events += self._say((event,))
        return events

    def _think_back(self, stray: Dropped) -> Captured | Dropped:
        """A thought's end without its start: what is still uncut of the first segment was thought."""
        if not stray.text.lower().endswith("think>") or not self._segmenter.is_claimed():
            return stray
        text, spans = self._segmenter.retract()
        return Captured("think", text.strip(), (*spans, *stray.spans))

    def _say(self, segments: Iterable[Segment | Dropped | Captured]) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        if self._defers:
            self._later += segments
            return events
        for segment in segments:
            if isinstance(segment, Segment):
                self.segments += 1
                repairs = self._take_repairs(segment) if self._intake.repairs else []
                events += self._plan(self._normalizer.feed(segment, repairs))
            else:
                self._forget_repairs(segment)
                events.append(_told(segment))
        return events

    def _plan(self, said: Iterable[Utterance | Dropped | Replaced | Halt]) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        for event in said:
            if isinstance(event, Utterance):
                events += self._planner.feed(event)
                continue
            if isinstance(event, Halt):
                events += self._planner.flush()
            events.append(_told(event) if isinstance(event, Dropped) else event)
        return events

    # --- Repaired characters --------------------------------------------------------------------

    def _take_repairs(self, segment: Segment) -> list[Replaced]:
        """The repairs made in a segment, or before it and not told yet."""
        repairs = self._intake.repairs
        end = segment.spans[-1][1] if segment.spans else 0
        count = 0
        while count < len(repairs) and repairs[count].spans[0][0] < end:
            count += 1
        taken, self._intake.repairs = repairs[:count], repairs[count:]
        return taken

    def _forget_repairs(self, event: Captured | Dropped) -> None:
        """A captured or dropped range accounts for everything in it."""
        if self._intake.repairs:
            self._intake.repairs = [
                repair
                for repair in self._intake.repairs
                if not any(start <= repair.spans[0][0] < end for start, end in event.spans)
            ]

    # --- The answer cap -------------------------------------------------------------------------

    def _halt(self, text: str, start: int) -> list[TurnEvent]:
        room = max(0, self._cap - start)
        self._defers = False
        events = self._catch_up()
        events += self._read(text[:room], start) if room else []
        if start <= self._cap:
            events.append(Halt("answer_cap"))
        self._excess += text[room:]
        return events + self._drop_excess()

    def _drop_excess(self, *, everything: bool = False) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        while len(self._excess) >= DISCARD or (everything and self._excess):
            start = self._received - len(self._excess)
            piece, self._excess = self._excess[:DISCARD], self._excess[DISCARD:]
            events.append(_told(Dropped(piece, "answer_cap", ((start, start + len(piece)),))))
        return events


_SEARCHES: dict[int, Callable[..., re.Match[str] | None]] = {}


def _or_special(wake: re.Pattern[str]) -> Callable[..., re.Match[str] | None]:
    """The search for what wakes the scanner or concerns the first two stages; it has but a few patterns."""
    both = f"[{_ODD_OR_TAG}{wake.pattern[1:]}"
    return _SEARCHES.setdefault(id(wake), re.compile(both).search)


def _told(event: Captured | Dropped) -> Captured | Dropped:
    """What nobody is shown may still be read, in a result or a file: it has no secrets either."""
    clean = hide_secrets(event.text) if isinstance(event, Captured) else mask_secrets(event.text)
    return event if clean == event.text else replace(event, text=clean)


def clean_tool_text(text: str, settings: Settings | None = None) -> str:
    """A text after rules 3 to 5: no repeated emoji, shortcodes and handles resolved, no label of its own."""
    passage = Passage.from_spans(text, ((0, len(text)),)) if text else Passage("", ())
    settings = settings or Settings()
    return SecretFilter(settings.secrets).hide(TextRules(settings).clean(passage).text.strip())
