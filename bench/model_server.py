"""Serve a model's API in a process of its own: print the address, end when standard input closes.

The path says what to send: `/text/MEBIBYTES` and `/thoughts/MEBIBYTES` send that much as fast as it is read;
`/reads/API/COUNT/EACH` sends COUNT deltas, EACH of them in one write, with a pause after every write so that
the client gets one write per read.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

from aiohttp import web
from api_streams import API_STREAMS
from canned import chunk
from prose import write_answer

WORDS = "A line of an answer that does not want to come to an end at all.\n"
# Long enough for the client to read a write before the next one, on an idle core.
PAUSE_S = 0.0007


async def begin(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    return response


async def end(response: web.StreamResponse) -> web.StreamResponse:
    await response.write(chunk(finish="stop") + b"data: [DONE]\n\n")
    return response


async def reads(request: web.Request) -> web.StreamResponse:
    count, each = (int(request.match_info[name]) for name in ("count", "each"))
    api = API_STREAMS[request.match_info["api"]]
    response = await begin(request)
    text = "\n\n".join(write_answer(seed) for seed in range(count // 250))  # no delta is empty
    events = [api.event(text[4 * number : 4 * number + 4], number) for number in range(count)]
    for at in range(0, count, each):
        await response.write(b"".join(events[at : at + each]))
        await asyncio.sleep(PAUSE_S)
    await response.write(api.end)
    return response


async def flood(request: web.Request) -> web.StreamResponse:
    response = await begin(request)
    text = WORDS * 250
    event = chunk(text) if request.match_info["what"] == "text" else chunk(reasoning_content=text)
    with suppress(ConnectionError):  # the client may close early
        for _ in range(int(request.match_info["mebibytes"]) * 1024 * 1024 // len(event)):
            await response.write(event)
        await end(response)
    return response


async def main() -> None:
    app = web.Application()
    app.router.add_post("/reads/{api}/{count}/{each}/{path:.+}", reads)
    app.router.add_post("/{what}/{mebibytes}/chat/completions", flood)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
