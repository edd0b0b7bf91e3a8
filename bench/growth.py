"""What an answer costs when a server has grown: personas, members, memories and messages in the channel.

    python bench/growth.py
    python bench/growth.py personas 2000 10000

The bot and the local Discord run in this process. The processor time of twenty answers in a row is compared with that
in an empty server; the local Discord is in it, but does not grow per answer except with the members it sends.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
import time
from pathlib import Path

from event_loop_steps import measured_steps

from discord_twin import Twin, TwinOptions
from discord_twin.discord_py import connect_discord_py
from streamcord import Persona
from streamcord.store import Memory, Place, Store, StoredPersona, open_store
from streamcord.testing import ScriptedProvider
from streamcord_bot.app import build_bot
from streamcord_bot.config import read_config

ANSWERS = 20
SIZES = {
    "personas": (0, 1_000, 10_000, 100_000),
    "members": (0, 1_000, 10_000, 100_000),
    "memories": (0, 1_000, 10_000, 100_000),
    "messages": (0, 1_000, 10_000, 100_000),
}


async def grow(what: str, size: int, twin: Twin, store: Store) -> None:
    """Fill a server with so many of one kind."""
    place = Place(twin.guild.id, twin.channel.id)
    for number in range(size):
        match what:
            case "personas":
                persona = Persona(f"Persona{number}")
                await store.save_persona(StoredPersona(persona, twin.guild.id, prompt="You are somebody."))
            case "members":
                twin.state.add_member(twin.guild, twin.state.add_user(f"member{number}"))
            case "memories":
                await store.remember(Memory("Luna", place, f"answer {number}", (number + 1,), (), 1))
            case _:
                twin.say(twin.channel, twin.user, f"message {number}")


async def measure(what: str, size: int, folder: Path) -> str:
    """Return a row of the table."""
    config = read_config(
        {"personas": {"Luna": {"prompt": "You are Luna."}}, "answer": {"debounce": 0.02}}, {}
    )
    store = await open_store(folder / f"{what}-{size}.db")
    async with Twin(TwinOptions.without_limits()) as twin:
        await grow(what, size, twin, store)
        with connect_discord_py(twin):
            bot = build_bot(config, ScriptedProvider(["An answer."]), store, guild_ready_timeout=0.1).bot
            running = asyncio.create_task(bot.start(twin.token))
            await twin.ready(60)
            await bot.wait_until_ready()
            await asyncio.sleep(1.0)
            firsts = []
            # The first answer fills caches.
            for number in range(ANSWERS + 1):
                if number == 1:
                    cpu = time.process_time()
                began = time.perf_counter()
                with measured_steps() as steps:
                    twin.say(twin.channel, twin.user, f"<@{twin.bot.id}> question {number}")
                    await twin.next_message(timeout=120)
                firsts.append((time.perf_counter() - began, steps.longest_s))
                await asyncio.sleep(0.1)
            cpu = (time.process_time() - cpu) / ANSWERS
            await bot.close()
            await asyncio.gather(running, return_exceptions=True)
    await store.close()
    usual = sorted(firsts[1:])[ANSWERS // 2][0]
    longest = max(step for _, step in firsts[1:])
    return (
        f"| {what} | {size:,} | {cpu * 1000:.1f} ms | {usual:.2f} s | {longest * 1000:.0f} ms "
        f"| {firsts[0][0]:.2f} s |"
    )


def main() -> int:
    """Print a table."""
    logging.disable(logging.CRITICAL)
    what, *sizes = sys.argv[1:] or [""]
    chosen = {what: tuple(map(int, sizes)) or SIZES[what]} if what else SIZES
    print("| what grows | how many | processor time per answer | first words | longest step | first answer |")
    print("|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, counts in chosen.items():
            for size in counts:
                print(asyncio.run(measure(name, size, Path(folder))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
