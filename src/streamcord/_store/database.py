"""What the store asks of a database: rows for a question, statements that happen all or not at all, a schema.

SQL is written once, for SQLite and PostgreSQL alike, with arguments as `$1`, `$2`. No statement depends on
what another one answered: nothing is read, changed and written back, so no writer loses another's work.
The schema is a row of numbered SQL files, each applied once, in order.
"""

from __future__ import annotations

import logging
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from .._errors import SettingsError, StoreError

__all__ = [
    "RECORD",
    "TURNS",
    "Database",
    "Records",
    "Row",
    "SchemaStep",
    "Statement",
    "as_text",
    "fold",
    "places",
    "readable",
    "rows_of",
    "split",
    "steps",
    "steps_after",
    "storable",
]

Row: TypeAlias = tuple[Any, ...]
TURNS = "-turns"
"""Behind the name of a database of SQLite: the file of answers that are under way."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Statement(NamedTuple):
    """One piece of SQL and its arguments."""

    sql: str
    arguments: Row = ()


class Database(Protocol):
    """SQLite or PostgreSQL, open and up to date."""

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query and return its rows."""
        ...

    async def write(self, *statements: Statement, apart: bool = False) -> list[Row]:
        """Run the statements in one transaction; returns the rows of the last one.

        Where none of them touches or reads what another one writes, they are `apart`: then a server may be
        asked once for all.
        """
        ...

    async def close(self) -> None:
        """Finish what was begun, then close the files or connections."""
        ...


class Records:
    """One part of the store: a database, and a clock in seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock


def fold(name: str) -> str:
    """The form in which names are compared: without case or extra spaces, accents in one spelling."""
    return storable(" ".join(unicodedata.normalize("NFC", name).casefold().split()))


def storable(text: str) -> str:
    """The text with U+FFFD in the place of what no database takes: NUL and lone surrogates."""
    return _UNSTORABLE.sub("\ufffd", text)


def places(count: int, first: int = 1) -> str:
    """Placeholders for so many arguments, as in `IN ($1, $2)`."""
    return ", ".join(f"${number}" for number in range(first, first + count))


def rows_of(count: int, width: int) -> str:
    """Placeholders for so many rows, as in `VALUES ($1, $2), ($3, $4)`."""
    return ", ".join(f"({places(width, 1 + row * width)})" for row in range(count))


# --- Rows that make no sense ----------------------------------------------------------------------------

T = TypeVar("T")
_NONSENSE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, SettingsError)
_TEXT_CAP = 100_000_000
_log = logging.getLogger("streamcord")


def readable(rows: Iterable[Row], make: Callable[[Row], T], table: str) -> list[T]:
    """The values of the rows; a row that makes no sense is logged and left out."""
    found = []
    for row in rows:
        try:
            found.append(make(row))
        except _NONSENSE as error:
            _tell_of(table, type(error).__name__)
    return found


@lru_cache(64)
def _tell_of(table: str, reason: str) -> None:
    """Log it once: some rows are read for every message."""
    _log.warning("a row of %r in the database makes no sense and is passed over: %s", table, reason)


def as_text(value: object, longest: int = _TEXT_CAP) -> str:
    """The value, if it is a text of sensible length; SQLite keeps values of any type in any column."""
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError("no text")
    return value


RECORD = "CREATE TABLE IF NOT EXISTS streamcord_schema (number BIGINT PRIMARY KEY, name TEXT NOT NULL)"
"""Which steps were done is kept in the database itself."""


class SchemaStep(NamedTuple):
    """One file: `0002_settings.sql` is number 2, `settings`."""

    number: int
    name: str
    sql: str


@cache
def steps() -> tuple[SchemaStep, ...]:
    """All steps, in order."""
    found = []
    for file in files(__package__).joinpath("schema").iterdir():
        if file.name.endswith(".sql"):
            number, _, name = file.name.removesuffix(".sql").partition("_")
            found.append(SchemaStep(int(number), name, file.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def steps_after(done: int, known: tuple[SchemaStep, ...] | None = None) -> tuple[SchemaStep, ...]:
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
