"""Changes the core in one small way at a time and asks its tests whether they notice.

    python tools/mutate_core.py                          every file of core/, a seeded sample of each
    python tools/mutate_core.py packing --share 1        those whose path contains a word, all of it
    python tools/mutate_core.py --log mutants.jsonl      also write each mutant and its fate to a file

Each mutant lives in a forked process that has pytest and Hypothesis imported already; the changed file is
never written. It is tried on the file's own tests, then on the golden cases, then on the invariants, stopping at the
first failure. What survives is printed and is a question: is the change no change, or is a test missing?
`bench/reports/mutation.md` has the answers of the last run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType

from mutants import Mutant, mutants, sample

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "packages/streamcord/src/streamcord" / "_text"
TESTS = ROOT / "tests"
MEMORY = 2 << 30
SLACK = 6
"""A mutant may compute this many times as long as the tests need without it."""
TEXTS = 40
"""Seeded texts on which the invariants are tried."""


class Planted(MetaPathFinder):
    """Imports one module from a tree in memory."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        inner = mutant.path.relative_to(ROOT / "packages/streamcord/src").with_suffix("")
        self.name = ".".join(inner.parts)

    def find_spec(self, fullname: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        mutant = self.mutant

        class Loader(SourceFileLoader):
            def get_code(self, _name: str) -> CodeType:
                return compile(mutant.tree, str(mutant.path), "exec")

        return spec_from_file_location(fullname, mutant.path, loader=Loader(fullname, str(mutant.path)))


@dataclass(frozen=True, slots=True)
class Stage:
    """A way to kill a mutant: `run` answers 0 if it saw nothing; `seconds` of computing are enough for it."""

    name: str
    run: Callable[[], int]
    seconds: float = 600


def _pytest(path: Path, profile: str) -> Callable[[], int]:
    def run() -> int:
        os.environ["HYPOTHESIS_PROFILE"] = profile
        options = ["-x", "--assert=plain", "-o", "timeout=0", "-p", "no:cacheprovider", "-p", "no:xdist"]
        return int(import_module("pytest").main([*options, str(path)]))

    return run


def _invariants() -> int:
    witness = import_module("invariant_runner")
    return int(any(witness.try_invariants(witness.trial(number)) for number in range(TEXTS)))


def stages(path: Path) -> list[Stage]:
    """The quickest killer first; all examples of the file's own properties come last."""
    inner = path.relative_to(CORE)
    own = TESTS / "core" / inner.parent / f"test_{inner.name}"
    return [
        _timed(Stage("own tests", _pytest(own, "quick"))),
        *shared_stages(),
        _timed(Stage("own tests", _pytest(own, "default"))),
    ]


@cache
def shared_stages() -> list[Stage]:
    """What every file is tried on; how long it takes is measured once."""
    cases = Stage("cases", _pytest(TESTS / "test_cases.py", "quick"))
    return [_timed(cases), _timed(Stage("invariants", _invariants))]


def attempt(stage: Stage, mutant: Mutant | None) -> str:
    """Who killed the mutant: the stage, its timeout, or none."""
    pid = os.fork()
    if pid == 0:
        os._exit(_in_child(stage, mutant))
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return "time"
    return stage.name if os.WEXITSTATUS(status) else ""


def _in_child(stage: Stage, mutant: Mutant | None) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (int(stage.seconds) + 1, int(stage.seconds) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    if mutant:
        sys.meta_path.insert(0, Planted(mutant))
    os.chdir(ROOT)
    try:
        return stage.run()
    except BaseException:
        return 1


def _warm_up() -> None:
    """Import what every child needs, but nothing of ours."""
    for name in ("hypothesis.strategies", "pytest", "pytest_asyncio.plugin", "pyuegc", "sentencex"):
        import_module(name)
    sys.path[:0] = [str(ROOT / "packages/streamcord/src"), str(TESTS)]


def _timed(stage: Stage) -> Stage:
    """The stage with a limit from what it needs when there is nothing to find."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if attempt(stage, None):
        raise SystemExit(f"{stage.name} fail without any mutant")
    needed = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return Stage(stage.name, stage.run, 5 + SLACK * needed)


def try_file(path: Path, chosen: list[Mutant]) -> Iterator[tuple[Mutant, str]]:
    """Each mutant of a file and who killed it."""
    ways = stages(path)
    for mutant in chosen:
        yield mutant, next((fate for way in ways if (fate := attempt(way, mutant))), "")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", help="only files whose path contains one of these")
    parser.add_argument("--share", type=float, default=0.04, help="how much of a file's mutants to try")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--log", type=Path, help="write every mutant and its fate to this file")
    options = parser.parse_args()
    _warm_up()
    start = time.monotonic()
    for path in (path for path in sorted(CORE.rglob("*.py")) if path.name != "__init__.py"):
        name = str(path.relative_to(CORE))
        if options.words and not any(word in name for word in options.words):
            continue
        everything = mutants(path)
        fates: Counter[str] = Counter()
        for mutant, fate in try_file(path, sample(everything, options.share, options.seed)):
            fates[fate] += 1
            if not fate:
                print(f"  {name}:{mutant.line}\n    - {mutant.before}\n    + {mutant.after}", flush=True)
            if options.log:
                row = (name, mutant.line, mutant.before, mutant.after, fate)
                with options.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(row, ensure_ascii=False) + "\n")
        killers = ", ".join(f"{fate} {count}" for fate, count in sorted(fates.items()) if fate)
        print(
            f"{name}: {fates.total()} of {len(everything)} mutants, {fates['']} survived; "
            f"killed by {killers}; {time.monotonic() - start:.0f} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
