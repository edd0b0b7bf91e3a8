"""A provider's own count of requests and tokens is that of the budget, through failures, retries, edits and storms."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from random import Random
from typing import Any

import pytest
from aiohttp import web

from bot.stage import Stage, make_config, on_stage
from providers.loopback import serving
from streamcord.providers import HttpProvider, RetryPolicy, rotate_keys, with_fallbacks
from streamcord.store import Account
from streamcord_bot.budget.limits import Payer
from streamcord_bot.budget.pricing import BYTES_PER_TOKEN, MESSAGE_TOKENS


class CountingProvider:
    """An API on loopback that counts what it is asked and what it sends, and fails as it likes."""

    def __init__(self, seed: int) -> None:
        self.requests = 0
        self.tokens = 0
        self.kinds: set[str] = set()
        self.largest = 0
        """Tokens of the largest request."""
        self._random = Random(seed)
        # Every kind comes again and again, each time after others.
        self._plan = ["good", "good", "busy", "reset", "thoughts", "error", "no usage"] * 3
        self._random.shuffle(self._plan)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.requests += 1
        kind = self._plan[self.requests % len(self._plan)]
        self.kinds.add(kind)
        if kind == "busy":
            return web.json_response({"error": {"message": "overloaded"}}, status=503)
        asked = _count_prompt(json.loads(body))
        sent = 0
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        field = "reasoning_content" if kind in {"thoughts", "reset"} else "content"
        for number in range(self._random.randint(1, 12)):
            text = f"Line {number} has a few words in it.\n\n"
            sent += len(text) // BYTES_PER_TOKEN
            await response.write(_event({"choices": [{"delta": {field: text}}]}))
            await asyncio.sleep(0)
        self.tokens += asked + sent
        self.largest = max(self.largest, asked + sent)
        if kind in {"reset", "thoughts"}:
            assert request.transport is not None
            request.transport.close()
        elif kind == "error":
            await response.write(_event({"error": {"message": "overloaded", "code": 503}}))
        else:
            last: dict[str, Any] = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
            if kind == "good":
                last["usage"] = {"prompt_tokens": asked, "completion_tokens": sent}
            await response.write(_event(last) + b"data: [DONE]\n\n")
        return response


def _count_prompt(body: dict[str, Any]) -> int:
    """Count a prompt as tokenizers do: its words, not the JSON around them."""
    texts = [str(one["content"]) for one in body["messages"]]
    for one in body.get("tools", ()):
        function = one["function"]
        texts += [function["name"], function["description"], json.dumps(function["parameters"])]
    return MESSAGE_TOKENS * len(body["messages"]) + len("".join(texts).encode()) // BYTES_PER_TOKEN


def _event(value: object) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


async def ask_in_many_ways(stage: Stage, random: Random) -> None:
    """Ask, edit, write on and ask by commands, one after the other and at once."""
    twin = stage.twin
    for number in range(10):
        message = stage.ask(f"question {number} " + "word " * random.randrange(60))
        kind = random.choice(("wait", "edit", "more", "command"))
        if kind == "edit":
            await stage.settled()
            twin.edit(message, f"<@{twin.bot.id}> edited {number}")
        elif kind == "more":
            stage.ask("and one more thing")
        elif kind == "command":
            twin.slash("ask", question=f"by command {number}", private=bool(number % 2))
        await stage.settled()
        await stage.quiet()
    for number in range(12):
        stage.ask(f"storm {number}")
    await stage.settled()
    await stage.quiet()


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_book_equals_the_providers_own_count(seed: int) -> None:
    counting = CountingProvider(seed)
    budget = {"errors": 0, "per_minute": 1000, "person_requests": 10_000, "answer_tokens": 400}
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(counting.answer))
        first, second, spare = [
            await stack.enter_async_context(HttpProvider("custom", base_url=server.url, key=key, model="m"))
            for key in ("first", "second", "spare")
        ]
        retry = RetryPolicy(max_attempts=2, pause=0.001)
        provider = with_fallbacks(rotate_keys(first, second), spare, retry=retry)
        stage = await stack.enter_async_context(on_stage(provider, config=make_config(budget=budget)))
        await ask_in_many_ways(stage, Random(seed))
        person = Account("person", stage.twin.user.id)
        spent = (await stage.app.budget.totals(Payer(person.id, stage.twin.guild.id)))[person]

    assert len(counting.kinds) == 6
    assert spent.requests == counting.requests
    # An attempt that failed is estimated: all estimates together are wrong by less than one of them.
    assert abs(spent.tokens - counting.tokens) <= max(counting.largest, budget["answer_tokens"])
