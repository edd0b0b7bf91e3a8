"""Faces made of signs open nothing, wherever they stand: each line stays a message, in every slicing."""

from __future__ import annotations

from random import Random

import pytest

from documents import random_slices
from emoticon_samples import EMOTICONS
from invariants import INVARIANTS, Trial, contents, run
from streamcord._events import Degree
from streamcord._settings import Settings

# Too long for a line of a stanza, which would stay with its neighbours.
PROSE = "This line has so many words that it is certainly not a line of any poem or song"
LINES = Settings(degree=Degree.MEDIUM, message_cap=0)


@pytest.mark.parametrize("emoticon", EMOTICONS)
def test_emoticon_lines_are_sent_like_other_lines(emoticon: str) -> None:
    lines = [
        f"{PROSE} Hi {emoticon}",
        "How are you?",
        f"{emoticon} {PROSE}",
        f"So {emoticon} and {emoticon}, yes. {PROSE}",
        "Ok.",
        emoticon,
        "Bye.",
    ]
    text = "\n".join(lines)
    assert contents(run(LINES, [text])) == lines
    assert contents(run(LINES, list(text))) == lines
    assert contents(run(LINES, random_slices(text, Random(1), 7))) == lines


@pytest.mark.parametrize("degree", [Degree.NONE, Degree.MEDIUM, Degree.HEAVY])
@pytest.mark.parametrize("first", range(0, len(EMOTICONS), 12))
def test_invariants_hold_for_texts_full_of_emoticons(first: int, degree: Degree) -> None:
    words = [
        "Hello",
        "*so*",
        "and",
        "**well** done!",
        "(see here)",
        "“yes”",
        "x.",
        "ok?\n",
        "_then_\n\n",
        "- a\n",
    ]
    random = Random(first)
    emoticons = EMOTICONS[first : first + 12] * 2
    random.shuffle(emoticons)
    text = "".join(
        f"{emoticon}{random.choice(('', ' ', ' '))}{random.choice(words)} " for emoticon in emoticons
    )
    trial = Trial(Settings(degree=degree, message_cap=0, message_length=200), text, seed=first)
    faults = {name: invariant(trial) for name, invariant in INVARIANTS.items()}
    assert {name: found for name, found in faults.items() if found} == {}
