"""What a turn leaves behind: how it ended, what was sent and thought, what became of every character."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ._events import Added, Dropped, FinishReason, Receipt, Replaced, ToolCall, Usage

__all__ = ["Counts", "Ending", "ThoughtLog", "TurnResult"]


class Ending(StrEnum):
    """Why a turn ended."""

    COMPLETED = "completed"
    FUNCTION_CALL = "function_call"
    STOPPED_BY_USER = "stopped_by_user"
    FOLLOW_UP_INTERRUPT = "follow_up_interrupt"
    SPEAKER_GUARD = "speaker_guard"
    MESSAGE_LIMIT = "message_limit"
    TIMEOUT = "timeout"
    TRUNCATED = "truncated"
    EMPTY_RESPONSE = "empty_response"
    CANCELLED = "cancelled"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ThoughtLog:
    """What the model thought: its own summary, the raw text, for how long, and who served it."""

    summary: str = ""
    raw: str = ""
    duration: float = 0.0
    served_by: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Characters of the source and where they went, pieces on the way, and seconds from the start."""

    received: int = 0
    """Characters that the source sent as text."""
    shown: int = 0
    """Of these, characters that people see as they were written."""
    captured: int = 0
    """Of these, characters inside thoughts and details, tags included."""
    dropped: int = 0
    """Of these, characters that nobody sees, each with a reason in `TurnResult.dropped`."""
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
    """One turn, after the fact. Everything here is about what really happened, not what was planned."""

    ending: Ending
    text: str = ""
    """What was sent, messages joined by newlines, with the label the model knows its speakers by."""
    receipts: tuple[Receipt, ...] = ()
    thoughts: ThoughtLog = field(default_factory=ThoughtLog)
    details: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    """How the model's server says that the answer ended; none if it did not say."""
    other_speaker: str = ""
    """Whose label ended the answer, if the speaker guard did."""
    first_url: str = ""
    """Link to the first message."""
    replaced: tuple[Replaced, ...] = ()
    added: tuple[Added, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    counts: Counts = field(default_factory=Counts)
    failed_rules: tuple[str, ...] = ()
    """Rules of your own that raised; where they did, the words stayed as they were."""

    @property
    def is_cut(self) -> bool:
        """Whether the model's server cut the answer short: at its length, or by a filter of content.

        The ending is `COMPLETED` all the same, since everything that came was said.
        """
        return self.finish_reason in {FinishReason.LENGTH, FinishReason.FILTERED}
