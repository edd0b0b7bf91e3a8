"""The scripts in bench/ run for minutes and so in no test; at least whatever they import must be there.

What they call with which arguments is checked by mypy, see bench/mypy.ini.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
SCRIPTS = sorted(BENCH.glob("*.py"))


def imported(script: Path) -> Iterator[tuple[str, str]]:
    """The modules and names that a script imports, wherever it does."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def defined(script: Path) -> set[str]:
    """The names that a script gives to things."""
    nodes = list(ast.walk(ast.parse(script.read_text(encoding="utf-8"))))
    named = {
        node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return named | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def exists(module: str, name: str) -> bool:
    if (script := BENCH / f"{module}.py").is_file():
        return name in defined(script)
    return (
        not module.startswith("streamcord") or hasattr(import_module(module), name) or is_module(module, name)
    )


def is_module(package: str, name: str) -> bool:
    return find_spec(f"{package}.{name}") is not None


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_imports_nothing_that_is_gone(script: Path) -> None:
    gone = [f"{module}.{name}" for module, name in imported(script) if not exists(module, name)]

    assert gone == []
