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

from ..._events import Flush, ProviderEvent
from ..._events.message import SOURCE_EVENTS
from ..._exceptions import ProviderError
from ..apis.base import CumulativeTextDiffer
from ..apis.registry import Anthropic, OpenAIChat
from ..closing import closing
from .acp import AcpReader
from .anthropic_tools import is_tool_runner, read_tool_runner
from .chunks import ChunkReader, JsonReader, describe, openai_reader
from .errors import as_provider_error
from .langgraph import LangGraphReader, read_run
from .pydantic_ai import PydanticAIReader
from .registry import find_reader, google_reader, langchain_reader
from .smolagents import SmolagentsReader, read_in_thread
from .ui_messages import UiMessageReader
from .wire_text import WIRE_ADVICE, is_wire_text

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
    return _events(stream, openai_reader)


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
    if is_tool_runner(stream):
        return _events(read_tool_runner(stream), lambda _: JsonReader(Anthropic().decoder()))
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
    return _events(stream, google_reader)


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
    return _events(stream, langchain_reader)


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


def from_ui_messages(stream: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert a UI message stream of Vercel's AI SDK: its parts, or its lines `data: {...}`.

    Args:
        stream: The async iterator of dicts, of objects with a `type`, or of lines as text or bytes.

    Returns:
        The events of the stream; closing them closes it.

    Raises:
        TypeError: `stream` is not an async stream, or yields something else.
        ProviderError: The stream reported an error.

    Example:
        async with session.post("http://localhost:3000/api/chat", json=body) as response:
            await say(channel, from_ui_messages(response.content))

    """
    return _events(stream, lambda _: UiMessageReader(), texts=True)


def from_acp(updates: SdkStream) -> AsyncGenerator[ProviderEvent, None]:
    """Convert the updates of an agent that speaks the Agent Client Protocol.

    Args:
        updates: An async iterator of what `session_update` gets, as objects or dicts; a `PromptResponse` may end it.

    Returns:
        The events of the agent; its tools are progress.

    Raises:
        TypeError: `updates` is not an async stream, or yields something else.

    Example:
        await say(channel, from_acp(updates_of(queue)))

    """
    return _events(updates, lambda _: AcpReader())


# --- Recognising ---------------------------------------------------------------------------------------


def as_stream(source: Any) -> Any:  # noqa: ANN401 - of many kinds
    """Return the stream of an object that has or is one, although it cannot be iterated over asynchronously."""
    package = _package(source)
    if package == "agents" and callable(getattr(source, "stream_events", None)):
        return source.stream_events()
    if package == "smolagents" and inspect.isgenerator(source):
        return _events(read_in_thread(source), lambda _: SmolagentsReader())
    return source


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

    # A generator that passes events on may do something after the last one, or pass on another response.
    async with aclosing(_events(chunks(), find_reader, to_the_end=True)) as events:
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
    frame = getattr(source, "ag_frame", None) or getattr(source, "gi_frame", None)
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


async def _events(
    stream: SdkStream,
    choose: Callable[[Any], ChunkReader | None],
    *,
    to_the_end: bool = False,
    texts: bool = False,
) -> AsyncGenerator[Any, None]:
    """What a stream says; `choose` finds a reader when the first object is there.

    With `to_the_end` the stream is read until it ends by itself, and may hold several responses. With `texts` the
    reader gets texts, too.
    """
    if not hasattr(stream, "__aiter__"):
        raise TypeError(
            f"{type(stream).__qualname__} is no async stream: await the call, and use the async client"
        )
    reading = _StreamState(choose, texts=texts)
    failure: ProviderError | None = None
    try:
        async with _released(stream), closing(stream) as chunks:
            async for chunk in chunks:
                for event in reading.feed(chunk):
                    yield event
                if reading.ended and not to_the_end:
                    break
    except (ProviderError, TypeError):
        raise
    except Exception as error:
        failure = as_provider_error(error, begun=reading.begun)
    # Raised out here, since an SDK's exception holds the request and its headers: the cause is a copy of it.
    if failure is not None:
        raise failure
    for event in reading.flush():
        yield event


class _StreamState:
    """The state of one stream: its reader, which is known when the first object is there."""

    def __init__(self, choose: Callable[[Any], ChunkReader | None], *, texts: bool) -> None:
        self._choose = choose
        self._texts = texts
        self._reader: ChunkReader | None = None
        # Whether there was text or an event of ours.
        self._spoken = False
        # Whether a text was more than white space.
        self._has_words = False

    @property
    def begun(self) -> bool:
        """Whether anything has arrived."""
        return self._spoken or self._reader is not None

    @property
    def ended(self) -> bool:
        """Whether the response has ended."""
        return self._reader is not None and self._reader.ended

    def feed(self, chunk: Any) -> list[Any]:  # noqa: ANN401
        """Return what one object says."""
        if chunk is None:
            return []
        if isinstance(chunk, SOURCE_EVENTS) and not (self._texts and isinstance(chunk, str)):
            # Some helpers of SDKs give text.
            if isinstance(chunk, str) and not self._has_words:
                if is_wire_text(chunk):
                    raise TypeError(f"the stream yielded text that {WIRE_ADVICE}")
                self._has_words = bool(chunk.strip())
            self._spoken = True
            return [chunk]
        events: list[Any] = []
        if self._reader is not None and self._reader.ended:
            # The next response of the same stream begins, in a message of its own.
            events += [*self._reader.flush(), Flush()]
            self._reader = None
        self._reader = self._reader or self._choose(chunk)
        if self._reader is None:
            raise TypeError(f"the source yielded {describe(chunk)}")
        return events + self._reader.feed(chunk)

    def flush(self) -> list[ProviderEvent]:
        """Return the end of the last response."""
        if self._reader is None and self._spoken:
            return []
        return (self._reader or JsonReader(OpenAIChat().decoder())).flush()


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


def _from_langgraph(stream: Any) -> AsyncGenerator[ProviderEvent, None]:  # noqa: ANN401
    """Read a graph's stream in any mode; a run of version 3 has its messages in an attribute."""
    if hasattr(stream, "messages"):
        return _events(read_run(stream), langchain_reader)
    return _events(stream, lambda _: LangGraphReader())


_BY_PACKAGE: Mapping[str, Callable[[SdkStream], AsyncGenerator[ProviderEvent, None]]] = {
    "langgraph": _from_langgraph,
    "openai": from_openai,
    "anthropic": from_anthropic,
    "google": from_google,
    "litellm": from_litellm,
}
