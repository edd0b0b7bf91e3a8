"""The list is sorted, so that a word that is missing can be put in its place, and has none twice."""

from __future__ import annotations

from streamcord._core.rules.openers.english_words import WORDS


def test_the_words_are_sorted_and_there_once() -> None:
    assert WORDS.split() == sorted(set(WORDS.split()))
