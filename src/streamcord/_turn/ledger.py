"""The books of one turn: what the source said, what became of it, and the sum of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from .._errors import Truncated
from .._events import (
    Captured,
    Dropped,
    Finish,
    FinishReason,
    Halt,
    KeepAlive,
    Message,
    ProviderEvent,
    Receipt,
    Replaced,
    Spans,
    Table,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .._result import Counts, Ending, ThoughtLog, TurnResult
from .._shared.safety.secret_texts import hide_secrets
from .._stop import Stop, StopMode

__all__ = ["Heard", "Shown", "join_captured", "sum_up"]

THOUGHT_CAP = 1024 * 1024
"""Characters of a model's reasoning that are kept."""

_STOP_ENDINGS = {
    StopMode.NOW: Ending.FOLLOW_UP_INTERRUPT,
    StopMode.AFTER_THIS: Ending.STOPPED_BY_USER,
    StopMode.FLUSH: Ending.STOPPED_BY_USER,
    StopMode.HAND_OVER: Ending.CANCELLED,
}
_HALT_ENDINGS = {
    "speaker_guard": Ending.SPEAKER_GUARD,
    "message_cap": Ending.MESSAGE_LIMIT,
    "send_message_limit": Ending.MESSAGE_LIMIT,
    "answer_cap": Ending.MESSAGE_LIMIT,
}


@dataclass(slots=True)
class Heard:
    """What the source said; times are seconds since the turn began."""

    characters: int = 0
    chunks: int = 0
    thoughts: dict[Literal["raw", "summary"], list[str]] = field(
        default_factory=lambda: {"raw": [], "summary": []}
    )
    thought_room: int = THOUGHT_CAP
    thought_since: float | None = None
    thought_until: float = 0.0
    tool_calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    served_by: str | None = None
    first_at: float | None = None
    # A source of typed events owes us a Finish after its last word; plain text does not.
    unfinished: bool = False
    awaits_tool: bool = False

    def note(self, event: str | ProviderEvent, now: Callable[[], float]) -> None:
        """Write down one event of the source; most need no look at the clock."""
        if self.first_at is None:
            self.first_at = now()
        match event:
            case Usage():
                self.usage = event
            case str():
                self.note_words(event, now, owes=False)
            case TextDelta(text):
                self.note_words(text, now)
            case ThoughtDelta(text, kind):
                self.unfinished = True
                self._note_thought(kind, text)
                self.thought_until = now()
                if self.thought_since is None:
                    self.thought_since = self.thought_until
            case ToolCall():
                self.unfinished = self.awaits_tool = True
                self.tool_calls.append(event)
            case Finish(reason, served_by):
                self.unfinished = False
                self.finish_reason = reason
                self.awaits_tool = self.awaits_tool or reason is FinishReason.TOOL_CALLS
                self.served_by = served_by or self.served_by
            case KeepAlive():
                pass

    def note_words(self, text: str, now: Callable[[], float], *, owes: bool = True) -> None:
        """Write down words, with nothing but what they change; a source of typed events `owes` an end."""
        if self.first_at is None:
            self.first_at = now()
        self.characters += len(text)
        self.chunks += 1
        if owes:
            self.unfinished = True
        # Words after a tool call are the answer to its result.
        if self.awaits_tool:
            self.awaits_tool = not text.strip()

    @property
    def runs_tools(self) -> bool:
        """Whether the model has finished and waits for its tools."""
        return self.awaits_tool and not self.unfinished

    def _note_thought(self, kind: Literal["raw", "summary"], text: str) -> None:
        """Thoughts are kept up to a cap; nobody sees them, so nothing else would bound them."""
        kept = text[: self.thought_room]
        self.thought_room -= len(kept)
        if kept:
            self.thoughts[kind].append(kept)


@dataclass(slots=True)
class Shown:
    """What became of the text."""

    receipts: list[Receipt] = field(default_factory=list)
    captured: list[Captured] = field(default_factory=list)
    replaced: list[Replaced] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    told: list[Message] = field(default_factory=list)
    halt: Halt | None = None
    first_at: float | None = None
    segments: int = 0
    failed_rules: list[str] = field(default_factory=list)

    def note(self, event: Captured | Replaced | Dropped | Halt) -> None:
        """Write down what the pipeline did not show."""
        match event:
            case Captured():
                self.captured.append(event)
            case Replaced():
                self.replaced.append(event)
            case Dropped():
                self.dropped.append(event)
            case Halt():
                self.halt = self.halt or event

    def note_sent(self, receipt: Receipt, now: float) -> None:
        """Write down a message that arrived."""
        self.first_at = now if self.first_at is None else self.first_at
        self.receipts.append(receipt)
        self.replaced.extend(receipt.message.edits)

    def note_told(self, message: Message) -> None:
        """Write down a message that only the result gets."""
        self.told.append(message)
        self.replaced.extend(message.edits)

    def note_lost(self, message: Message, reason: str) -> None:
        """Write down a message that was planned and never arrived."""
        spans = sorted({*message.spans, *(span for edit in message.edits for span in edit.spans)})
        self.dropped.append(Dropped(_written(message), reason, tuple(spans)))


def sum_up(
    heard: Heard,
    shown: Shown,
    error: BaseException | None,
    stop: Stop | None = None,
    hide: Callable[[str], str] = hide_secrets,
) -> TurnResult:
    """The result of a turn that is over; `hide` takes secrets out of what nobody was shown."""
    messages = [receipt.message for receipt in shown.receipts] or shown.told
    return TurnResult(
        ending=_ending(heard, shown, error, stop),
        text=_model_text(messages),
        receipts=tuple(shown.receipts),
        thoughts=_thought_log(heard, shown, hide),
        details=tuple(map(hide, join_captured(shown.captured, "details"))),
        tool_calls=tuple(heard.tool_calls),
        usage=heard.usage,
        finish_reason=heard.finish_reason,
        other_speaker=hide(shown.halt.speaker) if shown.halt else "",
        first_url=shown.receipts[0].url if shown.receipts else "",
        replaced=tuple(shown.replaced),
        added=tuple(added for message in messages for added in message.added),
        dropped=tuple(shown.dropped),
        counts=_counts(heard, shown),
        failed_rules=tuple(shown.failed_rules),
    )


def _ending(heard: Heard, shown: Shown, error: BaseException | None, stop: Stop | None) -> Ending:
    """The first that applies, in the order of the house: stop, limit, error, truncated, empty, completed."""
    if stop is not None and stop.mode is not None:
        return Ending.CANCELLED if stop.aborted else _STOP_ENDINGS[stop.mode]
    if shown.halt is not None:
        return _HALT_ENDINGS[shown.halt.reason]
    if error is not None:
        return _error_ending(error)
    if heard.unfinished:
        return Ending.TRUNCATED
    if heard.awaits_tool:
        return Ending.FUNCTION_CALL
    return Ending.COMPLETED if shown.receipts or shown.told else Ending.EMPTY_RESPONSE


def _error_ending(error: BaseException) -> Ending:
    # A provider that waited in vain says so in the cause.
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
    """What was sent as the model should remember it: a label wherever the speaker changes."""
    lines = []
    worn = ""
    for message in messages:
        label = message.speaker.label if message.speaker else ""
        lines.append((label if label != worn else "") + _written(message))
        worn = label
    return "\n".join(lines)


def _written(message: Message) -> str:
    """The words of a message; a table as the model wrote it."""
    tables = [file.source for file in message.files if isinstance(file, Table)]
    return "\n".join([*([message.content] if message.content else []), *tables])


def _thought_log(heard: Heard, shown: Shown, hide: Callable[[str], str]) -> ThoughtLog:
    raw = ["".join(heard.thoughts["raw"]), *join_captured(shown.captured, "think")]
    return ThoughtLog(
        summary=hide("".join(heard.thoughts["summary"]).strip()),
        raw=hide("\n\n".join(stripped for text in raw if (stripped := text.strip()))),
        duration=heard.thought_until - (heard.thought_since or 0.0),
        served_by=heard.served_by,
    )


def join_captured(captured: Iterable[Captured], kind: str) -> list[str]:
    """Whole blocks of one kind; pieces of a block too long to hold are joined again."""
    blocks: list[str] = []
    more = False
    for piece in (piece for piece in captured if piece.kind == kind):
        if more:
            blocks[-1] += piece.text
        else:
            blocks.append(piece.text)
        more = piece.more
    return blocks


def _counts(heard: Heard, shown: Shown) -> Counts:
    return Counts(
        received=heard.characters,
        shown=sum(_length(receipt.message.spans) for receipt in shown.receipts),
        captured=sum(_length(piece.spans) for piece in shown.captured),
        dropped=sum(_length(piece.spans) for piece in shown.dropped),
        chunks=heard.chunks,
        segments=shown.segments,
        messages=len(shown.receipts),
        first_event=heard.first_at,
        first_message=shown.first_at,
    )


def _length(spans: Spans) -> int:
    return sum(end - start for start, end in spans)
