from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from streamcord.providers import PRESETS, Options, Preset, Prompt, ToolSpec, system, user

PROMPT = system("Be kind.") + user("Hi") + Prompt(prefill="Dear")
OPTIONS = Options(model="m", stop=("x",), reasoning="low", max_tokens=10)


def test_every_provider_that_was_promised_is_there() -> None:
    assert set(PRESETS) == {
        "openai",
        "openai-responses",
        "anthropic",
        "google",
        "novelai",
        "openrouter",
        "deepseek",
        "nvidia",
        "zai",
        "mistral",
        "groq",
        "xai",
        "ollama",
        "llamacpp",
        "vllm",
        "lmstudio",
        "custom",
    }


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_a_preset_can_be_asked(preset: Preset) -> None:
    prompt = PROMPT if preset.name == "novelai" else PROMPT + Prompt(tools=(ToolSpec("roll"),))

    request = preset.dialect.encode(prompt, OPTIONS)

    assert json.dumps(request.body)
    assert not request.path.startswith("/")
    assert preset.dialect.decoder() is not preset.dialect.decoder()


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_only_local_servers_go_without_a_key_and_without_encryption(preset: Preset) -> None:
    url = urlsplit(preset.base_url)
    local = url.hostname == "127.0.0.1"

    assert (url.scheme == "http") is local
    assert bool(preset.key_name) is (not local and preset.name != "custom")


def test_presets_cannot_be_changed_by_accident() -> None:
    with pytest.raises(TypeError):
        PRESETS["openai"] = PRESETS["custom"]  # type: ignore[index]
