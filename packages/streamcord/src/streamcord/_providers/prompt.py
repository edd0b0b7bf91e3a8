"""Prompts and options that do not depend on a provider, and the `Provider` protocol.

A `Prompt` is a value; prompts add up, so a conversation reads as it is written:

    system("You are Luna.") + user("Hello!") + assistant("Hi.") + user("Roll a die.")
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from .._events import ProviderEvent, StreamPosition, TextDelta, ThoughtDelta, ToolCall
from .._exceptions import SettingsError
from .._settings import MAX_STOP_STRINGS, as_stop_strings

AfterFailure: TypeAlias = Literal["continue", "restart", "stop"]
"""What happens when an answer is cut off."""
Effort: TypeAlias = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text in a prompt.

    Example:
        user(Text(long_document, cache_here=True), "Summarize this.")

    """

    text: str
    cache_here: bool = field(default=False, compare=False, repr=False)
    """Whether the next prompt of this conversation starts with everything up to here, so that caching it pays."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image: its bytes, or a URL that the provider can open itself.

    Raises:
        SettingsError: Neither or both of `content` and `url` are set.

    Example:
        user("What is this?", Image(png_bytes))

    """

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


@dataclass(frozen=True, slots=True)
class File:
    """A document, a recording or a video; a provider that cannot read its kind gets a line that says so.

    Args:
        content: Its bytes.
        media_type: Its kind, such as `application/pdf` or `audio/ogg`.
        name: Its name, which the model sees.

    Example:
        user("Summarize this.", File(pdf_bytes, "application/pdf", "report.pdf"))

    """

    content: bytes = field(repr=False)
    media_type: str
    name: str = "file"

    @property
    def base64(self) -> str:
        """The bytes as the APIs want them in JSON."""
        return base64.b64encode(self.content).decode("ascii")

    @property
    def address(self) -> str:
        """The bytes as a `data:` url."""
        return f"data:{self.media_type};base64,{self.base64}"

    @property
    def as_text(self) -> str:
        """The line for a model that cannot read it."""
        return f"[file {self.name}: it cannot be read]"


Part: TypeAlias = Text | Image | File


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user.

    Example:
        Prompt(messages=(UserMessage((Text("Hello!"),)),))  # the same as user("Hello!")

    """

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """A message of the model: text, reasoning and tool calls in order; signatures are sent back unchanged.

    Example:
        events = [event async for event in provider.stream(prompt)]
        prompt += Prompt((AssistantMessage.from_events(events),))

    """

    parts: tuple[Text | ThoughtDelta | ToolCall, ...]

    @classmethod
    def from_events(cls, events: Iterable[ProviderEvent]) -> AssistantMessage:
        """Build the message from the events of a stream; adjacent text and reasoning are joined.

        Blank text is left out: models often write a newline before a tool call, and Anthropic refuses such
        a block ("text content blocks must contain non-whitespace text").
        """
        parts: list[Text | ThoughtDelta | ToolCall] = []
        words: list[str] = []
        thought: list[ThoughtDelta] = []

        def close() -> None:
            if (text := "".join(words)).strip():
                parts.append(Text(text))
            if thought:
                reasoning = "".join(piece.text for piece in thought)
                parts.append(ThoughtDelta(reasoning, thought[-1].kind, thought[-1].signature))
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
    """The result of a tool call; `id` is the id of the call.

    Example:
        ToolResult(call.id, call.name, (Text("17"),))

    """

    id: str
    name: str
    parts: tuple[Part, ...]
    failed: bool = False


PromptMessage: TypeAlias = UserMessage | AssistantMessage | ToolResult


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON schema of an object.

    Example:
        ToolSpec("roll", "Roll a die.", {"type": "object", "properties": {"sides": {"type": "integer"}}})

    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation. Prompts can be added to each other.

    Example:
        prompt = system("You are Luna.") + user("Hello!") + assistant("Hi.") + user("Roll a die.")

    """

    messages: tuple[PromptMessage, ...] = ()
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    prefill: str = ""
    """The beginning of the answer, which the model continues."""
    cache_key: str = ""
    """A name for all prompts of one conversation, for providers that cache; empty for no cache."""

    def __add__(self, other: Prompt) -> Prompt:
        return Prompt(
            self.messages + other.messages,
            "\n\n".join(text for text in (self.system, other.system) if text),
            self.tools + other.tools,
            other.prefill or self.prefill,
            other.cache_key or self.cache_key,
        )


def system(text: str) -> Prompt:
    """Return a prompt with instructions for the model.

    Args:
        text: The instructions.

    Example:
        prompt = system("You are Luna.") + user("Hello!")

    """
    return Prompt(system=text)


def user(*parts: str | Part) -> Prompt:
    """Return a prompt with one message of the user, made of texts, images and files.

    Args:
        *parts: The texts, images and files of the message, in order.

    Raises:
        TypeError: A part is neither a text nor an image nor a file.

    Example:
        provider.stream(user("What is this?", Image(png_bytes)))

    """
    return Prompt((UserMessage(_parts(parts)),))


def assistant(*parts: str | Text | ThoughtDelta | ToolCall) -> Prompt:
    """Return a prompt with one earlier message of the model.

    Args:
        *parts: The texts, thoughts and tool calls of the message, in order.

    Example:
        user("Hello!") + assistant("Hi.") + user("How are you?")

    """
    return Prompt((AssistantMessage(tuple(Text(part) if isinstance(part, str) else part for part in parts)),))


def tool_result(call: ToolCall, *parts: str | Part, failed: bool = False) -> Prompt:
    """Return a prompt with the result of a tool call.

    Args:
        call: The call that the model made.
        parts: The result, as texts and images.
        failed: Whether the tool failed.

    Example:
        prompt += assistant(call) + tool_result(call, "6")

    """
    return Prompt((ToolResult(call.id, call.name, _parts(parts), failed),))


def _parts(parts: Iterable[str | Part]) -> tuple[Part, ...]:
    made = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    for part in made:
        if not isinstance(part, Text | Image | File):
            raise TypeError(f"a prompt is made of texts, images and files, not of {type(part).__name__}")
    return made


def check_prompt(prompt: object) -> Prompt:
    """Return the prompt.

    Raises:
        TypeError: It is not a `Prompt`; the message says what to write.

    """
    if isinstance(prompt, Prompt):
        return prompt
    advice = "user(text)" if isinstance(prompt, str) else "system(...) + user(...) + assistant(...)"
    raise TypeError(f"stream() takes a Prompt, not {type(prompt).__name__}: write provider.stream({advice})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Parameters of a request; unset ones are left to the provider.

    Raises:
        SettingsError: A value is out of range.

    Example:
        provider.stream(prompt, Options(temperature=0.7, max_tokens=500, reasoning="low"))

    """

    model: str = ""
    """The model's name; empty for the provider's default."""
    temperature: float | None = None
    """Sampling temperature, from 0."""
    top_p: float | None = None
    """Nucleus sampling, from 0 to 1."""
    max_tokens: int | None = None
    """The longest answer, in tokens; what thoughts may take is added for models that count them."""
    stop: tuple[str, ...] = ()
    """Stop sequences: up to 40 of up to 200 characters, also if the server supports fewer."""
    reasoning: Effort | None = None
    """How much the model reasons first; `none` turns reasoning off where possible."""
    tool_choice: str = "auto"
    """`auto`, `none`, `required`, or the name of the tool that the model must call."""
    server_tools: tuple[Mapping[str, Any], ...] = ()
    """Tools that the provider runs itself, such as `{"type": "web_search"}`, as its documents write them."""
    after_failure: AfterFailure | None = None
    """What `with_fallbacks` does when the answer is cut off: `continue`, `restart` or `stop`; unset as it was told."""
    resumable: bool = False
    """Whether the provider keeps the answer for some minutes, so that a broken stream can be taken up again; it then
    stores the conversation for that time."""
    resume: StreamPosition | None = None
    """The place at which a stream is taken up again, instead of a new answer."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Merged into the request body last; a `None` removes a key."""

    def __post_init__(self) -> None:
        _check_range("temperature", self.temperature, 0, 100)
        _check_range("top_p", self.top_p, 0, 1)
        _check_range("max_tokens", self.max_tokens, 1, 10_000_000)
        object.__setattr__(self, "stop", as_stop_strings("stop", self.stop))
        tools: object = self.server_tools  # may come from a file
        if not isinstance(tools, list | tuple) or not all(isinstance(one, Mapping) for one in tools):
            raise SettingsError("server_tools", 'a list of tables such as { type = "web_search" }', tools)
        object.__setattr__(self, "server_tools", tuple(tools))
        if self.reasoning is not None and self.reasoning not in get_args(Effort):
            raise SettingsError("reasoning", " or ".join(get_args(Effort)), self.reasoning)
        if self.after_failure is not None and self.after_failure not in get_args(AfterFailure):
            raise SettingsError("after_failure", " or ".join(get_args(AfterFailure)), self.after_failure)

    def with_stops(self, texts: Iterable[str]) -> Options:
        """Return the options with more stop sequences, up to the limit of 40."""
        return replace(self, stop=tuple(dict.fromkeys((*self.stop, *texts)))[:MAX_STOP_STRINGS])


def _check_range(name: str, value: object, minimum: float, maximum: float) -> None:
    if value is None:
        return
    if not isinstance(value, int | float) or not minimum <= value <= maximum:  # NaN fails both
        raise SettingsError(name, f"from {minimum} to {maximum}", value)


@runtime_checkable
class Provider(Protocol):
    """Protocol: answers prompts.

    Example:
        class Echo:
            async def stream(self, prompt, options=None, /):
                yield TextDelta("Hello!")
                yield Finish()

    """

    def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        """Stream the answer to a prompt; closing the iterator ends the request.

        Raises:
            ProviderError: The only exception that the iterator may raise.

        """


def prefill_as_instruction(prompt: Prompt) -> Prompt:
    """Return a prompt for a model that refuses a prefill: it is told how to begin instead."""
    told = f"Begin your answer with exactly this text, and continue it without a comment:\n{prompt.prefill}"
    return replace(prompt, system="\n\n".join(filter(None, (prompt.system, told))), prefill="")


# A signature is valid only for the provider that made it. After a fallback the conversation may go to
# another provider, so every signature is tagged with its owner, and other adapters leave it out.


def tag_signature(owner: str, signature: str) -> str:
    """Return a signature with the name of its owner in front."""
    return f"{owner}:{signature}"


def signature_for(owner: str, tagged: str | None) -> str | None:
    """Return the signature if it belongs to this owner."""
    name, _, signature = (tagged or "").partition(":")
    return signature if name == owner and signature else None
