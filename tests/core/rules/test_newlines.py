"""Of several blank lines one stays."""

from __future__ import annotations

import pytest

from streamcord._core.passage import Edit, Passage
from streamcord._core.reading import Reading
from streamcord._core.rules.newlines import join_blank_lines
from streamcord._settings import Settings


def change(text: str, edits: list[Edit]) -> str:
    return Passage.from_spans(text, ((0, len(text)),)).replace("rule", edits).text if edits else text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\n\nb", "a\n\nb"),
        ("a\n \n\t\n\n  b", "a\n\n  b"),
        ("`a`\n\n\nb", "`a`\n\nb"),
        ("a\n\nb\nc", "a\n\nb\nc"),
        ("a\n\n\n\n", "a\n\n\n\n"),
        ("```\na\n\n\n\nb\n```", "```\na\n\n\n\nb\n```"),
    ],
)
def test_blank_lines_are_joined_outside_code(text: str, expected: str) -> None:
    assert change(text, join_blank_lines(Reading(text, Settings()))) == expected
