"""Kills the real bot with SIGKILL after people have written follow-ups: is each answered exactly once?

    python tools/kill_follow_ups.py 10      ten rounds of each mode; prints a table

In each round the bot answers in eight channels. While its tools run, the same person writes two more messages in each.
The bot is killed after a random moment, and started again. The model ends each answer with the messages that it answers,
so the channel itself shows what was answered; the tool writes down each call.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

from aiohttp import web  # noqa: E402
from kill_decisions import Bot, wait_until  # noqa: E402

from discord_twin import Channel, Twin  # noqa: E402
from providers.loopback import DONE, chat  # noqa: E402
from twin.conftest import FREE  # noqa: E402

MODES = ("steer", "queue")
CHANNELS = 8
TOOL_ROUNDS = 2
CONFIG = """
store = "{folder}/s.db"
[discord]
server = "{twin}"
[answer]
debounce = 0.05
follow_up = "{mode}"
acknowledge = true
buttons = false
[settings]
typing = "off"
[budget]
person_running = 0
person_waiting = 0
per_minute = 0
server_running = 0
person_requests = 0
server_requests = 0
all_requests = 0
[models.main]
provider = "vllm"
model = "m"
base_url = "{model}"
[tools.mcp.box]
command = ["{python}", "{folder}/server.py"]
approve = "never"
timeout = 20
"""
SERVER = """
import json, pathlib, sys, threading, time
folder = pathlib.Path(__file__).parent
tool = {"name": "act", "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}}}}

def act(asked):
    key = asked["params"]["arguments"]["key"]
    with (folder / "calls").open("a") as file:
        file.write(key + chr(10))
    time.sleep(0.7)
    answer(asked, {"resultType": "complete", "content": [{"type": "text", "text": "done"}]})

def answer(asked, result):
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)

for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    if method == "server/discover":
        answer(asked, {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                       "ttlMs": 0, "cacheScope": "public"})
    elif method == "tools/list":
        answer(asked, {"resultType": "complete", "tools": [tool], "ttlMs": 0, "cacheScope": "public"})
    elif method == "tools/call":
        threading.Thread(target=act, args=(asked,)).start()
"""
_TAG = re.compile(r"\bc\d+m\d+(?=!)")
_ENDED = re.compile(r"end\(([^)]*)\)")


@asynccontextmanager
async def model() -> AsyncIterator[str]:
    """A model that calls the tool twice, and then names the messages that it answers."""

    async def answer(request: web.Request) -> web.StreamResponse:
        said = json.dumps(await request.json())
        ended = {tag for found in _ENDED.findall(said) for tag in found.split()}
        tags = [tag for tag in dict.fromkeys(_TAG.findall(said)) if tag not in ended]
        made = said.count('"role": "tool"') + said.count("gave:") + said.count("was interrupted")
        await asyncio.sleep(0.1)
        if made < TOOL_ROUNDS and tags:
            call = {"name": "box_act", "arguments": json.dumps({"key": f"{tags[0]}-{made}"})}
            calls = [{"index": 0, "id": f"call{made}", "type": "function", "function": call}]
            words = [chat("", None, tool_calls=calls), chat("", "tool_calls")]
        else:
            words = [chat(f"end({' '.join(tags)})"), chat("", "stop")]
        return web.Response(body=b"".join([*words, DONE]), content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


def answered(channel: Channel) -> list[str]:
    """The messages that were answered in a channel, as often as they were."""
    said = [one.content for one in channel.messages.values() if one.by_machine]
    return [tag for text in said for found in _ENDED.findall(text) for tag in found.split()]


async def play(mode: str, seed: int, folder: Path) -> Counter[str]:
    """Play one round and return what became of the messages."""
    random = Random(seed)
    async with model() as address, Twin(FREE) as twin:
        values = {"folder": folder, "twin": twin.base_url, "model": address, "python": sys.executable}
        (folder / "bot.toml").write_text(CONFIG.format(mode=mode, **values), encoding="utf-8")
        (folder / "server.py").write_text(SERVER, encoding="utf-8")
        channels = [twin.add_channel(f"room-{number}") for number in range(CHANNELS)]
        calls, bot = folder / "calls", Bot(folder, twin.token)
        await bot.start()
        sent = []
        for number, channel in enumerate(channels):
            sent.append(twin.say(channel, twin.user, f"<@{twin.bot.id}> c{number}m0!"))
        await wait_until(lambda: calls.exists() and len(set(calls.read_text().split())) >= CHANNELS)
        for part in (1, 2):
            for number, channel in enumerate(channels):
                sent.append(twin.say(channel, twin.user, f"<@{twin.bot.id}> c{number}m{part}!"))
            await asyncio.sleep(random.random() * 0.3)
        # The first acknowledgement shows that the bot has heard; a kill before is an outage.
        await asyncio.sleep(random.random() * 2.5)
        await bot.end(signal.SIGKILL)
        await bot.start()
        try:
            await wait_until(lambda: all(len({*answered(one)}) == 3 for one in channels), 60)
            await wait_until(lambda: not any(busy(one) for one in sent), 20)
        except TimeoutError:
            pass
        await asyncio.sleep(1.5)
        await bot.end(signal.SIGTERM)
        found = Counter[str]()
        for number, channel in enumerate(channels):
            times = Counter(answered(channel))
            found.update(f"{times[f'c{number}m{part}']} times" for part in range(3))
            order = [*dict.fromkeys(answered(channel))]
            found["out of order"] += order != sorted(order)
        found["reactions left"] += sum(map(busy, sent))
        found["calls made twice"] += sum(count > 1 for count in Counter(calls.read_text().split()).values())
        return found


def busy(message: object) -> bool:
    """Whether a reaction shows that the message is not answered yet."""
    return bool({"👀", "⏳"}.intersection(getattr(message, "reactions", ())))


async def main(rounds: int, first: int) -> int:
    """Play all rounds and print a table."""
    print(
        "| mode | rounds | messages | answered once | not | twice | out of order | calls made twice | reactions left |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    wrong = 0
    for mode in MODES:
        total = Counter[str]()
        for seed in range(first, first + rounds):
            with tempfile.TemporaryDirectory() as folder:
                found = await play(mode, seed, Path(folder))
            if set(+found) != {"1 times"}:
                print(f"seed {seed}, {mode}: {dict(+found)}", file=sys.stderr, flush=True)
            total += found
        messages = rounds * CHANNELS * 3
        once, never = total["1 times"], total["0 times"]
        more = [total[key] for key in ("out of order", "calls made twice", "reactions left")]
        wrong += messages - once + sum(more)
        cells = [mode, rounds, messages, once, never, messages - once - never, *more]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return wrong


if __name__ == "__main__":
    raise SystemExit(bool(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))))
