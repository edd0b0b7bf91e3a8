"""Where answers come from: prompts, dialects, and the values between them.

`streamcord.providers.http` holds the provider that talks to servers; it needs aiohttp, this package does not.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Protocol, TypeAlias, runtime_checkable

from ..events import ProviderEvent
from .answer import Timeouts
from .fallback import Fallback, Patience, first_that_answers
from .overlap import drop_overlap
from .presets import PRESETS, Preset
from .prompt import (
    AssistantMessage,
    Image,
    Options,
    Prompt,
    Text,
    ToolResult,
    ToolSpec,
    UserMessage,
    assistant,
    system,
    tool_result,
    user,
)
from .sdk import from_anthropic, from_google, from_litellm, from_openai
from .stop_strings import end_at
from .tool import Post, Tool, tool
from .tools import ToolLimits, with_tools

__all__ = [
    "PRESETS",
    "AssistantMessage",
    "Fallback",
    "Image",
    "Options",
    "Patience",
    "Post",
    "Preset",
    "Prompt",
    "Provider",
    "Source",
    "Text",
    "Timeouts",
    "Tool",
    "ToolLimits",
    "ToolResult",
    "ToolSpec",
    "UserMessage",
    "assistant",
    "drop_overlap",
    "end_at",
    "first_that_answers",
    "from_anthropic",
    "from_google",
    "from_litellm",
    "from_openai",
    "system",
    "tool",
    "tool_result",
    "user",
    "with_tools",
]

Source: TypeAlias = AsyncIterable[str | ProviderEvent]
"""Anything that says something, piece by piece; if it has `aclose`, its reader calls that at the end."""


@runtime_checkable
class Provider(Protocol):
    """Whoever can be asked: the answer is a source that raises only `ProviderError`."""

    def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        """The answer to a prompt, as it is written; closing the iterator ends the answer."""
