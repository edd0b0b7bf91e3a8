"""The result of a turn: how it ended, what was sent, and what happened to every source character."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ._events import Added, Dropped, FinishReason, Receipt, Replaced, ToolCall, Usage

__all__ = ["Counts", "Ending", "ThoughtLog", "TurnResult"]


class Ending(StrEnum):
    """Why a turn ended.

    Example:
        if result.ending is Ending.FUNCTION_CALL:
            run(result.tool_calls)

    """

    COMPLETED = "completed"
    """The source ended and its text was sent."""
    FUNCTION_CALL = "function_call"
    """The model called a tool and waits for the result."""
    STOPPED_BY_USER = "stopped_by_user"
    """A stop was requested."""
    FOLLOW_UP_INTERRUPT = "follow_up_interrupt"
    """A new message of the user interrupted the answer (`StopMode.NOW`)."""
    SPEAKER_GUARD = "speaker_guard"
    """The model began to write for another speaker."""
    MESSAGE_LIMIT = "message_limit"
    """A limit for messages or characters was reached."""
    TIMEOUT = "timeout"
    """The source was silent for too long."""
    TRUNCATED = "truncated"
    """The source ended without its terminal event."""
    EMPTY_RESPONSE = "empty_response"
    """The source ended without text."""
    CANCELLED = "cancelled"
    """The task was cancelled, or the turn aborted."""
    ERROR = "error"
    """The source or the delivery failed."""


@dataclass(frozen=True, slots=True)
class ThoughtLog:
    """The model's reasoning: the provider's summary, the raw text, the seconds it took, and the serving model."""

    summary: str = ""
    raw: str = ""
    duration: float = 0.0
    served_by: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers about a turn: source characters by outcome, chunks and messages, and times in seconds."""

    received: int = 0
    """Characters that the source sent as text."""
    shown: int = 0
    """Of these, characters that users see unchanged."""
    captured: int = 0
    """Of these, characters inside reasoning and details blocks, tags included."""
    dropped: int = 0
    """Of these, characters that are not shown, each with a reason in `TurnResult.dropped`."""
    chunks: int = 0
    """Events of the source that carried text."""
    segments: int = 0
    """Pieces that the text was cut into before it became messages."""
    messages: int = 0
    """Messages that were acknowledged."""
    first_event: float | None = None
    """Seconds to the first event of the source."""
    first_message: float | None = None
    """Seconds to the first acknowledged message."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """The result of a turn: what was sent, not what was planned.

    Example:
        result = await say(channel, source)
        print(result.ending, result.text, result.usage)

    """

    ending: Ending
    text: str = ""
    """The sent messages joined by newlines, with the labels that the model uses for its speakers."""
    receipts: tuple[Receipt, ...] = ()
    thoughts: ThoughtLog = field(default_factory=ThoughtLog)
    details: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    """Why the model stopped, as the provider reports it; None if it does not."""
    stop_sequence: str = ""
    """The stop sequence that ended the answer, if one did and the provider or `stop_strings` says which."""
    other_speaker: str = ""
    """The speaker whose label ended the answer, by the speaker guard or as a stop sequence."""
    first_url: str = ""
    """Link to the first message."""
    replaced: tuple[Replaced, ...] = ()
    added: tuple[Added, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    counts: Counts = field(default_factory=Counts)
    failed_rules: tuple[str, ...] = ()
    """Names of custom rules that raised; their text was left unchanged."""

    @property
    def is_cut(self) -> bool:
        """Whether the provider cut the answer short: at a length limit, or by a content filter.

        The ending is still `COMPLETED`, because all received text was sent.
        """
        return self.finish_reason in {FinishReason.LENGTH, FinishReason.FILTERED}
