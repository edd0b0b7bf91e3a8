"""`__all__` is honest: there, sorted, complete, and every name in it exists."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import streamcord

PACKAGE = Path(streamcord.__file__).parent
# What a user meets; the other events are seams inside the core.
INNER_EVENTS = {"Segment", "Visible"}


def defined_names(path: Path) -> set[str]:
    """Public classes and functions that a file defines itself."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in body if isinstance(node, kinds) and not node.name.startswith("_")}


def public_modules() -> list[str]:
    """Every module that may be imported by name and has something in it besides its docstring."""
    names = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if any(part.startswith("_") for part in parts) or len(ast.parse(path.read_text()).body) <= 1:
            continue
        names.append(".".join(parts))
    return names


@pytest.mark.parametrize("name", public_modules())
def test_all_is_there_and_sorted_and_complete(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__file__ is not None

    names = module.__all__

    assert names == sorted(set(names))
    assert [missing for missing in names if not hasattr(module, missing)] == []
    assert defined_names(Path(module.__file__)) - set(names) == set()


def test_the_front_door_shows_events_errors_and_the_few_words_that_users_write() -> None:
    words = {"Persona", "Pipeline", "Settings", "Source", "StopMode", "Transport", "say"}
    results = {"Counts", "Ending", "ThoughtLog", "TurnResult"}
    events = set(streamcord.events.__all__) - INNER_EVENTS

    assert set(streamcord.__all__) == events | set(streamcord.errors.__all__) | words | results


def test_the_front_door_says_nothing_else() -> None:
    named = {name for name in vars(streamcord) if not name.startswith("_")}
    modules = {name for name in named if type(getattr(streamcord, name)).__name__ == "module"}

    assert named - modules == set(streamcord.__all__)
