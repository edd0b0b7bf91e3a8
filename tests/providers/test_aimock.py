"""npm's `@copilotkit/aimock`, a server of models that we did not write, asked over HTTP.

Skipped only where there is no Node. The package is installed once, into pytest's cache.
"""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from npm_package import NODE, install, needs_node
from providers.oracles import heard
from streamcord import Degree, Ending, Finish, FinishReason, Settings, ThoughtDelta, Usage, say
from streamcord._events import ProviderEvent
from streamcord._exceptions import RateLimited
from streamcord._providers.http import HttpProvider
from streamcord.providers import Prompt, tool, user, with_tools
from streamcord.testing import FakeChannel

FOLDER = Path(__file__).parent / "js"
pytestmark = needs_node

PATHS = {"openai": "/v1", "openai-responses": "/v1", "anthropic": "/v1", "google": "/v1beta"}
every_dialect = pytest.mark.parametrize("dialect", PATHS)


@pytest.fixture(scope="module")
def aimock(pytestconfig: pytest.Config) -> Iterator[str]:
    """Its address."""
    package = install(FOLDER, pytestconfig) / "dist" / "index.js"
    command = [str(NODE), str(FOLDER / "server.mjs"), package.as_uri()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(10)


@asynccontextmanager
async def provider(aimock: str, dialect: str) -> AsyncIterator[HttpProvider]:
    async with HttpProvider(dialect, base_url=aimock + PATHS[dialect], key="any", model="m") as one:
        yield one


async def answer(aimock: str, dialect: str, prompt: Prompt) -> list[ProviderEvent]:
    async with provider(aimock, dialect) as one:
        return [event async for event in one.stream(prompt)]


@every_dialect
async def test_words_and_usage_arrive(aimock: str, dialect: str) -> None:
    events = await answer(aimock, dialect, user("hello"))

    assert heard(events, None).text == "Hi there! Zürich says 你好 😀."
    assert [event for event in events if isinstance(event, Usage)][-1] == Usage(11, 7)
    assert events[-1] == Finish(FinishReason.STOP)


@every_dialect
async def test_thoughts_arrive_apart_from_the_words(aimock: str, dialect: str) -> None:
    events = await answer(aimock, dialect, user("think"))

    assert "".join(event.text for event in events if isinstance(event, ThoughtDelta)) == "Six times seven."
    assert heard(events, None).text == "The answer is 42."


@every_dialect
async def test_calls_come_whole_and_their_results_go_back(aimock: str, dialect: str) -> None:
    asked: list[str] = []

    @tool
    def look_up(city: str) -> str:
        "Look up the weather."
        asked.append(city)
        return "fine"

    channel = FakeChannel()
    async with provider(aimock, dialect) as one:
        result = await say(
            channel,
            with_tools(one, user("weather"), [look_up]),
            settings=Settings(typing="off", degree=Degree.LIGHT),
        )

    assert asked == ["Paris", "Zürich"]
    assert channel.texts == ["Let me look.", "Sunny in Paris, raining in Zürich."]
    assert result.ending is Ending.COMPLETED
    assert result.usage == Usage(22, 14)


@every_dialect
async def test_a_refusal_is_the_right_error(aimock: str, dialect: str) -> None:
    with pytest.raises(RateLimited, match="Slow down"):
        await answer(aimock, dialect, user("limit"))
