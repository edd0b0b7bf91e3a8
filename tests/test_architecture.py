"""The house as it is built: who imports whom, how large things are, and that everything has its test.

The rules are data in `rooms.py`; everything here is read from the source itself.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from import_graph import FILES, IMPORTS, PACKAGE, ROOT, SOURCE, Import, imports_of, module_of, read_imports
from rooms import (
    ADDED_ROOMS,
    DISCORD_ROOMS,
    DOORS,
    FOLDER_CAP,
    LEAVES,
    MODULE_CAP,
    OUTSIDERS,
    PUBLIC,
    PURE,
    SHOWN,
    STILL_IN_A_CYCLE,
    STILL_LARGE,
    STILL_PRIVATE,
    STILL_TWICE,
    STILL_UNTESTED,
    TESTED_ELSEWHERE,
    TWICE,
)

SHOWN_IMPORTS = read_imports([path for folder in SHOWN for path in sorted((ROOT / folder).rglob("*.py"))])


def room(path: Path) -> str:
    """The room of a file; a folder beside the package is a room too."""
    inside = path.is_relative_to(PACKAGE)
    return path.relative_to(PACKAGE if inside else ROOT).with_suffix("").parts[0]


def entered(found: Import) -> str | None:
    """The other room that an import enters, if any; the package itself is room ''."""
    root, *inner = found.module.split(".")
    name = inner[0] if inner else ""
    return None if root != "streamcord" or name == room(found.path) else name


# --- Who imports whom -------------------------------------------------------------------------------------


def uses_closed_door(found: Import) -> bool:
    doors = DOORS.get(room(found.path))
    return doors is not None and entered(found) not in {None, *LEAVES, *doors}


def uses_private_name(found: Import) -> bool:
    """Whether a program built on the library, or an example, takes what users cannot have."""
    here, there = room(found.path), entered(found)
    if here not in {*OUTSIDERS, *SHOWN} or there is None:
        return False
    if there in PUBLIC:
        names = {*importlib.import_module(found.module).__all__, "__version__", None}
        return found.name not in names
    # An example is for people: it has no way behind the doors at all.
    return here in SHOWN or there not in {*LEAVES, *OUTSIDERS[here]}


def is_impure(found: Import) -> bool:
    return room(found.path) == "_core" and found.module.split(".")[0] not in {"streamcord", *PURE}


def knows_discord(found: Import) -> bool:
    return found.module.split(".")[0] == "discord" and room(found.path) not in {*DISCORD_ROOMS, *SHOWN}


def is_not_yet_enforced(found: Import) -> bool:
    return found.target.removeprefix("streamcord.") in STILL_PRIVATE.get(room(found.path), ())


def test_every_room_has_its_doors_listed() -> None:
    rooms = {room(path) for path in FILES}

    assert rooms - DOORS.keys() - OUTSIDERS.keys() - {"__init__", "__main__"} == set()
    assert DOORS.keys() | OUTSIDERS.keys() <= rooms
    assert {name for name in rooms if not name.startswith("_")} | {""} == PUBLIC


@pytest.mark.parametrize("fault", [uses_closed_door, uses_private_name, is_impure, knows_discord])
def test_no_import_is_at(fault: Callable[[Import], bool]) -> None:
    found = [one for one in (*IMPORTS, *SHOWN_IMPORTS) if fault(one) and not is_not_yet_enforced(one)]

    assert [str(one) for one in found] == []


@pytest.mark.parametrize(
    ("file", "statement", "fault"),
    [
        ("_core/x.py", "from .._turn.turn import say", uses_closed_door),
        ("_core/rules/x.py", "from ... import say", uses_closed_door),
        ("_core/x.py", "from .. import _delivery", uses_closed_door),
        ("_delivery/x.py", "import streamcord._core.pipeline", uses_closed_door),
        ("_events.py", "from ._settings import Settings", uses_closed_door),
        ("_store/x.py", "from .._bot.services import Services", uses_closed_door),
        ("_bot/answer/x.py", "from streamcord._turn.ledger import Ledger", uses_private_name),
        ("_bot/x.py", "from streamcord import _delivery", uses_private_name),
        ("_bot/x.py", "import streamcord._discord.channel", uses_private_name),
        ("_cli/x.py", "from .._settings import _HINTS", uses_private_name),
        ("_cli/x.py", "from streamcord.store import Protocol", uses_private_name),
        ("_demo/x.py", "from ..twin import annotations", uses_private_name),
        ("_demo/x.py", "from streamcord._twin.server import Twin", uses_private_name),
        ("_lab/x.py", "from streamcord._core.pipeline import Pipeline", uses_private_name),
        ("_lab/x.py", "from streamcord._bot.client import Bot", uses_private_name),
        ("_testing/x.py", "from .._twin.server import Twin", uses_private_name),
        ("_twin/page/x.py", "from ..._core.markup.scanner import scan", uses_private_name),
        ("_twin/x.py", "from .._events import Receipt", uses_private_name),
        ("../../examples/x.py", "from streamcord._turn.turn import say", uses_private_name),
        (
            "../../examples/x.py",
            "from streamcord._shared.bounded_cache import BoundedCache",
            uses_private_name,
        ),
        ("_core/x.py", "import asyncio", is_impure),
        ("_core/x.py", "from time import monotonic", is_impure),
        ("_core/rules/x.py", "import logging", is_impure),
        ("_core/x.py", "import rich.text", is_impure),
        ("_turn/x.py", "import discord", knows_discord),
        ("_testing/x.py", "from discord.ext import commands", knows_discord),
    ],
)
def test_such_an_import_would_be_seen(file: str, statement: str, fault: Callable[[Import], bool]) -> None:
    (found,) = imports_of((PACKAGE / file).resolve(), statement)

    assert fault(found)
    assert not is_not_yet_enforced(found)


def find_cycle(imports: list[Import]) -> list[str]:
    """The modules of a circle of imports, if there is one."""
    modules = {module_of(path) for path in FILES}
    graph: defaultdict[str, set[str]] = defaultdict(set)
    for found in imports:
        here = module_of(found.path)
        # What is imported for its type alone is not there when the program runs.
        if found.module in modules and found.module != here and not found.only_for_types:
            graph[here].add(found.module)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    settled = [one for one in IMPORTS if str(one.path.parent.relative_to(PACKAGE)) not in STILL_IN_A_CYCLE]

    assert find_cycle(settled) == []


def test_a_circle_of_imports_would_be_seen() -> None:
    there = [*imports_of(PACKAGE / "_events.py", "from ._settings import Settings")]
    back = "from . import _events"

    assert find_cycle([*there, *imports_of(PACKAGE / "_settings.py", back)]) != []
    assert find_cycle([*there, *imports_of(PACKAGE / "_settings.py", f"if TYPE_CHECKING:\n    {back}")]) == []


@pytest.mark.parametrize("module", ["streamcord", "streamcord._cli", "streamcord.testing"])
def test_importing_brings_no_third_party(module: str) -> None:
    roots = {name.split(".")[0] for name in loaded_by(module)}

    assert "streamcord" in roots
    assert roots - {"streamcord"} - sys.stdlib_module_names == set()


def test_who_only_says_something_loads_no_database_and_no_dictionary() -> None:
    loaded = loaded_by("streamcord")
    assert "streamcord._journal.restoring" in loaded
    assert "sqlite3" not in loaded
    lists = "streamcord._core.rules.openers."
    assert [name for name in loaded if name.startswith("streamcord._store")] == []
    assert [name for name in loaded if name.startswith(lists)] == [f"{lists}ordinary"]


def loaded_by(module: str) -> set[str]:
    script = f"import sys; old = {{*sys.modules}}; import {module}; print(*{{*sys.modules}} - old)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    return {*run.stdout.split()}


# --- Sizes and names --------------------------------------------------------------------------------------

MODULES = [path.relative_to(PACKAGE) for path in FILES if path.name != "__init__.py"]


def test_the_house_has_no_more_files_than_a_stranger_can_learn() -> None:
    rooms = Counter(room for path in FILES if (room := added_room(path)) is not None)
    grown = {room for room, count in rooms.items() if count > ADDED_ROOMS[room]}

    assert len(FILES) - rooms.total() <= MODULE_CAP
    assert grown == set()


def added_room(path: Path) -> str | None:
    folder = path.relative_to(PACKAGE).parent.as_posix()
    return next((room for room in ADDED_ROOMS if f"{folder}/".startswith(f"{room}/")), None)


def test_a_folder_shows_its_files_at_a_glance() -> None:
    folders = Counter(path.parent.as_posix() for path in MODULES)

    assert {name for name, count in folders.items() if count > FOLDER_CAP} - STILL_LARGE == set()


def test_no_two_files_share_a_name() -> None:
    names = Counter(path.name for path in MODULES)

    assert [name for name, count in names.items() if count > 1] == []


def test_no_two_classes_share_a_name_without_a_reason() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    shared = {name: found for name, found in places.items() if len(found) > 1}

    assert {name: found for name, found in shared.items() if name not in {*TWICE, *STILL_TWICE}} == {}
    assert TWICE.keys() <= shared.keys(), "an exception that is no longer needed"


# --- Tests ------------------------------------------------------------------------------------------------


def test_file_of(module: Path) -> Path:
    """`_core/capture.py` is tested by `tests/core/test_capture.py`; `tests/discord` would hide discord.py."""
    folders = ("discord_py" if part == "_discord" else part.removeprefix("_") for part in module.parent.parts)
    return ROOT.joinpath("tests", *folders, f"test_{module.name.removeprefix('_')}")


test_file_of.__test__ = False  # type: ignore[attr-defined]


def test_every_file_has_its_test_file() -> None:
    missing = {path.as_posix() for path in MODULES if not test_file_of(path).is_file()}

    assert missing - TESTED_ELSEWHERE.keys() - STILL_UNTESTED == set()
    assert TESTED_ELSEWHERE.keys() <= missing, "an exception that is no longer needed"


# --- The tour ---------------------------------------------------------------------------------------------


def test_the_tour_names_every_room_and_what_to_open_first() -> None:
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:4] for line in tour.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row[0])}
    # Rooms inside of `_providers` and `_twin` are told of in their own paragraphs.
    rooms = {room(path) for path in FILES} | {
        path.parent.as_posix() for path in MODULES if path.parts[0] in {"_core", "_discord", "_bot"}
    }

    assert {name.removesuffix(".py") for name in named} >= rooms - PUBLIC - {"__init__", "__main__"}
    doors = {door: [f"`{door or '__init__'}.py`", f"`{door}/__init__.py`"] for door in PUBLIC}
    assert [door for door, files in doors.items() if not any(file in tour for file in files)] == []
    for row in rows:
        first = re.findall(r"`([^`]+)`", row[2])
        assert 1 <= len(first) <= 3, row
        assert [name for name in first if not (PACKAGE / name).is_file()] == []
