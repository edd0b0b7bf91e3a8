"""Streams of SDKs: objects that give their JSON, as pydantic models do, made from the fixtures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from providers.loopback import Wire, refusing, serving, streaming, wired
from providers.streams import decoded, frames, whole
from streamcord import Degree, Ending, FinishReason, Settings, TextDelta, say
from streamcord._events import KeepAlive, ProviderEvent
from streamcord._exceptions import Overloaded, ProviderError, RateLimited, RequestRejected, Truncated
from streamcord._providers.apis.base import ServerEvent
from streamcord._providers.apis.registry import Anthropic, ApiAdapter, Google, OpenAIChat, OpenAIResponses
from streamcord.providers import from_anthropic, from_google, from_litellm, from_openai
from streamcord.testing import FakeChannel

pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")  # google-genai

FIXTURES = Path(__file__).parent / "fixtures"
Adapter = Callable[[AsyncIterator[Any]], AsyncIterator[ProviderEvent]]


class Chunk:
    """What an SDK gives: an object with its JSON in it."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    def model_dump(self, *, mode: str, by_alias: bool, exclude_none: bool, warnings: bool) -> dict[str, Any]:
        assert (mode, by_alias) == ("json", True)
        return {key: value for key, value in self.values.items() if value is not None or not exclude_none}


def content(name: str) -> bytes:
    return (FIXTURES / f"{name}.sse").read_bytes()


async def objects(name: str, error: Exception | None = None) -> AsyncIterator[Chunk]:
    """A fixture as an SDK would hand it out: without the end mark, and quiet about a missing end."""
    for frame in frames([content(name)]):
        if isinstance(frame, ServerEvent) and frame.data != "[DONE]":
            yield Chunk(json.loads(frame.data))
    if error:
        raise error


async def collect(source: AsyncIterator[ProviderEvent]) -> list[ProviderEvent]:
    return [event async for event in source]


def spoken(events: list[ProviderEvent]) -> list[ProviderEvent]:
    return [event for event in events if not isinstance(event, KeepAlive)]


CASES: list[tuple[str, Adapter, ApiAdapter]] = [
    ("openai/text", from_openai, OpenAIChat()),
    ("openai/parallel_tools", from_openai, OpenAIChat()),
    ("openai/length", from_openai, OpenAIChat()),
    ("openai/vllm_reasoning", from_litellm, OpenAIChat()),
    ("openai/parallel_tools", from_litellm, OpenAIChat()),
    ("openai-responses/text", from_openai, OpenAIResponses()),
    ("openai-responses/tools", from_openai, OpenAIResponses()),
    ("openai-responses/reasoning", from_openai, OpenAIResponses()),
    ("anthropic/text", from_anthropic, Anthropic()),
    ("anthropic/thinking", from_anthropic, Anthropic()),
    ("anthropic/tool_use", from_anthropic, Anthropic()),
    ("google/text", from_google, Google()),
    ("google/thoughts_and_calls", from_google, Google()),
]


@pytest.mark.parametrize(("name", "adapt", "dialect"), CASES)
async def test_an_sdks_stream_says_what_its_bytes_say(name: str, adapt: Adapter, dialect: ApiAdapter) -> None:
    expected, error = decoded(dialect.decoder(), whole(content(name)))

    assert error is None
    assert spoken(await collect(adapt(objects(name)))) == spoken(expected)


@pytest.mark.parametrize(
    ("name", "adapt"),
    [
        ("openai/truncated", from_openai),
        ("openai-responses/truncated", from_openai),
        ("anthropic/truncated", from_anthropic),
        ("google/truncated", from_google),
    ],
)
async def test_a_quiet_end_is_noticed(name: str, adapt: Adapter) -> None:
    channel = FakeChannel()

    with pytest.raises(Truncated) as caught:
        await say(channel, adapt(objects(name)))

    assert channel.texts
    assert caught.value.result is not None
    assert caught.value.result.ending is Ending.TRUNCATED


async def test_nothing_at_all_is_truncated_too() -> None:
    async def nothing() -> AsyncIterator[Chunk]:
        return
        yield

    with pytest.raises(Truncated):
        await collect(from_openai(nothing()))


async def test_plain_dicts_are_fine() -> None:
    async def dicts() -> AsyncIterator[dict[str, Any]]:
        async for chunk in objects("openai/text"):
            yield chunk.values

    expected, _ = decoded(OpenAIChat().decoder(), whole(content("openai/text")))
    assert spoken(await collect(from_litellm(dicts()))) == spoken(expected)


class APIStatusError(Exception):
    def __init__(self, message: str, status_code: int) -> None:
        super().__init__(message)
        self.status_code = status_code


class APIError(Exception):
    """Raised in the middle of a stream, with the server's own words."""

    def __init__(self, body: dict[str, Any], status_code: int | None = None) -> None:
        super().__init__("see the body")
        self.body = body
        self.status_code = status_code


class APIConnectionError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (APIStatusError("slow down", 429), RateLimited),
        (APIStatusError("bad key", 401), RequestRejected),
        (APIStatusError("oops", 503), Overloaded),
        (APIError({"type": "server_error", "message": "oops"}), Overloaded),
        (APIError({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, 200), Overloaded),
        (APIConnectionError("gone"), Truncated),
        (ConnectionResetError("reset"), Truncated),
        (ValueError("strange"), ProviderError),
    ],
)
async def test_what_an_sdk_raises_is_ours_and_its_cause_is_a_copy(
    error: Exception, kind: type[ProviderError]
) -> None:
    with pytest.raises(kind) as caught:
        await collect(from_openai(objects("openai/truncated", error)))

    cause = caught.value.__cause__
    assert type(cause) is type(error)
    assert cause is not error
    assert str(cause) == str(error)
    assert cause.__traceback__ is None
    assert caught.value.__context__ is None


KEY = "sk-proj-" + "aB3xK9mQ2w" + "7Zp1LrT5vN" + "8cYd4HsJ6f"


class Request:
    headers: ClassVar = {"Authorization": f"Bearer {KEY}"}


class HttpError(Exception):
    """An error of an SDK, which keeps the request and its headers."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.status_code = 429
        self.request_id = "req_123"
        self.request = Request()
        self.body = {"type": "requests", "message": f"the key {KEY} is too busy"}

    def __repr__(self) -> str:
        return f"HttpError({self.args}, {vars(self)}, {getattr(self, 'request', Request()).headers})"


async def test_copy_of_an_sdk_error_has_status_and_request_id_and_no_secret() -> None:
    with pytest.raises(RateLimited) as caught:
        await collect(from_openai(objects("openai/truncated", HttpError(f"key {KEY}"))))

    error = caught.value
    cause = error.__cause__
    assert (error.status, error.request_id) == (429, "req_123")
    assert isinstance(cause, HttpError)
    assert (cause.status_code, cause.request_id, cause.body["type"]) == (429, "req_123", "requests")
    assert not hasattr(cause, "request")
    assert KEY not in f"{cause} {vars(cause)} {error}"


class Demanding(Exception):
    """Its text is made of attributes that a copy may lack."""

    def __init__(self, response: object) -> None:
        super().__init__("demanding")
        self.response = response

    def __str__(self) -> str:
        return f"answered {self.response}"


async def test_error_that_cannot_be_copied_is_named() -> None:
    with pytest.raises(ProviderError) as caught:
        await collect(from_openai(objects("openai/truncated", Demanding(Request()))))

    assert "Demanding: answered" in str(caught.value.__cause__)


@pytest.mark.parametrize("stream", [iter([1]), 5])
async def test_what_is_no_async_stream_is_refused(stream: Any) -> None:
    with pytest.raises(TypeError, match="async"):
        await collect(from_openai(stream))


async def test_objects_that_are_no_sdks_are_refused() -> None:
    async def numbers() -> AsyncIterator[int]:
        yield 5

    with pytest.raises(TypeError, match="yielded int"):
        await collect(from_openai(numbers()))


# --- Given to say() as they are ------------------------------------------------------------------------


@asynccontextmanager
async def opened(name: str, url: str) -> AsyncIterator[Any]:
    """A stream of an official SDK, by each of the ways in which it gives one."""
    question: Any = [{"role": "user", "content": "Hi"}]
    if name.startswith("openai"):
        async with openai.AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client:
            if name == "openai":
                yield await client.chat.completions.create(model="m", messages=question, stream=True)
            elif name == "openai helper":
                async with client.chat.completions.stream(model="m", messages=question) as events:
                    yield events
            else:
                yield await client.responses.create(model="m", input="Hi", stream=True)
    elif name.startswith("anthropic"):
        address = url.removesuffix("/v1")
        async with anthropic.AsyncAnthropic(api_key="k", base_url=address, max_retries=0) as claude:
            options: Any = {"model": "m", "max_tokens": 9, "messages": question}
            if name == "anthropic":
                yield await claude.messages.create(**options, stream=True)
            else:
                async with claude.messages.stream(**options) as helper:
                    yield helper.text_stream if name == "anthropic text" else helper
    else:
        http = types.HttpOptions(base_url=url.removesuffix("/v1"), api_version="v1")
        gemini = genai.Client(api_key="k", http_options=http).aio
        yield await gemini.models.generate_content_stream(model="m", contents="Hi")


WAYS = [
    ("openai", "openai/text"),
    ("openai helper", "openai/text"),
    ("openai responses", "openai-responses/text"),
    ("anthropic", "anthropic/text"),
    ("anthropic helper", "anthropic/text"),
    ("anthropic text", "anthropic/text"),
    ("google", "google/text"),
]


def without_comments(name: str) -> list[bytes]:
    """The lines of a fixture; google's SDK cannot read comments."""
    return [line for line in content(name).splitlines(keepends=True) if not line.startswith(b":")]


DIALECTS: dict[str, ApiAdapter] = {
    "openai": OpenAIChat(),
    "openai-responses": OpenAIResponses(),
    "anthropic": Anthropic(),
    "google": Google(),
}


def words_of(name: str) -> str:
    events, _ = decoded(DIALECTS[name.partition("/")[0]].decoder(), whole(content(name)))
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize(("way", "name"), WAYS)
async def test_say_reads_the_stream_of_an_official_sdk(way: str, name: str) -> None:
    channel = FakeChannel()
    async with (
        serving(streaming(b"".join(without_comments(name)))) as server,
        opened(way, server.url) as stream,
    ):
        result = await say(channel, stream, settings=Settings(degree=Degree.NONE, rules=False))

    assert result.ending is Ending.COMPLETED
    assert "".join(channel.texts).split() == words_of(name).split()
    assert (result.finish_reason is not None) is (way != "anthropic text")


@pytest.mark.parametrize(("way", "name"), [way for way in WAYS if way[0] != "anthropic text"])
async def test_a_break_in_mid_stream_has_one_name_whoever_reads_it(way: str, name: str) -> None:
    channel = FakeChannel()
    lines = without_comments(name)
    half = b"".join(lines[: len(lines) // 2 + 2])

    with pytest.raises(Truncated) as caught:
        async with wired(breaking_off(half)) as server, opened(way, server.url) as stream:
            await say(channel, stream)

    assert caught.value.result is not None
    assert caught.value.result.ending is Ending.TRUNCATED
    assert caught.value.retryable


def breaking_off(sent: bytes) -> Wire:
    """A server that promises more than it sends, and hangs up."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head + b"%x\r\n%b\r\n" % (len(sent), sent))
        await writer.drain()

    return answer


@pytest.mark.parametrize("way", ["openai", "anthropic", "google"])
async def test_a_refusal_before_the_first_word_has_our_names(way: str) -> None:
    async with serving(refusing(429, {"error": {"message": "slow down", "code": 429}})) as server:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            async with opened(way, server.url) as stream:
                await say(FakeChannel(), stream)

    # openai and anthropic ask before they give a stream, so that their own error comes from their own call.
    assert type(caught.value).__name__ == ("RateLimited" if way == "google" else "RateLimitError")


async def test_a_stream_that_is_left_early_is_closed_with_its_connection() -> None:
    class Stream:
        closed = False

        async def __aiter__(self) -> AsyncIterator[Chunk]:
            for _ in range(9):
                yield Chunk({"choices": [{"index": 0, "delta": {"content": "Line.\n"}}]})

        async def close(self) -> None:
            self.closed = True

    stream = Stream()
    await say(FakeChannel(), from_openai(stream), settings=Settings(send_message_limit=1))

    assert stream.closed


async def test_chunks_in_somebodys_own_generator_are_recognised_too() -> None:
    async def model() -> AsyncIterator[Any]:
        yield "Let me see. "
        async for chunk in objects("anthropic/text"):
            yield chunk

    channel = FakeChannel()
    result = await say(channel, model(), settings=Settings(degree=Degree.NONE, stop_strings=("#never#",)))

    assert channel.texts == [f"Let me see. {words_of('anthropic/text')}"]
    assert result.finish_reason is FinishReason.STOP


async def test_stop_strings_are_found_in_the_words_of_an_sdk() -> None:
    async def model() -> AsyncIterator[Chunk]:
        for text in ("One. ", "Two #", "## three"):
            yield Chunk({"choices": [{"index": 0, "delta": {"content": text}}]})

    channel = FakeChannel()
    await say(channel, model(), settings=Settings(degree=Degree.NONE, stop_strings=("###",)))

    assert channel.texts == ["One. Two"]
