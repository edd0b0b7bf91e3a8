"""`__all__` is honest: there, sorted, complete, and every name in it exists."""

from __future__ import annotations

import ast
import importlib

import pytest

import streamcord
from import_graph import FILES, IMPORTS, SOURCE

# What a user meets; the other events are seams inside the core.
INNER_EVENTS = {"Segment", "Visible"}


def ruff_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as ruff sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def used_names(module: str) -> set[str]:
    """The public names that other files of the package import from a module."""
    names = {found.name for found in IMPORTS if found.module == module and found.name}
    return {name for name in names if not name.startswith("_")}


def public_modules() -> list[str]:
    """Every module that may be imported by name and has something in it besides its docstring."""
    names = []
    for path in FILES:
        parts = path.relative_to(SOURCE).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if any(part.startswith("_") for part in parts) or len(ast.parse(path.read_text()).body) <= 1:
            continue
        names.append(".".join(parts))
    return names


@pytest.mark.parametrize("name", public_modules())
def test_all_is_there_and_sorted_and_holds_every_name_that_others_use(name: str) -> None:
    module = importlib.import_module(name)
    names = module.__all__

    assert names == sorted(set(names), key=ruff_order)
    assert [missing for missing in names if not hasattr(module, missing)] == []
    assert used_names(name) - set(names) == set()


def test_the_front_door_shows_events_errors_and_the_few_words_that_users_write() -> None:
    words = {
        "Emoji",
        "ModerationStage",
        "Moderator",
        "Observer",
        "Person",
        "Persona",
        "Pipeline",
        "Renderer",
        "Rule",
        "RuleText",
        "Settings",
        "Source",
        "Sprite",
        "Transport",
        "Turn",
        "WordList",
        "check_text",
        "clean_tool_text",
        "draw_files",
        "say",
        "stop_strings",
    }
    results = {"Counts", "Ending", "ThoughtLog", "TurnResult"}
    errors = set(streamcord._errors.__all__)
    events = set(streamcord._events.__all__) - INNER_EVENTS

    assert set(streamcord.__all__) == events | errors | set(streamcord._stop.__all__) | words | results


def test_the_front_door_says_nothing_else() -> None:
    named = {name for name in vars(streamcord) if not name.startswith("_")}
    modules = {name for name in named if type(getattr(streamcord, name)).__name__ == "module"}

    assert named - modules == set(streamcord.__all__)
