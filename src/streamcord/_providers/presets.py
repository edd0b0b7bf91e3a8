"""Where the known providers live, and how each is spoken to: data, nothing else.

A local server needs no key. `key_name` is where a program may look for the key; nothing here does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .dialects import Anthropic, Dialect, Google, NovelAI, OpenAIChat, OpenAIResponses, Quirks

__all__ = ["PRESETS", "Preset"]


@dataclass(frozen=True, slots=True)
class Preset:
    """A provider: its name, its dialect, its address, and the environment variable of its key."""

    name: str
    dialect: Dialect
    base_url: str = ""
    key_name: str = ""


_ROWS = (
    Preset(
        "openai",
        OpenAIChat(Quirks(system_role="developer", length_key="max_completion_tokens", stop_cap=4)),
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
    ),
    Preset("openai-responses", OpenAIResponses(), "https://api.openai.com/v1", "OPENAI_API_KEY"),
    Preset("anthropic", Anthropic(), "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    Preset("google", Google(), "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"),
    Preset("novelai", NovelAI(), "https://text.novelai.net/oa/v1", "NOVELAI_API_KEY"),
    # https://openrouter.ai/docs/use-cases/reasoning-tokens; usage comes unasked.
    Preset(
        "openrouter",
        OpenAIChat(Quirks(stream_usage=False, reasoning="object", replay="reasoning_details")),
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
    ),
    # https://api-docs.deepseek.com/guides/thinking_mode and .../guides/chat_prefix_completion
    Preset(
        "deepseek",
        OpenAIChat(
            Quirks(stop_cap=16, reasoning="switch_effort", replay="reasoning_content", prefill="prefix")
        ),
        "https://api.deepseek.com",
        "DEEPSEEK_API_KEY",
    ),
    # https://docs.nvidia.com/nim/large-language-models/latest/api-reference.html
    Preset(
        "nvidia",
        OpenAIChat(Quirks(reasoning="template")),
        "https://integrate.api.nvidia.com/v1",
        "NVIDIA_API_KEY",
    ),
    # https://docs.z.ai/api-reference/llm/chat-completion: one stop string only.
    Preset(
        "zai",
        OpenAIChat(Quirks(stop_cap=1, stream_usage=False, reasoning="switch", replay="reasoning_content")),
        "https://api.z.ai/api/paas/v4",
        "ZAI_API_KEY",
    ),
    # https://docs.ollama.com/api/openai-compatibility
    Preset("ollama", OpenAIChat(), "http://127.0.0.1:11434/v1"),
    # https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    Preset("llamacpp", OpenAIChat(Quirks(reasoning="template")), "http://127.0.0.1:8080/v1"),
    # https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    Preset("vllm", OpenAIChat(Quirks(reasoning="template", prefill="continue")), "http://127.0.0.1:8000/v1"),
    # https://lmstudio.ai/docs/developer/openai-compat
    Preset("lmstudio", OpenAIChat(), "http://127.0.0.1:1234/v1"),
    Preset("custom", OpenAIChat(Quirks(stream_usage=False))),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _ROWS})
