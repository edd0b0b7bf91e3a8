"""What a journal costs: processor time per answer and the wait for the first message, with and without one.

The answers go through discord.py to a twin in another process, without rate limits. Bars: at most 10 % more
processor time per answer, the first message at most 10 ms later (p50). Prints the price of `power_loss`,
too, and how large the file is after many turns. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import discord

from streamcord import Degree, Finish, Settings, TextDelta, say
from streamcord.discord import DiscordChannel, redirect_discord_py
from streamcord.store import SqlJournal, open_journal

ANSWERS, LINES, AT_ONCE, ROUNDS = 40, 10, 8, 5
PLAIN = Settings(degree=Degree.LIGHT, typing="off", merge="off")
LINE = "A line of an answer that is worth reading from its beginning to its end.\n"
TWIN = """
import asyncio, sys
from streamcord.twin import Switches, Twin
async def main():
    async with Twin(Switches.without_limits()) as twin:
        channels = [twin.add_channel(f"c{n}").id for n in range(8)]
        print(twin.api_url, twin.gateway_url, twin.cdn_url, twin.token, *channels, flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""


async def model() -> AsyncIterator[TextDelta | Finish]:
    text = LINE * LINES
    for at in range(0, len(text), 8):
        if at % 160 == 0:
            await asyncio.sleep(0.002)
        yield TextDelta(text[at : at + 8])
    yield Finish()


async def answers(
    channels: list[discord.TextChannel], journal: SqlJournal | None
) -> tuple[float, list[float]]:
    """Processor seconds per answer, and seconds to each first message."""
    firsts: list[float] = []

    async def speak(channel: discord.TextChannel) -> None:
        for _ in range(ANSWERS // AT_ONCE):
            turn = journal.begin(channel=channel.id) if journal else None
            result = await say(
                DiscordChannel(channel), model(), settings=PLAIN, random=Random(1), journal=turn
            )
            assert len(result.receipts) == LINES
            firsts.append(result.counts.first_message or 0.0)

    began = time.process_time()
    await asyncio.gather(*(speak(channel) for channel in channels))
    return (time.process_time() - began) / ANSWERS, firsts


async def measure(channels: list[discord.TextChannel], folder: Path) -> bool:
    found: dict[str, list[tuple[float, list[float]]]] = {"off": [], "on": [], "power_loss": []}
    await answers(channels, None)
    for number in range(ROUNDS):
        found["off"].append(await answers(channels, None))
        for name in ("on", "power_loss"):
            async with await open_journal(folder / f"{name}.db", power_loss=name == "power_loss") as journal:
                found[name].append(await answers(channels, journal))
        print(f"round {number + 1} of {ROUNDS}", file=sys.stderr)
    cpu = {name: statistics.median(one for one, _ in runs) * 1000 for name, runs in found.items()}
    first = {name: statistics.median(f for _, fs in runs for f in fs) * 1000 for name, runs in found.items()}
    # Each round compares with itself: what else the machine does changes from round to round.
    more = {
        name: statistics.median(one / off - 1 for (one, _), (off, _) in zip(runs, found["off"], strict=True))
        for name, runs in found.items()
    }
    print("| journal | processor time per answer | first message, p50 |\n|---|--:|--:|")
    for name in found:
        dearer, later = f"{more[name]:+.1%}", f"{first[name] - first['off']:+.1f} ms"
        print(f"| {name} | {cpu[name]:.1f} ms ({dearer}) | {first[name]:.1f} ms ({later}) |")
    return more["on"] <= 0.10 and first["on"] <= first["off"] + 10


async def file_size(folder: Path, turns: int) -> int:
    """Bytes of the database after so many turns, with its log."""
    file = folder / "size.db"
    async with await open_journal(file) as journal:
        for number in range(turns):
            turn = journal.begin(number=number)
            turn.begin(PLAIN, None, None)
            turn.hear(LINE * LINES)
            turn.leave()
            if number % 20 == 0:
                await journal.settled()
            turn.close()
        await journal.settled()
        return sum(one.stat().st_size for one in folder.glob("size.db*"))  # noqa: ASYNC240


async def main() -> int:
    twin = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", TWIN), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert twin.stdout is not None
    api, gateway, cdn, token, *ids = (await twin.stdout.readline()).decode().split()
    client = discord.Client(intents=discord.Intents.default(), guild_ready_timeout=0.1)
    with redirect_discord_py(api, gateway, cdn), tempfile.TemporaryDirectory() as name:
        running = asyncio.create_task(client.start(token))
        await asyncio.sleep(1)
        await client.wait_until_ready()
        found = [client.get_channel(int(one)) for one in ids]
        held = await measure([one for one in found if isinstance(one, discord.TextChannel)], Path(name))
        size = await file_size(Path(name), 10_000)
        await client.close()
        await asyncio.gather(running, return_exceptions=True)
    print(f"\nThe file after 10 000 turns, with its log: {size / 1024:.0f} KiB.")
    assert twin.stdin is not None
    twin.stdin.close()
    await twin.wait()
    return 0 if held and size < 16 * 1024 * 1024 else 1


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
