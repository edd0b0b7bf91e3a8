"""The result of a turn: how it ended, what was sent, and what happened to every source character."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ._events import Added, Citation, Dropped, FinishReason, Receipt, Replaced, Seam, ToolCall, Usage

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
    """A new message of the user interrupted the answer (`StopMode.INTERRUPT`)."""
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
    REFUSED = "refused"
    """The model declined, or a filter of the provider ended the answer; its text was sent."""


@dataclass(frozen=True, slots=True)
class ThoughtLog:
    """The model's reasoning, which is not shown.

    Args:
        summary: The provider's summary.
        raw: The reasoning itself, from reasoning events and from `<think>` blocks.
        duration: Seconds between the first and the last piece.
        served_by: The model that answered, if the provider says so.

    Example:
        result = await say(channel, source)
        print(result.thoughts.text)

    """

    summary: str = ""
    raw: str = ""
    duration: float = 0.0
    served_by: str | None = None

    @property
    def text(self) -> str:
        """The reasoning itself if the provider sends it, else its summary."""
        return self.raw or self.summary


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers about a turn: source characters by outcome, chunks and messages, and times in seconds.

    Example:
        counts = result.counts
        print(f"{counts.messages} messages, the first after {counts.first_message:.1f} s")

    """

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
    """Seconds to the first acknowledged message, or to the first words of a live one."""


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
    """The sent messages, in order."""
    messages: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    """The sent messages as `discord.PartialMessage`s, to edit, delete or react to; empty for other transports.

    Only its interaction can edit a private answer: `interaction.followup.edit_message(message.id, content=...)`.
    """
    thoughts: ThoughtLog = field(default_factory=ThoughtLog)
    """The model's reasoning."""
    details: tuple[str, ...] = ()
    """The texts of `<details>` blocks: notes for the memory that are not shown."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls that the model made; those of `with_tools` were run already."""
    citations: tuple[Citation, ...] = ()
    """The sources that the model named, each once; their place in this tuple, from 1, is the number that is shown."""
    usage: Usage | None = None
    """Token counts, if the source reports them."""
    finish_reason: FinishReason | None = None
    """Why the model stopped, as the provider reports it; None if it does not."""
    stop_sequence: str = ""
    """The stop sequence that ended the answer, if one did and the provider or `stop_strings` says which."""
    other_speaker: str = ""
    """The speaker whose label ended the answer, by the speaker guard or as a stop sequence."""
    first_url: str = ""
    """Link to the first message."""
    # These three say what happened to every source character that the receipts do not show unchanged.
    replaced: tuple[Replaced, ...] = ()
    """Changes of the text by rules."""
    added: tuple[Added, ...] = ()
    """Text that the model did not write."""
    dropped: tuple[Dropped, ...] = ()
    """Text that is not shown, with the reasons."""
    counts: Counts = field(default_factory=Counts)
    """Numbers and times."""
    failed_rules: tuple[str, ...] = ()
    """Names of custom rules that raised; their text was left unchanged."""
    attempts: tuple[str, ...] = ()
    """The requests that `with_fallbacks` made if the first one failed, such as `main, key 1: RateLimited`."""

    seams: tuple[Seam, ...] = ()
    """The places where the answer was cut off and continued."""

    @property
    def is_cut(self) -> bool:
        """Whether the provider cut the answer short: at a length limit, by a filter, or in a pause.

        All received text was sent: the ending is `REFUSED` after a filter, else still `COMPLETED`.
        """
        # Not an ending of its own: from our side everything went well.
        return self.finish_reason in {FinishReason.LENGTH, FinishReason.FILTERED, FinishReason.PAUSED}
