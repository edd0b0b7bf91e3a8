"""Change one function of a copy of the source: how bugs are planted.

A place is named `module:Class.method`, `module:function` or `module:CONSTANT`, and the code that is replaced is
compared token by token, so that neither line numbers nor formatting nor comments matter.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

__all__ = ["CannotPlant", "change", "plant"]

_LAYOUT = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.COMMENT,
}


class CannotPlant(Exception):
    """The function is gone, or the code is not in it exactly once."""


def plant(source: Path, place: str, old: str, new: str) -> None:
    """Change a function in a copy of the package `streamcord` below `source`.

    Raises:
        CannotPlant: there is no such place, or the code occurs not exactly once in it.
    """
    module = place.partition(":")[0]
    path = source.joinpath("streamcord", *module.split(".")).with_suffix(".py")
    if not path.is_file():
        raise CannotPlant(f"there is no module {module}")
    path.write_text(change(path.read_text(encoding="utf-8"), place, old, new), encoding="utf-8")


def change(text: str, place: str, old: str, new: str) -> str:
    """Return the module with the code replaced in one function."""
    start, end = _range_of(text, place.partition(":")[2])
    found = [*_pattern(old).finditer(text, start, end)]
    if len(found) != 1:
        raise CannotPlant(f"the code occurs {len(found)} times in {place}")
    return text[: found[0].start()] + new.strip() + text[found[0].end() :]


def _range_of(text: str, name: str) -> tuple[int, int]:
    """Return the characters of a function, class or assignment of the module."""
    node: ast.AST = ast.parse(text)
    for part in name.split("."):
        found = next((one for one in ast.walk(node) if part in _names_of(one)), None)
        if found is None:
            raise CannotPlant(f"there is no {name}")
        node = found
    assert isinstance(node, ast.stmt)
    assert node.end_lineno is not None
    lines = text.splitlines(keepends=True)
    return len("".join(lines[: node.lineno - 1])), len("".join(lines[: node.end_lineno]))


def _names_of(node: ast.AST) -> set[str]:
    """Return the names that a statement defines."""
    match node:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return {node.name}
        case ast.Assign():
            return {
                one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)
            }
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def _pattern(code: str) -> re.Pattern[str]:
    """Match the tokens of some code, with any white space, comments and trailing commas between them."""
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code.strip()).readline):
            if token.type not in _LAYOUT:
                words.append(token.string)
    except (tokenize.TokenError, IndentationError):
        # A piece of code need not be a complete statement.
        pass
    between = r"\s*(?:#[^\n]*\n\s*)*"
    return re.compile(f"{between},?{between}".join(map(re.escape, words)))
