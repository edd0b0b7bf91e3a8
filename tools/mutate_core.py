"""Changes the core in one small way at a time and asks its tests whether they notice.

    python tools/mutate_core.py                          every file of core/, a sample of each
    python tools/mutate_core.py packing --most 1000      those whose path contains a word, all of it
    python tools/mutate_core.py --log survivors.jsonl    also write each mutant and its fate to a file

Each mutant lives in a forked process that has pytest and Hypothesis imported already; the changed file is
never written. A mutant is tried on the file's own test file and on the golden cases, stopping at the first
failure; one that survives 200 examples per property is tried again with all 2000. What survives both is
printed as a difference and is a question: is the change no change, or is a test missing?
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "src" / "streamcord" / "core"
TESTS = ROOT / "tests"
CASES = str(TESTS / "test_cases.py")
MEMORY = 2 << 30
SLACK = 6
"""A mutant may compute this many times as long as the tests need without it."""

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


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed file: which line, what the change was, and the whole new source."""

    path: Path
    line: int
    before: str
    after: str
    tree: ast.Module


# --- Changes --------------------------------------------------------------------------------------------


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


def _is_told(node: ast.AST) -> bool:
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
            if not isinstance(child, ast.AST) or _is_told(child):
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
            found.append(_taken(path, tree, clean, getattr(node, "lineno", 0)))
            setattr(node, name, old)
        for body, index in _statements(node) if not isinstance(node, ast.Module | ast.ClassDef) else ():
            child = body[index]
            body[index] = ast.Pass(lineno=child.lineno, col_offset=child.col_offset)
            found.append(_taken(path, tree, clean, child.lineno))
            body[index] = child
    return sorted((mutant for mutant in found if mutant.before != mutant.after), key=lambda one: one.line)


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


def sample(found: list[Mutant], most: int) -> list[Mutant]:
    """At most so many, spread evenly over the file, the same every time."""
    if len(found) <= most:
        return found
    step = len(found) / most
    random = Random(len(found))
    return [found[int(number * step + random.random() * step)] for number in range(most)]


# --- Trials ---------------------------------------------------------------------------------------------


class Planted(MetaPathFinder):
    """Imports one module from a tree in memory."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        inner = mutant.path.relative_to(ROOT / "src").with_suffix("")
        self.name = ".".join(inner.parts)

    def find_spec(self, fullname: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        mutant = self.mutant

        class Loader(SourceFileLoader):
            def get_code(self, _name: str) -> CodeType:
                return compile(mutant.tree, str(mutant.path), "exec")

        return spec_from_file_location(fullname, mutant.path, loader=Loader(fullname, str(mutant.path)))


def own_tests(path: Path) -> str:
    inner = path.relative_to(CORE)
    return str(TESTS / "core" / inner.parent / f"test_{inner.name}")


def attempt(tests: list[str], mutant: Mutant | None, seconds: float, profile: str) -> str:
    """What the tests say of a mutant: killed, timeout or survived."""
    pid = os.fork()
    if pid == 0:
        os._exit(_in_child(tests, mutant, seconds, profile))
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return "timeout"
    return "killed" if os.WEXITSTATUS(status) else "survived"


def _in_child(tests: list[str], mutant: Mutant | None, seconds: float, profile: str) -> int:
    pytest = import_module("pytest")
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ["HYPOTHESIS_PROFILE"] = profile
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    if mutant:
        sys.meta_path.insert(0, Planted(mutant))
    os.chdir(ROOT)
    options = ["-x", "--assert=plain", "-o", "timeout=0", "-p", "no:cacheprovider", "-p", "no:xdist"]
    try:
        return int(pytest.main([*options, *tests]))
    except BaseException:
        return 1


def _warm_up() -> None:
    """Import what every child needs, but nothing of ours."""
    for name in ("hypothesis.strategies", "pytest", "pytest_asyncio.plugin", "pyuegc", "sentencex"):
        import_module(name)
    sys.path[:0] = [str(ROOT / "src"), str(TESTS)]


def _cost(tests: list[str], profile: str) -> float:
    """Seconds that the tests compute without a mutant."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if attempt(tests, None, 600, profile) != "survived":
        raise SystemExit(f"the tests fail without any mutant: {tests}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def try_file(path: Path, most: int) -> Iterator[tuple[Mutant, str]]:
    """Each sampled mutant of a file and its fate."""
    # The quickest killer first: few examples, then the golden cases, then all examples.
    stages = [([own_tests(path)], "quick"), ([CASES], "quick"), ([own_tests(path)], "default")]
    limits = [5 + SLACK * _cost(tests, profile) for tests, profile in stages]
    for mutant in sample(mutants(path), most):
        fate = "survived"
        for (tests, profile), seconds in zip(stages, limits, strict=True):
            fate = attempt(tests, mutant, seconds, profile)
            if fate != "survived":
                break
        yield mutant, fate


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", help="only files whose path contains one of these")
    parser.add_argument("--most", type=int, default=40, help="mutants per file, spread evenly")
    parser.add_argument("--log", type=Path, help="write every mutant and its fate to this file")
    options = parser.parse_args()
    _warm_up()
    start = time.monotonic()
    paths = [path for path in sorted(CORE.rglob("*.py")) if path.name != "__init__.py"]
    for path in paths:
        name = str(path.relative_to(CORE))
        if options.words and not any(word in name for word in options.words):
            continue
        fates: Counter[str] = Counter()
        for mutant, fate in try_file(path, options.most):
            fates[fate] += 1
            if fate == "survived":
                print(f"  {name}:{mutant.line}\n    - {mutant.before}\n    + {mutant.after}", flush=True)
            if options.log:
                row = {
                    "file": name,
                    "line": mutant.line,
                    "before": mutant.before,
                    "after": mutant.after,
                    "fate": fate,
                }
                with options.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(row, ensure_ascii=False) + "\n")
        everything = len(mutants(path))
        print(
            f"{name}: {fates.total()} of {everything} mutants, {fates['killed'] + fates['timeout']} killed "
            f"({fates['timeout']} by time), {fates['survived']} survived, {time.monotonic() - start:.0f} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
