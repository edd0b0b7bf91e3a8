"""Real servers on this machine, for one test each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec

import looptime
from aiohttp import web

from streamcord._events import ProviderEvent
from streamcord._exceptions import ProviderError
from streamcord._providers.http import HttpProvider
from streamcord.providers import Options, Prompt, user

P = ParamSpec("P")
Response = Callable[[web.Request], Awaitable[web.StreamResponse]]
Wire = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def timeless(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Runs a test on a loop whose clock does not pass but jumps, while its sockets are real."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
            runner.run(test(*args, **kwargs))

    return run


def now() -> float:
    """The time of the running loop."""
    return asyncio.get_running_loop().time()


@dataclass
class Server:
    """Where it listens, and what it was asked."""

    url: str = ""
    requests: list[web.Request] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)


@asynccontextmanager
async def serving(answer: Response) -> AsyncIterator[Server]:
    """An aiohttp server that gives one answer to everything."""
    server = Server()

    async def handle(request: web.Request) -> web.StreamResponse:
        server.requests.append(request)
        server.bodies.append(json.loads(await request.read() or b"null"))
        return await answer(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield server
    finally:
        await runner.cleanup()


@asynccontextmanager
async def wired(wire: Wire) -> AsyncIterator[Server]:
    """A server that may break every rule: it gets the socket after the request's head."""
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            await wire(reader, writer)
        finally:
            writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield Server(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/v1")
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def streaming(*pieces: bytes, headers: dict[str, str] | None = None) -> Response:
    """An answer that is these pieces, each its own write."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **(headers or {})})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
        return response

    return answer


def refusing(status: int, body: Any = None, **headers: str) -> Response:
    """An answer that is a status, and a body of JSON, text or bytes."""

    async def answer(_: web.Request) -> web.StreamResponse:
        written = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, bytes):
            return web.Response(status=status, body=body, headers=written)
        if isinstance(body, str):
            return web.Response(status=status, text=body, headers=written)
        return web.json_response(body, status=status, headers=written)

    return answer


def chat(text: str = "", finish: str | None = None, **delta: Any) -> bytes:
    """One chunk of a chat completion."""
    choice = {"index": 0, "delta": {**({"content": text} if text else {}), **delta}, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "c", "choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


async def collect(
    provider: HttpProvider, prompt: Prompt | None = None, options: Options | None = None
) -> tuple[list[ProviderEvent], ProviderError | None]:
    """Everything that a provider says, and the error it ends with."""
    events: list[ProviderEvent] = []
    try:
        async for event in provider.stream(prompt or user("Hi"), options):
            events.append(event)
    except ProviderError as error:
        return events, error
    return events, None


async def asked(
    url: str, preset: str = "custom", **settings: Any
) -> tuple[list[ProviderEvent], ProviderError | None]:
    """One question to a server."""
    async with HttpProvider(preset, base_url=url, **{"model": "m", **settings}) as provider:
        return await collect(provider)


def text_of(events: Iterable[ProviderEvent]) -> str:
    return "".join(getattr(event, "text", "") for event in events)
