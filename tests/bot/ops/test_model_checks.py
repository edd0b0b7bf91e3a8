"""Models that are gone: told in one line, with what to write instead."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from streamcord.providers import PRESETS, HttpProvider
from streamcord_bot.config import ModelConfig
from streamcord_bot.config.known_models import suggested_models
from streamcord_bot.ops import model_checks
from streamcord_bot.ops.check_result import CheckResult
from streamcord_bot.ops.model_checks import check_model, find_models

TODAY = date(2026, 11, 18)
KEY = "sk-good-1234567890"
ANSWER = b'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def listed(provider: str, names: Sequence[str], ends: str = "") -> dict[str, Any]:
    """The list of models as a provider sends it."""
    if provider == "google":
        methods = {"supportedGenerationMethods": ["generateContent"]}
        return {"models": [{"name": f"models/{name}", **methods} for name in names]}
    more = {"shutdown_date": ends} if ends else {}
    return {"object": "list", "data": [{"id": name, **more} for name in names], "has_more": False}


@asynccontextmanager
async def serving(provider: str, page: object, *, gone: bool = True) -> AsyncIterator[str]:
    """A provider that has removed the configured model, and lists what is left."""

    async def show(request: web.Request) -> web.Response:
        header, prefix = PRESETS[provider].api.key_header
        if PRESETS[provider].key_name and request.headers.get(header) != prefix + KEY:
            return web.json_response({"error": {"message": "no key"}}, status=401)
        if request.method == "GET" and request.path == "/v1/models":
            return web.Response(text=page) if isinstance(page, str) else web.json_response(page)
        if not gone:
            return web.Response(body=ANSWER, content_type="text/event-stream")
        return web.json_response({"error": {"message": "model not found", "code": "x"}}, status=404)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", show)
    async with TestServer(app) as server:
        yield str(server.make_url("/v1"))


def configured(provider: str, model: str, url: str) -> ModelConfig:
    return ModelConfig(
        provider=provider, model=model, base_url=url, key=KEY if PRESETS[provider].key_name else ""
    )


async def checked(provider: str, model: str, page: object, **more: Any) -> CheckResult:
    async with serving(provider, page, **more) as url:
        return await check_model(configured(provider, model, url), today=TODAY)


@pytest.mark.parametrize("provider", sorted(suggested_models()))
async def test_removed_model_is_told_without_its_successor(provider: str) -> None:
    wanted = suggested_models()[provider]
    result = await checked(provider, "gone-model", listed(provider, ["other", wanted]))

    assert (result.ok, result.words) == (False, f"{provider} gone-model is not offered")
    assert result.advice == f'Write model = "{wanted}" in [models.main].'


async def test_similar_name_is_not_offered() -> None:
    page = listed("mistral", ["codestral", "mistral-small-2603"])

    assert "mistral-small-2603" in (await checked("mistral", "mistral-smal-2603", page)).advice


@pytest.mark.parametrize("online", [False, True])
async def test_known_successor_is_not_named(online: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # The provider's own address is replaced by loopback, so that the known dates count.
    async with serving("deepseek", listed("deepseek", ["deepseek-flash", "deepseek-v4-pro"])) as url:
        monkeypatch.setattr(
            model_checks,
            "build_provider",
            lambda _, key: HttpProvider("deepseek", model="m", key=key, base_url=url),
        )
        model = ModelConfig(provider="deepseek", model="deepseek-chat", key=KEY)
        result = await check_model(model, online=online, today=TODAY)

    assert (result.ok, result.words) == (False, "deepseek deepseek-chat was switched off on 2026-07-24")
    assert result.advice == 'Write model = "deepseek-flash" in [models.main].'


async def test_end_of_a_model_is_not_announced() -> None:
    offline = await check_model(ModelConfig(model="gpt-5-mini", key=KEY), online=False, today=TODAY)
    assert offline.ok
    assert offline.words.endswith("; it is switched off on 2026-12-11, then write gpt-5.6-terra")
    told = await checked("openai", "gpt-7", listed("openai", ["gpt-7"], "2027-03-01"), gone=False)
    assert (told.ok, told.words) == (True, "openai gpt-7 answers; it is switched off on 2027-03-01")


@pytest.mark.parametrize(
    "page",
    [
        "no JSON",
        "[]",
        '{"data": 7}',
        '{"data": [7, {"id": 7}, {"id": ""}, {"id": "a\\u001b[31m"}, {"name": "' + "x" * 201 + '"}]}',
        '{"data": [{"id": "m", "shutdown_date": "soon, soon"}]}',
        "[" * 100_000,
    ],
)
async def test_broken_list_fails_the_check(page: str) -> None:
    works = await checked("openai", "m", page, gone=False)
    assert (works.ok, works.words) == (True, "openai m answers")
    fails = await checked("openai", "m", page)
    assert not fails.ok
    assert "is not offered" not in fails.words


async def test_list_of_many_models_is_not_bounded() -> None:
    async with serving("openai", listed("openai", [f"m-{number}" for number in range(30_000)])) as url:
        assert len(await find_models(configured("openai", "m", url), KEY)) == 10_000
        assert await find_models(configured("openai", "m", url), "sk-wrong") == ()


async def test_google_offers_models_that_cannot_write() -> None:
    page = {
        "models": [
            {"name": "models/gemini-embedding-2", "supportedGenerationMethods": ["embedContent"]},
            {"name": "models/gemini-3.8-flash", "supportedGenerationMethods": ["generateContent"]},
        ]
    }
    async with serving("google", page) as url:
        found = await find_models(configured("google", "m", url), KEY)

    assert [one.name for one in found] == ["gemini-3.8-flash"]


@pytest.mark.parametrize("online", [True, False])
async def test_server_of_ones_own_without_an_address_is_no_model(*, online: bool) -> None:
    found = await check_model(ModelConfig(name="main", provider="custom", model="default"), online=online)

    assert not found.ok
    assert found.words == "custom has no address"
    assert 'base_url = "https://host/v1"' in found.advice


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "The provider does not know this model or address. Check the model and the base URL."),
        (500, "The provider cannot answer just now. Try again in a moment."),
    ],
)
async def test_server_that_answers_with_an_error_is_quoted_and_need_not_be_started(
    status: int, words: str
) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "model nope not loaded"}}, status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", refuse)
    async with TestServer(app) as server:
        result = await check_model(configured("custom", "m", str(server.make_url("/v1"))), today=TODAY)

    assert result.words.startswith(f"{words} (")
    assert "model nope not loaded" in result.words
    assert "Start custom" not in result.advice
    assert "[models.main]" in result.advice
