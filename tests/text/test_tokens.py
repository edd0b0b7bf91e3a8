from __future__ import annotations

import re

import pytest

from streamcord._text.tokens import is_word, lazy_pattern


def test_lazy_pattern_is_compiled_once_on_first_use() -> None:
    pattern = lazy_pattern("a+", re.IGNORECASE)
    assert pattern.fullmatch("aA")
    assert pattern.fullmatch is pattern.fullmatch
    assert pattern.flags & re.IGNORECASE
    with pytest.raises(re.error):
        _ = lazy_pattern("(").search


@pytest.mark.parametrize(
    ("character", "inside"), [("a", True), ("_", True), ("é", True), ("-", False), ("日", False)]
)
def test_marker_is_inside_a_word_next_to_letters_of_spaced_scripts(character: str, inside: bool) -> None:
    assert is_word(character) is inside
