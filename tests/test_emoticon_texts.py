"""Faces made of signs open nothing, wherever they stand: each line stays a message, in every slicing."""

from __future__ import annotations

from random import Random

import pytest

from documents import random_slices
from emoticon_samples import FACES
from invariants import INVARIANTS, Trial, contents, run
from streamcord._events import Degree
from streamcord._settings import Settings

LINES = Settings(degree=Degree.MEDIUM, message_cap=0)


@pytest.mark.parametrize("face", FACES)
def test_lines_with_a_face_are_messages_as_ever(face: str) -> None:
    lines = [f"Hi {face}", "How are you?", f"{face} fine", f"So {face} and {face}, yes", "Ok", face, "Bye"]
    text = "\n".join(lines)
    assert contents(run(LINES, [text])) == lines
    assert contents(run(LINES, list(text))) == lines
    assert contents(run(LINES, random_slices(text, Random(1), 7))) == lines


@pytest.mark.parametrize("degree", [Degree.NONE, Degree.MEDIUM, Degree.HEAVY])
@pytest.mark.parametrize("first", range(0, len(FACES), 12))
def test_invariants_hold_over_texts_full_of_faces(first: int, degree: Degree) -> None:
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
    faces = FACES[first : first + 12] * 2
    random.shuffle(faces)
    text = "".join(f"{face}{random.choice(('', ' ', ' '))}{random.choice(words)} " for face in faces)
    trial = Trial(Settings(degree=degree, message_cap=0, message_length=200), text, seed=first)
    faults = {name: invariant(trial) for name, invariant in INVARIANTS.items()}
    assert {name: found for name, found in faults.items() if found} == {}
