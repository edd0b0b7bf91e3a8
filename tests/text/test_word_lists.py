"""Word lists are sorted, so that a missing word has one place to go, and hold each word once."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamcord
from streamcord._text.word_lists import load_words

LISTS = sorted(Path(streamcord.__file__).with_name("_text").joinpath("data").glob("common_words_*.txt"))


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.stem)
def test_words_are_sorted_and_unique(file: Path) -> None:
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    words = " ".join(lines).split()

    assert words == sorted(set(words))
    assert load_words(file.stem) == set(words)
