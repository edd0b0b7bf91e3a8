"""Answers in thirteen languages at degree 3: the pages show what the code of today says, in every slicing."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from aloud_pages import PAGES, SEEDS, Answer, parse_answers, print_answers, speak
from documents import random_slices

PATHS = sorted(PAGES.glob("*.page"))
ANSWERS = [
    pytest.param(answer, id=f"{path.stem}-{number}")
    for path in PATHS
    for number, answer in enumerate(parse_answers(path.read_text("utf-8"))[1], 1)
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_page_is_what_is_said_today(path: Path) -> None:
    page = path.read_text("utf-8")
    assert print_answers(*parse_answers(page)) == page


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_the_same_however_it_is_sliced(answer: Answer) -> None:
    for seed, messages in zip(SEEDS, answer.messages, strict=True):
        assert speak(list(answer.model), seed) == messages
        for slicing in range(3):
            assert speak(random_slices(answer.model, Random(slicing)), seed) == messages


def test_each_of_thirteen_languages_has_ten_answers_that_were_read() -> None:
    assert len(PATHS) == 13
    for path in PATHS:
        head, answers = parse_answers(path.read_text("utf-8"))
        assert "Changed:" in head
        assert len(answers) >= 10
        assert [answer.model for answer in answers if not answer.read] == []
