"""Doors between rooms: who may import whom, read from the source itself."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parent.parent / "src"
PACKAGE = SOURCE / "streamcord"

# A room is a folder or file right under the package. Its own files may always import each other.
DOORS: dict[str, set[str]] = {
    "events": set(),
    "errors": set(),
    "stop": set(),
    "settings": {"errors", "events"},
    "result": {"events"},
    "ledger": {"errors", "events", "result"},
    "core": {"events", "settings"},
    "render": {"events", "settings"},
    "providers": {"errors", "events", "settings"},
    "delivery": {"errors", "events", "settings", "stop"},
    "store": {"errors", "events"},
    "turn": {
        "core", "delivery", "errors", "events", "ledger", "providers", "render", "result", "settings", "stop",
        "store",
    },
}  # fmt: skip
# These see only what every user sees: public names, and never the core's insides.
OUTSIDERS = {"bot", "cli", "lab", "testing", "twin"}

# Everything in the standard library that neither waits, nor looks at the machine, nor talks.
PURE = {
    "__future__", "bisect", "collections", "contextlib", "copy", "dataclasses", "difflib", "enum",
    "functools", "heapq", "itertools", "math", "operator", "random", "re", "string", "types", "typing",
    "unicodedata",
}  # fmt: skip
# The only rooms that may know discord.py.
DISCORD_ROOMS = {"bot", "delivery"}


class Import(NamedTuple):
    """One import: which file says it, where, which module, and which name of it."""

    path: Path
    line: int
    module: str
    name: str | None

    def __str__(self) -> str:
        what = f"{self.module}.{self.name}" if self.name else self.module
        return f"{self.path.relative_to(SOURCE)}:{self.line} imports {what}"


def imports_of(path: Path, text: str) -> Iterator[Import]:
    package = path.relative_to(SOURCE).parts[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, alias.name, None)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *filter(None, [node.module])))
            for alias in node.names:
                # `from . import x` may name a module or a value.
                inner = f"{module}.{alias.name}"
                yield Import(
                    path, node.lineno, *((inner, None) if is_module(inner) else (module, alias.name))
                )


def is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def room(found: Import) -> str:
    return found.path.relative_to(PACKAGE).with_suffix("").parts[0]


def entered(found: Import) -> str | None:
    """The other room that an import enters, if any; the package itself is room ''."""
    root, *inner = found.module.split(".")
    name = inner[0] if inner else ""
    return None if root != "streamcord" or name == room(found) else name


def uses_closed_door(found: Import) -> bool:
    return room(found) in DOORS and entered(found) not in {None, *DOORS[room(found)]}


def uses_private_name(found: Import) -> bool:
    if room(found) not in OUTSIDERS or entered(found) is None:
        return False
    names = {*importlib.import_module(found.module).__all__, "__version__", None}
    return entered(found) == "core" or found.name not in names


def is_impure(found: Import) -> bool:
    return room(found) == "core" and found.module.split(".")[0] not in {"streamcord", *PURE}


def knows_discord(found: Import) -> bool:
    return found.module.split(".")[0] == "discord" and room(found) not in DISCORD_ROOMS


FILES = sorted(PACKAGE.rglob("*.py"))
IMPORTS = [found for path in FILES for found in imports_of(path, path.read_text(encoding="utf-8"))]


def test_every_room_has_its_doors_listed() -> None:
    rooms = {path.relative_to(PACKAGE).with_suffix("").parts[0] for path in FILES}

    assert rooms - DOORS.keys() - OUTSIDERS - {"__init__", "__main__"} == set()


@pytest.mark.parametrize("fault", [uses_closed_door, uses_private_name, is_impure, knows_discord])
def test_no_import_is_at(fault: Callable[[Import], bool]) -> None:
    assert [str(found) for found in IMPORTS if fault(found)] == []


@pytest.mark.parametrize(
    ("file", "statement", "fault"),
    [
        ("core/x.py", "from ..turn import say", uses_closed_door),
        ("core/rules/x.py", "from ... import say", uses_closed_door),
        ("core/x.py", "from .. import delivery", uses_closed_door),
        ("delivery/x.py", "import streamcord.core.pipeline", uses_closed_door),
        ("events.py", "from .settings import Settings", uses_closed_door),
        ("lab/x.py", "from streamcord.core.pipeline import Pipeline", uses_private_name),
        ("cli.py", "from .settings import _HINTS", uses_private_name),
        ("core/x.py", "import asyncio", is_impure),
        ("core/x.py", "from time import monotonic", is_impure),
        ("core/rules/x.py", "import logging", is_impure),
        ("core/x.py", "import rich.text", is_impure),
        ("turn.py", "import discord", knows_discord),
    ],
)
def test_such_an_import_would_be_seen(file: str, statement: str, fault: Callable[[Import], bool]) -> None:
    (found,) = imports_of(PACKAGE / file, statement)

    assert fault(found)


@pytest.mark.parametrize("module", ["streamcord", "streamcord.cli", "streamcord.testing"])
def test_importing_brings_no_third_party(module: str) -> None:
    script = f"import sys; old = {{*sys.modules}}; import {module}; print(*{{*sys.modules}} - old)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    roots = {name.split(".")[0] for name in run.stdout.split()}

    assert "streamcord" in roots
    assert roots - {"streamcord"} - sys.stdlib_module_names == set()
