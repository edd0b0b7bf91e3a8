"""Where answers come from: prompts, dialects, and the values between them.

`HttpProvider` talks to servers and needs aiohttp, which is imported only when it is used.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from ._events import ProviderEvent
from ._providers.answer import Timeouts
from ._providers.fallback import Fallback, Patience, first_that_answers
from ._providers.overlap import drop_overlap
from ._providers.presets import PRESETS, Preset
from ._providers.prompt import (
    AssistantMessage,
    Image,
    Options,
    Prompt,
    PromptMessage,
    Text,
    ToolResult,
    ToolSpec,
    UserMessage,
    assistant,
    system,
    tool_result,
    user,
)
from ._providers.sdk_streams import (
    from_anthropic,
    from_google,
    from_langchain,
    from_litellm,
    from_openai,
    from_pydantic_ai,
)
from ._providers.stop_strings import end_at
from ._providers.tool import Post, Tool, tool
from ._providers.tools import ToolLimits, with_tools

if TYPE_CHECKING:
    from ._providers.http import HttpProvider

__all__ = [
    "PRESETS",
    "AssistantMessage",
    "Fallback",
    "HttpProvider",
    "Image",
    "Options",
    "Patience",
    "Post",
    "Preset",
    "Prompt",
    "PromptMessage",
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
    "from_langchain",
    "from_litellm",
    "from_openai",
    "from_pydantic_ai",
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


def __getattr__(name: str) -> object:
    """Import `HttpProvider` when somebody asks for it: it needs aiohttp, which is an extra."""
    if name == "HttpProvider":
        from ._providers.http import HttpProvider  # noqa: PLC0415

        return HttpProvider
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
