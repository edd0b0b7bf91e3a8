"""Convert streams of other libraries into events, with the same API adapters as for HTTP.

    stream = await AsyncOpenAI().chat.completions.create(model=..., messages=..., stream=True)
    await say(channel, stream)                     # say() recognises it
    await say(channel, from_openai(stream))        # the same, explicitly

No library is imported: a stream is recognized by the package that defines it, else by the attributes of its
objects. SDKs end silently if the connection breaks; here that raises `Truncated`. Exceptions of an SDK become a
`ProviderError`.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeAlias

from .._events import Message, ProviderEvent, Source, TextDelta
from .._events.message import SOURCE_EVENTS
from .._exceptions import ProviderError
from .apis.base import CumulativeTextDiffer
from .apis.registry import Anthropic, Google, OpenAIChat
from .closing import closing
from .sdk_chunks import (
    ChunkReader,
    JsonReader,
    LangChainReader,
    PydanticAIReader,
    describe,
    find_reader,
    openai_reader,
)
from .sdk_errors import as_provider_error

__all__ = [
    "SdkStream",
    "drop_overlap",
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

SdkStream: TypeAlias = AsyncIterable[Any]
"""Objects of another library: of openai, anthropic, google-genai, litellm, LangChain or pydantic-ai."""


def from_openai(stream: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert a stream of the `openai` SDK: chat completions or responses, from `create` or `stream`.

    Args:
        stream: The SDK's stream, already awaited or entered.

    Returns:
        The events of the stream; closing them closes it.

    Raises:
        TypeError: `stream` is not an async stream.
        ProviderError: The SDK raised, or the stream ended early.

    Example:
        stream = await client.chat.completions.create(model=model, messages=messages, stream=True)
        await say(channel, from_openai(stream))

    """
    return _events(stream, openai_reader)


def from_litellm(stream: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert a stream of `litellm.acompletion`, which has the format of chat completions.

    Args:
        stream: The SDK's stream, already awaited or entered.

    Returns:
        The events of the stream; closing them closes it.

    Raises:
        TypeError: `stream` is not an async stream.
        ProviderError: The SDK raised, or the stream ended early.

    Example:
        stream = await litellm.acompletion(model=model, messages=messages, stream=True)
        await say(channel, from_litellm(stream))

    """
    return _events(stream, lambda _: JsonReader(OpenAIChat().decoder()))


def from_anthropic(stream: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert a stream of the `anthropic` SDK: from `create(stream=True)` or from `stream()`.

    Args:
        stream: The SDK's stream, already awaited or entered.

    Returns:
        The events of the stream; closing them closes it.

    Raises:
        TypeError: `stream` is not an async stream.
        ProviderError: The SDK raised, or the stream ended early.

    Example:
        async with client.messages.stream(model=model, max_tokens=1024, messages=messages) as stream:
            await say(channel, from_anthropic(stream))

    """
    return _events(stream, lambda _: JsonReader(Anthropic().decoder()))


def from_google(stream: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert a stream of `generate_content_stream` of the `google-genai` SDK.

    Args:
        stream: The SDK's stream, already awaited or entered.

    Returns:
        The events of the stream; closing them closes it.

    Raises:
        TypeError: `stream` is not an async stream.
        ProviderError: The SDK raised, or the stream ended early.

    Example:
        stream = await client.aio.models.generate_content_stream(model=model, contents=question)
        await say(channel, from_google(stream))

    """
    return _events(stream, lambda _: JsonReader(Google().decoder()))


def from_langchain(stream: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert the chunks of a LangChain model's `astream`, or of a graph's with `stream_mode="messages"`.

    Args:
        stream: The async iterator; it is read once.

    Returns:
        The events of the stream; closing them closes it.

    Raises:
        TypeError: `stream` is not an async stream.
        ProviderError: The SDK raised, or the stream ended early.

    Example:
        await say(channel, from_langchain(model.astream(question)))

    """
    return _events(stream, lambda _: LangChainReader())


def from_pydantic_ai(stream: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert the stream of a pydantic-ai agent: `run_stream_events`, or `stream_text()` of a run.

    Args:
        stream: The async iterator; it is read once.

    Returns:
        The events of the stream; closing them closes it.

    Raises:
        TypeError: `stream` is not an async stream.
        ProviderError: The SDK raised, or the stream ended early.

    Example:
        async with agent.run_stream(question) as run:
            await say(channel, from_pydantic_ai(run.stream_text()))

    """
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
    """What a stream says whose objects are not ours; `TypeError` if they are unknown."""
    reader = find_reader(first)
    if reader is None:
        raise TypeError(f"the source yielded {describe(first)}")

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
            if event is None:
                continue
            if isinstance(event, SOURCE_EVENTS):
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


# --- Reading -------------------------------------------------------------------------------------------


async def _new_words(stream: SdkStream) -> AsyncGenerator[Any, None]:
    """A stream of texts that each repeat the ones before, as only what is new."""
    said = CumulativeTextDiffer()
    async with closing(stream) as texts:
        async for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"the source yielded {describe(text)}")
            if new := said.feed(text):
                yield new


async def _events(stream: SdkStream, choose: Callable[[Any], ChunkReader]) -> AsyncGenerator[Any, None]:
    """What a stream says; `choose` finds a reader when the first object is there."""
    if not hasattr(stream, "__aiter__"):
        raise TypeError(
            f"{type(stream).__qualname__} is no async stream: await the call, and use the async client"
        )
    reader: ChunkReader | None = None
    spoken = False
    failure: ProviderError | None = None
    try:
        async with _released(stream), closing(stream) as chunks:
            async for chunk in chunks:
                if chunk is None:
                    continue
                if isinstance(chunk, SOURCE_EVENTS):  # some helpers of SDKs give text
                    spoken = True
                    yield chunk
                    continue
                reader = reader or choose(chunk)
                for event in reader.feed(chunk):
                    yield event
                if reader.ended:
                    break
    except (ProviderError, TypeError):
        raise
    except Exception as error:
        failure = as_provider_error(error, begun=spoken or reader is not None)
    # Raised out here, since an SDK's exception holds the request and its headers: the cause is a copy of it.
    if failure is not None:
        raise failure
    if reader is None and spoken:
        return
    for event in (reader or JsonReader(OpenAIChat().decoder())).flush():
        yield event


@asynccontextmanager
async def _released(stream: object) -> AsyncIterator[None]:
    """Close the stream itself too: the iterators of the SDKs leave its connection open."""
    try:
        yield
    finally:
        close = getattr(stream, "close", None)
        if inspect.iscoroutinefunction(close):
            await close()


# --- Who reads what -------------------------------------------------------------------------------------

_BY_PACKAGE: Mapping[str, Callable[[SdkStream], AsyncGenerator[ProviderEvent, None]]] = {
    "openai": from_openai,
    "anthropic": from_anthropic,
    "google": from_google,
    "litellm": from_litellm,
}


# --- Text that came twice ------------------------------------------------------------------------------

MIN_OVERLAP_CHARS = 8
MAX_TAIL_CHARS = 4096


async def drop_overlap(
    source: Source,
    *,
    min_chars: int = MIN_OVERLAP_CHARS,
    tail_chars: int = MAX_TAIL_CHARS,
    removed: Callable[[str], object] | None = None,
) -> AsyncIterator[str | ProviderEvent | Message]:
    """Remove text that a provider sent twice.

    A piece whose beginning repeats the end of the earlier text counts as a repetition. Intended repetition, such as
    equal rows of a table, is removed too: use this only for a provider that is known to send text twice.

    Args:
        source: The source to read.
        min_chars: The shortest repetition that is removed.
        tail_chars: How many characters of the earlier text are compared.
        removed: Called with each removed piece.

    Yields:
        The events of the source, without the repeated text.

    Example:
        await say(channel, drop_overlap(source))

    """
    recent = ""
    async with closing(source) as events:
        async for event in events:
            if not isinstance(event, str | TextDelta):
                yield event
                continue
            text = event if isinstance(event, str) else event.text
            doubled = _overlap(recent, text, min_chars)
            recent = (recent + text[doubled:])[-tail_chars:]
            if doubled and removed:
                removed(text[:doubled])
            if doubled < len(text):
                yield text[doubled:] if isinstance(event, str) else TextDelta(text[doubled:])


def _overlap(recent: str, text: str, min_chars: int) -> int:
    """The length of the longest end of `recent` that `text` begins with, if it is long enough."""
    if len(text) < min_chars:
        return 0
    start = recent.find(text[:min_chars], max(0, len(recent) - len(text)))
    while start >= 0:
        if text.startswith(recent[start:]):
            return len(recent) - start
        start = recent.find(text[:min_chars], start + 1)
    return 0
