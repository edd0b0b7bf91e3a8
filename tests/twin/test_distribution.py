"""The container file, the GitHub Action and the package of npm are made of parts that exist."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from discord_twin import cli

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "packages" / "discord-twin"
CONTAINER = (PACKAGE / "Dockerfile").read_text(encoding="utf-8")
ACTION = ROOT / "clients" / "action"
NPM = ROOT / "clients" / "npm"


def options() -> set[str]:
    import argparse  # noqa: PLC0415

    parser = argparse.ArgumentParser()
    cli.add_arguments(parser)
    return {one for action in parser._actions for one in action.option_strings}


def test_the_container_starts_the_command_with_options_that_it_has() -> None:
    (entry,) = re.findall(r"(?m)^ENTRYPOINT (.*)$", CONTAINER)
    command = json.loads(entry)
    assert command[0] == "discord-twin"
    assert {one for one in command if one.startswith("--")} <= options()
    assert all(
        re.fullmatch(r"python:3\.1[123]-slim", one) for one in re.findall(r"(?m)^FROM (\S+)", CONTAINER)
    )
    assert re.search(r"(?m)^USER (?!root)", CONTAINER)
    assert (PACKAGE / "README.md").exists()  # hatchling reads it inside of the image


def test_the_action_names_its_inputs_and_outputs() -> None:
    action = (ACTION / "action.yml").read_text(encoding="utf-8")
    declared, _, runs = action.partition("\nruns:\n")
    inputs = declared.partition("\ninputs:\n")[2].partition("\noutputs:\n")[0]
    assert set(re.findall(r"inputs\.([\w-]+)", runs)) == set(re.findall(r"(?m)^  ([\w-]+):$", inputs))
    script = (ACTION / "start.sh").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{?(TWIN_\w+)", script)) == set(re.findall(r"(TWIN_\w+):", runs))
    assert set(re.findall(r"--[a-z-]{4,}", script)) - {"--quiet"} <= options()


@pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash")
def test_the_action_starts_a_twin_and_tells_the_next_steps(tmp_path: Path) -> None:
    (tmp_path / "discord-twin").write_text(f'#!/bin/sh\nexec {sys.executable} -m discord_twin "$@"\n')
    (tmp_path / "discord-twin").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ENV": str(tmp_path / "env"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "TWIN_AS_OF": "2026-11-15",
        "TWIN_LIMITS": "false",
        "TWIN_PORT": "0",
        "TWIN_PACKAGE": "discord-twin",
    }
    subprocess.run([ACTION / "start.sh"], env=environment, check=True, capture_output=True, timeout=60)
    lines = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines())
    try:
        outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
        assert {**outputs, "DISCORD_TWIN_PID": lines["DISCORD_TWIN_PID"]} == lines
        with urllib.request.urlopen(f"{lines['DISCORD_TWIN_URL']}/control") as response:
            assert json.load(response)["as_of"] == "2026-11-15"
    finally:
        # A background process of a shell ignores SIGINT.
        os.kill(int(lines["DISCORD_TWIN_PID"]), signal.SIGTERM)


def test_the_package_of_npm_holds_what_it_exports() -> None:
    package = json.loads((NPM / "package.json").read_text(encoding="utf-8"))
    files = {path for target in package["exports"].values() for path in target.values()}
    assert [one for one in files if not (NPM / one).is_file()] == []
    assert package["name"] == "discord-twin"
    assert "dependencies" not in package
