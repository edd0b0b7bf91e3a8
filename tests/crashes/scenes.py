"""What is asked in the crash tests, and a model that always says the same, and goes on where it was cut."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web

CONTINUE = "[Go on exactly where"
CALLED = "[For this answer you have called tools already."


@dataclass(frozen=True)
class Scene:
    """One kind of answer: what the model says, and how its channel is set."""

    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    persona: str = ""
    tool: bool = False
    """Whether the model asks for a tool in the middle of it."""


def _lines(name: str, count: int) -> str:
    return "\n".join(
        f"{name} line {number} says something that is worth reading." for number in range(1, count + 1)
    )


TABLE = "Here it is:\n\n| name | points |\n|---|---|\n| Ada | 3 |\n| Bob | 5 |\n\nThat was the table."
CODE = (
    "Look:\n\n```py\n" + "\n".join(f"value_{n} = {n}  # a line of code" for n in range(90)) + "\n```\n\nDone."
)

SCENES: dict[str, Scene] = {
    "messages": Scene(_lines("Bubble", 9), {"degree": 2}),
    "sentences": Scene("One here. Two there! Is this three? Four it is. Five at last.", {"degree": 3}),
    "whole": Scene(_lines("AtomicRange", 12), {"degree": 0}),
    "persona": Scene(_lines("Luna", 8), {"degree": 1}, "Luna"),
    "sprites": Scene(
        "Kai (mad): Hmph.\nNo.\nKai (happy): Well, then.\nFine.\nKai (mad): No!", {"degree": 1}, "Kai"
    ),
    "table": Scene(f"{TABLE}\n{TABLE}", {"degree": 1}),
    "code": Scene(CODE, {"degree": 1}),
    "live": Scene(_lines("Live", 30), {"degree": 0, "delivery": "live"}),
    "grown": Scene(
        f"{_lines('Grown', 8)}\n\n{TABLE}\n\n{_lines('More', 8)}",
        {"degree": 0, "delivery": "live", "tables": "card"},
    ),
    "vera": Scene(_lines("Vera", 25), {"degree": 0, "delivery": "live"}, "Luna"),
    "ask": Scene(_lines("Asked", 7), {"degree": 1}),
    "tool": Scene("Let me roll.\nIt rolls.\nA six it is!\nYou win.", {"degree": 1}, tool=True),
}


def scene_of(body: Mapping[str, Any]) -> str:
    """Which scene a request is about: the last question of a person says so."""
    words = [one["content"] for one in body["messages"] if one["role"] == "user"]
    said = [one if isinstance(one, str) else json.dumps(one) for one in words]
    asked = [one for one in said if CONTINUE not in one and "scene " in one][-1]
    return max(SCENES, key=lambda name: asked.rfind(f"scene {name}"))


def said_before(body: Mapping[str, Any]) -> str:
    """What the model had said already: a prefill, or the message before it is asked to go on."""
    messages = body["messages"]
    last = messages[-1]
    if last["role"] == "assistant":
        return str(last["content"])
    if last["role"] == "user" and CONTINUE in json.dumps(last["content"]):
        before = messages[-2]
        return str(before["content"]) if before["role"] == "assistant" else ""
    return ""


@dataclass
class StreamedModel:
    """An OpenAI-like server; every word of it follows from the request."""

    pace: float = 0.02
    requests: int = 0
    url: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        body = await request.json()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        with suppress(ConnectionError):
            await response.prepare(request)
            await self._speak(response, body)
            await response.write(b"data: [DONE]\n\n")
        return response

    async def _speak(self, response: web.StreamResponse, body: Mapping[str, Any]) -> None:
        raise NotImplementedError

    async def _stream(self, response: web.StreamResponse, text: str) -> None:
        for at in range(0, len(text), 12):
            await asyncio.sleep(self.pace)
            await response.write(chunk(None, content=text[at : at + 12]))


Streamed = TypeVar("Streamed", bound=StreamedModel)


class ScriptedModel(StreamedModel):
    """Says the text of a scene, and goes on where it was cut."""

    async def _speak(self, response: web.StreamResponse, body: Mapping[str, Any]) -> None:
        scene = SCENES[scene_of(body)]
        before = said_before(body)
        rolled = any(one["role"] == "tool" or CALLED in str(one["content"]) for one in body["messages"])
        rest = scene.text.removeprefix(before)
        half = scene.text.index("A six") if scene.tool else 0
        if scene.tool and not rolled and len(rest) > len(scene.text) - half:
            await self._stream(response, rest[: half - len(scene.text)])
            call: dict[str, Any] = {"index": 0, "id": "c1", "type": "function"}
            call["function"] = {"name": "roll_dice", "arguments": "{}"}
            await response.write(chunk(None, tool_calls=[call]) + chunk("tool_calls"))
        else:
            await self._stream(response, scene.text[max(half, len(before)) :] if rolled else rest)
            await response.write(chunk("stop"))


def chunk(finish: str | None, **delta: object) -> bytes:
    """One event of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


@asynccontextmanager
async def serve_model(model: Streamed) -> AsyncIterator[Streamed]:
    """A model, listening on loopback."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    model.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield model
    finally:
        await runner.cleanup()


def scripted_model(pace: float = 0.02) -> AbstractAsyncContextManager[ScriptedModel]:
    """The model of the scenes, listening on loopback."""
    return serve_model(ScriptedModel(pace))
