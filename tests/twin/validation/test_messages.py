from __future__ import annotations

from typing import Any

import pytest

from discord_twin.validation import messages as rules
from discord_twin.validation.messages import CUSTOM_EMOJI, is_unicode_emoji
from twin.validation.seeing import faults

# --- Message rules ---


@pytest.mark.parametrize(
    ("embed", "fault"),
    [
        ({"title": "x" * 256, "description": "x" * 4096}, None),
        ({"fields": [{"name": "n", "value": ""}, {"name": " ", "value": "v"}]}, None),
        ({"image": {"url": "attachment://a.png"}, "color": 0xFFFFFF, "timestamp": "2026-01-01"}, None),
        ({"footer": None, "fields": None}, None),
        ({"title": "x" * 257}, "title: BASE_TYPE_MAX_LENGTH"),
        ({"description": "x" * 4097}, "description: BASE_TYPE_MAX_LENGTH"),
        ({"author": {"name": "x" * 257}}, "author.name: BASE_TYPE_MAX_LENGTH"),
        ({"footer": {"text": "x" * 2049}}, "footer.text: BASE_TYPE_MAX_LENGTH"),
        ({"fields": [{"name": "x" * 257, "value": "v"}]}, "fields.0.name: BASE_TYPE_MAX_LENGTH"),
        ({"fields": [{"name": "n"}]}, "fields.0.value: BASE_TYPE_REQUIRED"),
        ({"fields": [{"name": "n", "value": "v"}] * 26}, "fields: BASE_TYPE_MAX_LENGTH"),
        ({"url": "example"}, "url: URL_TYPE_INVALID_URL"),
        ({"url": "attachment://a.png"}, "url: URL_TYPE_INVALID_SCHEME"),
        ({"thumbnail": {"url": "file:///etc/passwd"}}, "thumbnail.url: URL_TYPE_INVALID_SCHEME"),
        ({"color": 0x1000000}, "color: NUMBER_TYPE_MAX"),
        ({"color": "red"}, "color: NUMBER_TYPE_COERCE"),
        ({"timestamp": "tomorrow"}, "timestamp: DATE_TIME_TYPE_PARSE"),
        ({"title": ["x"]}, "title: STRING_TYPE_CONVERT"),
        ("an embed", ": MODEL_TYPE_CONVERT"),
    ],
)  # fmt: skip
def test_an_embed(embed: Any, fault: str | None) -> None:
    expected = [] if fault is None else [f"embeds.0{'' if fault[0] == ':' else '.'}{fault}"]

    assert faults(rules.EMBEDS, {"embeds": [embed]}) == expected


def test_embeds_together_have_six_thousand_characters() -> None:
    half = {"description": "x" * 3000}

    assert faults(rules.EMBEDS, {"embeds": [half] * 2}) == []
    assert faults(rules.EMBEDS, {"embeds": [half, half, {"title": "x"}]}) == [
        "embeds: MAX_EMBED_SIZE_EXCEEDED"
    ]
    assert faults(rules.EMBEDS, {"embeds": [{}] * 11}) == ["embeds: BASE_TYPE_MAX_LENGTH"]
    assert rules.embed_length({"title": " ab ", "footer": {"text": "c"}, "author": {"name": "d"},
                               "fields": [{"name": "e", "value": "f"}]}) == 6  # fmt: skip


def test_stickers_and_files() -> None:
    assert faults(rules.STICKERS, ["1"] * 4) == [": BASE_TYPE_MAX_LENGTH"]
    assert faults(rules.ATTACHMENT, {"id": 0, "description": "x" * 1025}) == [
        "description: BASE_TYPE_MAX_LENGTH"
    ]
    assert faults(rules.ATTACHMENT, {}) == ["id: BASE_TYPE_REQUIRED"]
    assert faults(rules.VOICE_FILE, {"duration_secs": 1}) == ["waveform: BASE_TYPE_REQUIRED"]


# --- Emoji names ---


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
