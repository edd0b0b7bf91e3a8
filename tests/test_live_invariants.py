"""Invariant Growth: whatever is shown of a message while it grows is a part of the message that it becomes.

The text of all messages together is the one that the same answer has at degree 0. No frame shows a spoiler,
half a tag or a code block that is open. `HYPOTHESIS_PROFILE=long` runs fifty times as many examples.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import PROFILE
from documents import any_text, document, long_marked_text, marked_text, random_slices
from live_invariants import Growth, broken, misgrown
from random_personas import casts, spoken_text
from spoiler_invariant import salt
from streamcord import AnswerContext
from streamcord._events import Boundary, Degree, Message
from streamcord._settings import Settings
from streamcord._text.pipeline import Pipeline

# Bars that we add around details are not in the source; tests/text/rules/test_details.py is about them.
LIVE = Settings(delivery="live", message_cap=0, details="memory")
CORPUS = Path(__file__).parent.parent.parent / "shared" / "corpus" / "answers.jsonl"
SEEDS = st.integers(0, 99)
FEW = settings(max_examples=settings.default.max_examples // 16 if settings.default else 100)


def check(text: str, chosen: Settings, seed: int, context: AnswerContext | None = None) -> None:
    assert misgrown(text, chosen, random_slices(text, Random(seed)), context) == []


@FEW
@given(
    text=st.one_of(marked_text(), long_marked_text(), any_text()),
    seed=SEEDS,
    length=st.sampled_from((60, 200, 1950)),
)
def test_any_text_grows_to_what_it_is_at_degree_0(text: str, seed: int, length: int) -> None:
    check(text, replace(LIVE, message_length=length), seed)


@FEW
@given(chosen=casts(), text=spoken_text(), seed=SEEDS)
def test_all_rules_have_run_before_a_word_is_shown(
    chosen: tuple[Settings, AnswerContext], text: str, seed: int
) -> None:
    settings, context = chosen
    degree = min(settings.degree, Degree.MEDIUM)
    live = replace(
        settings, delivery="live", message_cap=0, send_message_limit=0, degree=degree, details="memory"
    )
    check(text, live, seed, context)


@pytest.mark.parametrize("seed", range(400 if PROFILE == "long" else 24))
def test_documents_grow(seed: int) -> None:
    check(document(seed), replace(LIVE, live_limit=2000 + 2000 * (seed % 2)), seed)


@pytest.mark.parametrize("seed", range(30))
def test_nothing_hidden_is_in_a_frame(seed: int) -> None:
    random = Random(seed)
    paragraphs = [one for one in document(seed).split("\n\n") if "||" not in one]
    check(salt(paragraphs[:4], random), LIVE, seed)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")
def test_real_answers_grow() -> None:
    answers = [json.loads(line)["text"] for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    for number, text in zip(count(), answers[:: 1 if PROFILE == "long" else 16], strict=False):
        check(text, replace(LIVE, live_limit=2000 + 2000 * (number % 2)), number)


@FEW
@given(text=marked_text(), seed=SEEDS)
def test_at_degree_3_what_is_shown_stays_too(text: str, seed: int) -> None:
    growth = Growth.watch(replace(LIVE, degree=Degree.HEAVY), random_slices(text, Random(seed)))
    assert broken(growth, 1950) == []


def test_frames_of_degree_3_end_with_a_sentence() -> None:
    text = "Hello there. How are you today? I was at the river, and it was cold. Then I went home again."
    growth = Growth.watch(replace(LIVE, degree=Degree.HEAVY), list(text))
    ends = {"there", "today?", "cold", "again"}
    assert {frame.content.split()[-1] for _, frame in growth.frames} <= ends | {"river"}


@pytest.mark.parametrize(
    "text",
    [
        "I think this is it and on it goes</think>The answer is here, it is 42.\nYes.",
        f"Okay, {'let me think about it, ' * 20} and on it goes</think>The answer is here, it is 42.\nYes.",
    ],
)
def test_what_a_late_end_of_a_thought_claims_was_never_shown(text: str) -> None:
    growth = Growth.watch(LIVE, list(text))
    assert not any("it" in frame.content[:20] for _, frame in growth.frames)
    assert growth.messages[0].content.startswith("The answer is here")


@pytest.mark.parametrize("length", range(60, 240, 7))
def test_what_was_shown_before_a_late_end_of_a_thought_stays(length: int) -> None:
    check(
        f"{'The river runs on and on to the sea. ' * 9}"[:length] + "</think> And then it rains.",
        LIVE,
        length,
    )


def test_a_stop_ends_where_it_is() -> None:
    """A draft that is made the end of its message is that message, to the character."""
    for size in range(20, 900, 40):
        pipeline = Pipeline(LIVE)
        pipeline.feed(document(3)[:size])
        if draft := pipeline.draft():
            sealed = [event for event in pipeline.finalize(draft.pieces) if isinstance(event, Message)]
            assert [(one.content, one.spans) for one in sealed] == [
                (draft.message.content, draft.message.spans)
            ]
            rest = [event for event in pipeline.flush(Boundary.FINAL) if isinstance(event, Message)]
            assert all(one.spans[0][0] >= draft.message.spans[-1][1] for one in rest if one.spans)


def test_the_invariant_sees_what_was_taken_back_what_is_open_and_what_is_not_hidden() -> None:
    growth = Growth(
        [Message("one two")], [(0, Message("one three")), (0, Message("```\none")), (1, Message("x"))]
    )
    assert len(broken(growth, 1950)) == 4
    assert broken(Growth([Message("x" * 99)]), 50) == ["too long: 99"]
