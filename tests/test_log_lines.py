"""Log lines name their operation: one logger per module, and no text that two operations share."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
METHODS = {"debug", "info", "warning", "error", "exception", "critical"}


class LogCall(NamedTuple):
    where: str
    text: str


def called_methods() -> Iterator[tuple[Path, ast.Call, str, str]]:
    """Every call `owner.method(…)` of the three distributions."""
    for path in sorted(ROOT.glob("packages/*/src/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield path, node, ast.unparse(node.func.value), node.func.attr


CALLS = list(called_methods())
LOG_CALLS = [
    LogCall(f"{path.relative_to(ROOT)}:{node.lineno}", ast.unparse(node.args[0]))
    for path, node, owner, method in CALLS
    if method in METHODS and owner.endswith("_log")
]


def test_every_module_logs_under_its_own_name() -> None:
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, node, owner, method in CALLS
        # These set the levels of libraries, and listen to what discord.py logs.
        if (owner, method) == ("logging", "getLogger") and path.name not in {"run.py", "discord_py.py"}
        # TEXT_LOGGER is public: it decides whether debug lines quote words of people.
        if [ast.unparse(argument) for argument in node.args] not in (["__name__"], ["TEXT_LOGGER"])
    ]

    assert LOG_CALLS
    assert named == []


def test_no_two_operations_share_a_log_text() -> None:
    counts = Counter(call.text for call in LOG_CALLS)

    assert [call for call in LOG_CALLS if counts[call.text] > 1] == []


def test_log_text_says_more_than_its_arguments() -> None:
    assert [call for call in LOG_CALLS if len(call.text.replace("%s", "").split()) < 2] == []
