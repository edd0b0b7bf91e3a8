"""A stream that breaks off is taken up again where its provider keeps it: every word once, one generation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import web

from providers.loopback import serving, timeless
from streamcord._events import Finish, ProviderEvent, TextDelta, ToolCall
from streamcord._exceptions import ProviderError, Truncated
from streamcord._providers.prompt import Options, user
from streamcord._providers.resumable_stream import RECONNECT_PAUSES_S
from streamcord.providers import PRESETS, HttpProvider

WORDS = ["Hel", "lo ", "wor", "ld", "."]


def interaction() -> list[dict[str, Any]]:
    """The events of an interaction with words and a call."""
    events: list[dict[str, Any]] = [
        {"event_type": "interaction.created", "interaction": {"id": "in/1", "status": "in_progress"}},
        {"event_type": "step.start", "index": 0, "step": {"type": "model_output"}},
        *(
            {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": word}}
            for word in WORDS
        ),
        {"event_type": "step.stop", "index": 0},
        {
            "event_type": "step.start",
            "index": 1,
            "step": {"type": "function_call", "id": "c", "name": "roll"},
        },
        *(
            {"event_type": "step.delta", "index": 1, "delta": {"type": "arguments_delta", "arguments": piece}}
            for piece in ('{"si', 'des": 6}')
        ),
        {"event_type": "step.stop", "index": 1},
        {"event_type": "interaction.completed", "interaction": {"status": "requires_action"}},
    ]
    return [{**event, "event_id": f"e&{number}"} for number, event in enumerate(events)]


def response() -> list[dict[str, Any]]:
    """The events of a response with words."""
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        *({"type": "response.output_text.delta", "item_id": "m", "delta": word} for word in WORDS),
        {"type": "response.completed", "response": {"id": "resp_1", "status": "completed"}},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


class Server:
    """A provider whose connection breaks after some events of each request."""

    def __init__(self, events: list[dict[str, Any]], per_request: int, *, keeps: bool = True) -> None:
        self.events, self.per_request, self.keeps = events, per_request, keeps
        # How many answers were generated, and how many requests came in all.
        self.generated = self.asked = 0

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        self.asked += 1
        start = 0
        if request.method == "GET":
            if not self.keeps:
                return web.json_response({"error": {"message": "gone"}}, status=404)
            last = (
                request.query.get("last_event_id", "").removeprefix("e&") or request.query["starting_after"]
            )
            start = int(last) + 1
        else:
            self.generated += 1
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        for event in self.events[start : start + self.per_request]:
            await answer.write(f"data: {json.dumps(event)}\n\n".encode())
        if start + self.per_request < len(self.events):
            # Half an event, and then the connection is gone.
            await answer.write(f"data: {json.dumps(self.events[start + self.per_request])[:20]}".encode())
            assert request.transport is not None
            request.transport.close()
        return answer


async def read(server: Server, api: str, extra: dict[str, Any]) -> list[ProviderEvent]:
    async with serving(server) as where, HttpProvider(PRESETS[api], base_url=where.url, key="k") as provider:
        return [event async for event in provider.stream(user("Hi"), Options(model="m", extra=extra))]


KEPT: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "google-interactions": (interaction(), {"store": True}),
    "openai-responses": (response(), {"background": True, "store": True}),
}


@pytest.mark.parametrize("api", KEPT)
@pytest.mark.parametrize("per_request", [3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
async def test_cut_stream_says_every_word_once_and_is_generated_once(api: str, per_request: int) -> None:
    events, extra = KEPT[api]
    server = Server(events, per_request)

    got = await read(server, api, extra)

    assert "".join(one.text for one in got if isinstance(one, TextDelta)) == "Hello world."
    assert [one.arguments for one in got if isinstance(one, ToolCall)] == (
        [{"sides": 6}] if api == "google-interactions" else []
    )
    assert isinstance(got[-1], Finish)
    assert server.generated == 1


@pytest.mark.parametrize("api", KEPT)
async def test_without_storing_the_answer_ends_as_before(api: str) -> None:
    server = Server(KEPT[api][0], 4)

    with pytest.raises(Truncated):
        await read(server, api, {})

    assert server.asked == 1


@pytest.mark.parametrize(("keeps", "asked"), [(False, 2), (True, 1 + len(RECONNECT_PAUSES_S))])
def test_a_stream_that_is_gone_or_breaks_for_ever_ends_as_cut_off(keeps: bool, asked: int) -> None:
    class Stuck(Server):
        async def __call__(self, request: web.Request) -> web.StreamResponse:
            answer = await super().__call__(request)
            # From now on no event comes any more.
            self.per_request = 0
            return answer

    @timeless
    async def run() -> None:
        server = Stuck(KEPT["google-interactions"][0], 4, keeps=keeps)
        with pytest.raises(ProviderError) as raised:
            await read(server, "google-interactions", {"store": True})

        assert isinstance(raised.value, Truncated)
        assert server.asked == asked

    run()
