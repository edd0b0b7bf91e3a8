"""A limit of the answer's length leaves room for thoughts, which count in it."""

from __future__ import annotations

from typing import Any

import pytest

from streamcord._providers.apis.base import ApiAdapter
from streamcord._providers.apis.google import Google
from streamcord._providers.apis.google_interactions import GoogleInteractions
from streamcord._providers.prompt import Effort, Options, user
from streamcord.providers import PRESETS


def limit_of(api: ApiAdapter, **options: Any) -> object:
    body = dict(api.encode(user("Hi"), Options(**options)).body)
    found = {**body, **body.get("generationConfig", {}), **body.get("generation_config", {})}
    names = ("maxOutputTokens", "max_output_tokens", "max_completion_tokens", "max_tokens")
    return next((found[name] for name in names if name in found), None)


@pytest.mark.parametrize(
    ("preset", "model", "effort", "limit"),
    [
        ("google", "gemini-3-flash", "low", 2348),
        ("google", "gemini-3-flash", None, 8492),  # it thinks unasked
        ("google", "gemini-2.5-flash", "none", 300),
        ("google", "gemini-2.5-flash-lite", None, 300),
        ("google", "gemini-2.0-flash", None, 300),
        ("google", "models/gemini-3-pro", "max", 33_068),
        ("google-interactions", "gemini-3-flash", "high", 16_684),
        ("openai-responses", "gpt-5", "xhigh", 24_876),
        ("openai-responses", "gpt-5", None, 300),
        ("openai", "gpt-5", "medium", 8492),
        ("openai", "gpt-5", "none", 300),
        ("ollama", "qwen3", "high", 300),  # its context may be small
    ],
)
def test_limit_is_all_thoughts(preset: str, model: str, effort: Effort | None, limit: int) -> None:
    assert limit_of(PRESETS[preset].api, model=model, reasoning=effort, max_tokens=300) == limit


@pytest.mark.parametrize("api", [Google(), GoogleInteractions(), PRESETS["openai-responses"].api])
def test_limit_appears_or_shrinks_unasked(api: ApiAdapter) -> None:
    assert limit_of(api, model="gemini-3-pro", reasoning="max") is None
    assert limit_of(api, model="gemini-3-pro", reasoning="max", max_tokens=200_000) == 200_000
