"""A model of the file becomes a provider that really asks it, and the next one if it fails."""

from __future__ import annotations

from aiohttp import web
from aiohttp.test_utils import TestServer

from streamcord import TextDelta
from streamcord._bot.config.config import read_config
from streamcord._bot.config.model_providers import open_providers
from streamcord.providers import user

ANSWER = (
    b'data: {"choices":[{"delta":{"content":"hello"}}]}\n\n'
    b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


async def test_the_fallback_answers_where_the_first_cannot_and_each_has_its_own_key() -> None:
    asked: list[tuple[str, str, str]] = []

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append((request.path, body["model"], request.headers.get("Authorization", "")))
        if body["model"] == "broken":
            return web.json_response({"error": {"message": "no such model"}}, status=404)
        return web.Response(body=ANSWER, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    async with TestServer(app) as server:
        base = str(server.make_url("/v1"))
        config = read_config(
            {
                "models": {
                    "main": {
                        "provider": "custom",
                        "model": "broken",
                        "base_url": base,
                        "fallback": ["spare"],
                    },
                    "spare": {
                        "provider": "custom",
                        "model": "good",
                        "base_url": base,
                        "key_name": "SPARE_KEY",
                    },
                }
            },
            {"SPARE_KEY": "sk-spare"},
        )
        async with open_providers(config) as providers:
            words = [event async for event in providers["main"].stream(user("hi"))]

    assert TextDelta("hello") in words
    assert [model for _, model, _ in asked] == ["broken", "good"]
    assert [key for _, _, key in asked] == ["", "Bearer sk-spare"]
