"""`__all__` is honest: there, sorted, complete, and every name in it exists."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import get_overloads

import pytest

import streamcord

# What a user meets; the other events are seams inside the core.
INNER_EVENTS = {"Segment", "Visible"}


def ruff_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, as ruff sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


PUBLIC = ["streamcord", "discord_twin", *(f"streamcord.{name}" for name in (
    "databases", "discord", "mcp", "preview", "providers", "pytest_plugin", "records", "settings", "store",
    "testing", "transports", "utils",
))]  # fmt: skip


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_sorted_and_every_name_exists(name: str) -> None:
    module = importlib.import_module(name)
    names = module.__all__

    assert names == sorted(set(names), key=ruff_order)
    assert [missing for missing in names if not hasattr(module, missing)] == []


def test_the_front_door_shows_events_errors_and_the_few_words_that_users_write() -> None:
    words = {
        "AnswerContext",
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
        "say",
        "split",
    }
    results = {"Ending", "TurnResult"}
    errors = set(streamcord._exceptions.__all__)
    # Types of fields that a program reads and does not write.
    records = set(importlib.import_module("streamcord.records").__all__)
    events = set(streamcord._events.__all__) - INNER_EVENTS - records

    assert not records & set(streamcord.__all__)
    assert set(streamcord.__all__) == events | errors | set(streamcord._stop.__all__) | words | results


def test_the_front_door_says_nothing_else() -> None:
    named = {name for name in vars(streamcord) if not name.startswith("_")}
    modules = {name for name in named if type(getattr(streamcord, name)).__name__ == "module"}

    assert named - modules == set(streamcord.__all__)


# Programs get such objects from streamcord and give them back; their classes are not part of the interface.
NOT_NAMED = {"ActiveChannel", "ApiAdapter", "LiveDraft", "Migration", "SavedTurn", "WriteAheadFile"}
DEFINITION = re.compile(r"^(?:class (\w+)|(\w+): TypeAlias)", re.MULTILINE)


def annotated(value: object) -> Iterator[str]:
    """Yield the annotations of a function with its overloads, or of what is public in a class and its bases."""
    members = [value]
    for kind in inspect.getmro(value) if inspect.isclass(value) else ():
        if not kind.__module__.startswith("streamcord"):
            continue
        found = [one for name, one in vars(kind).items() if name == "__init__" or not name.startswith("_")]
        members += [kind, *(getattr(one, "__func__", getattr(one, "fget", one)) for one in found)]
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(kind)))):
            # `self.stop: Stop = ...` is an attribute, too.
            if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Attribute):
                continue
            if not node.target.attr.startswith("_"):
                yield ast.unparse(node.annotation)
    members += [one for member in members if inspect.isfunction(member) for one in get_overloads(member)]
    for member in members:
        if inspect.isclass(member) or inspect.isfunction(member):
            for name, annotation in inspect.get_annotations(member).items():
                if not name.startswith("_"):
                    yield annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def test_types_that_a_program_writes_can_be_imported() -> None:
    doors = [importlib.import_module(name) for name in PUBLIC if name != "discord_twin"]
    public = {name for door in doors for name in door.__all__}
    source = Path(inspect.getfile(streamcord)).parent
    texts = (path.read_text("utf-8") for path in source.rglob("*.py"))
    ours = {first or second for text in texts for first, second in DEFINITION.findall(text)}
    used = {
        node.id
        for door in doors
        for name in door.__all__
        for annotation in annotated(getattr(door, name))
        for node in ast.walk(ast.parse(annotation, mode="eval"))
        if isinstance(node, ast.Name)
    }

    assert "Target" in used
    assert used & ours - public == NOT_NAMED
