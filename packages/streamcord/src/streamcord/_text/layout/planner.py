"""Plan which messages are sent and with which delays.

Time and randomness are values here: a delay is a number in the message, drawn from the given `Random`; only the
sender waits. At degree 0 the planner joins lines in a queue. It also counts messages against the caps of a turn.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ..._common.redaction import hide_secrets
from ..._events import Added, Boundary, Degree, Dropped, Halt, Message, Replaced
from ..._settings import NO_CONTEXT
from ..markdown.line_kinds import HEADING, RULE_LINE, Line, is_head, read_line
from ..rules.figure_extraction import figure_text
from ..rules.orphan_punctuation import OrphanKind, classify_orphan
from ..spoilers.isolation import isolate
from ..traced_text import TracedText, join_traced
from .cut_to_limit import cut_to_limit
from .name_alternation import NameAlternator
from .reopened_spans import MIN_MARKDOWN_LIMIT
from .splitter import Splitter, trim
from .typing_delay import draw_typing_delay

if TYPE_CHECKING:
    from random import Random

    from ..._events import Figure, Speaker
    from ..._settings import AnswerContext, Settings
    from ..traced_text import NormalizedSegment


HELD_SHARE = 4
"""The last of this many parts of the messages that a turn may send waits until it is known that they are enough."""
MAX_QUEUED_MESSAGES = 8
"""At degree 0, queued text is planned early once it fills this many messages."""
_GAP = re.compile(rf"(?:{RULE_LINE.pattern})[ \t]*\n((?:[ \t]*\n)+)")  # blank lines below a divider


_GROUPED = frozenset({Line.ITEM, Line.QUOTE})


class Planner:
    """Turn normalized segments into messages; one planner serves one turn.

    It has more than 15 attributes because text waits here for several reasons (a heading for its section, a merge
    for the next message), and because the settings are read once and not for each segment.
    """

    def __init__(self, settings: Settings, random: Random, context: AnswerContext = NO_CONTEXT) -> None:
        self._settings = settings
        self._random = random
        self._splitter = Splitter(settings, random, context.persona)
        self._typing = settings.typing == "on" or (
            settings.typing == "auto" and settings.degree >= Degree.MEDIUM
        )
        # With a reply notice as a message, only personas with `alter` have one.
        alter = context.persona is not None and context.persona.alter
        self._always_replies = alter or settings.reply_notice == "embed"
        # Messages planned so far, and messages that tools posted in between.
        self._planned = 0
        self._posted = 0
        # At degrees 1 and 2 the last messages before the cap wait: if there are too many, they are merged.
        self._merges = settings.degree in (Degree.LIGHT, Degree.MEDIUM) and settings.message_cap > 0
        self._merging = False
        self._held: list[tuple[TracedText, Boundary, Speaker | None]] = []
        # Set once a cap of the turn is reached; everything after it is dropped.
        self._halted: Halt | None = None
        # At degree 0 lines are queued and joined into long messages.
        self._joins = settings.degree is Degree.NONE
        self._queue: list[TracedText] = []
        self._queued = 0
        self._speaker: Speaker | None = None
        # The kind of the last queued line of another look; prose if the next line belongs to it in any case.
        self._look_kind = Line.PROSE
        # A heading or divider that waits for the segment below it.
        self._heading: NormalizedSegment | None = None
        self._keeps_headings = settings.headings == "together"
        # A heading is sent with the code or table below it, where it would be a message of its own.
        self._holds_headings = self._keeps_headings and settings.degree in (Degree.LIGHT, Degree.MEDIUM)
        self._keeps_dividers = self._keeps_headings and settings.degree is not Degree.NONE and settings.rules
        self._names = (
            NameAlternator(context.persona, context.previous_speaker, settings.sprite_names)
            if context.persona
            else None
        )

    def feed(self, segment: NormalizedSegment) -> list[Message | Replaced | Dropped | Halt]:
        """Accept a segment and return the messages that are ready.

        There may be none yet at degree 0, or for a heading that waits for the text below it.
        """
        if self._heading and self._heading.speaker == segment.speaker:
            if _is_headed(segment):
                return self._join_heading(self._heading, segment)
            if _is_divider(self._heading.traced):
                segment = segment._replace(traced=self._heading.traced + segment.traced)
                self._heading = None
        released = self._release_heading() if self._heading else []
        # Most segments begin with a letter and need no further checks.
        if not _begins_with_word(segment.traced):
            if self._keeps_dividers and (gap := _GAP.match(segment.traced.text)):
                tight = segment.traced.replace("blank lines", [(*gap.span(1), "")])
                segment = segment._replace(traced=tight)
            if self._waits(segment):
                self._heading = segment
                return released
        return released + self._accept(segment)

    def _waits(self, segment: NormalizedSegment) -> bool:
        """Return whether a segment is a heading or a divider that waits for the next segment."""
        return (
            self._keeps_dividers
            if _is_divider(segment.traced)
            else self._holds_headings and _is_heading(segment)
        )

    def _accept(self, segment: NormalizedSegment) -> list[Message | Replaced | Dropped | Halt]:
        """Plan a segment or append it to the queue."""
        if segment.figure:
            heads = self._pop_headings(segment)
            return [*self.flush(Boundary.ATTACHMENT), *self._plan_figure(segment, segment.figure, heads)]
        if not self._joins:
            return self._plan(segment.traced, segment.boundary, segment.speaker)
        released = self.flush() if segment.speaker != self._speaker else []
        self._speaker = segment.speaker
        if segment.speaker and segment.speaker.label:
            return released + self._accept_look(segment)
        self._queue.append(self._joined(segment))
        self._queued += len(segment.traced.text)
        full = MAX_QUEUED_MESSAGES * self._settings.message_length
        # A code block that the segmenter cut is sent at once.
        cut_code = segment.boundary is Boundary.OVERFLOW and bool(segment.traced.additions)
        if self._queued >= full or cut_code:
            released += self.flush(segment.boundary)
        return released

    def _accept_look(self, segment: NormalizedSegment) -> list[Message | Replaced | Dropped | Halt]:
        """Plan a line of another look at once: unlike the rest of a phase, it does not wait for its end.

        Only lines that belong together wait for each other: items, quotes, and what follows a heading or label.
        """
        kind = _line_kind(segment.traced.text)
        joins = bool(self._queue) and (kind is self._look_kind or self._look_kind is Line.PROSE)
        released = [] if joins else self.flush()
        self._queue.append(self._joined(segment))
        self._queued += len(segment.traced.text)
        leads = _is_short_head(segment.traced) or segment.traced.text.rstrip().endswith((":", "："))
        self._look_kind = Line.PROSE if leads else kind
        full = self._queued >= MAX_QUEUED_MESSAGES * self._settings.message_length
        if full or not (leads or kind in _GROUPED):
            released += self.flush(segment.boundary)
        return released

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[Message | Replaced | Dropped | Halt]:
        """Return the messages of everything that waits: a phase ends."""
        if not self._queue:
            return [*self._release_heading(), *self._release_held(boundary)]
        traced = join_traced(self._queue)
        self._queue, self._queued = [], 0
        return self._plan(traced, boundary, self._speaker)

    def count_post(self) -> list[Halt]:
        """Count a message that a tool posts; return a `Halt` if the turn may send no more."""
        halts = self._halt()
        if self._halted is None:
            self._posted += 1
        return halts

    # --- The cap ------------------------------------------------------------------------------------

    def _is_near_cap(self, count: int) -> bool:
        """Return whether further messages wait, so that they can be merged if there are too many."""
        if not self._merges:
            return False
        cap = self._settings.message_cap
        return bool(self._held) or cap - self._planned - self._posted - count < max(1, cap // HELD_SHARE)

    def _hold(
        self, parts: list[TracedText], boundary: Boundary, speaker: Speaker | None
    ) -> list[Message | Replaced | Dropped | Halt]:
        """Keep parts back; once they are more than the cap allows, merge them and return all but the last."""
        self._held += [(part, boundary, speaker) for part in parts]
        left = self._settings.message_cap - self._planned - self._posted
        if self._merging or sum(bool(part.text.strip()) for part, _, _ in self._held) > left:
            self._merge_held()
        planned: list[Message | Replaced | Dropped | Halt] = []
        while self._merging and len(self._held) > 1:
            part, why, who = self._held.pop(0)
            planned += self._emit([part], why, who)
        return planned

    def _merge_held(self) -> None:
        """Merge the parts that are held wherever they fit in one message."""
        self._merging = True
        merged: list[tuple[TracedText, Boundary, Speaker | None]] = []
        for part, boundary, speaker in self._held:
            if merged and merged[-1][2] == speaker:
                whole = _merge(merged[-1][0], part)
                if whole and len(whole.text.strip()) <= self._settings.message_length:
                    merged[-1] = whole, boundary, speaker
                    continue
            merged.append((part, boundary, speaker))
        self._held = merged

    def _release_held(self, boundary: Boundary) -> list[Message | Replaced | Dropped | Halt]:
        """Return what is held: a phase ends. If more may follow, it is merged to save messages."""
        if boundary is not Boundary.FINAL:
            self._merge_held()
        held, self._held = self._held, []
        return [event for part, why, speaker in held for event in self._emit([part], why, speaker)]

    # --- Headings -------------------------------------------------------------------------------

    def _release_heading(self) -> list[Message | Replaced | Dropped | Halt]:
        """Plan a waiting heading alone; drop a divider that nothing follows."""
        heading, self._heading = self._heading, None
        if heading and _is_divider(heading.traced):
            return [*heading.traced.edits, Dropped(heading.traced.written, "rule", heading.traced.spans)]
        return self._plan(heading.traced, heading.boundary, heading.speaker) if heading else []

    def _pop_headings(self, segment: NormalizedSegment) -> TracedText | None:
        """Remove the headings at the end of the queue: they go with the table below them."""
        start = len(self._queue)
        if self._keeps_headings and self._speaker == segment.speaker:
            while start and _is_short_head(self._queue[start - 1]):
                start -= 1
        heads, self._queue = self._queue[start:], self._queue[:start]
        return join_traced(heads) if heads else None

    def _join_heading(
        self, heading: NormalizedSegment, segment: NormalizedSegment
    ) -> list[Message | Replaced | Dropped | Halt]:
        """Plan a heading together with the code or the table below it, if both fit."""
        if segment.figure:
            self._heading = None
            return self._plan_figure(segment, segment.figure, heading.traced)
        code, limit = segment.traced, self._settings.message_length
        whole, available = heading.traced + code, limit - len(heading.traced.text)
        parts = [whole]
        if len(trim(whole.text)) > limit:
            # Do not split code that would fit alone, or leave hardly any space below the heading.
            if len(trim(code.text)) <= limit or available < max(limit // 2, MIN_MARKDOWN_LIMIT):
                return self._release_heading() + self._accept(segment)
            parts = cut_to_limit(whole, limit, self._settings)
        self._heading = None
        return self._plan(whole, segment.boundary, segment.speaker, parts)

    # --- Messages -------------------------------------------------------------------------------

    def _joined(self, segment: NormalizedSegment) -> TracedText:
        """Return the text of a segment as it is joined at degree 0: as written, or with a blank line after it."""
        traced = segment.traced
        end = len(traced.text.rstrip("\n"))
        wanted = self._settings.join == "blank_line" and segment.boundary is Boundary.NEWLINE
        if wanted and traced.text[end:] != "\n\n":
            return traced.replace("join", [(end, len(traced.text), "\n\n")])
        return traced

    def _plan(
        self,
        traced: TracedText,
        boundary: Boundary,
        speaker: Speaker | None,
        parts: list[TracedText] | None = None,
    ) -> list[Message | Replaced | Dropped | Halt]:
        """Cut a text into messages, and report the parts that are not sent."""
        parts = parts or self._cut(traced)
        if "||" in traced.text:
            parts = [piece for part in parts for piece in isolate(part, self._settings)]
        if self._is_near_cap(len(parts)):
            return self._hold(parts, boundary, speaker)
        return self._emit(parts, boundary, speaker)

    def _emit(
        self, parts: list[TracedText], boundary: Boundary, speaker: Speaker | None
    ) -> list[Message | Replaced | Dropped | Halt]:
        """Return the parts of a text as messages, or as dropped."""
        planned: list[Message | Replaced | Dropped | Halt] = []
        for number, part in enumerate(parts, 1):
            content = trim(part.text) if self._planned else part.text.strip()
            reason = "" if content else "white space"
            if content and len(parts) > 1 and self._is_fragment(content):
                reason = "fragment"
            if not reason:
                planned += self._halt()
                reason = self._halted.reason if self._halted else ""
            if reason:
                planned += [*part.edits, Dropped(part.written, reason, part.spans, hidden="||" in part.text)]
            else:
                piece = (number, len(parts))
                planned.append(self._message(part, content, boundary, speaker, piece))
        return planned

    def _cut(self, traced: TracedText) -> list[TracedText]:
        """Return the parts of a text; live planning overrides this."""
        return self._splitter.cut(traced)

    def _plan_figure(
        self, segment: NormalizedSegment, figure: Figure, heading: TracedText | None = None
    ) -> list[Message | Replaced | Dropped | Halt]:
        """Plan a table or a drawing as a message of its own, without text but for its heading."""
        head = heading or TracedText("", ())
        released = self._release_held(Boundary.ATTACHMENT) if self._held else []
        halts = self._halt()
        if self._halted:
            part, reason = head + segment.traced, self._halted.reason
            return [
                *released,
                *halts,
                *part.edits,
                Dropped(part.written, reason, part.spans, hidden=figure.spoiler),
            ]
        rule, shown = figure_text(figure)
        drawn = head + segment.traced.replace(rule, [(0, len(segment.traced.text), "")])
        title = trim(head.text)
        message = self._message(drawn, title, segment.boundary, segment.speaker)
        words = f"{title}\n{shown}" if title else shown
        return [*released, replace(message, files=(figure,), fallback=words)]

    def _is_fragment(self, content: str) -> bool:
        """Return whether a part is a single mark, left next to emoji that are sent alone."""
        if not self._settings.rules or self._joins:
            return False
        return classify_orphan(content) is OrphanKind.FRAGMENT

    def _halt(self) -> list[Halt]:
        """Return a `Halt` if one more message would exceed a cap."""
        settings = self._settings
        if self._halted:
            return []
        if 0 < settings.send_message_limit <= self._planned:
            self._halted = Halt("send_message_limit")
        elif 0 < settings.message_cap <= self._planned + self._posted:
            self._halted = Halt("message_cap")
        return [self._halted] if self._halted else []

    def _message(
        self,
        part: TracedText,
        content: str,
        boundary: Boundary,
        speaker: Speaker | None,
        piece: tuple[int, int] = (1, 1),
    ) -> Message:
        """Build a message with its delay, speaker and sources."""
        # The first message goes at once.
        types = self._typing and self._planned
        delay = draw_typing_delay(content, self._settings, self._random) if types else 0.0
        self._planned += 1
        spans, edits, additions = part.account()
        return Message(
            # Rules look at segments; a key with long links between its parts may be in several of them.
            content=hide_secrets(content),
            delay=delay,
            speaker=self._names.assign(speaker) if self._names else speaker,
            reply=self._planned == 1 and self._may_reply(speaker),
            spans=spans,
            boundary=boundary,
            edits=edits,
            added=find_additions(part, content) if additions else (),
            piece=piece,
        )

    def _may_reply(self, speaker: Speaker | None) -> bool:
        """Return whether a first message is a reply: one of a sprite has no reply notice of its own message."""
        return speaker is None or self._always_replies


def _merge(first: TracedText, second: TracedText) -> TracedText | None:
    """Return two texts as one, or None if one of them would change how the other is shown."""
    if "||" in first.text + second.text or ">>>" in first.text or _is_cut(first) or _is_cut(second):
        return None
    return first + second


def _is_cut(traced: TracedText) -> bool:
    """Return whether a span of a text was closed or reopened because the text was cut there."""
    return any(isinstance(record, Added) for _, _, record in traced.runs)


def _begins_with_word(traced: TracedText) -> bool:
    """Return whether a text begins with an ASCII letter or digit, so that it is no heading or divider."""
    first = traced.text[:1]
    return first.isascii() and first.isalnum()


def _is_heading(segment: NormalizedSegment) -> bool:
    """Return whether a segment is headings and nothing else."""
    return segment.figure is None and _is_short_head(segment.traced)


def _is_short_head(traced: TracedText) -> bool:
    """Return whether a text is headings only."""
    text = traced.text.strip()
    if len(text) > HEADING:
        return "\n" not in text and is_head(text)
    return bool(text) and all(is_head(line.strip()) for line in text.split("\n") if line)


def _line_kind(text: str) -> Line:
    """Return the kind of the first line of a text."""
    kind, _ = read_line(text, 0, final=True) or (Line.PROSE, 0)
    return kind


def _is_divider(traced: TracedText) -> bool:
    """Return whether a text is a divider and nothing else."""
    text = traced.text
    return RULE_LINE.match(text) is not None and RULE_LINE.fullmatch(text.rstrip()) is not None


def _is_headed(segment: NormalizedSegment) -> bool:
    """Return whether a segment is joined with a heading above it: code or a table."""
    return segment.figure is not None or segment.traced.text.lstrip().startswith("```")


def find_additions(part: TracedText, content: str) -> tuple[Added, ...]:
    """Return the visible text that was added before and after the source text."""
    start = part.text.find(content)
    end = start + len(content)
    found: list[Added] = []
    spoken = False
    at = 0
    for length, _, record in part.runs:
        shown = part.text[max(at, start) : min(at + length, end)]
        if shown and isinstance(record, Added):
            found.append(Added(shown, record.why, "after" if spoken else "before"))
        else:
            spoken = spoken or bool(shown)
        at += length
    return tuple(found)
