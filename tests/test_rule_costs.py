"""What many emoji and people cost: nothing is looked for that is not in the text."""

from __future__ import annotations

import time
from random import Random

from streamcord import AnswerContext, Emoji, Person, Pipeline, Settings

WORDS = ["word"] * 170
WORDS[::8] = [f":emoji_{number % 5}:" for number in range(22)]
WORDS[3::17] = [f"@user{number % 5 + 1}" for number in range(10)]
SEGMENT = " ".join(WORDS)[:999] + "\n"


def cost(people: int, emoji: int) -> float:
    settings = Settings(message_cap=0)
    context = AnswerContext(
        people=tuple(Person(n, f"user{n}", (f"User Name {n}",)) for n in range(1, people + 1)),
        emoji=tuple(Emoji(f"emoji_{n}", 1000 + n) for n in range(emoji)),
    )
    best = float("inf")
    for _ in range(5):
        pipeline = Pipeline(settings, Random(0), context=context)
        start = time.process_time()
        pipeline.feed(SEGMENT * 10)
        best = min(best, time.process_time() - start)
    return best


def test_many_emoji_and_people_cost_at_most_twice_what_few_do() -> None:
    assert cost(1000, 500) <= 2 * cost(5, 5)
