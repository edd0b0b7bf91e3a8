"""What it costs to hear a model: parsing against the SDKs, many streams at once, memory; README.md says how.

python bench/sources.py               everything (two minutes)
python bench/sources.py parse         one part: parse, reads, load, memory
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import aiohttp
import httpx2
import openai
from api_streams import API_STREAMS, ApiStream, bare_readers
from canned import client, stream
from core import Board
from model_server import TOKENS as WORDS
from prose import write_answer
from turns import MEBI, Bin, rss

from streamcord import Degree, Message, Pipeline, Settings, TextDelta, say
from streamcord._providers.apis.registry import OpenAIChat
from streamcord._providers.http import HttpProvider
from streamcord._providers.response_reader import ResponseReader
from streamcord.providers import user

HERE = Path(__file__).parent
RIVAL = Path(os.environ.get("LITELLM_PYTHON", HERE.parent / ".venv-litellm" / "bin" / "python"))
SCHEDULER = Path("/proc/self/schedstat")
RUNS = 5
TOKENS = 4000
STREAMS, RATE, SECONDS = 200, 50, 10
EXPECTED = STREAMS * sum(len(WORDS[number % len(WORDS)]) for number in range(RATE * SECONDS))
QUICK = Settings(typing="off", message_cap=0)


# --- Parsing -------------------------------------------------------------------------------------------


def answer_reads() -> list[bytes]:
    text = "\n\n".join(write_answer(seed) for seed in range(12))
    return stream([text[at : at + 4] for at in range(0, 4 * TOKENS, 4)])


def ours(reads: list[bytes]) -> float:
    """From bytes to planned messages."""
    began = process_time()
    reader = ResponseReader(OpenAIChat().decoder())
    pipeline = Pipeline(Settings(message_cap=0), Random(0))
    messages = 0
    for read in reads:
        for event in reader.feed(read):
            if isinstance(event, TextDelta):
                messages += sum(isinstance(one, Message) for one in pipeline.feed(event.text))
    reader.finish()
    messages += sum(isinstance(one, Message) for one in pipeline.flush())
    spent = process_time() - began
    assert messages > 10, messages
    return spent


async def theirs(reads: list[bytes]) -> float:
    """From bytes to the objects of the `openai` SDK, and no further."""
    async with openai.AsyncOpenAI(api_key="k", http_client=client(httpx2, reads)) as sdk:
        began = process_time()
        length = 0
        question = [{"role": "user", "content": "Hi"}]
        async for chunk in await sdk.chat.completions.create(model="m", messages=question, stream=True):
            length += len(chunk.choices[0].delta.content or "")
        assert length > 1000, length
        return process_time() - began


def litellm(reads: list[bytes]) -> tuple[float, str] | None:
    """The same of litellm, in an environment of its own, if there is one."""
    if not RIVAL.is_file():
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([read.decode() for read in reads], file)
        file.flush()
        command = [str(RIVAL), str(HERE / "rival_litellm.py"), file.name, str(RUNS)]
        run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE)
    measured = json.loads(run.stdout.splitlines()[-1])
    return measured["seconds"], measured["version"]


def parse(board: Board) -> None:
    reads = answer_reads()
    board.head(f"Parsing: one chat completion of {TOKENS} tokens, a read each, CPU, best of {RUNS}")
    best = {"ours": float("inf"), "openai": float("inf")}
    ours(reads)
    for _ in range(RUNS):
        # In turns, so that a noisy moment of the machine hits both.
        gc.collect()
        best["ours"] = min(best["ours"], ours(reads))
        gc.collect()
        best["openai"] = min(best["openai"], asyncio.run(theirs(reads)))
    each = {name: seconds / TOKENS * 1e6 for name, seconds in best.items()}
    board.row("streamcord, to messages", f"{each['ours']:.1f} µs per token", "", None)
    share = each["ours"] / each["openai"]
    name = f"openai {openai.__version__}, parsing"
    board.row(name, f"{each['openai']:.1f} µs per token, we 1/{1 / share:.1f}", "<= 1/5", share <= 1 / 5)
    if rival := litellm(reads):
        cost = rival[0] / TOKENS * 1e6
        share = each["ours"] / cost
        name = f"litellm {rival[1]}, parsing"
        board.row(name, f"{cost:.1f} µs per token, we 1/{1 / share:.1f}", "<= 1/20", share <= 1 / 20)
    else:
        board.row("litellm, parsing", "not installed: make rivals", "<= 1/20", None)


# --- Reads ---------------------------------------------------------------------------------------------


async def read_bare(url: str, api: ApiStream, reader) -> float:
    """Bytes, events, structs, and no more."""
    blank = api.blank
    began, length, rest = process_time(), 0, b""
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{url}/chat/completions", json={"stream": True}) as response:
            async for read in response.content.iter_any():
                *events, rest = (rest + read).split(blank)
                length += reader(events)
        assert length > 1000, length
        return process_time() - began


async def read_whole(url: str, preset: str = "custom") -> float:
    """From the request to the last message."""
    began = process_time()
    async with HttpProvider(preset, base_url=url, model="m") as provider:
        result = await say(Bin(), provider.stream(user("Hi")), settings=QUICK)
    assert result.counts.shown > 1000, result
    return process_time() - began


def reads(board: Board) -> None:
    board.head(f"Reads: {TOKENS} deltas over loopback, CPU, best of {RUNS}")
    readers = bare_readers()
    if readers is None:
        board.row("msgspec", "not installed", "", None)
        return
    with model_server() as url:
        for name, api in API_STREAMS.items():
            for each, most in ((1, 2.0), (10, 1.5)):
                # One a read takes long, so only the api of most servers has all of them.
                count, runs = (TOKENS, RUNS) if each > 1 or name == "chat" else (TOKENS // 4, RUNS - 2)
                address = f"{url}/reads/{name}/{count}/{each}"
                bare = whole = float("inf")
                for _ in range(runs):
                    gc.collect()
                    bare = min(bare, asyncio.run(read_bare(address, api, readers[api.reader])))
                    gc.collect()
                    whole = min(whole, asyncio.run(read_whole(address, api.preset)))
                bare, whole = bare / count * 1e6, whole / count * 1e6
                figure = f"{whole:.1f} µs a delta, {whole / bare:.2f} × {bare:.1f} µs"
                board.row(f"{name}, {each} a read", figure, f"<= {most:g} ×", whole <= most * bare)


# --- Load ----------------------------------------------------------------------------------------------


@contextmanager
def model_server():
    """The address of a server in a process of its own."""
    command = [sys.executable, str(HERE / "model_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(10)


def kept_waiting() -> float:
    """Seconds that this thread could have run and was not let: other programs of the machine."""
    try:
        return int(SCHEDULER.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


async def feel_lag(lags: list[float], every: float = 0.005) -> None:
    """How late the loop is, again and again."""
    clock = asyncio.get_running_loop().time
    while True:
        due = clock() + every
        await asyncio.sleep(every)
        lags.append(clock() - due)


async def listen(url: str) -> tuple[list[float], int, float, float]:
    """Loop lags, characters shown, CPU seconds and seconds of all streams together."""
    lags: list[float] = []
    channels = [Bin() for _ in range(STREAMS)]
    async with HttpProvider("custom", base_url=url, model="m") as provider:
        watch = asyncio.create_task(feel_lag(lags))
        began, spent = perf_counter(), process_time()
        results = await asyncio.gather(
            *(say(channel, provider.stream(user("Hi")), settings=QUICK) for channel in channels)
        )
        took, spent = perf_counter() - began, process_time() - spent
        watch.cancel()
    return lags, sum(result.counts.shown for result in results), spent, took


def load(board: Board) -> None:
    board.head(
        f"Load: {STREAMS} streams of {RATE} events per second over loopback for {SECONDS} s, one thread"
    )
    with model_server() as url:
        waited = kept_waiting()
        lags, shown, spent, took = asyncio.run(listen(f"{url}/paced/{RATE}/{SECONDS}"))
        waited = (kept_waiting() - waited) / took
    p99 = sorted(lags)[int(len(lags) * 0.99)] * 1000
    # What other programs take is not our lag, and leaves a backlog that is not ours either: no verdict then.
    passed = True if p99 <= 50 else None if waited > 0.05 else False
    board.row("loop lag, p99", f"{p99:.1f} ms", "<= 50 ms", passed)
    if passed is None:
        board.row("", f"no verdict: others took {waited:.0%} of the core", "", None)
    events = STREAMS * RATE * SECONDS
    assert shown == EXPECTED, shown
    board.row("events", f"{events / took:.0f} per second, {shown} characters shown", "", None)
    board.row("core", f"{spent / took:.0%} of one, {spent / events * 1e6:.1f} µs per event", "", None)


# --- Memory --------------------------------------------------------------------------------------------


async def hear_out(url: str) -> tuple[int, str]:
    """By how much the process grows while it hears all that a server sends, and how the turn ends."""
    settings = Settings(degree=Degree.LIGHT, message_cap=0)
    async with HttpProvider("custom", base_url=url, model="m", max_body_bytes=0) as provider:
        gc.collect()
        before = rss()
        result = await say(Bin(), provider.stream(user("Hi")), settings=settings)
        return rss() - before, result.ending.value


def memory(board: Board, mebibytes: int = 256) -> None:
    board.head(f"Memory: {mebibytes} MiB from a server without end, message_cap=0")
    with model_server() as url:
        asyncio.run(hear_out(f"{url}/text/1"))
        for what in ("text", "thoughts"):
            grown, ending = asyncio.run(hear_out(f"{url}/{what}/{mebibytes}"))
            figure = f"grows by {grown / MEBI:.1f} MiB, ends as {ending}"
            board.row(what, figure, "<= 32 MiB", grown <= 32 * MEBI)


PARTS = {"parse": parse, "reads": reads, "load": load, "memory": memory}


def main() -> int:
    parser = argparse.ArgumentParser(description="What it costs to hear a model.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"no part named {', '.join(sorted(unknown))}")
    board = Board()
    for name in arguments.parts or PARTS:
        PARTS[name](board)
    print(f"\n{board.missed} bars missed, on Python {sys.version.split()[0]}")
    return bool(board.missed)


if __name__ == "__main__":
    sys.exit(main())
