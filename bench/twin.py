"""How many messages per second the twin takes on one core.

    python bench/twin.py [messages]

The twin runs in a process of its own; a raw aiohttp client posts from this one. `server core` is what counts:
messages per second of the server's CPU time, that is, what one core takes if no other process uses it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import sys
import time

import aiohttp

from discord_twin import Limit, Twin, TwinOptions

CONNECTIONS = 16
CHANNELS = 50
FREE = TwinOptions(
    buckets={},
    other_bucket=Limit(1_000_000, 1.0),
    global_rps=0,
    hidden_webhook_channel_limit=None,
)


def run_server(pipe):
    asyncio.run(serve(pipe))


async def serve(pipe):
    async with Twin(FREE) as twin:
        channels = [twin.add_channel(f"c{number}") for number in range(CHANNELS)]
        webhook = twin.state.add_webhook(twin.channel, "bench", twin.bot.user)
        webhook_url = f"{twin.api_url}/webhooks/{webhook.id}/{webhook.token}?wait=true"
        pipe.send((twin.api_url, twin.gateway_url, twin.token, [one.id for one in channels], webhook_url))
        loop = asyncio.get_running_loop()
        while True:
            ready = asyncio.Event()
            loop.add_reader(pipe.fileno(), ready.set)
            await ready.wait()
            loop.remove_reader(pipe.fileno())
            if pipe.recv() == "stop":
                return
            usage = resource.getrusage(resource.RUSAGE_SELF)
            pipe.send(usage.ru_utime + usage.ru_stime)


async def post_all(name, session, urls, total):
    async def worker(first):
        for number in range(first, total, CONNECTIONS):
            body = {"content": f"message {number}", "nonce": f"{name[:12]} {number}", "enforce_nonce": True}
            async with session.post(urls[number % len(urls)], json=body) as response:
                await response.read()
                assert response.status == 200, response.status

    await asyncio.gather(*(worker(first) for first in range(CONNECTIONS)))


async def measure(name, pipe, session, urls, total):
    pipe.send("cpu")
    before, start = pipe.recv(), time.perf_counter()
    await post_all(name, session, urls, total)
    wall = time.perf_counter() - start
    pipe.send("cpu")
    cpu = pipe.recv() - before
    print(f"{name:28} {total / wall:8.0f}/s wall {total / cpu:8.0f}/s server core")


async def listen(session, gateway_url, token):
    socket = await session.ws_connect(gateway_url)
    await socket.receive()
    intents = 1 | (1 << 9) | (1 << 15)
    await socket.send_json({"op": 2, "d": {"token": token, "intents": intents, "properties": {}}})

    async def drain():
        async for _ in socket:
            pass

    return socket, asyncio.create_task(drain())


async def main(total):
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=run_server, args=(theirs,))
    server.start()
    api_url, gateway_url, token, channels, webhook_url = ours.recv()
    headers = {"Authorization": f"Bot {token}"}
    urls = [f"{api_url}/channels/{channel}/messages" for channel in channels]
    async with aiohttp.ClientSession(headers=headers) as session:
        await measure("bot messages", ours, session, urls, total)
        await measure("webhook messages", ours, session, [webhook_url], total)
        socket, drain = await listen(session, gateway_url, token)
        await measure("with a gateway, bot messages", ours, session, urls, total)
        await socket.close()
        await drain
    start = time.perf_counter()
    for _ in range(20):
        async with Twin():
            pass
    print(f"{'start and stop':28} {(time.perf_counter() - start) / 20 * 1000:8.1f} ms")
    ours.send("stop")
    server.join()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
