"""The image is built from plain parts that exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_it_is_built_on_a_plain_image_of_a_python_that_we_support() -> None:
    images = re.findall(r"(?m)^FROM (\S+)", TEXT)

    assert images
    assert all(re.fullmatch(r"python:3\.1[123]-slim", image) for image in images)


def test_what_it_copies_and_installs_is_there_and_it_does_not_run_as_root() -> None:
    installed = re.findall(
        r'"?(packages/[\w-]+)(?:\[([\w,]+)\])?"?', TEXT.partition("pip install")[2].partition("FROM")[0]
    )
    copied = re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", TEXT)

    assert installed == [
        ("packages/streamcord", ""),
        ("packages/streamcord-bot", "diagrams,documents,formulas,mcp,postgres"),
    ]
    for folder, extras in installed:
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert set(filter(None, extras.split(","))) <= set(project["optional-dependencies"])
    assert all((ROOT / name).exists() for names in copied for name in names.split())
    assert {folder for folder, _ in installed} <= {name for names in copied for name in names.split()}
    assert re.search(r"(?m)^USER (?!root)", TEXT)


def test_it_runs_the_bot_unless_another_command_is_given() -> None:
    assert re.search(r'(?m)^ENTRYPOINT \["streamcord-bot"\]$', TEXT)
    assert re.search(r'(?m)^CMD \["run", ', TEXT)
