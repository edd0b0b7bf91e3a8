"""Streams of SDKs: objects that give their JSON, as pydantic models do, made from the fixtures."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from providers.streams import decoded, frames, whole
from streamcord import Ending, say
from streamcord._errors import Overloaded, ProviderError, RateLimited, Rejected, Truncated
from streamcord._events import KeepAlive, ProviderEvent
from streamcord._providers.dialects import Anthropic, Dialect, Google, OpenAIChat, OpenAIResponses
from streamcord._providers.dialects.base import ServerEvent
from streamcord.providers import from_anthropic, from_google, from_litellm, from_openai
from streamcord.testing import FakeChannel

FIXTURES = Path(__file__).parent / "fixtures"
Adapter = Callable[[AsyncIterator[Any]], AsyncIterator[ProviderEvent]]


class Chunk:
    """What an SDK gives: an object with its JSON in it."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

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


CASES: list[tuple[str, Adapter, Dialect]] = [
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
async def test_an_sdks_stream_says_what_its_bytes_say(name: str, adapt: Adapter, dialect: Dialect) -> None:
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
        (APIStatusError("bad key", 401), Rejected),
        (APIStatusError("oops", 503), Overloaded),
        (APIError({"type": "server_error", "message": "oops"}), Overloaded),
        (APIError({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, 200), Overloaded),
        (APIConnectionError("gone"), Truncated),
        (ConnectionResetError("reset"), Truncated),
        (ValueError("strange"), ProviderError),
    ],
)
async def test_what_an_sdk_raises_is_ours_and_holds_nothing_of_it(
    error: Exception, kind: type[ProviderError]
) -> None:
    with pytest.raises(kind) as caught:
        await collect(from_openai(objects("openai/truncated", error)))

    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("stream", [iter([1]), 5])
async def test_what_is_no_async_stream_is_refused(stream: Any) -> None:
    with pytest.raises(TypeError, match="async"):
        await collect(from_openai(stream))


async def test_objects_that_are_no_sdks_are_refused() -> None:
    async def numbers() -> AsyncIterator[int]:
        yield 5

    with pytest.raises(TypeError, match="yielded int"):
        await collect(from_openai(numbers()))
