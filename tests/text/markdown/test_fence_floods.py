"""Floods of backticks: the work grows with the length, and every character is accounted for."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from types import FrameType

import pytest

from conservation import conserve
from streamcord import Message, Pipeline, Settings
from streamcord._events import TurnEvent

NEST = [f"{'`' * ticks}md\n" for ticks in range(12, 2, -1)]
FLOODS = {
    "a nest of ten": "".join(NEST) + "x\n" + "".join(f"{'`' * ticks}\n" for ticks in range(3, 13)),
    "alternating lengths": "```\n````\n",
    "alone on a line": "```\n",
    "never closing": "```md\nRun:\n```py\nx = 1\n",
    "deeper and deeper": "".join(f"{'  ' * depth}```py\n" for depth in range(20)),
    "in prose": "a ``` b ",
}


def _feed(text: str) -> tuple[list[TurnEvent], int]:
    """Return the events of a text that arrives in pieces, and the number of calls that they took."""
    calls: Counter[str] = Counter()

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        calls[event] += 1

    pipeline = Pipeline(Settings(message_cap=0), Random(0))
    events: list[TurnEvent] = []
    sys.setprofile(count)
    try:
        for at in range(0, len(text), 40):
            events += pipeline.feed(text[at : at + 40])
        events += pipeline.flush()
    finally:
        sys.setprofile(None)
    return events, calls["call"] + calls["c_call"]


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
def test_work_grows_with_the_length_and_nothing_is_lost(flood: str) -> None:
    work = []
    for size in (8_000, 32_000):
        text = flood * (size // len(flood))
        events, calls = _feed(text)
        assert conserve(text, events).violations == []
        assert all(len(event.content) <= 2000 for event in events if isinstance(event, Message))
        work.append(calls / len(text))
    # Quadratic work would be four times as much for each character.
    assert work[1] < 1.5 * work[0]
