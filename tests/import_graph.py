"""Every import in the package, read from the source itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parent.parent / "src"
PACKAGE = SOURCE / "streamcord"


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


FILES = sorted(PACKAGE.rglob("*.py"))
IMPORTS = [found for path in FILES for found in imports_of(path, path.read_text(encoding="utf-8"))]
