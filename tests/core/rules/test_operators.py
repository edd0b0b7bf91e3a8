"""Two bars between spaces are escaped, spoilers are not."""

from __future__ import annotations

import pytest

from streamcord._core.markup.scanner import scan
from streamcord._core.passage import Passage
from streamcord._core.rules.operators import escape_operators
from streamcord._settings import Settings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a || b", r"a \|\| b"),
        ("a || b || c", r"a \|\| b \|\| c"),
        ("it was ||Bob|| or ||Eve||", "it was ||Bob|| or ||Eve||"),
        ("`a || b` or c || d", r"`a || b` or c \|\| d"),
        ("```\na || b\n```", "```\na || b\n```"),
        ("a||b", "a||b"),
        ("plain", "plain"),
    ],
)
def test_operators_are_escaped(text: str, expected: str) -> None:
    edits = escape_operators(scan(text, Settings()))
    assert Passage.from_spans(text, ((0, len(text)),)).replace("operator", edits).text == expected
