"""Show in a terminal how an assistant and a persona answer: `streamcord-bot init` asks which of them a bot is."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from streamcord import Message, Pipeline, Settings

SAMPLE = "Yes, basil needs light. Put it near a window. Should I remind you?"
WORD_S = 0.12
"""Seconds for a word of the model; a real one is quicker than people read."""
SPEED_FACTOR = 2.0
"""How much faster than in Discord the typing of the persona is."""


def play_samples(write: Callable[[str], object], sleep: Callable[[float], object]) -> None:
    """Write the same answer as an assistant, whose line grows, and as a persona, in messages that are typed.

    Args:
        write: writes text without a line break.
        sleep: waits some seconds.

    """
    write("\nassistant:\n  ")
    for word in SAMPLE.split(" "):
        write(f"{word} ")
        sleep(WORD_S)
    write("\npersona:\n")
    for message in _typed():
        sleep(message.delay / SPEED_FACTOR)
        write(f"  {message.content}\n")
    write("\n")


def _typed() -> list[Message]:
    pipeline = Pipeline(Settings.persona(), Random(0))
    planned = [*pipeline.feed(SAMPLE), *pipeline.flush()]
    return [one for one in planned if isinstance(one, Message)]
