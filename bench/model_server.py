"""A model's server in a process of its own: prints its address, ends with standard input.

The path says what it does: `/paced/RATE/SECONDS` sends so many events per second, `/text/MEBIBYTES` and
`/thoughts/MEBIBYTES` as much as they say, as fast as it is taken; `/reads/API/COUNT/EACH` so many events,
each write with so many of them and a moment between two writes, so that a write is a read.
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
MOMENT = 0.0007
TOKENS = [WORDS[at : at + 5] for at in range(0, len(WORDS), 5)]


async def begin(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    return response


async def end(response: web.StreamResponse) -> web.StreamResponse:
    await response.write(chunk(finish="stop") + b"data: [DONE]\n\n")
    return response


async def paced(request: web.Request) -> web.StreamResponse:
    rate, seconds = (float(request.match_info[name]) for name in ("rate", "seconds"))
    response = await begin(request)
    clock = asyncio.get_running_loop().time
    began = clock()
    for number in range(int(rate * seconds)):
        await asyncio.sleep(began + number / rate - clock())
        await response.write(chunk(TOKENS[number % len(TOKENS)]))
    return await end(response)


async def reads(request: web.Request) -> web.StreamResponse:
    count, each = (int(request.match_info[name]) for name in ("count", "each"))
    api = API_STREAMS[request.match_info["api"]]
    response = await begin(request)
    text = "\n\n".join(write_answer(seed) for seed in range(count // 250))  # no delta is empty
    events = [api.event(text[4 * number : 4 * number + 4], number) for number in range(count)]
    for at in range(0, count, each):
        await response.write(b"".join(events[at : at + each]))
        await asyncio.sleep(MOMENT)
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
    app.router.add_post("/paced/{rate}/{seconds}/chat/completions", paced)
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
