"""Compare live delivery with separate messages: latency, messages, requests, and whether every frame is intact.

    python bench/side_by_side.py [every nth answer] [--corpus FILE] [row] ... [--each]
    python bench/side_by_side.py --hard [forms] [languages] [odd]     live only, each kind of hard answer apart

The real bot runs on the local Discord with Discord's rate limits, both on virtual time that jumps while all
tasks wait, so that an hour of answers takes minutes. The model writes 150 tokens of four characters per second.
The answers are every nth of the corpus, if there is one, and twenty of our own: tables, long code, CJK,
spoilers, one line of 9 000 characters. The first two rows are bots with the untouched files that
`streamcord-bot init` writes for an assistant and for a persona; the others change one setting each.

*Silence* is the longest time in which nothing changed in the channel although the model had written more visible text
than was shown, from the question to the end of the model.
"""

from __future__ import annotations

import asyncio
import json
import logging
import statistics
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import looptime
from hard_answers import SETS

from discord_twin import RealClock, Twin
from discord_twin.discord_py import connect_discord_py
from streamcord import Finish, TextDelta
from streamcord.store import open_store
from streamcord_bot.app import build_bot
from streamcord_bot.config import read_config
from streamcord_bot.ops.init_wizard import Choices, write_template

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "answers.jsonl"
CHARS_PER_TOKEN = 4
TOKENS_PER_S = 150.0
WORDS = "the river runs down to the sea and no one knows why it does so but all of us love it"
CODE = "".join(f"    value_{number} = compute(value_{number - 1}, {number})\n" for number in range(1, 120))
TABLE = "| name | count | note |\n|---|--:|---|\n" + "".join(
    f"| n{row} | {row} | ok |\n" for row in range(12)
)
OWN = [
    *(f"Here is table {number}.\n\n{TABLE}\nThat was it, and {WORDS}.\n" for number in range(4)),
    *(
        f"Take this:\n\n```py\ndef f():\n{CODE[: 900 * size]}```\nDone, and {WORDS}.\n"
        for size in range(1, 6)
    ),
    *(
        "これは長い文章です。" * size + "\n\n" + "そして続きます、まだまだ。" * size
        for size in (10, 40, 90, 160)
    ),
    *(f"It ends so: ||{WORDS}||, and\n" * size for size in (2, 8, 20)),
    "# Plan\n\n" + "".join(f"{number}. **Step {number}**: {WORDS}.\n" for number in range(1, 25)),
    f"{WORDS}, " * 100,
    "Sure!\n\n" + f"> {WORDS}\n" * 20,
    "One line:\n" + (f"{WORDS}, " * 200)[:9000],
]


def side_by_side_answers(step: int = 10, path: Path = CORPUS) -> list[str]:
    """Return every nth answer of the corpus, if there is one, and our own."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line)["text"] for line in lines[::step]] + OWN


class Model:
    """Write one text at a constant rate."""

    def __init__(self) -> None:
        self.text = ""
        self.began = self.ended = 0.0

    async def stream(self, _, __=None, /):
        clock = asyncio.get_running_loop().time
        self.began = clock()
        try:
            for at in range(0, len(self.text), CHARS_PER_TOKEN):
                await asyncio.sleep(1 / TOKENS_PER_S)
                self.ended = clock()
                yield TextDelta(self.text[at : at + CHARS_PER_TOKEN])
            yield Finish()
        finally:
            # An answer that reaches the message cap closes the stream.
            self.ended = clock()


class FrameRecorder:
    """Record what users see in a channel, and when."""

    def __init__(self, twin) -> None:
        self.twin = twin
        self.frames, self.times, self.first, self.last = [], [], None, 0.0
        twin.state.observe(self._on_event)

    def clear(self) -> None:
        self.frames, self.times, self.first, self.last = [], [], None, 0.0
        self.twin.log.clear()

    def silence(self, begin, end) -> float:
        """The longest time in which nothing changed between two moments."""
        times = [begin, *(one for one in self.times if begin < one < end), end]
        return max(after - before for before, after in pairwise(times))

    def _on_event(self, event) -> None:
        message = event.message
        if message is None or not message.by_machine or not event.name.startswith("MESSAGE_"):
            return
        text = shown(message)
        if not self.frames or self.frames[-1] != (message.id, text):
            now = asyncio.get_running_loop().time()
            self.first = now if self.first is None else self.first
            self.last = now
            self.times.append(now)
            self.frames.append((message.id, text))


def shown(message) -> str:
    return message.content or "".join(one.get("content", "") for one in message.draft.components)


def is_broken(text: str) -> bool:
    return text.count("```") % 2 == 1 or (text.count("||") % 2 == 1 and "```" not in text)


def changed(**settings):
    """A configuration file with only these settings and one persona."""
    return {"settings": settings, "personas": {"Luna": {"prompt": "You are Luna."}}}


def untouched(kind):
    """The file that `streamcord-bot init` writes for an assistant or a persona."""
    return tomllib.loads(write_template(Choices(manner=kind)))


async def measure(config, texts):
    model, rows = Model(), []
    loop = asyncio.get_running_loop()
    async with Twin(clock=RealClock(loop.time)) as twin:
        store = await open_store(":memory:")
        with connect_discord_py(twin):
            config = read_config(config, {})
            bot = build_bot(config, model, store, guild_ready_timeout=0.0, heartbeat_timeout=1e9).bot
            await bot.login(twin.token)
            running = asyncio.create_task(bot.connect())
            await bot.wait_until_ready()
            frames = FrameRecorder(twin)
            for number, text in enumerate(texts):
                rows.append(await ask(twin, frames, model, text, number))
            await bot.close()
            await asyncio.gather(running, return_exceptions=True)
        await store.close()
    return rows


async def ask(twin, frames, model, text, number):
    model.text = text
    channel = twin.add_channel(f"c{number}")
    await asyncio.sleep(1)
    frames.clear()
    twin.say(channel, twin.user, f"<@{twin.bot.id}> go")
    asked = asyncio.get_running_loop().time()
    before = -1
    while len(twin.log.requests) != before or model.ended < asked:
        before = len(twin.log.requests)
        await asyncio.sleep(12)
    said = [one for one in channel.messages.values() if one.by_machine]
    requests = twin.log.requests
    return {
        "first": (frames.first or asked) - asked,
        "over": frames.last - model.ended,
        "silence": frames.silence(asked, model.ended),
        "messages": len(said),
        "edits": sum("edit" in one.route or one.route.rpartition(".")[2] == "message" for one in requests),
        "requests": len(requests),
        "refused": sum(one.status == 429 for one in requests),
        "broken": sum(is_broken(frame) for _, frame in frames.frames),
        "pushes": sum(not one.silent for one in twin.log.pushes if one.message_id in {m.id for m in said}),
    }


def report(name, rows):
    def mean(key):
        return statistics.mean(row[key] for row in rows)

    first = sorted(row["first"] for row in rows)
    over = sorted(row["over"] for row in rows)
    silence = max(row["silence"] for row in rows)
    spare = max(row["requests"] - row["messages"] for row in rows)
    print(
        f"{name:22} {len(rows):3} answers  first p50 {first[len(first) // 2]:.2f} p95 "
        f"{first[int(len(first) * 0.95)]:.2f} s  over the model p50 {over[len(over) // 2]:.2f} p95 "
        f"{over[int(len(over) * 0.95)]:.2f} max {over[-1]:.2f} s  "
        f"longest silence {silence:.2f} s  messages {mean('messages'):.2f}  edits {mean('edits'):.1f}  "
        f"requests {mean('requests'):.1f}  (most besides messages {spare})  pushes {mean('pushes'):.2f}  "
        f"429 {sum(row['refused'] for row in rows)}  broken frames {sum(row['broken'] for row in rows)}"
    )


def run(config, texts):
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(noop_cycles=4)) as runner:
        return runner.run(measure(config, texts))


def report_hard(names) -> None:
    for name, answers in ((name, SETS[name]) for name in names or SETS):
        rows = run(untouched("assistant"), [text for _, text in answers])
        report(name, rows)
        for (kind, text), row in zip(answers, rows, strict=True):
            counts = "  ".join(f"{key} {row[key]}" for key in ("messages", "requests", "refused", "broken"))
            print(f"  {kind:22} {len(text):5} characters  first {row['first']:.2f} s  {counts}")


ROWS = {
    "init-assistant": untouched("assistant"),
    "init-persona": untouched("persona"),
    "library-defaults": changed(),
    "live-2000": changed(delivery="live", live_limit=2000),
    "degree-0": changed(degree=0),
}


def main() -> int:
    logging.disable(logging.CRITICAL)
    if "--hard" in sys.argv:
        report_hard([one for one in sys.argv[1:] if one in SETS])
        return 0
    step = next((int(one) for one in sys.argv[1:] if one.isdecimal()), 10)
    path = Path(sys.argv[sys.argv.index("--corpus") + 1]) if "--corpus" in sys.argv else CORPUS
    texts = side_by_side_answers(step, path)
    chosen = [one for one in sys.argv[1:] if one in ROWS] or list(ROWS)
    for name in chosen:
        rows = run(ROWS[name], texts)
        report(name, rows)
        if "--each" in sys.argv:
            for text, row in zip(texts, rows, strict=True):
                print("   ", {key: round(value, 2) for key, value in row.items()}, repr(text[:50]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
