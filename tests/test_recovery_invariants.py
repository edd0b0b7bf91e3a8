"""The invariants Once and Recovery: killed at any moments, an answer is there as if nothing had happened."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import looptime
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from conftest import PROFILE
from journal.lives import Place, live
from streamcord import AnswerContext, Degree, Persona, Settings, Sprite

COUNT = 10_000 if PROFILE == "long" else 25

LINES = [
    "Sure! Let me look at that for you.",
    "First, a word. Then another one, and a third!",
    "```py\nfor number in range(3):\n    print(number)\n```",
    "- one item\n- another item\n- the last item",
    "Luna (mad): Hmph. That is not what I meant.",
    "> somebody said so\n> and somebody else, too",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "The same line again.",
    "The same line again.",
    "A **bold** claim, with [a link](https://example.com/a) in it.",
    "<think>this is nobody's business</think>Well.",
    "A line that goes on. " * 30,
]
LUNA = Persona("Luna", sprites=(Sprite("mad", "https://example.com/mad.png"),))
ALTER = replace(LUNA, alter=True)

answers = st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("\n\n".join)
kills = st.lists(st.floats(0.01, 6.0), min_size=1, max_size=4)
settings_ = st.builds(
    Settings,
    degree=st.sampled_from(Degree),
    tables=st.just("code"),
    message_length=st.sampled_from([64, 300, 1950]),
    merge=st.just("off"),
    message_cap=st.just(0),
    seconds_per_character=st.sampled_from([0.0, 0.002]),
    typing_delay_min=st.just(0.05),
)
personas = st.sampled_from([None, LUNA, ALTER])


def run(
    text: str,
    settings: Settings,
    persona: Persona | None,
    kills: list[float],
    seed: int,
    *,
    breaks: int = -1,
) -> Place:
    context = AnswerContext(persona=persona)
    with asyncio.Runner(loop_factory=looptime.new_event_loop) as runner:
        return runner.run(live(text, settings, kills, seed, breaks=breaks, context=context))[0]


@examples(max_examples=COUNT)
@given(text=answers, settings=settings_, persona=personas, kills=kills, seed=st.integers(0, 2**32))
def test_recovery_a_killed_answer_ends_as_if_nothing_had_happened(
    text: str, settings: Settings, persona: Persona | None, kills: list[float], seed: int
) -> None:
    whole = run(text, settings, persona, [], seed)

    assert run(text, settings, persona, kills, seed).texts == whole.texts


@examples(max_examples=COUNT)
@given(
    text=answers,
    settings=settings_,
    persona=personas,
    kills=kills,
    seed=st.integers(0, 2**32),
    data=st.data(),
)
def test_once_nothing_is_said_twice_even_if_the_journal_could_not_be_written(
    text: str,
    settings: Settings,
    persona: Persona | None,
    kills: list[float],
    seed: int,
    data: st.DataObject,
) -> None:
    breaks = data.draw(st.integers(0, len(kills)))
    whole = run(text, settings, persona, [], seed).texts

    texts = run(text, settings, persona, kills, seed, breaks=breaks).texts

    # What is missing at the end is told by a mark; nothing is doubled or out of order.
    assert texts == whole[: len(texts)]
