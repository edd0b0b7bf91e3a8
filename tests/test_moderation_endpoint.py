"""A provider's endpoint is asked, and nothing passes that it could not answer for, unless that is wanted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from streamcord import ProviderError, SettingsError
from streamcord.providers import HttpModerator

KEY = "sk-test-0123456789abcdef"


@asynccontextmanager
async def served(answer: Any, status: int = 200) -> AsyncIterator[tuple[str, list[Any]]]:
    """A server on loopback that answers every request the same, and what it was asked."""
    asked: list[Any] = []

    async def moderations(request: web.Request) -> web.Response:
        asked.append((request.headers.get("Authorization"), await request.json()))
        if isinstance(answer, str):
            return web.Response(text=answer, status=status, headers={"Location": "http://127.0.0.1:9/"})
        return web.json_response(answer(asked[-1][1]["input"]) if callable(answer) else answer, status=status)

    app = web.Application()
    app.router.add_post("/v1/moderations", moderations)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", asked
    finally:
        await runner.cleanup()


def verdict(text: str) -> dict[str, Any]:
    bad = "bad" in text
    return {"results": [{"flagged": bad, "categories": {"violence": bad, "hate": bad, "other": False}}]}


async def test_it_says_which_kinds_of_harm_the_server_sees() -> None:
    async with served(verdict) as (url, asked):
        moderator = HttpModerator(base_url=url, key=KEY)
        assert await moderator.check("good", "question") == ""
        assert await moderator.check("x" * 40_000 + "bad", "answer") == "hate, violence"

    assert asked[0] == (f"Bearer {KEY}", {"model": "omni-moderation-latest", "input": "good"})
    assert len(asked) == 3
    assert KEY not in repr(moderator)


async def test_a_stage_that_is_not_wanted_is_not_asked() -> None:
    async with served(verdict) as (url, asked):
        assert await HttpModerator(base_url=url, stages=("answer",)).check("bad", "question") == ""
        assert await HttpModerator(base_url=url).check("bad", "question")
    assert [key for key, _ in asked] == [None]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"results": "?"}, 200),
        ("no json", 200),
        ({}, 200),
        ({"error": KEY}, 401),
        ("moved", 302),
        ({}, 500),
        ({"results": [{"flagged": True}]}, 200),
    ],
)
async def test_nonsense_and_refusals_do_not_pass_unless_that_is_wanted(answer: Any, status: int) -> None:
    async with served(answer, status) as (url, _):
        with pytest.raises(ProviderError) as caught:
            await HttpModerator(base_url=url, key=KEY).check("hi", "answer")
        assert KEY not in str(caught.value)
        assert await HttpModerator(base_url=url, key=KEY, fail_open=True).check("hi", "answer") == ""


async def test_unreachable_endpoint_raises_and_flagged_without_categories_is_flagged() -> None:
    with pytest.raises(ProviderError, match="cannot be reached"):
        await HttpModerator(base_url="http://127.0.0.1:9/v1", timeout=2.0).check("hi", "answer")
    async with served({"results": [{"flagged": True, "categories": {}}]}) as (url, _):
        assert await HttpModerator(base_url=url).check("hi", "answer") == "flagged"


@pytest.mark.parametrize("url", ["http://example.com/v1", "ftp://x", "https://u:p@host/v1"])
def test_the_key_travels_safely_or_not_at_all(url: str) -> None:
    with pytest.raises(SettingsError):
        HttpModerator(base_url=url, key=KEY)
