"""Doors between rooms: who may import whom, read from the source itself."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from import_graph import FILES, IMPORTS, PACKAGE, SOURCE, Import, imports_of

# A room is a folder or file right under the package. Its own files may always import each other.
DOORS: dict[str, set[str]] = {
    "_cache": set(),
    "_image_kinds": set(),
    "_events": set(),
    "_errors": set(),
    "_stop": set(),
    "_cast": {"_errors"},
    "_settings": {"_cast", "_errors", "_events"},
    "_result": {"_events"},
    "_core": {"_events", "_settings"},
    "_render": {"_events", "_settings"},
    "_providers": {"_errors", "_events", "_settings", "providers"},
    "_delivery": {"_errors", "_events", "_settings", "_stop"},
    "_discord": {"_cache", "_delivery", "_errors", "_events", "_image_kinds", "_settings", "_stop"},
    "_store": {"_cast", "_errors", "_events", "store"},
    "_turn": {
        "_core", "_delivery", "_errors", "_events", "_providers", "_render", "_result", "_settings", "_stop",
    },
    "discord": {"_delivery", "_discord"},
    "providers": {"_events", "_providers"},
    "store": {"_cast", "_errors", "_events", "_store"},
    "testing": {"_testing"},
    "twin": {"_twin"},
}  # fmt: skip
# These see only what every user sees: public names, and never the core's insides.
OUTSIDERS = {"_bot", "_cli", "_demo", "_lab", "_testing", "_twin"}

# Everything in the standard library that neither waits, nor looks at the machine, nor talks.
PURE = {
    "__future__", "bisect", "collections", "contextlib", "copy", "dataclasses", "difflib", "enum",
    "functools", "heapq", "itertools", "math", "operator", "random", "re", "string", "types", "typing",
    "unicodedata",
}  # fmt: skip
# The only rooms that may know discord.py.
DISCORD_ROOMS = {"_bot", "_discord"}


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
    return entered(found) == "_core" or found.name not in names


def is_impure(found: Import) -> bool:
    return room(found) == "_core" and found.module.split(".")[0] not in {"streamcord", *PURE}


def knows_discord(found: Import) -> bool:
    return found.module.split(".")[0] == "discord" and room(found) not in DISCORD_ROOMS


def test_every_room_has_its_doors_listed() -> None:
    rooms = {path.relative_to(PACKAGE).with_suffix("").parts[0] for path in FILES}

    assert rooms - DOORS.keys() - OUTSIDERS - {"__init__", "__main__"} == set()


@pytest.mark.parametrize("fault", [uses_closed_door, uses_private_name, is_impure, knows_discord])
def test_no_import_is_at(fault: Callable[[Import], bool]) -> None:
    assert [str(found) for found in IMPORTS if fault(found)] == []


@pytest.mark.parametrize(
    ("file", "statement", "fault"),
    [
        ("_core/x.py", "from .._turn.turn import say", uses_closed_door),
        ("_core/rules/x.py", "from ... import say", uses_closed_door),
        ("_core/x.py", "from .. import _delivery", uses_closed_door),
        ("_delivery/x.py", "import streamcord._core.pipeline", uses_closed_door),
        ("_events.py", "from ._settings import Settings", uses_closed_door),
        ("_lab/x.py", "from streamcord._core.pipeline import Pipeline", uses_private_name),
        ("_cli/x.py", "from .._settings import _HINTS", uses_private_name),
        ("_core/x.py", "import asyncio", is_impure),
        ("_core/x.py", "from time import monotonic", is_impure),
        ("_core/rules/x.py", "import logging", is_impure),
        ("_core/x.py", "import rich.text", is_impure),
        ("_turn/x.py", "import discord", knows_discord),
    ],
)
def test_such_an_import_would_be_seen(file: str, statement: str, fault: Callable[[Import], bool]) -> None:
    (found,) = imports_of(PACKAGE / file, statement)

    assert fault(found)


@pytest.mark.parametrize("module", ["streamcord", "streamcord._cli.main", "streamcord.testing"])
def test_importing_brings_no_third_party(module: str) -> None:
    script = f"import sys; old = {{*sys.modules}}; import {module}; print(*{{*sys.modules}} - old)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    roots = {name.split(".")[0] for name in run.stdout.split()}

    assert "streamcord" in roots
    assert roots - {"streamcord"} - sys.stdlib_module_names == set()
