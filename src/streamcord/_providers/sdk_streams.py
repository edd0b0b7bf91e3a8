"""Streams of other libraries: their objects become our events, by the same dialects.

    stream = await AsyncOpenAI().chat.completions.create(model=..., messages=..., stream=True)
    await say(channel, stream)                     # say() recognises it
    await say(channel, from_openai(stream))        # the same, said aloud

No library is imported: a stream is known by the package that made it, else by the shape of its objects. SDKs
end quietly when a stream breaks off; here that is `Truncated`, as everywhere. What an SDK raises becomes a
`ProviderError`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import astuple
from typing import Any, Protocol, TypeAlias

from .._errors import Overloaded, ProviderError
from .._events import (
    Finish,
    FinishReason,
    KeepAlive,
    Message,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .closing import closing
from .dialects import Anthropic, Decoder, Google, OpenAIChat, OpenAIResponses
from .dialects.base import KEEP_ALIVE, Suffix, as_map, as_text, count, maps, truncated
from .dialects.calls import CallAssembler
from .provider_errors import Complaint, find_complaint, to_error
from .sse import ServerEvent

__all__ = [
    "OWN_EVENTS",
    "ForeignStream",
    "from_anthropic",
    "from_google",
    "from_langchain",
    "from_litellm",
    "from_openai",
    "from_pydantic_ai",
    "read_chunks",
    "recognize",
    "translate",
]

ForeignStream: TypeAlias = AsyncIterable[Any]
"""Objects of another library: of openai, anthropic, google-genai, litellm, LangChain or pydantic-ai."""

OWN_EVENTS = (str, TextDelta, ThoughtDelta, ToolCall, Usage, Finish, KeepAlive, Message)
"""What a source may say without anybody's help."""

# How SDKs and the HTTP libraries below them call a connection that is lost.
_LOST = ("Connection", "Timeout", "ReadError", "Protocol", "Disconnected", "Payload", "IncompleteRead")


def from_openai(stream: ForeignStream) -> AsyncGenerator[ProviderEvent, None]:
    """Read a stream of the `openai` SDK: of chat completions or responses, by `create` or by `stream`."""
    return _events(stream, _openai_reader)


def from_litellm(stream: ForeignStream) -> AsyncGenerator[ProviderEvent, None]:
    """Read a stream of `litellm.acompletion`, which looks like one of chat completions."""
    return _events(stream, lambda _: _Json(OpenAIChat().decoder()))


def from_anthropic(stream: ForeignStream) -> AsyncGenerator[ProviderEvent, None]:
    """Read a stream of the `anthropic` SDK: of `create(stream=True)`, or what `stream()` opens."""
    return _events(stream, lambda _: _Json(Anthropic().decoder()))


def from_google(stream: ForeignStream) -> AsyncGenerator[ProviderEvent, None]:
    """Read a stream of the `google-genai` SDK's `generate_content_stream`."""
    return _events(stream, lambda _: _Json(Google().decoder()))


def from_langchain(stream: ForeignStream) -> AsyncGenerator[ProviderEvent, None]:
    """Read the chunks of a LangChain model's `astream`, or of a graph's with `stream_mode="messages"`."""
    return _events(stream, lambda _: LangChainReader())


def from_pydantic_ai(stream: ForeignStream) -> AsyncGenerator[ProviderEvent, None]:
    """Read a pydantic-ai agent: its `run_stream_events`, or `stream_text()` of a run, cumulative or not."""
    if _is_cumulative(stream):
        return _new_words(stream)
    return _events(stream, lambda _: PydanticAIReader())


# --- Recognising ---------------------------------------------------------------------------------------


def recognize(source: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """The source's iterator, already translated if another library is known to have made it."""
    if adapt := _BY_PACKAGE.get(_package(source)):
        return adapt(source)
    return _new_words(source) if _is_cumulative(source) else aiter(source)


async def read_chunks(first: object, rest: AsyncIterator[Any]) -> AsyncGenerator[ProviderEvent, None]:
    """What a stream says whose objects are not ours; `TypeError` if nobody knows what they are."""
    reader = _find_reader(first)
    if reader is None:
        raise TypeError(f"the source yielded {_described(first)}")

    async def chunks() -> AsyncIterator[Any]:
        yield first
        async for chunk in rest:
            yield chunk

    async with aclosing(_events(chunks(), lambda _: reader)) as events:
        async for event in events:
            yield event


async def translate(stream: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
    """The stream with every object as an event of ours, for those who look at words before the turn does."""
    async with closing(stream) as events:
        async for event in events:
            if isinstance(event, OWN_EVENTS):
                yield event
                continue
            async with aclosing(read_chunks(event, stream)) as known:
                async for one in known:
                    yield one


def _package(source: object) -> str:
    """The package that a stream comes from; a generator is of the package in whose code it runs."""
    frame = getattr(source, "ag_frame", None)
    module = frame.f_globals.get("__name__", "") if frame else type(source).__module__
    return str(module).partition(".")[0]


def _is_cumulative(source: object) -> bool:
    """Whether it is pydantic-ai's `stream_text()`, which repeats the whole text unless `delta` is set."""
    frame = getattr(source, "ag_frame", None)
    if frame is None or _package(source) != "pydantic_ai":
        return False
    return getattr(source, "__name__", "") in {"stream_text", "stream_output"} and not frame.f_locals.get(
        "delta"
    )


def _find_reader(chunk: object) -> ChunkReader | None:
    """Who can read this object, by what it has; dicts could be anything, so they are not guessed at."""
    chunk = chunk[0] if isinstance(chunk, tuple) and chunk else chunk
    return next((make(chunk) for fits, make in _SHAPES if fits(chunk)), None)


def _kind(chunk: object) -> str:
    return as_text(getattr(chunk, "type", ""))


def _described(event: object) -> str:
    """What a source yielded that nobody can read, and what to write in its place."""
    name = f"{type(event).__module__}.{type(event).__qualname__}".removeprefix("builtins.")
    for kinds, advice in _ADVICE:
        if isinstance(event, kinds):
            return f"{name}: {advice}"
    return (
        f"{name}, which is neither text nor an event: yield str, or wrap the SDK's stream (from_openai, "
        "from_anthropic, from_google, from_litellm, from_langchain, from_pydantic_ai in streamcord.providers)"
    )


_ADVICE: tuple[tuple[Any, str], ...] = (
    (bytes | bytearray | memoryview, "decode it first (str is what a source yields)"),
    (dict, "wrap the stream that it comes from, for example `say(channel, from_openai(stream))`"),
    (type(None), 'leave it out, or yield "" for nothing'),
    (int | float | complex, "yield str(number)"),
    (BaseException, "raise it instead of yielding it"),
    (Awaitable, "await it before it is yielded"),
    (list | tuple | set, "yield its items one by one"),
)
_ANTHROPIC_EVENTS = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop"}
    | {"message_delta", "message_stop", "ping", "text", "thinking", "input_json"}
)


# --- Reading -------------------------------------------------------------------------------------------


class ChunkReader(Protocol):
    """Turns the objects of one stream into events."""

    @property
    def ended(self) -> bool:
        """Whether reading on is of no use."""

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """What one object says."""

    def flush(self) -> list[ProviderEvent]:
        """The terminal event; raises why there is none."""


class _Json:
    """Objects of an SDK that mirrors an API: they are asked for their JSON, which a dialect reads."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder

    @property
    def ended(self) -> bool:
        return self._decoder.ended

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        values = _values(chunk)
        return self._decoder.feed(ServerEvent(str(values.get("type", "message")), json.dumps(values)))

    def flush(self) -> list[ProviderEvent]:
        return self._decoder.flush()


class _ChatEvents(_Json):
    """What `client.chat.completions.stream()` opens: every chunk as it came, and much that repeats it."""

    def __init__(self) -> None:
        super().__init__(OpenAIChat().decoder())

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        return super().feed(chunk.chunk) if hasattr(chunk, "chunk") else [KEEP_ALIVE]


class LangChainReader:
    """Reads `AIMessageChunk`s, alone or with their metadata; not every integration says how it ended."""

    ended = False

    def __init__(self) -> None:
        self._calls = CallAssembler()
        self._usage = Usage()
        self._reason = FinishReason.STOP

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """What one object says; messages of people and tools are not the model's words."""
        chunk = chunk[0] if isinstance(chunk, tuple) else chunk
        if getattr(chunk, "type", "") not in {"ai", "AIMessageChunk"}:
            return [KEEP_ALIVE]
        out: list[ProviderEvent] = []
        if thought := as_text(as_map(chunk.additional_kwargs).get("reasoning_content")):
            out.append(ThoughtDelta(thought))
        blocks = chunk.content if isinstance(chunk.content, list) else [chunk.content]
        out += [said for block in blocks if (said := _block(block))]
        for piece in getattr(chunk, "tool_call_chunks", None) or ():
            self._calls.feed(
                index=piece.get("index"),
                id=piece.get("id") or "",
                name=piece.get("name") or "",
                arguments=piece.get("args"),
            )
        metadata = as_map(chunk.response_metadata)
        reason = next((metadata[key] for key in _LANGCHAIN_REASONS if metadata.get(key)), "")
        self._reason = _FINISHES.get(str(reason).lower(), self._reason)
        return out + self._count(as_map(getattr(chunk, "usage_metadata", None)))

    def flush(self) -> list[ProviderEvent]:
        """The calls, and the end."""
        calls = self._calls.flush()
        return [*calls, Finish(FinishReason.TOOL_CALLS if calls else self._reason)]

    def _count(self, usage: Mapping[str, Any]) -> list[ProviderEvent]:
        """The usage of chunks adds up."""
        if not usage:
            return []
        new = (
            count(usage, "input_tokens"),
            count(usage, "output_tokens"),
            count(usage, "output_token_details.reasoning"),
            count(usage, "input_token_details.cache_read"),
        )
        self._usage = Usage(*(old + more for old, more in zip(astuple(self._usage), new, strict=True)))
        return [self._usage]


_LANGCHAIN_REASONS = ("finish_reason", "stop_reason", "done_reason")
_FINISHES: Mapping[str, FinishReason] = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    "refusal": FinishReason.FILTERED,
    "safety": FinishReason.FILTERED,
}


def _block(block: object) -> ProviderEvent | None:
    """What a block of a message's content says: words, or thoughts under the names of several makers."""
    if isinstance(block, str):
        return TextDelta(block) if block else None
    values = as_map(block)
    if text := as_text(values.get("text")):
        return TextDelta(text)
    summary = "".join(as_text(part.get("text")) for part in maps(values.get("summary")))
    thought = as_text(values.get("thinking")) or as_text(values.get("reasoning")) or summary
    return ThoughtDelta(thought) if thought else None


class PydanticAIReader:
    """Reads the events of an agent's run; the agent runs its tools itself."""

    ended = False

    def __init__(self) -> None:
        self._usage: list[ProviderEvent] = []

    def feed(self, chunk: Any) -> list[ProviderEvent]:  # noqa: ANN401
        """What one event says."""
        match chunk.event_kind:
            case "part_start":
                return _part(chunk.part, "content")
            case "part_delta":
                return _part(chunk.delta, "content_delta")
            case "function_tool_call":
                call = chunk.part
                return [ToolCall(call.tool_call_id, call.tool_name, call.args_as_dict())]
            case "agent_run_result":
                usage = chunk.result.usage
                counted = usage() if callable(usage) else usage
                self._usage = [Usage(counted.input_tokens or 0, counted.output_tokens or 0)]
        return [KEEP_ALIVE]

    def flush(self) -> list[ProviderEvent]:
        """The end."""
        return [*self._usage, Finish()]


def _part(part: Any, field: str) -> list[ProviderEvent]:  # noqa: ANN401
    kind = getattr(part, "part_kind", None) or getattr(part, "part_delta_kind", "")
    text = getattr(part, field, "")
    if kind not in {"text", "thinking"} or not isinstance(text, str) or not text:
        return [KEEP_ALIVE]
    return [TextDelta(text) if kind == "text" else ThoughtDelta(text)]


async def _new_words(stream: ForeignStream) -> AsyncGenerator[Any, None]:
    """A stream of texts that each repeat the ones before, as only what is new."""
    said = Suffix()
    async with closing(stream) as texts:
        async for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"the source yielded {_described(text)}")
            if new := said.feed(text):
                yield new


async def _events(
    stream: ForeignStream, choose: Callable[[Any], ChunkReader]
) -> AsyncGenerator[ProviderEvent, None]:
    """What a stream says; `choose` finds a reader when the first object is there."""
    if not hasattr(stream, "__aiter__"):
        raise TypeError(
            f"{type(stream).__qualname__} is no async stream: await the call, and use the async client"
        )
    reader: ChunkReader | None = None
    failure: ProviderError | None = None
    try:
        async with closing(stream) as chunks:
            async for chunk in chunks:
                reader = reader or choose(chunk)
                for event in reader.feed(chunk):
                    yield event
                if reader.ended:
                    break
    except (ProviderError, TypeError):
        raise
    except Exception as error:
        failure = _as_error(error, begun=reader is not None)
    # Raised out here, since an SDK's exception holds the request and its headers.
    if failure is not None:
        raise failure
    for event in (reader or _Json(OpenAIChat().decoder())).flush():
        yield event


def _openai_reader(first: Any) -> ChunkReader:  # noqa: ANN401
    """All kinds of streams come from the same SDK: of chunks, of responses' events, of a helper's events."""
    if hasattr(first, "chunk"):
        return _ChatEvents()
    values = _values(first)
    named = isinstance(values.get("type"), str) and "choices" not in values
    return _Json((OpenAIResponses() if named else OpenAIChat()).decoder())


def _values(chunk: object) -> dict[str, Any]:
    """The JSON of an SDK's object: a pydantic model, or a plain dict."""
    if isinstance(chunk, dict):
        return chunk
    dump = getattr(chunk, "model_dump", None)
    if dump is None:
        raise TypeError(f"the stream yielded {_described(chunk)}")
    values: dict[str, Any] = dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
    return values


def _as_error(error: Exception, *, begun: bool) -> ProviderError:
    """Our error for one of an SDK's, by its status or its name; `begun` if the answer was on its way."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    # An error in a stream that began well has the status of the beginning.
    number = status if isinstance(status, int) and status >= 400 else None
    name = type(error).__name__
    body = getattr(error, "body", None)
    if complaint := find_complaint(body) or find_complaint({"error": body}):
        return to_error(complaint, number)
    if number is not None or not (isinstance(error, OSError) or any(word in name for word in _LOST)):
        return to_error(Complaint(f"{name}: {error}"), number)
    if not begun:
        advice = "The provider cannot be reached. Try again in a moment."
        return Overloaded(f"The connection broke ({name}).", user_message=advice)
    failure = truncated(f"The connection broke ({name}) before the answer was complete.")
    if "Timeout" in name:
        failure.__cause__ = TimeoutError(name)
    return failure


# --- Who reads what -------------------------------------------------------------------------------------

_BY_PACKAGE: Mapping[str, Callable[[ForeignStream], AsyncGenerator[ProviderEvent, None]]] = {
    "openai": from_openai,
    "anthropic": from_anthropic,
    "google": from_google,
    "litellm": from_litellm,
}
# The first shape that fits; the rows below the first two are of SDKs whose objects know their JSON.
_SHAPES: tuple[tuple[Callable[[Any], bool], Callable[[Any], ChunkReader | None]], ...] = (
    (lambda it: isinstance(getattr(it, "event_kind", None), str), lambda _: PydanticAIReader()),
    (lambda it: hasattr(it, "response_metadata") and hasattr(it, "content"), lambda _: LangChainReader()),
    (lambda it: not hasattr(it, "model_dump"), lambda _: None),
    (lambda it: hasattr(it, "choices") or hasattr(it, "chunk"), _openai_reader),
    (lambda it: hasattr(it, "candidates"), lambda _: _Json(Google().decoder())),
    (lambda it: _kind(it).startswith("response."), lambda _: _Json(OpenAIResponses().decoder())),
    (lambda it: _kind(it) in _ANTHROPIC_EVENTS, lambda _: _Json(Anthropic().decoder())),
)
