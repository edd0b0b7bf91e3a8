"""How much the twin bears: one client's requests, 200 gateway clients at once, 1 000 sessions, a long channel, memory.

    python bench/twin_load.py

The twin runs in a process of its own. Bars: 1 000 requests/s from one client on one core; every event to all
of 200 clients; a page of a channel with 10 000 messages in at most 20 ms; 400 MB.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import sys
import time

import aiohttp

from discord_twin import Twin, TwinOptions

CLIENTS, EVENTS, MESSAGES, SESSIONS = 200, 20, 10_000, 1000


def run_server(pipe):
    asyncio.run(serve(pipe))


async def serve(pipe):
    async with Twin(TwinOptions.without_limits(identify_budget=100_000)) as twin:
        pipe.send((twin.api_url, twin.gateway_url, twin.token, twin.channel.id))
        while True:
            while not pipe.poll():  # noqa: ASYNC110 - a pipe has no event
                await asyncio.sleep(0.01)
            asked = pipe.recv()
            if asked == "stop":
                return
            if asked == "say":
                twin.say(twin.channel, twin.user, "an event")
            usage = resource.getrusage(resource.RUSAGE_SELF)
            pipe.send((usage.ru_utime + usage.ru_stime, memory_mb()))


def memory_mb():
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * 4096 / 1e6


def ask(pipe, word):
    pipe.send(word)
    return pipe.recv()


async def post(session, url, count, connections):
    async def worker(first):
        for number in range(first, count, connections):
            async with session.post(url, json={"content": f"message {number}"}) as response:
                await response.read()
                assert response.status == 200

    started = time.perf_counter()
    await asyncio.gather(*(worker(one) for one in range(connections)))
    return count / (time.perf_counter() - started)


async def listen(session, url, token, received):
    async with session.ws_connect(url + "?v=10&encoding=json") as socket:
        await socket.receive()
        body = {"token": token, "intents": 1 << 9 | 1 << 15, "properties": {}}
        await socket.send_str(json.dumps({"op": 2, "d": body}))
        count = 0
        async for message in socket:
            if '"MESSAGE_CREATE"' in message.data[:40]:
                count += 1
                if count == EVENTS:
                    return
            elif '"READY"' in message.data[:20]:
                received.release()


async def leave(session, url, token):
    """Log in and go without a word, so that the session could be resumed."""
    async with session.ws_connect(url) as socket:
        await socket.receive()
        await socket.send_json({"op": 2, "d": {"token": token, "intents": 1, "properties": {}}})
        await socket.receive()
        socket._response.close()


async def bench(pipe):
    api, gateway, token, channel = pipe.recv()
    url, results = f"{api}/channels/{channel}/messages", []
    headers = {"Authorization": f"Bot {token}"}
    async with aiohttp.ClientSession(headers=headers, connector=aiohttp.TCPConnector(limit=0)) as session:
        before = ask(pipe, "look")[0]
        rate = await post(session, url, 3000, 1)
        core = 3000 / (ask(pipe, "look")[0] - before)
        results.append((core >= 1000, f"one client, one at a time: {rate:.0f}/s; one core: {core:.0f}/s"))
        before = ask(pipe, "look")[0]
        rate = await post(session, url, MESSAGES - 3000, 16)
        core = (MESSAGES - 3000) / (ask(pipe, "look")[0] - before)
        results.append((core >= 1000, f"one client, 16 at once: {rate:.0f}/s; one core: {core:.0f}/s"))
        started = time.perf_counter()
        for _ in range(50):
            async with session.get(url + "?limit=100") as response:
                assert len(await response.json()) == 100
        page = (time.perf_counter() - started) / 50 * 1000
        results.append((page <= 20, f"a page of 100 out of {MESSAGES}: {page:.1f} ms"))
        ready = asyncio.Semaphore(0)
        tasks = [asyncio.create_task(listen(session, gateway, token, ready)) for _ in range(CLIENTS)]
        for _ in range(CLIENTS):
            await ready.acquire()
        started = time.perf_counter()
        for _ in range(EVENTS):
            await asyncio.to_thread(ask, pipe, "say")
        await asyncio.wait_for(asyncio.gather(*tasks), 60)
        took = time.perf_counter() - started
        results.append(
            (
                took <= 20,
                f"{EVENTS} events to {CLIENTS} clients: {took:.2f} s, {EVENTS * CLIENTS / took:.0f} frames/s",
            )
        )
        memory = ask(pipe, "look")[1]
        results.append((memory <= 400, f"memory after {MESSAGES} messages: {memory:.0f} MB"))
        started = time.perf_counter()
        for _ in range(SESSIONS):
            await leave(session, gateway, token)
        took, grown = time.perf_counter() - started, ask(pipe, "look")[1] - memory
        results.append(
            (
                grown <= 50,
                f"{SESSIONS} sessions that nobody resumes: {took:.1f} s, {grown:.0f} MB more memory",
            )
        )
    pipe.send("stop")
    return results


def main():
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=run_server, args=(there,), daemon=True)
    server.start()
    results = asyncio.run(bench(here))
    server.join(5)
    for good, line in results:
        print("ok  " if good else "OVER", line)
    return int(not all(good for good, _ in results))


if __name__ == "__main__":
    sys.exit(main())
