"""Columns of a text in a code block."""

from __future__ import annotations

import pytest

from streamcord._core.markup.width import display_width


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("plain", 5),
        ("naïve", 5),
        ("日本語", 6),
        ("한국어", 6),
        ("ﾊﾝｶｸ", 4),
        ("e\u0301", 1),
        ("a\u200bb", 2),
        ("👍🏽", 2),
        ("🇯🇵", 2),
        ("👨\u200d👩\u200d👧", 2),
        ("❤\ufe0f", 2),
        ("❤", 1),
        ("\u0001é", 2),
    ],
)
def test_east_asian_letters_and_emoji_take_two_columns(text: str, expected: int) -> None:
    assert display_width(text) == expected
