from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from streamcord import Settings, SettingsError
from streamcord_bot.config import (
    AccessConfig,
    AnswerConfig,
    BotConfig,
    BudgetConfig,
    ClusterConfig,
    ContextConfig,
    DiscordConfig,
    DurabilityConfig,
    LogConfig,
    ModelConfig,
    ModerationConfig,
    PersonaConfig,
    PrivacyConfig,
    ServersConfig,
    ToolConfig,
    build_provider,
    load_config,
    read_config,
)
from streamcord_bot.ops.init_sample import play_samples
from streamcord_bot.ops.init_wizard import (
    Choices,
    ask_choices,
    default_choices,
    next_steps,
    write_config,
    write_template,
)


class Newcomer:
    """Types these lines, one per question."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)
        self.asked: list[str] = []
        self.told: list[str] = []

    def ask(self, question: str) -> str:
        self.asked.append(question)
        return next(self._lines)

    def choose(self, start: Choices | None = None) -> Choices:
        return ask_choices(self.ask, self.told.append, start or Choices())


def test_enter_takes_what_stands_in_brackets() -> None:
    newcomer = Newcomer("", "", "", "", "")

    assert newcomer.choose() == Choices()
    assert newcomer.asked[1] == "Model [gpt-6-luna]: "
    assert not any("key" in question.lower() for question in newcomer.asked)


def test_both_kinds_of_bots_are_shown_before_they_are_asked_for() -> None:
    shown: list[str] = []
    waits: list[float] = []
    play_samples(shown.append, waits.append)
    text = "".join(shown)

    assert "assistant:\n  Yes, basil needs light. Put it near a window. Should I remind you? \n" in text
    assert text.endswith(
        "persona:\n  yes, basil needs light\n  put it near a window\n  should i remind you?\n\n"
    )
    assert 2.0 < sum(waits) < 6.0


def test_a_wrong_answer_is_asked_again_with_the_reason() -> None:
    newcomer = Newcomer("gpt", "custom", "here", "http://127.0.0.1:9/v1", "", "tiny", "Rex", "", "9", "3")

    assert newcomer.choose() == Choices(
        provider="custom",
        base_url="http://127.0.0.1:9/v1",
        model="tiny",
        persona="Rex",
        prompt=Choices().prompt.replace("Luna", "Rex"),
        manner="3",
    )
    assert newcomer.told == [
        "gpt is not one of them.",
        "An address begins with http:// or https://.",
        "It needs a model's name, as the provider calls it.",
        "assistant or persona, or 0, 1, 2 or 3.",
    ]


def test_an_assistant_may_be_one_message_that_grows() -> None:
    for answer in ("assistant", "live"):
        chosen = Newcomer("", "", "", "", answer).choose()
        settings = read_config(tomllib.loads(write_template(chosen)), {}).settings_for()
        assistant = Settings.assistant()

        assert (settings.delivery, settings.live_limit) == (assistant.delivery, assistant.live_limit)
        assert settings.degree == 0


def test_a_persona_is_the_default() -> None:
    for chosen in (Choices(), Newcomer("", "", "", "", "persona").choose()):
        settings = read_config(tomllib.loads(write_template(chosen)), {}).settings_for()
        persona = Settings.persona()

        assert (settings.degree, settings.delivery) == (persona.degree, persona.delivery)
    assert default_choices(None, None, None, "assistant").manner == "assistant"


def test_the_usual_address_of_a_local_server_is_not_written_down() -> None:
    assert Newcomer("ollama", "", "", "", "", "").choose().base_url == ""


@pytest.mark.parametrize(
    ("provider", "address", "allowed"),
    [
        ("ollama", "http://host.docker.internal:11434/v1", True),
        ("lmstudio", "http://192.168.1.20:1234/v1", True),
        ("ollama", "http://127.0.0.1:9/v1", False),
        ("ollama", "https://models.example/v1", False),
    ],
)
async def test_a_server_of_ones_own_elsewhere_may_be_asked_without_encryption(
    provider: str, address: str, allowed: bool
) -> None:
    text = write_template(Choices(provider=provider, model="m", base_url=address))
    model = read_config(tomllib.loads(text), {}).model()

    assert model.allow_http is allowed
    async with build_provider(model):
        assert model.base_url == address


def test_what_was_written_can_be_loaded_and_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "bot.toml"
    write_config(path, Choices(persona="Rex"))

    assert load_config(path, {}).personas[0].name == "Rex"
    with pytest.raises(SettingsError, match="--force"):
        write_config(path, Choices(persona="Max"))
    assert load_config(path, {}).personas[0].name == "Rex"
    write_config(path, Choices(persona="Max"), force=True)
    assert load_config(path, {}).personas[0].name == "Max"
    assert [one.name for one in tmp_path.iterdir()] == ["bot.toml"]


@pytest.mark.parametrize(
    ("provider", "key"),
    [("anthropic", "ANTHROPIC_API_KEY"), ("custom", "STREAMCORD_API_KEY"), ("ollama", None)],
)
def test_the_next_steps_name_what_to_set(provider: str, key: str | None) -> None:
    steps = next_steps(Path("a.toml"), Choices(provider=provider))

    assert "export DISCORD_TOKEN=" in steps
    assert (f"export {key}=" in steps) is (key is not None)
    assert "streamcord-bot check --config a.toml" in steps


def test_the_command_line_sets_the_defaults() -> None:
    assert default_choices("anthropic", None, "Rex").model == "claude-haiku-5-5"
    assert default_choices("llamacpp", "m", None).model == "m"
    with pytest.raises(SettingsError, match="--provider must be one of openai"):
        default_choices("gpt", None, None)


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
        manner="3",
    )

    config = read_config(tomllib.loads(write_template(choices)), {})

    assert (config.model().provider, config.model().model) == ("custom", 'm "1"\\2')
    assert config.model().base_url == "http://127.0.0.1:9/v1"
    assert (config.personas[0].name, config.personas[0].prompt) == ("Zo\u00eb\x1b", 'You say "hi".\nAlways.')
    assert config.settings_for().degree == 3


def test_every_key_is_shown_and_its_default_is_the_true_one() -> None:
    table = tomllib.loads(uncommented(PLAIN))
    assert table["tools"].pop("enabled") == []
    assert table["servers"]["maximum"].pop("message_cap") == 80
    assert table["models"]["main"]["settings"].pop("starts_in_thought") is False
    assert table["personas"]["main"]["settings"].pop("degree") == 3
    for key in ("temperature", "max_tokens", "reasoning"):
        table["models"]["main"]["options"].pop(key)
    sprite = {"name": "happy", "picture": "happy.png", "instruction": "when something went well"}
    assert table["personas"]["main"].pop("sprites") == [sprite]

    assert read_config(table, {}) == read_config(tomllib.loads(PLAIN), {})


@pytest.mark.parametrize(
    ("where", "section"),
    [
        ("discord", DiscordConfig),
        ("answer", AnswerConfig),
        ("context", ContextConfig),
        ("tools", ToolConfig),
        ("budget", BudgetConfig),
        ("moderation", ModerationConfig),
        ("privacy", PrivacyConfig),
        ("durability", DurabilityConfig),
        ("cluster", ClusterConfig),
        ("log", LogConfig),
        ("servers", ServersConfig),
        ("access", AccessConfig),
    ],
)
def test_no_key_of_a_section_is_forgotten(where: str, section: type) -> None:
    table = tomllib.loads(uncommented(PLAIN))

    assert set(table[where]) == {spec.name for spec in fields(section)} - {"key"}


def test_no_key_of_a_model_a_persona_or_the_file_is_forgotten() -> None:
    table = tomllib.loads(uncommented(PLAIN))

    secret = {"name", "key", "more_keys"}
    assert {spec.name for spec in fields(ModelConfig)} - set(table["models"]["main"]) == secret
    assert {spec.name for spec in fields(PersonaConfig)} - set(table["personas"]["main"]) == set()
    assert {spec.name for spec in fields(BotConfig)} - set(table) == {"token", "overrides", "file"}


def test_suggested_model_is_not_offered_by_the_provider() -> None:
    asked: list[tuple[str, str]] = []
    offered = ["llama-9", *(f"m-{number}" for number in range(20))]

    def list_models(provider: str, base_url: str) -> list[str]:
        asked.append((provider, base_url))
        return offered

    newcomer = Newcomer("ollama", "http://10.0.0.7:11434/v1", "", "", "", "")
    chosen = ask_choices(newcomer.ask, newcomer.told.append, Choices(), list_models)

    assert chosen.model == "llama-9"
    assert asked == [("ollama", "http://10.0.0.7:11434/v1")]
    assert newcomer.told[0].startswith("Offered: llama-9, m-0, ")
    assert newcomer.told[0].endswith("m-10 and 9 more")
