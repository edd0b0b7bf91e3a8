"""The steps from an empty database to the one of today: numbered files of SQL, each done once, in order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .._errors import StoreError

__all__ = ["RECORD", "Step", "split", "steps", "steps_after"]

RECORD = "CREATE TABLE IF NOT EXISTS streamcord_schema (number BIGINT PRIMARY KEY, name TEXT NOT NULL)"
"""Which steps were done is kept in the database itself."""


class Step(NamedTuple):
    """One file: `0002_settings.sql` is number 2, `settings`."""

    number: int
    name: str
    sql: str


@cache
def steps() -> tuple[Step, ...]:
    """All steps, in order."""
    found = []
    for file in files(__package__).joinpath("schema").iterdir():
        if file.name.endswith(".sql"):
            number, _, name = file.name.removesuffix(".sql").partition("_")
            found.append(Step(int(number), name, file.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def steps_after(done: int, known: tuple[Step, ...] | None = None) -> tuple[Step, ...]:
    """The steps that a database at number `done` still needs."""
    known = steps() if known is None else known
    if done > len(known):
        raise StoreError(
            f"The database is of a newer streamcord (schema {done}, this one knows {len(known)}): "
            "update streamcord, or use another database."
        )
    return known[done:]


def split(sql: str) -> Iterator[str]:
    """The statements of a file, one by one."""
    piece = ""
    for line in sql.splitlines(keepends=True):
        piece += line
        if sqlite3.complete_statement(piece):
            yield piece
            piece = ""
