"""The demo where nothing is installed: the library alone brings scripted answers into a terminal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TextIO

from streamcord import Settings, say
from streamcord.preview import Terminal

from .provider import SCRIPTS

QUESTIONS = ("show me some code", "do you think", "tell me a long story")
"""What can be shown without a Discord, a bot and a model."""
CHUNK_CHARS = 5


def play(out: TextIO, *, fast: bool = False) -> int:
    """Show how scripted answers become messages; returns the exit status."""
    return asyncio.run(_play(out, fast=fast))


async def _play(out: TextIO, *, fast: bool) -> int:
    settings = Settings(typing="off" if fast else "auto")
    for question in QUESTIONS:
        print(f"\n{'you':>9} | {question}", file=out, flush=True)
        answer = next(one.text for one in SCRIPTS if one.cue == question).replace("%name%", "Luna")
        terminal = Terminal(out, out, "Luna", time.monotonic)
        result = await say(terminal, _stream(answer, 0.0 if fast else 0.02), settings=settings)
        terminal.close(result)
    return 0


async def _stream(text: str, pace: float) -> AsyncIterator[str]:
    """A text as a model would send it."""
    for at in range(0, len(text), CHUNK_CHARS):
        await asyncio.sleep(pace)
        yield text[at : at + CHUNK_CHARS]
