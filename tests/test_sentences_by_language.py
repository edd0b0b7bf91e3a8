"""Texts in thirteen languages with a bar at every cut, read whole and as a stream in many slicings.

`tests/sentences/*.txt` has one text a line; `¦` is a cut that must be found, and no other may be.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from documents import random_slices
from streamcord._events import Degree
from streamcord._settings import Settings
from streamcord._text.language.sentences import split_sentences
from streamcord._text.segmenter import Segmenter

PAGES = sorted((Path(__file__).parent / "sentences").glob("*.txt"))
ROWS = [
    pytest.param(line.replace("\\n", "\n"), id=f"{page.stem}-{number}")
    for page in PAGES
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1)
]
LANGUAGES = {"en", "de", "fr", "es", "pt", "it", "ru", "pl", "tr", "ar", "ja", "zh", "ko"}


def segments(pieces: list[str]) -> list[str]:
    segmenter = Segmenter(Settings(degree=Degree.HEAVY, humanize=False))
    found = [segment for piece in pieces for segment in segmenter.feed(piece)]
    return [segment.text for segment in [*found, *segmenter.flush()]]


def test_every_language_has_a_page() -> None:
    assert {page.stem for page in PAGES} >= LANGUAGES


@pytest.mark.parametrize("marked", ROWS)
def test_a_text_splits_at_its_bars(marked: str) -> None:
    assert split_sentences(marked.replace("¦", "")) == marked.split("¦")


@pytest.mark.parametrize("marked", ROWS)
def test_a_stream_splits_at_its_bars_however_it_is_sliced(marked: str) -> None:
    text = marked.replace("¦", "")
    expected = [sentence for part in marked.split("¦") for sentence in part.splitlines(keepends=True)]
    assert segments([text]) == expected
    assert segments(list(text)) == expected
    for seed in range(4):
        assert segments(random_slices(text, Random(seed))) == expected
