"""What the store needs from a database: queries, atomic writes, and a schema that is kept up to date.

SQL is written once for SQLite and PostgreSQL, with arguments as `$1`, `$2`. No statement depends on the rows
that another one returned: nothing is read, changed in Python and written back, so concurrent writers cannot
overwrite each other's changes. The schema is a series of numbered SQL files, each applied once, in order.
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

from .._exceptions import SettingsError, StoreError

_log = logging.getLogger(__name__)

Row: TypeAlias = tuple[Any, ...]
LOCK_TIMEOUT_S = 5.0
"""Seconds to wait for a locked SQLite file, or for a PostgreSQL server or lock, unless another value is given."""
WRITE_AHEAD_SUFFIX = "-write-ahead"
"""Suffix of the file beside a SQLite database that holds the journal rows of running answers."""
# PostgreSQL text has no NUL, and lone surrogates cannot be encoded as UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Statement(NamedTuple):
    """One SQL statement and its arguments, which are written `$1`, `$2` in both databases.

    Example:
        Statement("DELETE FROM notes WHERE id = $1", (note_id,))

    """

    sql: str
    arguments: Row = ()


class Database(Protocol):
    """An open SQLite or PostgreSQL database with the current schema.

    Example:
        database = await open_database("bot.db")
        rows = await database.read("SELECT text FROM notes WHERE guild = $1", guild.id)
        await database.write(Statement("DELETE FROM notes WHERE guild = $1", (guild.id,)))

    """

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query and return its rows."""

    async def write(self, *statements: Statement, independent: bool = False) -> list[Row]:
        """Run the statements in one transaction and return the rows of the last one.

        Args:
            statements: What to run, in order.
            independent: None of the statements reads or writes rows that another one writes. A server can
                then run all of them in one round trip.

        """

    async def close(self) -> None:
        """Finish the pending statements, then close the files or connections."""


class Repository:
    """One group of the store's tables: a database, and a clock in seconds since 1970."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    async def _clear_log(self) -> None:
        """After a deletion that someone asked for: remove the rows also from the log of the database.

        A failure is logged only, because the rows are deleted. PostgreSQL recycles its log by itself.
        """
        if clear := getattr(self._database, "clear_log", None):
            try:
                await clear()
            except StoreError as error:
                _log.warning("deleted rows may still be in the log of the database: %s", error)


def normalize_name(name: str) -> str:
    """Return the form in which names are compared: case-folded, NFC, single spaces."""
    return replace_unstorable(" ".join(unicodedata.normalize("NFC", name).casefold().split()))


def replace_unstorable(text: str) -> str:
    """Replace NUL and lone surrogates, which databases reject, by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def placeholders(count: int, first: int = 1) -> str:
    """Return `count` placeholders, as in `IN ($1, $2)`.

    Args:
        count: How many arguments the statement has there.
        first: The number of the first of them.

    Example:
        sql = f"SELECT text FROM notes WHERE id IN ({placeholders(len(ids))})"
        rows = await database.read(sql, *ids)

    """
    return ", ".join(f"${number}" for number in range(first, first + count))


def value_rows(count: int, width: int) -> str:
    """Return placeholders for `count` rows of `width` columns, as in `VALUES ($1, $2), ($3, $4)`."""
    return ", ".join(f"({placeholders(width, 1 + row * width)})" for row in range(count))


# --- Parsing rows ---------------------------------------------------------------------------------------

T = TypeVar("T")
_PARSE_ERRORS = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    RecursionError,
    SettingsError,
)
_MAX_TEXT_CHARS = 100_000_000


def parse_rows(rows: Iterable[Row], parse: Callable[[Row], T], table: str) -> list[T]:
    """Parse each row; log and skip the invalid ones, so that they do not hide the others."""
    parsed = []
    for row in rows:
        try:
            parsed.append(parse(row))
        except _PARSE_ERRORS as error:
            _log_invalid_row(table, type(error).__name__)
    return parsed


# Cached so that it is logged once: some tables are read for every message.
@lru_cache(64)
def _log_invalid_row(table: str, reason: str) -> None:
    _log.warning("skipping an invalid row of table %r: %s", table, reason)


def as_text(value: object, max_chars: int = _MAX_TEXT_CHARS) -> str:
    """Return the value if it is a string of sensible length; SQLite stores any type in any column."""
    if not isinstance(value, str) or len(value) > max_chars:
        raise ValueError("not a text, or too long")
    return value


# --- Migrations -----------------------------------------------------------------------------------------

CREATE_MIGRATIONS_TABLE = (
    "CREATE TABLE IF NOT EXISTS streamcord_migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL)"
)
"""The database itself records which migrations were applied."""
OUTDATED_TABLE = "streamcord_schema"
"""The migrations table of development versions whose tables had other names."""
OUTDATED_WRITE_AHEAD_SUFFIX = "-turns"
"""The write-ahead file of these versions."""


class Schema(NamedTuple):
    """The schema of a database as it is, and as this version of streamcord has it.

    Example:
        schema = await find_schema("streamcord.db")
        if schema and schema.applied < schema.known:
            print("open_store will bring it up to date")

    """

    applied: int
    """How many migrations were applied to the database."""
    known: int
    """How many migrations this version has."""


class Migration(NamedTuple):
    """One file: `0002_settings.sql` is number 2, `settings`."""

    number: int
    name: str
    sql: str


@cache
def load_migrations() -> tuple[Migration, ...]:
    """Return all migrations, in order."""
    found = []
    for file in files(__package__).joinpath("migrations").iterdir():
        if file.name.endswith(".sql"):
            number, _, name = file.name.removesuffix(".sql").partition("_")
            found.append(Migration(int(number), name, file.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def pending_migrations(applied: int, known: tuple[Migration, ...] | None = None) -> tuple[Migration, ...]:
    """Return the migrations that a database with `applied` of them still needs.

    Raises:
        StoreError: a newer version of streamcord has written the database.

    """
    known = load_migrations() if known is None else known
    if applied > len(known):
        raise StoreError(
            f"The database is of a newer streamcord (schema {applied}, this one knows {len(known)}): "
            "update streamcord, or use another database.",
            retryable=False,
        )
    return known[applied:]


def log_migration(name: str, applied: int, pending: tuple[Migration, ...], copy: str = "") -> None:
    """Log that a database is brought up to date; a new one is not worth a line."""
    if applied and pending:
        kept = f", the old one is kept as {copy}" if copy else ""
        _log.warning("database %s: schema %d → %d%s", name, applied, applied + len(pending), kept)


def outdated_error(what: str) -> StoreError:
    """Return the error for a database or file with the table names of an earlier development version."""
    return StoreError(
        f"{what} was written by an earlier development version of streamcord: start with a new one.",
        retryable=False,
    )


def split_statements(sql: str) -> Iterator[str]:
    """Yield the statements of a file, one by one."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
