from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamcord._preview.recording_redaction import RecordingRedactor

KEY = "sk-" + "a1B2" * 8


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "AIza" + "x" * 35,
        "ghp_" + "x" * 36,
        "M" * 24 + "." + "x" * 6 + "." + "y" * 38,
    ],
)
def test_what_looks_like_a_secret_is_hidden_letter_for_letter(secret: str) -> None:
    assert RecordingRedactor().mask(f"use {secret} now") == f"use {'*' * len(secret)} now"


def test_a_webhooks_address_loses_its_token() -> None:
    masked = RecordingRedactor().mask("https://discord.com/api/webhooks/123/abc-DEF and /api/other")

    assert masked == "https://discord.com/api/webhooks/*********** and /api/other"


def test_secrets_that_are_told_are_hidden_the_longest_first_and_short_ones_not() -> None:
    redactor = RecordingRedactor(["hunter2", "hunter2000", "x", ""])

    assert redactor.mask("hunter2000 x hunter2") == "********** x *******"


def test_plain_words_stay() -> None:
    text = "A risk-free task_list, v1.2.3, sk-short."

    assert RecordingRedactor().mask(text) == text


def test_all_words_are_hidden_if_asked_and_their_shape_stays() -> None:
    redactor = RecordingRedactor(everything=True)

    text = "<Think>Why?</think> **Bold** 42 `Code` 好的 été Ünï — <details open>x</details>"
    assert redactor.mask(text) == (
        "<Think>Xxx?</think> **Xxxx** 00 `Xxxx` 字字 xxx Xxx — <details xxxx>x</details>"
    )


def test_values_are_masked_all_the_way_down() -> None:
    value = {"key": [KEY, 5, {"k": KEY}], "ok": None}

    assert RecordingRedactor().mask_value(value) == {"key": ["*" * 35, 5, {"k": "*" * 35}], "ok": None}


@given(st.text())
def test_a_mask_is_as_long_as_what_it_hides(text: str) -> None:
    assert len(RecordingRedactor(["abcd"], everything=True).mask(text)) == len(text)
