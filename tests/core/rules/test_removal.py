"""Words go, the spaces beside them are tidied, everything else stays."""

from __future__ import annotations

import re

import pytest

from streamcord._core.passage import Passage
from streamcord._core.rules.removal import remove


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a X b", "a b"),
        ("X b", "b"),
        ("a X", "a"),
        ("a X, b", "a, b"),
        ("a X\nb", "a\nb"),
        ("a (X) b", "a () b"),
        ("aXb", "ab"),
        ("a X X b", "a b"),
        ("X X b", "b"),
        ("XX", ""),
        ("  X b", "  b"),
        ("a\n  X b", "a\n  b"),
        ("a\nX\nb", "a\n\nb"),
        ("a  b X  c", "a  b  c"),
    ],
)
def test_spaces_beside_a_removed_word_are_tidied(text: str, expected: str) -> None:
    edits = remove(text, [found.span() for found in re.finditer("X", text)])
    assert Passage.from_spans(text, ((0, len(text)),)).replace("rule", edits).text == expected
