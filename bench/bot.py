"""Fifty channels that talk at once to the real bot: is every word there, and how long do people wait?

    python bench/bot.py [channels] [questions per channel]

The twin, with Discord's rate limits, and its people run in a process of their own, the bot in this one, as on
two cores. The model takes half a second for its first line; settings are the defaults, so that the bot waits
a second for what a person may add, while the model works already. The channels lie on servers of at most 25,
since a server has 30 answers at once by default (`server_running`), and waiting for a place is no work.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator

from discord_twin import Twin
from streamcord import Finish, ProviderEvent, TextDelta
from streamcord.discord import redirect_discord_py
from streamcord.providers import Options, Prompt, Text, UserMessage
from streamcord.store import open_store
from streamcord_bot.app import build_bot
from streamcord_bot.config import read_config

BAR = 1.0
FIRST_LINE = 0.5
LINES = 4
ON_A_SERVER = 25
PAUSE = 5.0
"""Where Discord takes five messages in five seconds, people read before they ask again."""


class Model:
    """Answers each question with its own words, so that a mix-up is seen."""

    async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        last = next(one for one in reversed(prompt.messages) if isinstance(one, UserMessage))
        asked = "\n".join(part.text for part in last.parts if isinstance(part, Text)).rpartition(" mark ")[2]
        await asyncio.sleep(FIRST_LINE)
        for number in range(LINES):
            for piece in (f"{asked} line", f" {number} of the answer.", "\n"):
                yield TextDelta(piece)
                await asyncio.sleep(0.02)
        yield Finish()


def open_channels(twin, channels):
    """Channels on as many servers as it takes, each with a person of its own."""
    servers = [twin.guild]
    for number in range(channels):
        if number and number % ON_A_SERVER == 0:
            servers.append(twin.state.add_guild(f"server-{len(servers)}", twin.user))
            twin.state.add_member(servers[-1], twin.bot.user)
        place = twin.state.add_channel(servers[-1], f"channel-{number}")
        person = twin.state.add_user(f"p-{place.id}")
        twin.state.add_member(servers[-1], person)
        yield place, person


async def ask(twin, channel, person, questions, waits):
    for number in range(questions):
        await asyncio.sleep(random.random() * 2 + (PAUSE if number else 0))
        mark = f"{channel.name}-{number}"
        asked = time.perf_counter()
        twin.say(channel, person, f"<@{twin.bot.id}> mark {mark}")
        said = (await twin.next_message(channel, 120)).content.split("\n")
        waits.append(time.perf_counter() - asked)
        # Lines that come late because Discord is busy may share a message.
        while len(said) < LINES:
            said += (await twin.next_message(channel, 120)).content.split("\n")
        expected = [f"{mark} line {line} of the answer." for line in range(LINES)]
        if said != expected:
            return [f"{channel.name}: {said} instead of {expected}"]
    return []


async def people(pipe, channels, questions):
    async with Twin() as twin:
        places = [*open_channels(twin, channels)]
        pipe.send((twin.api_url, twin.gateway_url, twin.cdn_url, twin.token))
        await asyncio.to_thread(pipe.recv)
        waits, began = [], time.perf_counter()
        wrong = await asyncio.gather(
            *(ask(twin, place, person, questions, waits) for place, person in places)
        )
        refused = twin.log.count(status=429)
        pipe.send((waits, [one for found in wrong for one in found], time.perf_counter() - began, refused))
        await asyncio.to_thread(pipe.recv)


def run_people(*arguments):
    asyncio.run(people(*arguments))


async def run_bot(pipe):
    api, gateway, cdn, token = pipe.recv()
    config = read_config({"personas": {"Luna": {"prompt": "You are Luna."}}}, {})
    store = await open_store(":memory:")
    with redirect_discord_py(api, gateway, cdn):
        bot = build_bot(config, Model(), store, guild_ready_timeout=0.1).bot
        await bot.login(token)
        running = asyncio.create_task(bot.connect())
        await bot.wait_until_ready()
        cpu = time.process_time()
        pipe.send("go")
        measured = await asyncio.to_thread(pipe.recv)
        cpu = time.process_time() - cpu
        await bot.close()
        await asyncio.gather(running, return_exceptions=True)
        pipe.send("bye")
    await store.close()
    return (*measured, cpu)


def main() -> int:
    numbers = [int(one) for one in sys.argv[1:] if one.isdecimal()]
    channels, questions = (numbers + [50, 4][len(numbers) :])[:2]
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=run_people, args=(there, channels, questions)
    )
    process.start()
    waits, wrong, seconds, refused, cpu = asyncio.run(run_bot(here))
    process.join()
    over = sorted(wait - FIRST_LINE for wait in waits)
    p95 = over[int(len(over) * 0.95) - 1]
    print(f"{channels} channels, {len(waits)} answers in {seconds:.1f} s, {cpu:.1f} s of the bot's core")
    print(f"lost or mixed up: {len(wrong)}; refused by a rate limit: {refused}")
    print(
        f"first message, over the model's own time: median {statistics.median(over):.3f} s, p95 {p95:.3f} s"
    )
    for line in wrong[:5]:
        print(" ", line)
    failed = bool(wrong) or p95 > BAR
    print("missed" if failed else f"ok (bar: p95 of at most {BAR:g} s, nothing lost)")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
