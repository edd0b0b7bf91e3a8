"""Where the known providers live, how each is spoken to, and to which addresses a secret may travel.

A local server needs no key. `key_name` is where a program may look for the key; nothing here does.
NovelAI alone speaks a dialect that nobody shares, so it stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from .._errors import Rejected, SettingsError
from .dialects import Anthropic, Dialect, Google, OpenAIChat, OpenAIResponses, Quirks
from .dialects.base import Decoder, Request, given, merge, words
from .dialects.openai import ChatReader
from .prompt import AssistantMessage, Options, Prompt, PromptMessage, Text, ToolResult

__all__ = [
    "PRESETS",
    "NovelAI",
    "Preset",
    "check_base_url",
    "check_line",
    "check_proxy",
    "is_loopback",
    "secrets_in",
]


_START = "[gMASK]<sop>"
_MARKS = ("<|system|>", "<|user|>", "<|assistant|>", "<|observation|>")
_NO_THOUGHT = "<think></think>"


@dataclass(frozen=True, slots=True)
class NovelAI:
    """NovelAI's OpenAI-compatible completions, for its GLM models; the model thinks only if asked to.

    NovelAI documents the endpoint only by example; what is known is collected at
    https://yuanhuakk.github.io/novelai-sdk-unofficial/en/text-generation/openai-compatible.html. A completion
    has no messages: the conversation is written out with the model's own role marks
    (https://huggingface.co/zai-org/GLM-4.6/blob/main/chat_template.jinja), so the model continues a prefill
    exactly where it ends. There are no tools and no pictures. No second implementation vouches for it.
    """

    max_tokens: int = 1024
    name: str = "novelai"
    key_header: tuple[str, str] = ("Authorization", "Bearer ")

    def encode(self, prompt: Prompt, options: Options) -> Request:
        """The request for this prompt."""
        if prompt.tools:
            raise Rejected(
                "NovelAI's completions cannot call tools.",
                user_message="This model cannot use tools. Leave them out or use another model.",
            )
        thinks = options.reasoning not in {None, "none"}
        stop = dict.fromkeys((*_MARKS[:2], _MARKS[3], *(() if thinks else ("</think>",)), *options.stop))
        body = given(
            model=options.model,
            prompt="".join(_written(prompt, thinks=thinks)),
            stream=True,
            max_tokens=options.max_tokens or self.max_tokens,
            temperature=options.temperature,
            top_p=options.top_p,
            stop=list(stop),
        )
        return Request("completions", merge(body, options.extra))

    def decoder(self) -> Decoder:
        """A fresh reader of one answer."""
        return Decoder(ChatReader())


def _written(prompt: Prompt, *, thinks: bool) -> Iterator[str]:
    """The conversation as the model was trained to read it."""
    hush = "" if thinks else "/nothink"
    silence = "" if thinks else f"{_NO_THOUGHT}\n"
    yield _START
    if prompt.system:
        yield f"<|system|>\n{_plain(prompt.system)}"
    for message in prompt.messages:
        yield _message(message, hush)
    yield f"<|assistant|>\n{silence}{prompt.prefill}"


def _message(message: PromptMessage, hush: str) -> str:
    if isinstance(message, AssistantMessage):
        text = "".join(part.text for part in message.parts if isinstance(part, Text))
        return f"<|assistant|>\n{_NO_THOUGHT}\n{_plain(text)}"
    if isinstance(message, ToolResult):
        return f"<|observation|>\n{_plain(words(message.parts))}"
    return f"<|user|>\n{_plain(words(message.parts))}{hush}"


def _plain(text: str) -> str:
    """Text in which nobody can speak as somebody else by writing a role mark."""
    for mark in (*_MARKS, _START):
        text = text.replace(mark, f"{mark[0]} {mark[1:]}")
    return text


# --- Known providers -----------------------------------------------------------------------------------


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
        OpenAIChat(
            Quirks(system_role="developer", length_key="max_completion_tokens", stop_cap=4, cache_key=True)
        ),
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


# --- Addresses ------------------------------------------------------------------------------------------


def check_base_url(text: str, *, allow_http: bool = False) -> SplitResult:
    """The base URL, if the secret is safe on its way there."""
    url = _split("base_url", text)
    if url.username is not None or url.password is not None:
        raise SettingsError("base_url", "without a name and password: secrets belong into key", "***")
    if url.scheme == "http" and not allow_http and not is_loopback(url.hostname or ""):
        where = f"http://{url.hostname}"
        raise SettingsError("base_url", "https, or on this machine, or allowed by allow_http", where)
    return url


def check_proxy(text: str) -> SplitResult:
    """The address of a proxy, which may hold a name and a password."""
    return _split("proxy", text)


def check_line(name: str, value: str, *, spaces: bool = False) -> None:
    """Refuse what cannot stand in a header, and do not quote it."""
    least = " " if spaces else "!"
    if not all(least <= letter <= "~" for letter in value):
        raise SettingsError(name, "visible ASCII without spaces or line breaks", "a text with others")


def secrets_in(url: SplitResult) -> list[str]:
    """What nobody should read in an address: its password, and whatever its query says."""
    password = url.password or ""
    return [password, unquote(password), *(value for _, value in parse_qsl(url.query))]


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _split(name: str, text: str) -> SplitResult:
    try:
        url = urlsplit(text)
        clean = text.isprintable() and " " not in text
        if clean and url.scheme in {"http", "https"} and url.hostname and url.port != 0:
            return url
    except ValueError:
        pass
    raise SettingsError(name, "an address like https://host/v1", "something else" if text else "nothing")
