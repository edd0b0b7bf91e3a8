"""Measure the processor time of the whole bot per answer of the side-by-side set.

python bench/whole_bot.py

The bot runs in this process, the local Discord with its users in another one, so that only the bot is counted:
discord.py, the gateway, the prompt, the answer, its messages and its buttons. Every question has a channel of
its own; the answers overlap. The model writes 150 tokens of four characters per second in real time.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import sys
import time
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection

from board import Board
from event_loop_steps import LIMIT_S, measured_steps
from parts import run_parts
from side_by_side import CHARS_PER_TOKEN, TOKENS_PER_S, side_by_side_answers

from discord_twin import Twin
from streamcord import Finish, ProviderEvent, TextDelta
from streamcord.discord import redirect_discord_py
from streamcord.providers import Options, Prompt, Text, UserMessage
from streamcord.store import open_store
from streamcord_bot.app import build_bot
from streamcord_bot.config import read_config

CPU_LIMIT_S = 0.10
# A server has at most 30 answers at once by default (`server_running`).
CHANNELS_PER_SERVER = 25
ASK_INTERVAL_S = 0.25
# The bot has finished when it sends no request for this long; its longest typing delay is shorter.
QUIET_S = 12.0
MODES = {
    "live, limit 4000": {"delivery": "live", "live_limit": 4000},
    "messages, degree 2": {"degree": 2},
}


class Model:
    """Answer the question "answer 7" with the seventh text."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        last = next(one for one in reversed(prompt.messages) if isinstance(one, UserMessage))
        asked = "\n".join(part.text for part in last.parts if isinstance(part, Text))
        text = self._texts[int(asked.rpartition("answer ")[2])]
        for at in range(0, len(text), CHARS_PER_TOKEN):
            await asyncio.sleep(1 / TOKENS_PER_S)
            yield TextDelta(text[at : at + CHARS_PER_TOKEN])
        yield Finish()


async def ask_everything(pipe: Connection, count: int) -> None:
    """Run the local Discord, ask all questions, and wait until the bot has answered them."""
    async with Twin() as twin:
        channels, users, guild = [], [], twin.guild
        for number in range(count):
            if number and number % CHANNELS_PER_SERVER == 0:
                guild = twin.state.add_guild(f"server-{number}", twin.user)
                twin.state.add_member(guild, twin.bot.user)
            channels.append(twin.state.add_channel(guild, f"channel-{number}"))
            # A user has few answers at once, so every channel has a user of its own.
            users.append(twin.state.add_user(f"user-{number}"))
            twin.state.add_member(guild, users[-1])
        pipe.send((twin.api_url, twin.gateway_url, twin.cdn_url, twin.token))
        await asyncio.to_thread(pipe.recv)
        for number, (channel, user) in enumerate(zip(channels, users, strict=True)):
            twin.say(channel, user, f"<@{twin.bot.id}> answer {number}")
            await asyncio.sleep(ASK_INTERVAL_S)
        seen = -1
        while len(twin.log.requests) != seen:
            seen = len(twin.log.requests)
            await asyncio.sleep(QUIET_S)
        answered = sum(any(one.by_machine for one in channel.messages.values()) for channel in channels)
        pipe.send((answered, seen))
        await asyncio.to_thread(pipe.recv)


def run_discord(pipe: Connection, count: int) -> None:
    """Be the other process."""
    asyncio.run(ask_everything(pipe, count))


async def run_bot(pipe: Connection, settings: dict[str, object], texts: list[str]) -> tuple[float, int, int]:
    """Return the processor time of the bot while it answers, the answers and the requests that it sent."""
    api_url, gateway_url, cdn_url, token = await asyncio.to_thread(pipe.recv)
    # `debounce` waits for a second message of the same user, which costs nothing and takes long.
    config = read_config(
        {
            "answer": {"debounce": 0.0},
            "settings": settings,
            "personas": {"Luna": {"prompt": "You are Luna."}},
        },
        {},
    )
    store = await open_store(":memory:")
    with redirect_discord_py(api_url, gateway_url, cdn_url):
        bot = build_bot(config, Model(texts), store, guild_ready_timeout=0.1).bot
        await bot.login(token)
        running = asyncio.create_task(bot.connect())
        await bot.wait_until_ready()
        began = time.process_time()
        pipe.send("go")
        answered, requests = await asyncio.to_thread(pipe.recv)
        spent = time.process_time() - began
        await bot.close()
        await asyncio.gather(running, return_exceptions=True)
        pipe.send("done")
    await store.close()
    return spent, answered, requests


def measure(settings: dict[str, object], texts: list[str]) -> tuple[float, int, int, float]:
    """Run one mode in two processes; also return the longest step of the bot's event loop."""
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=run_discord, args=(there, len(texts)), daemon=True)
    process.start()
    with measured_steps() as steps:
        spent, answered, requests = asyncio.run(run_bot(here, settings, texts))
    process.join()
    if steps.longest_s > LIMIT_S:
        print(f"  the longest step: {steps.longest}")
    return spent, answered, requests, steps.longest_s


def whole_bot(board: Board) -> None:
    """Measure the modes one after the other."""
    logging.disable(logging.CRITICAL)
    texts = side_by_side_answers()
    board.head(f"Whole bot: {len(texts)} answers of the side-by-side set, local Discord in another process")
    for name, settings in MODES.items():
        spent, answered, requests, longest = measure(settings, texts)
        each = spent / len(texts)
        board.row(name, f"{each:.3f} CPU s an answer", f"≤ {CPU_LIMIT_S:.2f} CPU s", each <= CPU_LIMIT_S)
        board.row(
            f"{name}: longest step",
            f"{longest * 1000:.1f} ms",
            f"≤ {LIMIT_S * 1000:.0f} ms",
            longest <= LIMIT_S,
        )
        # Without this a bot that answers nothing would be the fastest.
        value = f"{answered} of {len(texts)} in {requests} requests"
        board.row(f"{name}: answered", value, "all", answered == len(texts))


PARTS = {"whole_bot": whole_bot}


if __name__ == "__main__":
    sys.exit(run_parts(PARTS))
