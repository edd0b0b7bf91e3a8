"""Measure how other programs divide an answer, on the same answers as `side_by_side.py`.

    python bench/peer_strategies.py [every nth answer] [--corpus FILE]

Each strategy is written here in a few lines, after the public description of a program; no other program runs.
So the figures say what a way of dividing costs, and not how well a certain program does everything else. A plain
discord.py client sends the messages to the local Discord with Discord's rate limits, on virtual time. Answers,
model and figures are those of `side_by_side.py`.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import discord
import looptime
from side_by_side import CORPUS, FrameRecorder, Model, ask, is_broken, report, side_by_side_answers

from discord_twin import RealClock, Twin
from discord_twin.discord_py import connect_discord_py
from streamcord import TextDelta

LIMIT = 2000
EDIT_INTERVAL_S = 1.0
# From coarse to fine; a piece that is still too long is divided at the next one.
PLAIN_SEPARATORS = ("\n\n", "\n", " ", "")
MARKDOWN_SEPARATORS = (r"\n#{1,6} ", "```\n", r"\n\*\*\*+\n", r"\n---+\n", r"\n___+\n", *PLAIN_SEPARATORS)

Pieces = AsyncIterator[str]
Strategy = Callable[[discord.Message, Pieces], Awaitable[None]]


async def cut_at_limit(message: discord.Message, pieces: Pieces) -> None:
    """Send the complete answer as one message; what is too long is cut off with three dots."""
    text = await read_all(pieces)
    await message.reply(text if len(text) <= LIMIT else f"{text[: LIMIT - 3]}...")


async def edit_loop(message: discord.Message, pieces: Pieces) -> None:
    """Edit one message once a second; at the limit continue in the next one."""
    clock = asyncio.get_running_loop().time
    text, sent, edited_at = "", None, 0.0
    async for piece in pieces:
        if len(text) + len(piece) > LIMIT:
            await put(message, sent, text)
            text, sent = "", None
        text += piece
        if text.strip() and clock() - edited_at >= EDIT_INTERVAL_S:
            sent = await put(message, sent, text)
            edited_at = clock()
    await put(message, sent, text)


async def recursive_splitter(message: discord.Message, pieces: Pieces) -> None:
    """Divide the complete answer at blank lines, lines, spaces or characters."""
    await send_all(message, divide(await read_all(pieces), PLAIN_SEPARATORS))


async def markdown_splitter(message: discord.Message, pieces: Pieces) -> None:
    """Divide the complete answer at headings, ends of code blocks and rules, then like `recursive_splitter`."""
    await send_all(message, divide(await read_all(pieces), MARKDOWN_SEPARATORS))


STRATEGIES: dict[str, Strategy] = {
    "cut at the limit": cut_at_limit,
    "edit loop": edit_loop,
    "recursive splitter": recursive_splitter,
    "Markdown splitter": markdown_splitter,
}


async def read_all(pieces: Pieces) -> str:
    return "".join([piece async for piece in pieces])


async def put(message: discord.Message, sent: discord.Message | None, text: str) -> discord.Message | None:
    if not text.strip():
        return sent
    return await sent.edit(content=text) if sent else await message.reply(text)


async def send_all(message: discord.Message, texts: list[str]) -> None:
    for text in texts:
        await message.reply(text)


def divide(text: str, separators: tuple[str, ...]) -> list[str]:
    """Divide at the first separator that occurs, join neighbours up to the limit, and divide what is too long."""
    if len(text) <= LIMIT:
        return [text.strip()] if text.strip() else []
    separator = next(one for one in separators if not one or re.search(one, text))
    finer = separators[separators.index(separator) + 1 :]
    # A separator begins the piece that follows it.
    parts = re.split(f"(?={separator})", text) if separator else list(text)
    texts: list[str] = []
    joined = ""
    for part in parts:
        if joined and len(joined) + len(part) > LIMIT:
            texts += divide(joined, finer)
            joined = ""
        joined += part
    return texts + (divide(joined, finer) if joined else [])


def count_missing(answer: str, shown: str) -> int:
    """The number of characters of the answer, without white space, that no message shows."""
    return max(0, len("".join(answer.split())) - len("".join(shown.split())))


async def measure(strategy: Strategy, answers: list[str]) -> list[dict]:
    model, rows = Model(), []
    loop = asyncio.get_running_loop()

    async def stream() -> Pieces:
        async for event in model.stream(None):
            if isinstance(event, TextDelta):
                yield event.text

    class Bot(discord.Client):
        async def on_message(self, message: discord.Message) -> None:
            if not message.author.bot:
                await strategy(message, stream())

    async with Twin(clock=RealClock(loop.time)) as twin:
        with connect_discord_py(twin):
            intents = discord.Intents(guilds=True, messages=True, message_content=True)
            bot = Bot(intents=intents, guild_ready_timeout=0.0, heartbeat_timeout=1e9)
            await bot.login(twin.token)
            running = asyncio.create_task(bot.connect())
            await bot.wait_until_ready()
            frames = FrameRecorder(twin)
            for number, answer in enumerate(answers):
                row = await ask(twin, frames, model, answer, number)
                last = dict(frames.frames)
                row["at_end"] = sum(map(is_broken, last.values()))
                row["missing"] = count_missing(answer, "".join(last.values()))
                rows.append(row)
            await bot.close()
            await asyncio.gather(running, return_exceptions=True)
    return rows


def main() -> int:
    logging.disable(logging.CRITICAL)
    step = next((int(one) for one in sys.argv[1:] if one.isdecimal()), 10)
    path = Path(sys.argv[sys.argv.index("--corpus") + 1]) if "--corpus" in sys.argv else CORPUS
    answers = side_by_side_answers(step, path)
    for name, strategy in STRATEGIES.items():
        with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(noop_cycles=4)) as runner:
            rows = runner.run(measure(strategy, answers))
        report(name, rows)
        print(
            f"  broken messages at the end {sum(row['at_end'] for row in rows)}, in "
            f"{sum(row['at_end'] > 0 for row in rows)} answers; characters not shown "
            f"{sum(row['missing'] for row in rows)}, in {sum(row['missing'] > 0 for row in rows)} answers"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
