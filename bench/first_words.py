"""How long a newcomer waits in the demo: from the question to the first visible words, with the real model.

The bar is 2 seconds on an idle machine, at degree 2 (#general). Needs the model: `make demo` once.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
import time

from rich.console import Console

from streamcord_bot.demo.model_server import find_weights
from streamcord_bot.demo.runner import Demo
from streamcord_bot.demo.screen import Screen
from streamcord_bot.demo.session import DemoSession
from streamcord_bot.demo.user import DemoUser

BAR = 2.0
READING = 3.0
"""Seconds that a person reads before the next question; without them, rate limits would be measured."""
QUESTIONS = (
    "hello!",
    "how are you today?",
    "what do you like to eat?",
    "tell me something about the sea",
    "do you have a friend?",
    "what did you do yesterday?",
    "is it cold on the Moon?",
    "good night!",
)


async def measure() -> list[tuple[float, float, float]]:
    options = argparse.Namespace(
        provider=None, model=None, base_url=None, scripted=False, no_install=True, fast=False, script=None
    )
    console = Console(file=io.StringIO(), width=100)
    rows = []
    async with Demo(options, console) as demo:
        person = DemoUser(demo.twin, Screen(console), lambda: demo.app.dispatcher.is_idle)
        session = DemoSession(person)
        await session.follow("#general")
        for question in QUESTIONS:
            typed = len(demo.twin.log.typing)
            before, began = person.bot_messages, time.monotonic()
            session.take(question)
            seen = first = 0.0
            while not first:
                await asyncio.sleep(0.005)
                now = time.monotonic() - began
                if not seen and len(demo.twin.log.typing) > typed:
                    seen = now
                if person.bot_messages > before:
                    first = now
            await session.wait_for_answer()
            await asyncio.sleep(READING)
            rows.append((seen, first, time.monotonic() - began - READING))
    return rows


def main() -> int:
    if find_weights() is None:
        print("the small model is not installed: make demo", file=sys.stderr)
        return 2
    rows = asyncio.run(measure())
    print("typing   first words   all words   question")
    for question, (seen, first, last) in zip(QUESTIONS, rows, strict=True):
        print(f"{seen:5.2f} s {first:10.2f} s {last:9.2f} s   {question}")
    firsts = sorted(first for _, first, _ in rows)
    load = os.getloadavg()[0]
    print(
        f"first words: median {firsts[len(firsts) // 2]:.2f} s, longest {firsts[-1]:.2f} s (load {load:.1f})"
    )
    return 0 if firsts[-1] <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
