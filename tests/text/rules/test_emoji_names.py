"""Standard emoji by their names."""

from __future__ import annotations

import unicodedata

import pytest

from streamcord._text.rules.emoji_names import find_standard


@pytest.mark.parametrize(
    ("name", "emoji"),
    [
        ("pizza", "🍕"), ("smile", "😄"), ("Smile", "😄"), ("thinking", "🤔"), ("slight_smile", "🙂"),
        ("+1", "👍"), ("thumbsup", "👍"), ("heart", "❤️"), ("100", "💯"), ("cat", "🐱"),
        ("fire", "🔥"), ("flag_jp", "🇯🇵"),
        ("one", "1️⃣"), ("rofl", "🤣"), ("sob", "😭"), ("upside_down", "🙃"), ("shrug", "🤷"),
    ],
)  # fmt: skip
def test_a_name_means_one_emoji(name: str, emoji: str) -> None:
    assert find_standard(name) == emoji


@pytest.mark.parametrize(
    "name", ["", "happy_cat", "flag_", "flag_x", "flag_x1", "flag_deu", "nope", "lodash"]
)
def test_other_names_mean_none(name: str) -> None:
    assert find_standard(name) is None


def test_every_emoji_of_the_table_is_one() -> None:
    names = ("joy", "tada", "eyes", "rocket", "wave", "clap", "sparkles", "warning", "white_check_mark", "x")
    for name in names:
        emoji = find_standard(name)
        assert emoji
        assert unicodedata.category(emoji[0]) == "So"
