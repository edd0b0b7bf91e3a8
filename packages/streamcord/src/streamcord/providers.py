"""Providers of model output: HTTP APIs, SDK streams, fallbacks and tools, and the prompts they take.

`HttpProvider` needs aiohttp, which is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._moderation import HttpModerator
from ._providers.choice_tool import CHOICES_TOOL, make_choices
from ._providers.continuation import continue_prompt, read_continuation
from ._providers.echo_filter import EchoFilter
from ._providers.fallback import Fallback, rotate_keys, with_fallbacks
from ._providers.model_list import AvailableModel
from ._providers.presets import PRESETS, Preset
from ._providers.prompt import (
    AfterFailure,
    AssistantMessage,
    Effort,
    File,
    Image,
    Options,
    Part,
    Prompt,
    PromptMessage,
    Provider,
    Text,
    ToolResult,
    ToolSpec,
    UserMessage,
    assistant,
    system,
    tool_result,
    user,
)
from ._providers.response_reader import Timeouts
from ._providers.retry_policy import RetryPolicy
from ._providers.sdk_streams import (
    SdkStream,
    drop_overlap,
    from_acp,
    from_anthropic,
    from_google,
    from_langchain,
    from_litellm,
    from_openai,
    from_pydantic_ai,
    from_ui_messages,
)
from ._providers.stop_sequences import stop_at
from ._providers.text_choices import TextChoices
from ._providers.tool_runner import Steering, ToolLimits, ToolRound, with_tools
from ._providers.tools import AnswerSuspended, Asker, AskUser, Post, Tool, tool

if TYPE_CHECKING:
    from ._providers.http import HttpProvider

__all__ = [
    "CHOICES_TOOL",
    "PRESETS",
    "AfterFailure",
    "AnswerSuspended",
    "AskUser",
    "Asker",
    "AssistantMessage",
    "AvailableModel",
    "EchoFilter",
    "Effort",
    "Fallback",
    "File",
    "HttpModerator",
    "HttpProvider",
    "Image",
    "Options",
    "Part",
    "Post",
    "Preset",
    "Prompt",
    "PromptMessage",
    "Provider",
    "RetryPolicy",
    "SdkStream",
    "Steering",
    "Text",
    "TextChoices",
    "Timeouts",
    "Tool",
    "ToolLimits",
    "ToolResult",
    "ToolRound",
    "ToolSpec",
    "UserMessage",
    "assistant",
    "continue_prompt",
    "drop_overlap",
    "from_acp",
    "from_anthropic",
    "from_google",
    "from_langchain",
    "from_litellm",
    "from_openai",
    "from_pydantic_ai",
    "from_ui_messages",
    "make_choices",
    "read_continuation",
    "rotate_keys",
    "stop_at",
    "system",
    "tool",
    "tool_result",
    "user",
    "with_fallbacks",
    "with_tools",
]


def __getattr__(name: str) -> object:
    """Import `HttpProvider` on first use: it needs aiohttp, which is an extra."""
    if name == "HttpProvider":
        from ._providers.http import HttpProvider  # noqa: PLC0415

        return HttpProvider
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
