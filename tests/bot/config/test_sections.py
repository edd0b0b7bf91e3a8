"""A section knows where its key is looked for, and whether one is needed."""

from __future__ import annotations

import pytest

from streamcord import SettingsError
from streamcord._bot.config.sections import ContextConfig, ModelConfig


@pytest.mark.parametrize(
    ("model", "name", "needed"),
    [
        (ModelConfig(provider="openai"), "OPENAI_API_KEY", True),
        (ModelConfig(provider="openai", base_url="http://127.0.0.1:1/v1"), "OPENAI_API_KEY", False),
        (ModelConfig(provider="ollama"), "STREAMCORD_API_KEY", False),
        (ModelConfig(provider="custom", key_name="MINE"), "MINE", True),
    ],
)
def test_the_key_of_a_model(model: ModelConfig, name: str, needed: bool) -> None:
    assert (model.secret_name, model.needs_key) == (name, needed)


def test_a_budget_that_holds_nothing_is_refused() -> None:
    with pytest.raises(SettingsError, match="tokens must be at least 64"):
        ContextConfig(tokens=1)
