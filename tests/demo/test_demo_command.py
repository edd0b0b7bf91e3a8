"""What `streamcord demo` takes."""

from __future__ import annotations

import argparse

import pytest

from streamcord._demo import demo_command as command


def test_the_options_are_understood() -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)

    given = parser.parse_args(["--provider", "ollama", "--model", "qwen3", "--script", "-", "--hurry"])

    assert (given.provider, given.model, given.script, given.hurry) == ("ollama", "qwen3", "-", True)
    assert not given.scripted
    assert not given.no_install


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == "rich" else object())

    assert command.run(argparse.Namespace()) == 2
    assert 'pip install "streamcord[preview]"' in capsys.readouterr().err
