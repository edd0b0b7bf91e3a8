"""PyPI's `llmock`, a server of models that we did not write and that breaks on demand, asked over HTTP."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from providers.loopback import collect
from providers.oracles import Heard, heard
from streamcord import Degree, Ending, Settings, say
from streamcord._exceptions import Overloaded, ProviderError, RateLimited, RequestRejected, Truncated
from streamcord._providers.http import HttpProvider
from streamcord.providers import RetryPolicy, Timeouts, tool, user, with_fallbacks, with_tools
from streamcord.testing import FakeChannel
from virtual_time import result_of

if TYPE_CHECKING:
    from llmock.pytest_plugin import LLMock

TEXT = "Ten little words are more than enough to say this, 你好!"
PATHS = {"openai": "/v1", "openai-responses": "/v1", "anthropic": "/anthropic/v1", "google": "/gemini/v1beta"}
every_dialect = pytest.mark.parametrize("dialect", PATHS)


def provider(llmock: LLMock, dialect: str = "openai", timeouts: Timeouts | None = None) -> HttpProvider:
    return HttpProvider(
        dialect, base_url=llmock.url + PATHS[dialect], key="any", model="m", timeouts=timeouts or Timeouts()
    )


async def asked(
    llmock: LLMock, dialect: str, timeouts: Timeouts | None = None
) -> tuple[Heard, ProviderError | None]:
    async with provider(llmock, dialect, timeouts) as one:
        events, error = await collect(one, user("What would you say?"))
    return heard(events, error), error


@every_dialect
async def test_words_and_usage_arrive(llmock: LLMock, dialect: str) -> None:
    llmock.reply(TEXT)

    said, error = await asked(llmock, dialect)

    assert error is None
    assert said.text == TEXT
    assert all(said.usage)
    llmock.assert_resilient(strict=True)


@every_dialect
async def test_a_tool_runs_and_its_result_goes_back(llmock: LLMock, dialect: str) -> None:
    asked: list[str] = []

    @tool
    async def look_up(city: str) -> str:
        "Look up the weather in a city."
        asked.append(city)
        return "fine"

    llmock.call_tool("look_up", {"city": "Zürich"}).reply("Fine weather in Zürich.")
    channel = FakeChannel()
    async with provider(llmock, dialect) as one:
        result = await say(channel, with_tools(one, user("weather?"), [look_up]))

    assert asked == ["Zürich"]
    assert channel.texts == ["Fine weather in Zürich."]
    assert result.ending is Ending.COMPLETED
    assert len(llmock.requests) == 2


@every_dialect
@pytest.mark.parametrize("kind", ["malformed_arguments", "unknown_tool"])
async def test_a_broken_call_is_told_to_the_model(llmock: LLMock, dialect: str, kind: str) -> None:
    ran: list[str] = []

    @tool
    def look_up(city: str) -> str:
        "Look up the weather in a city."
        ran.append(city)
        return "fine"

    llmock.break_tool_call(kind)
    channel = FakeChannel()
    async with provider(llmock, dialect) as one:
        result = await say(channel, with_tools(one, user("weather?"), [look_up]))

    assert ran == []
    assert result.ending is Ending.COMPLETED
    assert len(channel.texts) > 0


@every_dialect
async def test_a_connection_that_is_cut_is_truncated(llmock: LLMock, dialect: str) -> None:
    llmock.reply(TEXT).disconnect(after_chunks=6)

    said, error = await asked(llmock, dialect)

    assert isinstance(error, Truncated)
    assert error.retryable
    assert TEXT.startswith(said.text)
    assert len(said.text) < len(TEXT)


@every_dialect
async def test_a_stream_that_just_ends_is_truncated_and_its_words_are_delivered(
    llmock: LLMock, dialect: str
) -> None:
    llmock.reply(TEXT).truncate(after_chunks=6)
    channel = FakeChannel()

    async with provider(llmock, dialect) as one:
        with pytest.raises(Truncated) as caught:
            await say(channel, one.stream(user("Hi")), settings=Settings(degree=Degree.NONE))

    result = result_of(caught.value)
    assert result.ending is Ending.TRUNCATED
    assert TEXT.startswith("".join(channel.texts))
    assert result.counts.received == result.counts.shown + result.counts.dropped


@every_dialect
async def test_a_corrupt_event_ends_the_answer(llmock: LLMock, dialect: str) -> None:
    llmock.reply(TEXT).corrupt(after_chunks=6)

    said, error = await asked(llmock, dialect)

    assert isinstance(error, Truncated)
    assert "not a JSON object" in str(error)
    assert TEXT.startswith(said.text)


async def test_a_stream_that_hangs_is_left_at_the_idle_limit(llmock: LLMock) -> None:
    llmock.reply(TEXT).stall(after_chunks=4, seconds=30)

    said, error = await asked(llmock, "openai", Timeouts(idle=0.2))

    assert isinstance(error, Truncated)
    assert isinstance(error.__cause__, TimeoutError)
    assert TEXT.startswith(said.text)
    assert said.text


@every_dialect
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, RequestRejected),
        (401, RequestRejected),
        (404, RequestRejected),
        (500, Overloaded),
        (529, Overloaded),
    ],
)
async def test_a_refusal_is_the_right_error(
    llmock: LLMock, dialect: str, status: int, kind: type[ProviderError]
) -> None:
    llmock.fail(status)

    _, error = await asked(llmock, dialect)

    assert type(error) is kind


@every_dialect
@pytest.mark.parametrize(("status", "kind"), [(429, RateLimited), (503, Overloaded), (529, Overloaded)])
async def test_a_pause_that_the_server_asks_for_is_told(
    llmock: LLMock, dialect: str, status: int, kind: type[ProviderError]
) -> None:
    llmock.fail(status, retry_after=7)

    _, error = await asked(llmock, dialect)

    assert type(error) is kind
    assert error.retry_after == 7


async def test_the_server_finds_no_fault_with_how_we_try_again(llmock: LLMock) -> None:
    llmock.rate_limit(retry_after=0.2).fail(503).reply(TEXT)

    async with provider(llmock) as one:
        keys = with_fallbacks(one, retry=RetryPolicy(pause=0.1), random=Random(0))
        said = heard([event async for event in keys.stream(user("Hi"))], None)

    assert said.text == TEXT
    assert len(llmock.requests) == 3
    llmock.assert_resilient(strict=True)
