from __future__ import annotations

import pytest

from streamcord._twin.rules.emoji_names import CUSTOM_EMOJI, is_unicode_emoji


@pytest.mark.parametrize(
    "emoji", ["👍", "❤️", "❤", "👨‍👩‍👧‍👦", "👍🏽", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇩🇪", "1️⃣", "#️⃣", "™️", "ℹ️", "🫠", "♀️", "⏯️", "©"]
)
def test_such_a_character_is_one(emoji: str) -> None:
    assert is_unicode_emoji(emoji)


@pytest.mark.parametrize(
    "text", ["", "a", "1", "hello", ":)", "é", "猫", "\u200d", "\ufe0f", "👍" * 17, "👍a"]
)
def test_such_a_text_is_none(text: str) -> None:
    assert not is_unicode_emoji(text)


@pytest.mark.parametrize("text", ["cat:123", "a:cat:123", "<:cat:123>", "<a:cat:123>"])
def test_a_custom_one_has_a_name_and_an_id(text: str) -> None:
    found = CUSTOM_EMOJI.fullmatch(text)

    assert found is not None
    assert found.groups() == ("cat", "123")
