"""Known providers: their addresses, API adapters and the names of their key variables.

A local server needs no key. `key_name` is the environment variable in which a program may look for the key;
nothing here reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .apis.base import PDF
from .apis.novelai import NovelAI
from .apis.registry import (
    Anthropic,
    ApiAdapter,
    Google,
    GoogleInteractions,
    OpenAIChat,
    OpenAIResponses,
    Quirks,
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A provider: its name, its API adapter, its base URL, and the environment variable of its key.

    Example:
        HttpProvider(PRESETS["openrouter"], key=key, model="qwen/qwen3")

    """

    name: str
    api: ApiAdapter
    base_url: str = ""
    key_name: str = ""
    reads: tuple[str, ...] = ()
    """Beginnings of the kinds of files that its models read: `application/pdf`, `audio/`, ..."""


_PDF = (PDF,)
_GOOGLE = (PDF, "audio/", "video/")

_ROWS = (
    Preset(
        "openai",
        OpenAIChat(
            Quirks(
                system_role="developer",
                length_key="max_completion_tokens",
                stop_cap=4,
                cache_key=True,
                files=True,
            )
        ),
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        _PDF,
    ),
    Preset("openai-responses", OpenAIResponses(), "https://api.openai.com/v1", "OPENAI_API_KEY", _PDF),
    Preset("anthropic", Anthropic(), "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", _PDF),
    Preset("google", Google(), "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", _GOOGLE),
    Preset(
        "google-interactions",
        GoogleInteractions(),
        "https://generativelanguage.googleapis.com/v1beta",
        "GEMINI_API_KEY",
        _GOOGLE,
    ),
    Preset("novelai", NovelAI(), "https://text.novelai.net/oa/v1", "NOVELAI_API_KEY"),
    # https://openrouter.ai/docs/use-cases/reasoning-tokens; usage comes unasked.
    Preset(
        "openrouter",
        OpenAIChat(Quirks(stream_usage=False, reasoning="object", replay="reasoning_details", files=True)),
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        _PDF,
    ),
    # https://api-docs.deepseek.com/guides/thinking_mode and .../guides/chat_prefix_completion
    Preset(
        "deepseek",
        OpenAIChat(
            Quirks(stop_cap=16, reasoning="switch_effort", replay="reasoning_content", prefill="beta_prefix")
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
    # https://docs.mistral.ai/api/endpoint/chat: usage comes unasked, and unknown parameters are refused.
    Preset(
        "mistral",
        OpenAIChat(Quirks(stream_usage=False, prefill="prefix")),
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
    ),
    # https://console.groq.com/docs/api-reference#chat-create
    Preset(
        "groq",
        OpenAIChat(Quirks(length_key="max_completion_tokens", stop_cap=4)),
        "https://api.groq.com/openai/v1",
        "GROQ_API_KEY",
    ),
    # https://docs.x.ai/developers/model-capabilities/text/best-practices: chat completions are deprecated.
    Preset("xai", OpenAIResponses(), "https://api.x.ai/v1", "XAI_API_KEY"),
    # https://docs.ollama.com/api/openai-compatibility
    Preset("ollama", OpenAIChat(), "http://127.0.0.1:11434/v1"),
    # https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    Preset("llamacpp", OpenAIChat(Quirks(reasoning="template")), "http://127.0.0.1:8080/v1"),
    # https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    Preset("vllm", OpenAIChat(Quirks(reasoning="template", prefill="continue")), "http://127.0.0.1:8000/v1"),
    # https://lmstudio.ai/docs/developer/openai-compat
    Preset("lmstudio", OpenAIChat(), "http://127.0.0.1:1234/v1"),
    # A server that refuses to be asked for usage is asked without it.
    Preset("custom", OpenAIChat()),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _ROWS})
