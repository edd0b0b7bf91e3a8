"""The privacy report says what the configuration does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from streamcord_bot.cli import main
from streamcord_bot.config import read_config
from streamcord_bot.privacy.operator_report import describe_data

MODEL: dict[str, Any] = {"models": {"main": {"provider": "openai", "model": "gpt-5-mini"}}}


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ({}, "No one: no model is configured."),
        ({}, "kept for 90 days."),
        ({}, "everything of that server is deleted."),
        ({}, "a file that only the bot's account can read."),
        ({}, "contain no words of messages"),
        ({}, "for a command also its question, the text of its file and Discord's token"),
        ({}, "Who asked, where and when is kept for a day"),
        ({"privacy": {"days": 7}}, "kept for 7 days."),
        ({"privacy": {"days": 0}}, "kept until they are deleted by a command."),
        ({"log": {"text": True}}, "Logs contain words of messages."),
        ({"store": "postgresql://h/d"}, "a PostgreSQL database."),
        (MODEL, "sent to openai (api.openai.com), model gpt-5-mini."),
        (
            {"models": {"a": {"provider": "ollama", "model": "q"}}},
            "a server on the bot's own machine, model q.",
        ),
        ({"voice": {"model": "whisper-1"}}, "Voice messages are sent to api.openai.com"),
        (
            {"moderation": {"endpoint": "https://checks.example/v1"}},
            "- The texts of questions and answers are sent to checks.example to be checked.",
        ),
        (
            {"moderation": {"endpoint": "https://checks.example/v1", "questions": False}},
            "- The texts of answers are sent to checks.example",
        ),
        ({"thought_log": 5}, "thoughts are posted"),
    ],
)
def test_report_follows_the_configuration(table: dict[str, Any], line: str) -> None:
    assert line in describe_data(read_config(table, {}))


def test_disabled_features_are_not_mentioned() -> None:
    kept = describe_data(read_config({"privacy": {"forget_left": False}}, {}))

    assert "leaves a server" not in kept
    assert "Voice" not in kept


def test_command_prints_the_report_and_needs_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "streamcord.toml"
    assert main(["privacy", "--config", str(file)]) == 2
    assert "streamcord-bot init" in capsys.readouterr().err
    file.write_text("[privacy]\ndays = 3\n", encoding="utf-8")
    assert main(["privacy", "--config", str(file)]) == 0
    assert "for 3 days" in capsys.readouterr().out
