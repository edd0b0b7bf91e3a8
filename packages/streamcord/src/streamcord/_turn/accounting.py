"""Accounting of one turn: what the source sent, what became of it, and the result of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from .._common.redaction import hide_secrets
from .._events import (
    Attachment,
    Captured,
    Citation,
    Dropped,
    Finish,
    FinishReason,
    GeneratedImage,
    Halt,
    KeepAlive,
    Message,
    ProviderEvent,
    Receipt,
    Replaced,
    Seam,
    Spans,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .._exceptions import Truncated
from .._result import Counts, Ending, ThoughtLog, TurnResult
from .._stop import Stop, StopMode

MAX_ATTEMPTS = 100
"""Requests and seams of one turn that are listed in its result."""
MAX_THOUGHT_CHARS = 1024 * 1024
"""Characters of a model's reasoning that are kept."""

_STOP_ENDINGS = {
    StopMode.INTERRUPT: Ending.FOLLOW_UP_INTERRUPT,
    StopMode.NOW: Ending.STOPPED_BY_USER,
    StopMode.AFTER_THIS: Ending.STOPPED_BY_USER,
    StopMode.FLUSH: Ending.STOPPED_BY_USER,
    StopMode.HAND_OVER: Ending.CANCELLED,
}
_REFUSALS = {FinishReason.REFUSED, FinishReason.FILTERED}
_HALT_ENDINGS = {
    "speaker_guard": Ending.SPEAKER_GUARD,
    "message_cap": Ending.MESSAGE_LIMIT,
    "send_message_limit": Ending.MESSAGE_LIMIT,
    "answer_cap": Ending.MESSAGE_LIMIT,
}


@dataclass(slots=True)
class SourceStats:
    """Statistics about the source; times are seconds since the turn began.

    It has more than 15 attributes because each is one fact that `TurnResult` or a log line reports.
    """

    characters: int = 0
    """Characters of text received."""
    chunks: int = 0
    """Text events received."""
    thoughts: dict[Literal["raw", "summary"], list[str]] = field(
        default_factory=lambda: {"raw": [], "summary": []}
    )
    raw_thought_positions: list[int] = field(default_factory=list)
    """For each piece of `thoughts["raw"]`, the characters of text that were received before it."""
    thought_chars_left: int = MAX_THOUGHT_CHARS
    thought_began_at: float | None = None
    thought_ended_at: float = 0.0
    tool_calls: list[ToolCall] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    """The sources that the model named, each once."""
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    served_by: str | None = None
    stop_sequence: str = ""
    """The stop sequence that ended the answer, if one did and we know which."""
    attempts: list[str] = field(default_factory=list)
    """The requests that `with_fallbacks` made, if the first one failed."""
    seams: list[Seam] = field(default_factory=list)
    """The places where the answer was cut off and continued."""
    first_at: float | None = None
    unfinished: bool = False
    """Whether a `Finish` is missing; sources of plain text need none."""
    awaits_tool: bool = False
    """Whether the model has called a tool and not written text since."""

    def record(self, event: str | ProviderEvent, now: Callable[[], float]) -> None:
        """Record one event of the source; `now` is called only if needed."""
        if self.first_at is None:
            self.first_at = now()
        match event:
            case Usage():
                self.usage = event
            case str():
                self.record_text(event, now, needs_finish=False)
            case TextDelta(text):
                self.record_text(text, now)
            case ThoughtDelta(text, kind):
                self.unfinished = True
                self._record_thought(kind, text)
                self.thought_ended_at = now()
                if self.thought_began_at is None:
                    self.thought_began_at = self.thought_ended_at
            case Citation() | GeneratedImage():
                self.unfinished = True
            case ToolCall():
                self.unfinished = self.awaits_tool = True
                self.tool_calls.append(event)
            case Finish(reason, served_by, stop_sequence):
                self.unfinished = False
                self.finish_reason = reason
                self.awaits_tool = self.awaits_tool or reason is FinishReason.TOOL_CALLS
                self.served_by = served_by or self.served_by
                self.stop_sequence = stop_sequence
            case KeepAlive() | Seam():
                self._record_attempt(event)

    def _record_attempt(self, event: KeepAlive | Seam) -> None:
        if isinstance(event, Seam) and len(self.seams) < MAX_ATTEMPTS:
            self.seams.append(replace(event, at=self.characters))
        elif isinstance(event, KeepAlive) and event.attempt and len(self.attempts) < MAX_ATTEMPTS:
            self.attempts.append(event.attempt)

    def record_text(self, text: str, now: Callable[[], float], *, needs_finish: bool = True) -> None:
        """Record text; a source of typed events `needs_finish` a `Finish` afterwards."""
        if self.first_at is None:
            self.first_at = now()
        self.characters += len(text)
        self.chunks += 1
        if needs_finish:
            self.unfinished = True
        # Text after a tool call is the model's response to its result.
        if self.awaits_tool:
            self.awaits_tool = not text.strip()

    @property
    def runs_tools(self) -> bool:
        """Whether the model has finished and waits for its tools."""
        return self.awaits_tool and not self.unfinished

    def _record_thought(self, kind: Literal["raw", "summary"], text: str) -> None:
        """Keep reasoning up to a cap, which bounds memory."""
        kept = text[: self.thought_chars_left]
        self.thought_chars_left -= len(kept)
        if kept:
            self.thoughts[kind].append(kept)
            if kind == "raw":
                self.raw_thought_positions.append(self.characters)


@dataclass(slots=True)
class OutputLog:
    """What became of the source's text."""

    receipts: list[Receipt] = field(default_factory=list)
    captured: list[Captured] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    unsent: list[Message] = field(default_factory=list)
    halt: Halt | None = None
    stopped_speaker: str = ""
    """The other speaker whose label ended the answer as a stop sequence, while the speaker guard is on."""
    first_at: float | None = None
    segments: int = 0
    failed_rules: list[str] = field(default_factory=list)

    def record(self, event: Captured | Replaced | Dropped | Halt) -> None:
        """Record text that the pipeline captured, replaced or dropped, or its halt."""
        match event:
            case Captured():
                self.captured.append(event)
            case Replaced():
                self.replaced.append(event)
            case Dropped():
                self.dropped.append(event)
            case Halt():
                self.halt = self.halt or event

    def record_shown(self, now: float) -> None:
        """Record that the first words can be read."""
        self.first_at = now if self.first_at is None else self.first_at

    def record_sent(self, receipt: Receipt, now: float) -> None:
        """Record a delivered message."""
        self.record_shown(now)
        self.receipts.append(receipt)
        self.replaced.extend(receipt.message.edits)

    def record_unsent(self, message: Message) -> None:
        """Record a message that goes to the result only, with `show=False`."""
        self.unsent.append(message)
        self.replaced.extend(message.edits)

    def record_lost(self, message: Message, reason: str) -> None:
        """Record a planned message that was not delivered."""
        spans = sorted({*message.spans, *(span for edit in message.edits for span in edit.spans)})
        self.dropped.append(Dropped(_written(message), reason, tuple(spans)))


def build_result(
    stats: SourceStats,
    output: OutputLog,
    error: BaseException | None,
    stop: Stop | None = None,
    hide: Callable[[str], str] = hide_secrets,
) -> TurnResult:
    """Build the result of a turn that has ended; `hide` removes secrets from text that was not shown."""
    messages = [receipt.message for receipt in output.receipts] or output.unsent
    return TurnResult(
        ending=_ending(stats, output, error, stop),
        text=_model_text(messages),
        receipts=tuple(output.receipts),
        thoughts=_thought_log(stats, output, hide),
        details=tuple(map(hide, join_captured(output.captured, "details"))),
        tool_calls=tuple(stats.tool_calls),
        citations=tuple(stats.citations),
        usage=stats.usage,
        finish_reason=stats.finish_reason,
        stop_sequence=stats.stop_sequence,
        other_speaker=hide(output.halt.speaker if output.halt else output.stopped_speaker),
        first_url=output.receipts[0].url if output.receipts else "",
        replaced=tuple(output.replaced),
        added=tuple(added for message in messages for added in message.added),
        dropped=tuple(output.dropped),
        counts=_counts(stats, output),
        failed_rules=tuple(output.failed_rules),
        attempts=tuple(stats.attempts),
        seams=tuple(stats.seams),
    )


def _ending(stats: SourceStats, output: OutputLog, error: BaseException | None, stop: Stop | None) -> Ending:
    """Return the first that applies: stop, limit, error, truncated, tool call, empty, completed."""
    if stop is not None and stop.mode is not None:
        return Ending.CANCELLED if stop.aborted else _STOP_ENDINGS[stop.mode]
    if output.halt is not None:
        return _HALT_ENDINGS[output.halt.reason]
    if error is not None:
        return _error_ending(error)
    if stats.unfinished:
        return Ending.TRUNCATED
    if stats.awaits_tool:
        return Ending.FUNCTION_CALL
    return _complete_ending(stats, output)


def _complete_ending(stats: SourceStats, output: OutputLog) -> Ending:
    """Return the ending of an answer that the provider, the model or a stop sequence has ended."""
    if output.stopped_speaker:
        return Ending.SPEAKER_GUARD
    if not (output.receipts or output.unsent):
        return Ending.EMPTY_RESPONSE
    return Ending.REFUSED if stats.finish_reason in _REFUSALS else Ending.COMPLETED


def _error_ending(error: BaseException) -> Ending:
    # Providers raise their own error for a timeout, with the `TimeoutError` as cause.
    match error.__cause__ if isinstance(error.__cause__, TimeoutError) else error:
        case Truncated():
            return Ending.TRUNCATED
        case TimeoutError():
            return Ending.TIMEOUT
        case Exception():
            return Ending.ERROR
        case _:
            return Ending.CANCELLED


def _model_text(messages: list[Message]) -> str:
    """Return the sent text as the model should remember it, with a label where the speaker changes.

    The return to the base look is written as the plain name, `Luna: `: a line without a label would be read as
    one of the sprite before it.
    """
    lines = []
    current = base = ""
    for message in messages:
        label = message.speaker.label if message.speaker else ""
        if label:
            # `Luna (mad): `: the modifier is in the last brackets, a name may have brackets of its own.
            base = f"{label.rpartition(' (')[0]}: "
        label = label or base
        lines.append((label if label != current else "") + _written(message))
        current = label
    return "\n".join(lines)


def _written(message: Message) -> str:
    """Return the text of a message, with tables and drawings as the model wrote them."""
    sources = [file.source for file in message.files if not isinstance(file, Attachment)]
    return "\n".join([*([message.content] if message.content else []), *sources])


def _thought_log(stats: SourceStats, output: OutputLog, hide: Callable[[str], str]) -> ThoughtLog:
    raw = _raw_thoughts(stats, output.captured)
    return ThoughtLog(
        summary=hide("".join(stats.thoughts["summary"]).strip()),
        raw=hide("\n\n".join(stripped for text in raw if (stripped := text.strip()))),
        duration=stats.thought_ended_at - (stats.thought_began_at or 0.0),
        served_by=stats.served_by,
    )


def _raw_thoughts(stats: SourceStats, captured: Iterable[Captured]) -> list[str]:
    """Return typed and tagged thoughts in the order in which they arrived."""
    thoughts: list[str] = []
    typed = list(zip(stats.raw_thought_positions, stats.thoughts["raw"], strict=True))
    at = 0
    blocks = [piece for piece in captured if piece.kind == "think"]
    starts = [
        piece.spans[0][0] if piece.spans else 0
        for number, piece in enumerate(blocks)
        if not number or not blocks[number - 1].more
    ]
    for start, block in zip(starts, join_captured(blocks, "think"), strict=True):
        first = at
        while at < len(typed) and typed[at][0] <= start:
            at += 1
        thoughts += ["".join([text for _, text in typed[first:at]]), block]
    return [*thoughts, "".join([text for _, text in typed[at:]])]


def join_captured(captured: Iterable[Captured], kind: str) -> list[str]:
    """Return the captured blocks of one kind, with the pieces of long blocks joined."""
    blocks: list[str] = []
    more = False
    for piece in (piece for piece in captured if piece.kind == kind):
        if more:
            blocks[-1] += piece.text
        else:
            blocks.append(piece.text)
        more = piece.more
    return blocks


def _counts(stats: SourceStats, output: OutputLog) -> Counts:
    return Counts(
        received=stats.characters,
        shown=sum(_span_length(receipt.message.spans) for receipt in output.receipts),
        captured=sum(_span_length(piece.spans) for piece in output.captured),
        dropped=sum(_span_length(piece.spans) for piece in output.dropped),
        chunks=stats.chunks,
        segments=output.segments,
        messages=len(output.receipts),
        first_event=stats.first_at,
        first_message=output.first_at,
    )


def _span_length(spans: Spans) -> int:
    return sum(end - start for start, end in spans)
