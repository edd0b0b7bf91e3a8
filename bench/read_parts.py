"""Where the time of a read goes: `say` from bytes over loopback, and each part of it; README.md says how.

python bench/read_parts.py [API]      anthropic, if none is named

The server is a part of the event loop: it writes the next ten deltas when nothing else is to be done, so that
a write is a read on any machine, however busy. What its own work takes is not counted.
"""

from __future__ import annotations

import asyncio
import gc
import re
import selectors
import socket
import sys
from contextlib import suppress
from random import Random
from time import thread_time

import aiohttp
from api_streams import API_STREAMS, bare_readers
from prose import write_answer
from sources import QUICK, TOKENS, read_bare
from turns import Bin

from streamcord import Pipeline, TextDelta, say
from streamcord._providers.http import HttpProvider
from streamcord.providers import user

EACH, RUNS = 10, 15
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LENGTH = re.compile(rb"content-length: ([0-9]+)", re.IGNORECASE)


class Lockstep(selectors.DefaultSelector):
    """Answers one request with these writes, one whenever the loop would have to wait."""

    def __init__(self, writes: list[bytes]) -> None:
        super().__init__()
        self.own_time = 0.0
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(0.001)
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self._client: socket.socket | None = None
        self._asked = b""
        self._writes = iter(writes)

    def select(self, timeout=None):
        began = thread_time()
        ready = super().select(0)
        idle = not ready and timeout != 0
        if idle:
            with suppress(TimeoutError):
                self._go_on()
        self.own_time += thread_time() - began
        return super().select(0.01) if idle else ready

    def _go_on(self) -> None:
        if self._client is None:
            self._client, _ = self._server.accept()
            self._client.settimeout(0.001)
            self._client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        elif not self._is_asked():
            self._asked += self._client.recv(65536)
            if self._is_asked():
                self._client.sendall(HEAD)
        elif (write := next(self._writes, None)) is not None:
            self._client.sendall(b"%x\r\n%s\r\n" % (len(write), write))

    def _is_asked(self) -> bool:
        head, blank, body = self._asked.partition(b"\r\n\r\n")
        return bool(blank) and len(body) >= int(LENGTH.findall(head)[0])

    def close(self) -> None:
        super().close()
        for one in filter(None, (self._server, self._client)):
            one.close()


def writes_of(name: str) -> list[bytes]:
    """The reads of an answer, its end, and the empty chunk that ends a response."""
    api = API_STREAMS[name]
    text = "\n\n".join(write_answer(seed) for seed in range(TOKENS // 250))
    events = [api.event(text[4 * number : 4 * number + 4], number) for number in range(TOKENS)]
    return [*(b"".join(events[at : at + EACH]) for at in range(0, TOKENS, EACH)), api.end, b""]


def seconds(work, writes: list[bytes]) -> float:
    """What it takes to do this with the address of a server."""
    selector = Lockstep(writes)
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        runner.get_loop()
        gc.collect()
        selector.own_time, began = 0.0, thread_time()
        runner.run(work(selector.url))
        return thread_time() - began - selector.own_time


def parts_of(name: str):
    """Each part, and what it adds to those before."""
    api = API_STREAMS[name]
    readers = bare_readers()

    async def receive(url: str) -> None:
        async with aiohttp.ClientSession() as session, session.post(url, json={}) as response:
            async for _ in response.content.iter_any():
                pass

    async def read(url: str, pipeline: Pipeline | None = None) -> None:
        async with HttpProvider(api.preset, base_url=url, model="m") as provider:
            async for event in provider.stream(user("Hi")):
                if pipeline and isinstance(event, TextDelta):
                    pipeline.feed(event.text)

    async def speak(url: str, *, show: bool) -> None:
        async with HttpProvider(api.preset, base_url=url, model="m") as provider:
            await say(Bin(), provider.stream(user("Hi")), settings=QUICK, show=show)

    yield "aiohttp alone", receive
    if readers is not None:
        yield "bare reading", lambda url: read_bare(url, api, readers[api.reader])
    yield "our reading", read
    yield "with the text core", lambda url: read(url, Pipeline(QUICK, Random(0)))
    yield "with the turn", lambda url: speak(url, show=False)
    yield "with sending", lambda url: speak(url, show=True)


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "anthropic"
    writes, parts = writes_of(name), dict(parts_of(name))
    best = dict.fromkeys(parts, float("inf"))
    for _ in range(RUNS):
        for part, work in parts.items():
            best[part] = min(best[part], seconds(work, writes))
    print(f"{name}, {EACH} deltas a read, µs per read, CPU, best of {RUNS}")
    for part, took in best.items():
        print(f"  {part:20} {took / TOKENS * EACH * 1e6:5.1f}")


if __name__ == "__main__":
    main()
