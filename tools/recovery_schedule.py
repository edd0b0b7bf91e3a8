"""Plays answers that are killed at random moments, in virtual time, and judges what is there at the end.

    python tools/recovery_schedule.py 0-999      these seeds; prints those that are wrong

Every other seed has a journal that keeps nothing in one of its lives: then the end may be missing, but nothing
is said twice. Seeds may be run in slices.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "tests")]

import looptime  # noqa: E402

from journal.lives import live  # noqa: E402
from streamcord import AnswerContext, Degree, Settings  # noqa: E402
from test_recovery_invariants import ALTER, LINES, LUNA  # noqa: E402

SHOWN = 5


def play(seed: int) -> str:
    """What is wrong with one schedule; nothing is good."""
    random = Random(seed)
    text = "\n\n".join(random.choice(LINES) for _ in range(random.randint(1, 8)))
    settings = Settings(
        degree=random.choice(list(Degree)),
        tables="code",
        message_length=random.choice([64, 300, 1950]),
        merge="off",
        message_cap=0,
        seconds_per_character=random.choice([0.0, 0.002]),
        typing_delay_min=0.05,
    )
    context = AnswerContext(persona=random.choice([None, LUNA, ALTER]))
    kills = [random.uniform(0.01, 6.0) for _ in range(random.randint(1, 4))]
    breaks = random.randint(0, len(kills)) if seed % 2 else -1
    got = said(text, settings, context, kills, seed, breaks)
    return judge(got, said(text, settings, context, [], seed), whole=breaks < 0)


def said(
    text: str, settings: Settings, context: AnswerContext, kills: list[float], seed: int, breaks: int = -1
) -> list[str]:
    """What is in the channel after all lives of an answer."""
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(live(text, settings, kills, seed, breaks=breaks, context=context))[0].texts


def judge(texts: list[str], meant: list[str], *, whole: bool) -> str:
    """Compare with an answer that was not disturbed; only a `whole` one must be complete."""
    if texts == (meant if whole else meant[: len(texts)]):
        return ""
    counts, wanted = Counter(texts), Counter(meant)
    if any(counts[one] > wanted[one] for one in texts):
        return "doubled"
    return "missing" if texts == meant[: len(texts)] else "another order or other words"


def main() -> int:
    first, _, last = sys.argv[1].partition("-")
    wrong = 0
    for seed in range(int(first), int(last) + 1):
        if reason := play(seed):
            print(f"seed {seed}: {reason}", flush=True)
            wrong += 1
        if wrong >= SHOWN:
            break
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
