"""Events that a provider's stream yields: text, reasoning, tool calls, pictures, sources, token usage and the end.

Every API adapter and every SDK stream is converted to these events, so nothing after it depends on a provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the visible answer.

    Args:
        text: The piece, of any length; how a stream is chunked does not change the messages.

    Example:
        async def answer():
            yield TextDelta("Hello ")
            yield TextDelta("there.")
            yield Finish()

    """

    text: str


@dataclass(frozen=True, slots=True)
class ThoughtDelta:
    """A piece of the model's reasoning; it is not shown, but collected in `TurnResult.thoughts`.

    Args:
        text: The piece.
        kind: `summary` if the provider sends a summary instead of the reasoning itself.
        signature: Opaque data that must be sent back to the model unchanged in the next request.

    Example:
        yield ThoughtDelta("The user greets me.")

    """

    text: str
    kind: Literal["raw", "summary"] = "raw"
    # Providers sign reasoning so that it cannot be changed on the way back:
    # https://platform.claude.com/docs/en/build-with-claude/extended-thinking#thinking-encryption
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request of the model to call a tool.

    `with_tools` runs the calls of a stream; without it they are in `TurnResult.tool_calls`.

    Args:
        id: The id of the call, which its result must name.
        name: The name of the tool.
        arguments: The arguments, parsed from JSON.
        signature: Opaque data that must be sent back to the model unchanged in the next request.

    Example:
        result = await say(channel, provider.stream(prompt))
        for call in result.tool_calls:
            prompt += assistant(call) + tool_result(call, run(call.name, call.arguments))

    """

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider reports them; the latest event of a stream replaces earlier ones.

    Args:
        input_tokens: Tokens of the prompt, including those that were read from a cache.
        output_tokens: Tokens of the answer, including reasoning.
        reasoning_tokens: Of the output, tokens of reasoning.
        cached_tokens: Of the input, tokens that were read from a cache.

    Example:
        result = await say(channel, source)
        if result.usage:
            print(result.usage.input_tokens, "+", result.usage.output_tokens)

    """

    # Anthropic counts cached input separately; its adapter adds it, so that all providers compare.
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class GeneratedImage:
    """A picture that the model made; it is sent as an attachment between the text.

    Args:
        content: Its bytes; empty if there is a problem.
        alt: Its description for screen readers; by default the words of the model before it.
        problem: Why it cannot be shown, as the end of the sentence "A picture of this answer ...".

    Example:
        async def answer():
            yield TextDelta("Here is a cat.")
            yield GeneratedImage(png_bytes, alt="a cat on a roof")
            yield Finish()

    """

    content: bytes = field(default=b"", repr=False)
    alt: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A source that the model names for what it says, see `TurnResult.citations` and `Settings.citations`.

    Args:
        url: The address; empty for a document that has none.
        title: The title of the page or document.
        quote: The words of the source, if the provider sends them.
        is_placed: Whether it belongs to the words directly before it; many providers name all sources at the end.

    Example:
        async def answer():
            yield TextDelta("Water boils at 100 °C.")
            yield Citation("https://example.com/water", "Water")
            yield Finish()

    """

    url: str = ""
    title: str = ""
    quote: str = ""
    is_placed: bool = False


class FinishReason(StrEnum):
    """Why the model stopped, as the provider reports it.

    Example:
        if result.finish_reason is FinishReason.LENGTH:
            await channel.send("The answer reached the token limit.")

    """

    STOP = "stop"
    """The answer is complete, or a stop sequence ended it."""
    LENGTH = "length"
    """The answer reached a limit of tokens."""
    FILTERED = "filtered"
    """A content filter of the provider ended the answer."""
    REFUSED = "refused"
    """The model declined to answer; what it wrote instead is the text of the answer."""
    TOOL_CALLS = "tool_calls"
    """The model waits for the results of its tool calls."""
    PAUSED = "paused"
    """The provider stopped before the answer was complete, and expects another request."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The terminal event of a stream.

    A stream of events that ends without one was truncated. A stream of plain text needs none.

    Args:
        reason: Why the model stopped.
        served_by: The model that answered, if the provider says so (routers such as OpenRouter do).
        stop_sequence: The stop sequence that ended the answer, if one did and the provider says which.

    Example:
        async def answer():
            yield TextDelta("Hello there.")
            yield Finish(FinishReason.STOP)

    """

    reason: FinishReason = FinishReason.STOP
    served_by: str | None = None
    stop_sequence: str = ""


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """A sign that the provider is alive although it has no output yet.

    Without one, a source that is silent for `Settings.idle_timeout` seconds is given up. `with_fallbacks` also
    reports with it the cost of attempts that a reader does not see, for programs that count tokens.

    Args:
        buffered: Bytes of output that arrived since the last event and are not yielded yet.
        failed_attempt: Whether a request has failed and another one is made; its buffered output is dropped.
        was_started: Whether the failed request had begun to answer or timed out, so that its prompt was read.
        attempt: Which request it was and how it ended, such as `main, key 2: RateLimited`.
        tool: A tool that runs now: one of the provider, such as `web_search`, or one that reports its progress.
        step: What that tool does now, such as `40 %`, for a progress line.

    Example:
        async def answer():
            yield KeepAlive()
            yield await slow_model()

    """

    buffered: int = 0
    # These three are set by `with_fallbacks` only: a provider raises its error and yields no event for it.
    failed_attempt: bool = False
    was_started: bool = False
    attempt: str = ""
    tool: str = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class Seam:
    """A place where an answer was cut off and continued, see `TurnResult.seams`.

    Args:
        how: `resumed` if the provider's own stream was taken up again, `continued` if another request continued the
            text, `restarted` if another request began the answer once more.
        reason: The class of the error that broke it off.
        by: Who continued, as it is called in `TurnResult.attempts`.
        removed: Characters that were left out after it, because they repeated the text before.
        at: Characters of text before it; set in the result.

    Example:
        for seam in result.seams:
            print(f"{seam.by} continued after {seam.at} characters ({seam.reason})")

    """

    how: Literal["resumed", "continued", "restarted"] = "continued"
    reason: str = ""
    by: str = ""
    removed: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """A place from which a provider's stream can be taken up again, also by another process.

    `Options.resumable` asks for them, `Options.resume` takes a stream up. The journal records the last one.

    Args:
        response: The provider's id of the answer.
        after: The number or id of the last event that was read.
        owner: The API and host that know the answer.
        has_deltas: Whether text came in pieces so far.
        is_counted: Whether the ids of the events are numbers without gaps.
        since: Text that was received after this place, which is not received a second time.

    Example:
        async for event in provider.stream(prompt, Options(resumable=True)):
            if isinstance(event, StreamPosition):
                last = event
        provider.stream(prompt, Options(resume=last))

    """

    response: str
    after: str
    owner: str = ""
    has_deltas: bool = False
    is_counted: bool = False
    since: str = ""


@dataclass(frozen=True, slots=True)
class Flush:
    """A place where the text so far is finished and should be sent now, for example before a slow tool.

    Text after it begins a new message. A source that pauses needs none if its text ends with a sentence or a line,
    see `Settings.idle_flush`.

    Example:
        async def answer():
            yield "Let me look."
            yield Flush()
            yield await slow_search()

    """


ProviderEvent: TypeAlias = (
    TextDelta
    | ThoughtDelta
    | ToolCall
    | GeneratedImage
    | Citation
    | Usage
    | Finish
    | KeepAlive
    | Seam
    | StreamPosition
    | Flush
)
"""Anything that a provider's stream may yield."""
