"""Small changes to a Python file, one at a time: a comparison turned round, a bound moved, a statement left out.

Docstrings, type hints, tables and patterns at the top of a file are left alone: what is changed there is
either not run or says something else altogether.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["Mutant", "mutants", "sample"]

COMPARES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "find": "rfind", "rfind": "find",
         "rstrip": "strip", "lstrip": "strip", "append": "count", "lower": "upper"}  # fmt: skip
MIN_MUTANTS = 3
"""Mutants that even a small file must get, if it has that many."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed file: which line, what the change was, and the whole new source."""

    path: Path
    line: int
    before: str
    after: str
    tree: ast.Module


def _changes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """What may be changed about a node: a field and its new value."""
    match node:
        case ast.Compare(ops=[op, *more]) if type(op) in COMPARES:
            yield "ops", [COMPARES[type(op)](), *more]
        case ast.BoolOp():
            yield "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "values", node.values[:-1]
        case ast.BinOp() | ast.AugAssign() if type(node.op) in OPERATORS:
            yield "op", OPERATORS[type(node.op)]()
        case ast.If() | ast.While() | ast.IfExp():
            yield "test", ast.UnaryOp(ast.Not(), node.test)
        case ast.comprehension(ifs=[_, *_]):
            yield "ifs", []
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield "func", ast.Name(CALLS[name], ast.Load())
        case ast.Call(func=ast.Attribute(attr=name)) if name in CALLS:
            yield "func", ast.Attribute(node.func.value, CALLS[name], ast.Load())  # type: ignore[attr-defined]
        case ast.Slice():
            yield from ((side, None) for side in ("lower", "upper") if getattr(node, side) is not None)
        case ast.Constant(value=bool(value)):
            yield "value", not value
        case ast.Constant(value=int(value)):
            yield "value", value + 1
        case ast.Constant(value=str(text)):
            yield "value", text + "x"


def _statements(node: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    """Statements that could be left out."""
    for body in (getattr(node, name, None) for name in ("body", "orelse")):
        if not isinstance(body, list):
            continue
        for index, child in enumerate(body):
            match child:
                case ast.Expr(value=ast.Constant()):
                    continue
                case ast.Expr() | ast.AugAssign() | ast.Delete() | ast.Continue() | ast.Break():
                    yield body, index
                case ast.Assign(targets=[ast.Attribute() | ast.Tuple()]):
                    yield body, index


def _is_message(node: ast.AST) -> bool:
    """Whether a node is only read by people and type checkers."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _nodes(node: ast.AST, *, within: bool = False) -> Iterator[ast.AST]:
    """Every node that does something; tables and patterns at the top of a file are left as they are."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_message(child):
                continue
            top = not within and isinstance(child, ast.Assign)
            if top and not isinstance(getattr(child, "value", None), ast.Constant):
                continue
            yield child
            if not isinstance(child, ast.JoinedStr):
                yield from _nodes(child, within=within or isinstance(child, ast.FunctionDef | ast.ClassDef))


def mutants(path: Path) -> list[Mutant]:
    """Every mutant of a file, in the order of its lines."""
    source = path.read_text("utf-8")
    clean = ast.unparse(ast.parse(source)).splitlines()
    tree = ast.parse(source)
    found: list[Mutant] = []
    for node in [tree, *_nodes(tree)]:
        for name, value in _changes(node):
            old = getattr(node, name)
            setattr(node, name, value)
            found.append(_taken(path, tree, clean, _line(node)))
            setattr(node, name, old)
        for body, index in _statements(node) if not isinstance(node, ast.Module | ast.ClassDef) else ():
            child = body[index]
            body[index] = ast.Pass(lineno=child.lineno, col_offset=child.col_offset)
            found.append(_taken(path, tree, clean, child.lineno))
            body[index] = child
    return sorted((mutant for mutant in found if mutant.before != mutant.after), key=lambda one: one.line)


def _line(node: ast.AST) -> int:
    """The line a node is on; a comprehension's own is that of its variable."""
    return getattr(node.target if isinstance(node, ast.comprehension) else node, "lineno", 0)


def _taken(path: Path, tree: ast.Module, clean: list[str], line: int) -> Mutant:
    """The tree as it is now, and the lines in which it differs from the clean one."""
    taken = ast.fix_missing_locations(copy.deepcopy(tree))
    lines = ast.unparse(taken).splitlines()
    first = next((at for at, (one, other) in enumerate(zip(clean, lines, strict=False)) if one != other), 0)
    last = -1
    while clean[last] == lines[last] and len(clean) + last > first:
        last -= 1
    before, after = clean[first : len(clean) + last + 1], lines[first : len(lines) + last + 1]
    return Mutant(path, line, " / ".join(map(str.strip, before)), " / ".join(map(str.strip, after)), taken)


def sample(found: list[Mutant], share: float, seed: int) -> list[Mutant]:
    """A share of a file's mutants, at least `MIN_MUTANTS`, the same for the same seed."""
    count = min(len(found), max(MIN_MUTANTS, round(share * len(found))))
    chosen = Random(f"{seed} {found[0].path.name}").sample(range(len(found)), count) if found else []
    return [found[number] for number in sorted(chosen)]
