"""Check what `say` costs over HTTP, against the shortest reader of the same stream, and its memory.

python bench/http_streams.py          all parts (two minutes)
python bench/http_streams.py cost     one part: cost, http_memory
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time

import aiohttp
from api_streams import API_STREAMS, ApiStream, bare_readers
from board import Board, progress
from parts import run_parts
from turns import ENDLESS_MIB, MEBI, UNCAPPED, NullChannel, rss

from streamcord import Settings, say
from streamcord._providers.http import HttpProvider
from streamcord.providers import user

HERE = Path(__file__).parent
RUNS = 5
DELTAS = 4000
# DESIGN: `say` over HTTP takes at most three times the processor time of aiohttp and msgspec.
COST_LIMIT = 3.0
FLOOD_MIB = 64
UNPACED = Settings(typing="off", message_cap=0)


async def read_bare(url: str, api: ApiStream, reader) -> float:
    """Read the stream with aiohttp and typed structs of msgspec, and do nothing with it."""
    began, length, rest = process_time(), 0, b""
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{url}/chat/completions", json={"stream": True}) as response:
            async for read in response.content.iter_any():
                *events, rest = (rest + read).split(api.blank)
                length += reader(events)
        assert length > 1000, length
        return process_time() - began


async def read_whole(url: str, preset: str) -> float:
    """Do everything from the request to the last message."""
    began = process_time()
    async with HttpProvider(preset, base_url=url, model="m") as provider:
        result = await say(NullChannel(), provider.stream(user("Hi")), settings=UNPACED)
    assert result.counts.shown > 1000, result
    return process_time() - began


def cost(board: Board) -> None:
    """Compare `say` with bare reading, for every API and two sizes of network reads."""
    board.head(f"`say` over HTTP: processor time over that of aiohttp and msgspec, {DELTAS} deltas")
    readers = bare_readers()
    with model_server() as url:
        for name, api in API_STREAMS.items():
            for each in (1, 10):
                progress(f"cost: {name}, {each} a read")
                # With one delta per read a run takes ten times as long, so only one API has all deltas.
                count, runs = (DELTAS, RUNS) if each > 1 or name == "chat" else (DELTAS // 4, RUNS - 2)
                address = f"{url}/reads/{name}/{count}/{each}"
                bare = whole = float("inf")
                for _ in range(runs):
                    # In turns, so that a busy moment of the machine hits both.
                    gc.collect()
                    bare = min(bare, asyncio.run(read_bare(address, api, readers[api.reader])))
                    gc.collect()
                    whole = min(whole, asyncio.run(read_whole(address, api.preset)))
                value = f"{whole / bare:.2f} × ({whole / count * 1e6:.0f} µs a delta)"
                board.row(f"{name}, {each} a read", value, f"≤ {COST_LIMIT:g} ×", whole <= COST_LIMIT * bare)
    progress("")


@contextmanager
def model_server() -> Iterator[str]:
    """Run a model's server in a process of its own and return its address."""
    command = [sys.executable, str(HERE / "model_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(10)


async def read_flood(url: str) -> int:
    """Return by how many bytes the process grows over everything that a server sends."""
    async with HttpProvider("custom", base_url=url, model="m", max_body_bytes=0) as provider:
        gc.collect()
        before = rss()
        await say(NullChannel(), provider.stream(user("Hi")), settings=UNCAPPED)
        return rss() - before


def http_memory(board: Board) -> None:
    """Measure the process while a server sends text, then reasoning, as fast as it is read."""
    board.head(f"Bounded memory over HTTP: {FLOOD_MIB} MiB from a server, message_cap=0")
    with model_server() as url:
        # The first turn loads what a process has once.
        asyncio.run(read_flood(f"{url}/text/1"))
        for kind in ("text", "thoughts"):
            grown = asyncio.run(read_flood(f"{url}/{kind}/{FLOOD_MIB}")) / MEBI
            board.row(kind, f"{grown:.1f} MiB", f"≤ {ENDLESS_MIB} MiB", grown <= ENDLESS_MIB)


PARTS = {"cost": cost, "http_memory": http_memory}


if __name__ == "__main__":
    sys.exit(run_parts(PARTS))
