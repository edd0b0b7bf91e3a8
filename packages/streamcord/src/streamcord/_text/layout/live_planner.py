"""Plan live messages, which are edited while the answer arrives.

The planner receives pieces, most of them a line or a part of one. Joined, they are the text that the answer has
at degree 0 (at degree 3: its sentences, one per line). A message that would become too long ends between two
pieces and is final. Shown text is never taken back, so near the end of a message the visible part ends only
where the message could end: after a line, not in a code block that began there, and not after a heading.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..._common.redaction import hide_secrets
from ..._common.text_size import utf8_length
from ..._events import Added, Boundary, Degree, Message
from ..._settings import DISCORD_LIMIT, DISPLAY_BYTES, LIVE_LIMIT, LIVE_LIMIT_BYTES, NO_CONTEXT
from ..markdown.line_kinds import is_head
from ..rules.persona_labels import MAX_LABEL_CHARS
from ..spoilers.isolation import UnclosedMarkers, continuation_marker, shows_hidden
from ..traced_text import TracedText
from .cut_to_limit import cut_to_limit
from .planner import Planner, find_additions
from .reopened_spans import MAX_LINE_MARKER_CHARS
from .splitter import trim

if TYPE_CHECKING:
    from random import Random

    from ..._events import Dropped, Halt, Replaced
    from ..._settings import AnswerContext, Settings
    from ..traced_text import NormalizedSegment, Run

END_ZONE_SHARE = 0.7
"""From this share of the limit on, a message is shown only up to positions where it could end."""
REPLY_LINK_CHARS = 150
"""Space for the line with a link to the question, above the first message of a persona."""
REPLY_LINK_BYTES = 450
"""The same space in bytes, also for a name in front: it has up to 80 characters of up to four bytes."""
MAX_CHAR_BYTES = 4
MAX_MARKER_CHARS = 16
"""Characters at the start of a line that may still become a line marker."""


class LiveDraft(NamedTuple):
    """The certain part of the current message, and the number of its pieces."""

    message: Message
    pieces: int


def as_live_settings(settings: Settings) -> Settings:
    """Return the settings for cutting a live answer: as one text, or at degree 3 as sentences."""
    if settings.degree is Degree.HEAVY:
        return replace(settings, typing="off" if settings.typing == "auto" else settings.typing)
    return replace(settings, degree=Degree.NONE)


def undecided_chars(settings: Settings, context: AnswerContext = NO_CONTEXT) -> int:
    """Return how many characters at the start of a line a rule may still read as a label.

    0 means that lines are not cut early.
    """
    if settings.degree is not Degree.NONE or context.prefill:
        return 0
    labels = settings.rules and (context.persona is not None or settings.speaker_guard != "off")
    return MAX_MARKER_CHARS + (MAX_LABEL_CHARS if labels else 0)


class LivePlanner(Planner):
    """Plan live messages: `feed` segments, get finished messages, ask for the `draft` of the current one."""

    def __init__(self, settings: Settings, random: Random, context: AnswerContext = NO_CONTEXT) -> None:
        super().__init__(settings, random, context)
        # Characters in one message. Components V2 allow more than a plain message.
        self._max_chars = settings.message_length
        if settings.live_limit > DISCORD_LIMIT:
            self._max_chars = settings.live_limit - (DISCORD_LIMIT - settings.message_length)
        # Whether there is more to show since `has_grown` was last asked.
        self._grown = False
        # The marker of a quote or heading that continues in the next message.
        self._carried = ""
        self._restart([])

    def _restart(self, pieces: list[TracedText]) -> None:
        self._pieces: list[TracedText] = []
        # Characters and UTF-8 bytes of all pieces, joined.
        self._length = 0
        self._bytes = 0
        # Number of pieces that may be shown.
        self._visible = 0
        self._marks = UnclosedMarkers(self._settings)
        # Whether the message could end where its visible part does.
        self._ends = False
        # Index of the first piece of an open code block.
        self._code: int | None = None
        for piece in pieces:
            self._push(piece)

    # --- In -------------------------------------------------------------------------------------

    def feed(self, segment: NormalizedSegment) -> list[Message | Replaced | Dropped | Halt]:
        """Accept a segment and return the messages that are complete now."""
        if segment.figure:
            return [*self.flush(Boundary.ATTACHMENT), *self._plan_figure(segment, segment.figure)]
        planned = self.flush() if segment.speaker != self._speaker else []
        self._speaker = segment.speaker
        for piece in self._split_segment(segment):
            # A spoiler must not be shown in clear for a moment, so the message ends before it.
            if self._marks.would_leak(piece.text):
                planned += self.finalize(len(self._pieces), Boundary.OVERFLOW)
            if self._pieces and self._overflows(piece):
                planned += self.finalize(self._full_pieces(), Boundary.OVERFLOW)
                if self._pieces and self._overflows(piece):
                    planned += self.finalize(len(self._pieces), Boundary.OVERFLOW)
            self._push(piece)
        return planned

    def flush(self, boundary: Boundary = Boundary.FINAL) -> list[Message | Replaced | Dropped | Halt]:
        """Return the current message as complete: a phase ends."""
        planned = self.finalize(len(self._pieces), boundary)
        self._carried = ""
        return planned

    def finalize(
        self, pieces: int, boundary: Boundary = Boundary.FINAL
    ) -> list[Message | Replaced | Dropped | Halt]:
        """Make the first `pieces` pieces a complete message; the others begin the next one."""
        if not self._pieces[:pieces]:
            return []
        complete, rest = join_pieces(self._pieces[:pieces]), self._pieces[pieces:]
        self._carried = continuation_marker(complete.text)
        self._restart(rest)
        return self._plan(complete, boundary, self._speaker)

    def has_grown(self) -> bool:
        """Return whether there is more to show than at the last call."""
        grown, self._grown = self._grown, False
        return grown

    def draft(self) -> LiveDraft | None:
        """Return the certain part of the current message, or None if nothing may be shown."""
        if not self._visible or self._is_capped():
            return None
        traced = self._tidy(join_pieces(self._pieces[: self._visible]))
        content = trim(traced.text) if self._planned else traced.text.strip()
        # Never show a frame that is invalid Markdown or that leaks a spoiler.
        if not content or self._is_half_fenced(content) or shows_hidden(content, self._settings):
            return None
        spans, edits, additions = traced.account()
        message = Message(
            hide_secrets(content),
            speaker=self._names.assign(self._speaker) if self._names else self._speaker,
            reply=not self._planned,
            spans=spans,
            edits=edits,
            added=find_additions(traced, content) if additions else (),
        )
        return LiveDraft(message, self._visible)

    def _is_half_fenced(self, content: str) -> bool:
        """Return whether joined sentences have an odd number of fences, which a later one may close."""
        return self._settings.degree is Degree.HEAVY and content.count("```") % 2 == 1

    # --- Pieces ---------------------------------------------------------------------------------

    def _split_segment(self, segment: NormalizedSegment) -> list[TracedText]:
        """Return a segment as pieces that each fit in a message."""
        if self._settings.degree is Degree.NONE:
            joined, limit = self._joined(segment), self._limit
            if len(joined.text) > limit - MAX_LINE_MARKER_CHARS:
                limit -= len(self._carried or continuation_marker(join_pieces(self._pieces).text))
            return cut_to_limit(joined, self._chars_within(joined.text, limit), self._settings, known=True)
        parts = [part for part in self._splitter.cut(segment.traced) if part.text.strip()]
        return [_as_line(part) for part in parts]

    def _full_pieces(self) -> int:
        """Return how many pieces a full message keeps: up to its best end, or all that fit."""
        if self._ends:
            return self._visible
        begun = self._code is None or self._code < self._visible or not self._code
        return len(self._pieces) if begun else self._code or 0

    def _push(self, piece: TracedText) -> None:
        """Append a piece and update the visible part."""
        if self._carried and not _is_reopened(piece):
            piece = TracedText.added(self._carried, "reopened") + piece
        self._carried = ""
        self._length, self._bytes = self._size_with(piece)
        self._pieces.append(piece)
        self._marks.push(piece.text)
        self._grown = True
        if is_left_open(piece):
            self._code = len(self._pieces) - 1 if self._code is None else self._code
        else:
            self._code = None
        if self._length <= self._limit * END_ZONE_SHARE and self._bytes <= self._max_bytes * END_ZONE_SHARE:
            self._visible = len(self._pieces)
        elif self._code is None or self._code < self._visible:
            self._ends = self._ends or _may_end(piece)
            self._visible = len(self._pieces) if _may_end(piece) else self._visible

    def _overflows(self, piece: TracedText) -> bool:
        """Return whether the message would be too long with another piece."""
        length, size = self._size_with(piece)
        return length > self._limit or size > self._max_bytes

    def _size_with(self, piece: TracedText) -> tuple[int, int]:
        """Return characters and bytes with another piece; markers that only a cut needed are not counted."""
        length, size = len(piece.text), utf8_length(piece.text)
        if self._pieces and (seam := _seam(self._pieces[-1], piece)):
            # A marker has at least as many bytes as characters, so the bytes are never too few.
            removed = self._pieces[-1].runs[seam[0]][0] + piece.runs[0][0]
            length, size = length - removed, size - removed
        return self._length + length, self._bytes + size

    def _chars_within(self, text: str, limit: int) -> int:
        """Return the limit in characters that also keeps every part of a text within its bytes."""
        if utf8_length(text) <= self._max_bytes:
            return limit
        return min(limit, self._max_bytes // utf8_length(max(text)))

    @property
    def _limit(self) -> int:
        """Characters in the current message."""
        linked = self._speaker is not None and not self._planned and self._max_chars > DISCORD_LIMIT
        return self._max_chars - REPLY_LINK_CHARS if linked else self._max_chars

    @property
    def _max_bytes(self) -> int:
        """UTF-8 bytes in the current message; only Discord limits them."""
        if self._max_chars > LIVE_LIMIT:
            return self._max_chars * MAX_CHAR_BYTES
        available = LIVE_LIMIT_BYTES - DISPLAY_BYTES
        # A speaker's name can be in front of every message, where a channel has no webhooks.
        return available - REPLY_LINK_BYTES if self._speaker is not None else available

    def _is_capped(self) -> bool:
        """Return whether the turn may send no more messages."""
        caps = (self._settings.send_message_limit, self._settings.message_cap)
        return self._halted is not None or any(0 < cap <= self._planned for cap in caps)

    def _cut(self, traced: TracedText) -> list[TracedText]:
        tidy = self._tidy(traced)
        return cut_to_limit(tidy, self._chars_within(tidy.text, self._limit), self._settings)

    def _tidy(self, traced: TracedText) -> TracedText:
        return self._splitter.tidy(traced) if self._settings.degree is Degree.NONE else traced


def _as_line(part: TracedText) -> TracedText:
    """Return a sentence as a line of its own."""
    end = len(part.text.rstrip())
    return part.cut(0, end) + TracedText.added("\n", "joined") + _unseen(part, end)


def _unseen(part: TracedText, end: int) -> TracedText:
    return (
        part.cut(end, len(part.text)).replace("joined", [(0, len(part.text) - end, "")])
        if end < len(part.text)
        else TracedText("", ())
    )


def _may_end(piece: TracedText) -> bool:
    """Return whether a message may end after this piece: after a line that is no heading."""
    text = piece.text
    if not text.endswith("\n") and not is_left_open(piece):
        return False
    lines = text.strip().rsplit("\n", 1)
    last = lines[-1]
    return bool(last) and not is_head(last)


# --- Seams between pieces ------------------------------------------------------------------------


def join_pieces(pieces: list[TracedText]) -> TracedText:
    """Join pieces: text that was closed at a cut and reopened after it becomes one again."""
    texts: list[str] = []
    runs: list[Run] = []
    for number, piece in enumerate(pieces):
        closed = _seam(piece, pieces[number + 1]) if number + 1 < len(pieces) else None
        before = _seam(pieces[number - 1], piece) if number else None
        kept = _without(piece, closed[0]) if closed else piece
        kept = _without(kept, before[1]) if before else kept
        texts.append(kept.text)
        runs += kept.runs
    return TracedText("".join(texts), tuple(runs))


def is_left_open(piece: TracedText) -> bool:
    """Return whether a piece was cut inside a span, which was closed to render correctly."""
    return _closer(piece) is not None


def _seam(first: TracedText, second: TracedText) -> tuple[int, int] | None:
    """Return the indexes of the runs that the cut between two pieces added, or None."""
    closer = _closer(first)
    return (closer, 0) if closer is not None and _is_reopened(second) else None


def _closer(piece: TracedText) -> int | None:
    """Return the index of the run that closes the cut span; only white space may follow it."""
    at = len(piece.text)
    for index in range(len(piece.runs) - 1, -1, -1):
        length, _, record = piece.runs[index]
        if isinstance(record, Added) and record.why == "closed":
            return index
        at -= length
        if piece.text[at:].strip():
            return None
    return None


def _is_reopened(piece: TracedText) -> bool:
    """Return whether a piece begins with a marker that was added after a cut."""
    record = piece.runs[0][2] if piece.runs else None
    return isinstance(record, Added) and record.why == "reopened"


def _without(piece: TracedText, index: int) -> TracedText:
    """Return a piece without one of its runs."""
    start = sum(length for length, _, _ in piece.runs[:index])
    end = start + piece.runs[index][0]
    return TracedText(piece.text[:start] + piece.text[end:], piece.runs[:index] + piece.runs[index + 1 :])
