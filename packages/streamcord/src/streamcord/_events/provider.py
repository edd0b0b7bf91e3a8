"""Events that a provider's stream yields: text, reasoning, tool calls, token usage and the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

__all__ = [
    "Finish",
    "FinishReason",
    "KeepAlive",
    "ProviderEvent",
    "TextDelta",
    "ThoughtDelta",
    "ToolCall",
    "Usage",
]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the visible answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's reasoning."""

    text: str
    kind: Literal["raw", "summary"] = "raw"
    """`summary` if the provider sends a summary instead of the reasoning itself."""
    signature: str | None = None
    """Opaque data that must be sent back to the model unchanged in the next request."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request of the model to call a tool."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    signature: str | None = None
    """Opaque data that must be sent back to the model unchanged in the next request."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider reports them; the latest event of a stream replaces earlier ones."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0


class FinishReason(StrEnum):
    """Why the model stopped, as the provider reports it."""

    STOP = "stop"
    LENGTH = "length"
    FILTERED = "filtered"
    TOOL_CALLS = "tool_calls"


@dataclass(frozen=True, slots=True)
class Finish:
    """The terminal event of a stream; a stream that ends without one was truncated."""

    reason: FinishReason = FinishReason.STOP
    served_by: str | None = None
    """The model that answered, if the provider says so (routers such as OpenRouter do)."""
    stop_sequence: str = ""
    """The stop sequence that ended the answer, if one did and the provider says which."""


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """A sign that the provider is alive although it has no output yet.

    A provider that tries several others reports with it what a meter must count, but a reader must not see.
    """

    buffered: int = 0
    """Bytes of output that arrived since the last event and are not yielded yet."""
    failed_attempt: bool = False
    """Whether a request has failed and another one is made; what it had buffered is dropped."""
    was_started: bool = False
    """Whether the failed request had begun to answer or timed out, so that its prompt was read."""


ProviderEvent: TypeAlias = TextDelta | ThoughtDelta | ToolCall | Usage | Finish | KeepAlive
"""Anything that a provider's stream may yield."""
