"""How much of each prompt equals the front of the one before, so that a provider can read it from its cache.

    python bench/prompt_cache.py [turns]

A conversation of 200 turns as a bot has it: one person who asks, now and then another one who chats, with
answers of one to four bubbles and memories that change. Each prompt is written by
the bot's own code and encoded by each API adapter; compared are tools, instructions and messages, in the order in
which providers read them.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
from collections.abc import Iterator

from streamcord import Persona
from streamcord._providers.apis.registry import Anthropic, ApiAdapter, Google, OpenAIChat, OpenAIResponses
from streamcord.providers import Options, Prompt
from streamcord.store import Memory, Place
from streamcord_bot.config import ContextConfig
from streamcord_bot.messages.chat_message import ChatMessage
from streamcord_bot.prompt.context_window import WindowStarts
from streamcord_bot.prompt.prompt_builder import build_prompt, write_instructions, write_reminders

AVERAGE, BETWEEN = 0.85, 0.95
BUDGET = ContextConfig()
WORDS = """the cat sat on a warm stone and looked at rain, and a child asked why it never went home"""
READ_AT_ONCE = 100
ORDER = ("tools", "system", "instructions", "systemInstruction", "messages", "input", "contents")
APIS: tuple[ApiAdapter, ...] = (OpenAIChat(), OpenAIResponses(), Anthropic(), Google())


def conversation(turns: int, seed: int = 7) -> Iterator[Prompt]:
    """The prompt of every turn."""
    chance = random.Random(seed)
    channel: list[ChatMessage] = []
    memories: list[Memory] = []
    starts = WindowStarts()
    system = write_instructions(Persona("Luna"), "You are Luna, a cat who lives in a library. " * 25)

    def write(name: str, length: int, *, own: bool = False) -> ChatMessage:
        text = " ".join(chance.choices(WORDS.split(), k=chance.randint(length // 2, length)))
        channel.append(ChatMessage(len(channel) + 1, 9 if own else 1, name, text, own=own))
        return channel[-1]

    for _ in range(turns):
        if chance.random() < 0.2:
            write("bob", 15)
        question = write("alice", 20)
        read = channel[-READ_AT_ONCE:]
        shown = {message.id for message in read}
        yield build_prompt(
            read,
            [question.id],
            BUDGET,
            system,
            reminders=write_reminders(memories[-BUDGET.memory :], shown),
            window=lambda ordered, cost: starts.choose(1, ordered, [question.id], BUDGET, cost),  # noqa: B023
        )
        said = [write("Luna", 18, own=True) for _ in range(chance.randint(1, 4))]
        words, ids = " ".join(one.text for one in said), tuple(one.id for one in said)
        memories.append(Memory("Luna", Place(1, 1), words, ids, ("mood: calm",), 1))


def common_length(one: str, other: str) -> int:
    """How long two texts are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def shares(turns: int, api: ApiAdapter) -> list[float]:
    """Of each prompt but the first, the share that is the front of the one before."""
    found, before = [], ""
    for prompt in conversation(turns):
        body = api.encode(prompt, Options(model="m")).body
        parts = [
            body.get("tools"),
            body.get("system") or body.get("instructions") or body.get("systemInstruction"),
        ]
        parts.append(body.get("messages") or body.get("input") or body.get("contents"))
        written = json.dumps(parts).replace(', "cache_control": {"type": "ephemeral"}', "")
        if before:
            found.append(common_length(before, written) / len(written))
        before = written
    return found


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{turns} turns, {BUDGET.messages} messages; bars: {AVERAGE:.0%} and {BETWEEN:.0%}")
    print(f"{'API':18} {'average':>8} {'between borders':>16} {'borders':>8}")
    missed = False
    for api in APIS:
        found = shares(turns, api)
        between = [share for share in found[20:] if share > 0.5]
        average, inside = statistics.mean(found[20:]), statistics.mean(between)
        missed |= average < AVERAGE or inside < BETWEEN
        print(f"{api.name:18} {average:8.1%} {inside:16.1%} {len(found[20:]) - len(between):8}")
    sys.exit("below a bar" if missed else 0)


if __name__ == "__main__":
    main()
