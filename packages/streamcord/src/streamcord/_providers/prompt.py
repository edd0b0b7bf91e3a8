"""What is asked of a model, in no provider's words: the conversation, the options, and who can be asked.

A `Prompt` is a value; prompts add up, so a conversation reads as it is written:

    system("You are Luna.") + user("Hello!") + assistant("Hi.") + user("Roll a die.")
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from .._events import ProviderEvent, TextDelta, ThoughtDelta, ToolCall
from .._exceptions import SettingsError
from .._settings import MAX_STOP_STRINGS, as_stop_strings

__all__ = [
    "AssistantMessage",
    "Effort",
    "Image",
    "Options",
    "Part",
    "Prompt",
    "PromptMessage",
    "Provider",
    "Text",
    "ToolResult",
    "ToolSpec",
    "UserMessage",
    "assistant",
    "check_prompt",
    "signature_for",
    "system",
    "tag_signature",
    "tool_result",
    "user",
]

Effort: TypeAlias = Literal["none", "minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str
    cache_here: bool = field(default=False, compare=False, repr=False)
    """Whether the next prompt of this conversation begins with everything up to here: it pays to cache it."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its bytes, or an address that the provider can open itself."""

    content: bytes = field(default=b"", repr=False)
    media_type: str = "image/png"
    url: str = ""

    def __post_init__(self) -> None:
        if bool(self.content) == bool(self.url):
            raise SettingsError("image", "either content or a url", "both" if self.url else "none")

    @property
    def base64(self) -> str:
        """The bytes as the APIs want them in JSON."""
        return base64.b64encode(self.content).decode("ascii")

    @property
    def address(self) -> str:
        """The url, or the bytes as a `data:` url."""
        return self.url or f"data:{self.media_type};base64,{self.base64}"


Part: TypeAlias = Text | Image


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What people say and show."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the model thought, said and asked for, in its order; signatures go back unchanged."""

    parts: tuple[Text | ThoughtDelta | ToolCall, ...]

    @classmethod
    def from_events(cls, events: Iterable[ProviderEvent]) -> AssistantMessage:
        """The message that a stream of events was; adjacent words and thoughts become one part."""
        parts: list[Text | ThoughtDelta | ToolCall] = []
        words: list[str] = []
        thought: list[ThoughtDelta] = []

        def close() -> None:
            if words:
                parts.append(Text("".join(words)))
            if thought:
                text = "".join(piece.text for piece in thought)
                parts.append(ThoughtDelta(text, thought[-1].kind, thought[-1].signature))
            words.clear()
            thought.clear()

        for event in events:
            match event:
                case TextDelta(text):
                    if thought:
                        close()
                    words.append(text)
                case ThoughtDelta(_, kind, _):
                    # A signature ends the thought that it signs.
                    if words or (thought and (thought[-1].signature or thought[-1].kind != kind)):
                        close()
                    thought.append(event)
                case ToolCall():
                    close()
                    parts.append(event)
                case _:
                    pass
        close()
        return cls(tuple(parts))


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered to the call `id`; pictures go to the model too."""

    id: str
    name: str
    parts: tuple[Part, ...]
    failed: bool = False


PromptMessage: TypeAlias = UserMessage | AssistantMessage | ToolResult


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON schema of an object."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation; `prefill` is the beginning of the answer, which the model continues."""

    messages: tuple[PromptMessage, ...] = ()
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    prefill: str = ""
    cache_key: str = ""
    """A name for all prompts of one conversation, for providers that cache; empty asks for no cache."""

    def __add__(self, other: Prompt) -> Prompt:
        return Prompt(
            self.messages + other.messages,
            "\n\n".join(text for text in (self.system, other.system) if text),
            self.tools + other.tools,
            other.prefill or self.prefill,
            other.cache_key or self.cache_key,
        )


def system(text: str) -> Prompt:
    """A prompt of instructions only."""
    return Prompt(system=text)


def user(*parts: str | Part) -> Prompt:
    """A prompt of one message from people."""
    return Prompt((UserMessage(_parts(parts)),))


def assistant(*parts: str | Text | ThoughtDelta | ToolCall) -> Prompt:
    """A prompt of one message from the model."""
    return Prompt((AssistantMessage(tuple(Text(part) if isinstance(part, str) else part for part in parts)),))


def tool_result(call: ToolCall, *parts: str | Part, failed: bool = False) -> Prompt:
    """A prompt of one tool's answer."""
    return Prompt((ToolResult(call.id, call.name, _parts(parts), failed),))


def _parts(parts: Iterable[str | Part]) -> tuple[Part, ...]:
    made = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    for part in made:
        if not isinstance(part, Text | Image):
            raise TypeError(f"a prompt is made of texts and images, not of {type(part).__name__}")
    return made


def check_prompt(prompt: object) -> Prompt:
    """The prompt itself; anything else is refused with what to write."""
    if isinstance(prompt, Prompt):
        return prompt
    advice = "user(text)" if isinstance(prompt, str) else "system(...) + user(...) + assistant(...)"
    raise TypeError(f"stream() takes a Prompt, not {type(prompt).__name__}: write provider.stream({advice})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the model shall answer; what is left out is the provider's choice."""

    model: str = ""
    """The model's name; empty is the provider's own."""
    temperature: float | None = None
    """How freely it chooses its words, from 0."""
    top_p: float | None = None
    """Which share of the likeliest words it chooses from, from 0 to 1."""
    max_tokens: int | None = None
    """How long the answer may get."""
    stop: tuple[str, ...] = ()
    """Texts at which the answer ends: up to 40 of up to 200 characters, whatever the server takes of them."""
    reasoning: Effort | None = None
    """How much it thinks first; `none` asks it not to."""
    tool_choice: str = "auto"
    """`auto`, `none`, `required`, or the name of the tool that it must call."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Merged into the request's body at last; a `None` removes a key."""

    def __post_init__(self) -> None:
        _check_range("temperature", self.temperature, 0, 100)
        _check_range("top_p", self.top_p, 0, 1)
        _check_range("max_tokens", self.max_tokens, 1, 10_000_000)
        object.__setattr__(self, "stop", as_stop_strings("stop", self.stop))
        if self.reasoning is not None and self.reasoning not in get_args(Effort):
            raise SettingsError("reasoning", " or ".join(get_args(Effort)), self.reasoning)

    def with_stops(self, texts: Iterable[str]) -> Options:
        """The same options that also end the answer at these texts, as far as the limit allows."""
        return replace(self, stop=tuple(dict.fromkeys((*self.stop, *texts)))[:MAX_STOP_STRINGS])


def _check_range(name: str, value: object, minimum: float, maximum: float) -> None:
    if value is None:
        return
    if not isinstance(value, int | float) or not minimum <= value <= maximum:  # NaN fails both
        raise SettingsError(name, f"from {minimum} to {maximum}", value)


@runtime_checkable
class Provider(Protocol):
    """Something that answers prompts: the answer is a source that raises only `ProviderError`."""

    def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        """The answer to a prompt, as it is written; closing the iterator ends the answer."""


# A signature is valid only for the provider that made it. After a fallback the conversation may go to
# another provider, so every signature is tagged with its owner, and other adapters leave it out.


def tag_signature(owner: str, signature: str) -> str:
    """A signature that says whose it is."""
    return f"{owner}:{signature}"


def signature_for(owner: str, tagged: str | None) -> str | None:
    """The signature, if it is this owner's."""
    name, _, signature = (tagged or "").partition(":")
    return signature if name == owner and signature else None
