"""The file of `streamcord init` is read back as it was meant, and shows every key with its true default."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields

import pytest

from streamcord._bot.config.config import BotConfig, read_config
from streamcord._bot.config.config_template import Choices, write_template
from streamcord._bot.config.sections import (
    AnswerConfig,
    ContextConfig,
    DiscordConfig,
    LogConfig,
    ModelConfig,
    PersonaConfig,
    ToolConfig,
)

PLAIN = write_template(Choices())


def uncommented(text: str) -> str:
    """Every `# key = value` line taken at its word."""
    return re.sub(r"(?m)^# (?=\[\[|[a-z_]+ = )", "", text)


def test_what_was_chosen_is_what_is_read() -> None:
    choices = Choices(
        provider="custom",
        model='m "1"\\2',
        base_url="http://127.0.0.1:9/v1",
        persona="Zo\u00eb\x1b",
        prompt='You say "hi".\nAlways.',
        degree=3,
    )

    config = read_config(tomllib.loads(write_template(choices)), {})

    assert (config.model().provider, config.model().model) == ("custom", 'm "1"\\2')
    assert config.model().base_url == "http://127.0.0.1:9/v1"
    assert (config.personas[0].name, config.personas[0].prompt) == ("Zo\u00eb\x1b", 'You say "hi".\nAlways.')
    assert config.settings_for().degree == 3


def test_every_key_is_shown_and_its_default_is_the_true_one() -> None:
    table = tomllib.loads(uncommented(PLAIN))
    assert table["tools"].pop("enabled") == []
    assert table["models"]["main"]["settings"].pop("starts_in_thought") is False
    for key in ("temperature", "max_tokens", "reasoning"):
        table["models"]["main"]["options"].pop(key)
    assert table["personas"]["main"].pop("sprites") == [{"name": "happy", "picture": "happy.png"}]

    assert read_config(table, {}) == read_config(tomllib.loads(PLAIN), {})


@pytest.mark.parametrize(
    ("where", "section"),
    [
        ("discord", DiscordConfig),
        ("answer", AnswerConfig),
        ("context", ContextConfig),
        ("tools", ToolConfig),
        ("log", LogConfig),
    ],
)
def test_no_key_of_a_section_is_forgotten(where: str, section: type) -> None:
    table = tomllib.loads(uncommented(PLAIN))

    assert set(table[where]) == {spec.name for spec in fields(section)}


def test_no_key_of_a_model_a_persona_or_the_file_is_forgotten() -> None:
    table = tomllib.loads(uncommented(PLAIN))

    assert {spec.name for spec in fields(ModelConfig)} - set(table["models"]["main"]) == {"name", "key"}
    assert {spec.name for spec in fields(PersonaConfig)} - set(table["personas"]["main"]) == set()
    assert {spec.name for spec in fields(BotConfig)} - set(table) == {"token", "overrides", "file"}
