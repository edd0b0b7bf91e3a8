"""The library's command line `streamcord`, run in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import streamcord
from source_path import SOURCE_PATH
from streamcord._cli import COMMANDS, main
from streamcord._common.optional_dependencies import install_line

TEXT = "Sure! Here it is:\n```python\nprint('好')\n```\nDone."


def run(*arguments: str, stdin: bytes = b"", code: str | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m streamcord`, or some code with these arguments, in a plain locale."""
    command = ["-c", code] if code else ["-m", "streamcord"]
    environment = {**os.environ, "PYTHONPATH": SOURCE_PATH, "LC_ALL": "C", "COLUMNS": "80", "NO_COLOR": "1"}
    environment.pop("FORCE_COLOR", None)
    return subprocess.run(
        [sys.executable, *command, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env=environment,
        timeout=60,
    )


def test_help_shows_commands_and_examples() -> None:
    done = run("--help")

    out = done.stdout.decode()
    assert done.returncode == 0
    assert "preview" in out
    assert "streamcord preview answer.md" in out


def test_a_command_has_help_of_its_own() -> None:
    out = run("preview", "--help").stdout.decode()

    assert "--degree" in out
    assert "--batch" in out
    assert "examples:" in out


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "usage: streamcord" in capsys.readouterr().out


def test_the_version_is_told() -> None:
    assert run("--version").stdout.decode().strip() == f"streamcord {streamcord.__version__}"


def test_an_unknown_command_is_refused() -> None:
    done = run("prevew")

    assert done.returncode == 2
    assert b"prevew" in done.stderr


def test_preview_draws_in_any_locale() -> None:
    done = run("preview", "-", stdin=TEXT.encode())

    out = done.stdout.decode()
    assert done.returncode == 0
    assert "Sure! Here it is:" in out
    assert "print('好')" in out
    assert "3 messages in" in out


def test_preview_draws_without_rich_and_says_how_to_get_it() -> None:
    without_rich = (
        "import sys; from importlib.machinery import PathFinder as P; real = P.find_spec\n"
        "P.find_spec = lambda name, *rest: None if name == 'rich' else real(name, *rest)\n"
        "from streamcord._cli import main; sys.exit(main())"
    )
    done = run("preview", "-", stdin=TEXT.encode(), code=without_rich)

    assert done.returncode == 0
    assert "  at once | Sure! Here it is:" in done.stdout.decode()
    assert done.stderr.decode() == f"For colours and code: {install_line('preview')}\n"


def test_preview_prints_json_that_any_reader_can_read() -> None:
    done = run("preview", "-", "--json", stdin="a\u2028b\x85c\nd".encode())

    assert [json.loads(line)["content"] for line in done.stdout.decode("ascii").splitlines()] == [
        "a\u2028b\x85c",
        "d",
    ]


def test_a_batch_answers_the_good_lines_and_names_the_bad_ones() -> None:
    lines = [
        '{"id": "a", "text": "One."}',
        "{",
        '{"id": "c", "chunks": ["Th", "ree."], "settings": {"degree": 1}}',
    ]
    done = run("preview", "--batch", "-", stdin="\n".join(lines).encode())

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == ["a", "c"]
    assert answers[1]["messages"][0]["content"] == "Three."
    assert done.stderr.decode().startswith("streamcord: line 2: not JSON")
    assert done.returncode == 2


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    batch = tmp_path / "many.jsonl"
    batch.write_text("".join(f'{{"id": {number}, "text": "hello"}}\n' for number in range(5000)))
    first_line_only = (
        "import subprocess, sys\n"
        "command = [sys.executable, '-m', 'streamcord', *sys.argv[1:]]\n"
        "child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)\n"
        "print(child.stdout.readline().decode()[:8]); child.stdout.close()\n"
        "print(child.stderr.read().decode(), child.wait())"
    )
    done = run("preview", "--batch", str(batch), code=first_line_only)

    assert done.stdout.decode().split() == ['{"id":', "0", "1"]


def test_commands_are_a_table_of_unique_names() -> None:
    names = [command.name for command in COMMANDS]

    assert len(set(names)) == len(names)
    assert all(command.summary and command.examples for command in COMMANDS)
