"""Every import in the package and in the examples, read from the source itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "streamcord"


class Import(NamedTuple):
    """One import: which file says it, where, which module, and which name of it."""

    path: Path
    line: int
    module: str
    name: str | None
    only_for_types: bool = False

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} imports {self.target}"

    @property
    def target(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module


def imports_of(path: Path, text: str) -> Iterator[Import]:
    package = path.relative_to(SOURCE).parts[:-1] if path.is_relative_to(SOURCE) else ()
    tree = ast.parse(text)
    typed = {id(inner) for node in ast.walk(tree) if is_typing_block(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, alias.name, None, id(node) in typed)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *filter(None, [node.module])))
            for alias in node.names:
                # `from . import x` may name a module or a value.
                inner = f"{module}.{alias.name}"
                where, name = (inner, None) if is_module(inner) else (module, alias.name)
                yield Import(path, node.lineno, where, name, id(node) in typed)


def is_typing_block(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_imports(paths: list[Path]) -> list[Import]:
    return [found for path in paths for found in imports_of(path, path.read_text(encoding="utf-8"))]


FILES = sorted(PACKAGE.rglob("*.py"))
IMPORTS = read_imports(FILES)
