"""A database in one file, with nothing to install: SQLite, one thread that writes and one that reads.

In WAL mode readers never wait for the writer, and a process that is killed in the middle of a write leaves
the file as it was before. (https://www.sqlite.org/wal.html)
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

from .._errors import StoreError
from .._shared.safety.private_files import PRIVATE, make_private
from .database import RECORD, TURNS, Row, SchemaStep, Statement, split, steps_after

__all__ = ["SqliteDatabase", "open_sqlite"]

T = TypeVar("T")
_PLACE = re.compile(r"\$(\d+)")
_LEAST_VERSION = (3, 35)
_MEMORY = ":memory:"
_PRAGMAS = {"journal_mode": "WAL", "synchronous": "NORMAL", "foreign_keys": "ON"}
_CREATING = threading.Lock()
"""Held while a database file is created."""
_log = logging.getLogger("streamcord")
RESERVE = 512 * 1024
"""Bytes that the file and its log have in hand, so that a full disk does not end what is being written."""


async def open_sqlite(
    path: str,
    *,
    create: bool = True,
    patience: float = 5.0,
    power_loss: bool = False,
    known: tuple[SchemaStep, ...] | None = None,
) -> SqliteDatabase:
    """Open a file and bring it up to date; `patience` is how many seconds to wait for another writer.

    With `power_loss` every write is on the disk before it counts as done.
    """
    if sqlite3.sqlite_version_info < _LEAST_VERSION:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 is needed, or use PostgreSQL.")
    _check_path(path, create=create)
    writer = _Worker(path, patience, {"synchronous": "FULL"} if power_loss else {}, begins=True)
    try:
        await writer.do(partial(_prepare, known=known))
    except BaseException:
        await writer.close()
        raise
    if path == _MEMORY:
        return SqliteDatabase(writer, writer)
    return SqliteDatabase(writer, _Worker(path, patience))


class SqliteDatabase:
    """An open file."""

    def __init__(self, writer: _Worker, reader: _Worker) -> None:
        self.file = "" if writer.path == _MEMORY else os.path.realpath(writer.path)
        """Where it lies, if anywhere; by whatever name it was opened, what is beside it has one place."""
        self._writer = writer
        self._reader = reader
        self._found = _identify(writer.path)

    @property
    def is_in_place(self) -> bool:
        """Whether the file that is written still has its name: if not, nobody will find what is written."""
        return _identify(self._writer.path) == self._found

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query and return its rows."""
        return await self._reader.do(lambda connection: _read(connection, Statement(sql, arguments)))

    async def write(self, *statements: Statement, apart: bool = False) -> list[Row]:  # noqa: ARG002
        """Run the statements in one transaction; returns the rows of the last one."""
        return await self._writer.do(lambda connection: _write(connection, statements))

    async def reserve(self) -> None:
        """Take room on the disk while there is some, for rows that must be kept when there is none."""
        await self._writer.do(_reserve)

    async def close(self) -> None:
        """Finish what waits, then close the file."""
        await self._reader.close()
        await self._writer.close()


class _Worker:
    """A thread with a connection of its own, which works in the order of the calls."""

    def __init__(
        self, path: str, patience: float, pragmas: Mapping[str, str] | None = None, *, begins: bool = False
    ) -> None:
        self.path = path
        self._begins = begins
        self._patience = patience
        self._pragmas = {**_PRAGMAS, **(pragmas or {})}
        self._thread = ThreadPoolExecutor(1, "streamcord-store")
        self._connection: sqlite3.Connection | None = None
        self._closed = False

    async def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise StoreError("The store is closed: open it again.")
        # Shielded: what was asked for is done, whether or not someone still waits for it.
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, self._do, work))

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with _plain_words(self.path, self._patience):
            if self._connection is None:
                self._connection = _connect(self.path, self._patience, self._pragmas, begins=self._begins)
            return work(self._connection)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
            self._thread.shutdown()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _check_path(path: str, *, create: bool) -> None:
    if path == _MEMORY:
        return
    if not Path(path).parent.is_dir():
        raise StoreError(
            f"The folder of the database {path!r} does not exist: make it, or name another file."
        )
    if not create and not Path(path).is_file():
        raise StoreError(f"There is no database {path!r}: start the bot once, or name another file.")


def _connect(
    path: str, patience: float, pragmas: Mapping[str, str], *, begins: bool = False
) -> sqlite3.Connection:
    if begins:
        _begin_file(path)
    elif not Path(path).exists():
        # SQLite would begin a new one beside what others still write.
        raise sqlite3.OperationalError("it was deleted")
    # Without an isolation level of its own, Python begins no transaction that we did not ask for.
    connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
    try:
        for name, value in pragmas.items():
            connection.execute(f"PRAGMA {name} = {value}")
    except BaseException:
        connection.close()
        raise
    return connection


def _begin_file(path: str) -> None:
    """Only the owner reads the file; what SQLite puts beside it has the same rights."""
    if path == _MEMORY:
        return
    # One thread at a time, and only a file that does not exist yet is opened here: closing any descriptor of
    # a database drops all of SQLite's locks on it in this process (https://www.sqlite.org/howtocorrupt.html,
    # section 2.2), and the next process that looks into it deletes the log under this one.
    with _CREATING:
        if Path(path).is_file():
            _check_empty(Path(path))
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
        except FileExistsError:
            pass
        except OSError:
            return  # SQLite says why in its own words
    for ending in ("", "-wal", "-shm"):
        make_private(path + ending)


def _check_empty(file: Path) -> None:
    """Take an empty file for a new database, unless the files beside it show that it was in use."""
    if file.stat().st_size:
        return
    turns, log = (file.with_name(file.name + ending) for ending in (TURNS, "-wal"))
    left = [turns.name] * turns.exists() + [log.name] * (log.exists() and log.stat().st_size > 0)
    if left:
        raise StoreError(
            f"The database {str(file)!r} is empty, although it was in use ({left[0]} stands beside it): "
            "settings, memories, and who does not want to be remembered, are gone. Put a backup there, "
            f"or remove {' and '.join(left)} to begin anew."
        )
    _log.warning(
        "the database %s is empty and begins anew: if it held something, stop and put a backup there", file
    )


def _identify(path: str) -> tuple[int, int] | None:
    """Which file has this name now, if any."""
    try:
        found = os.stat(path)  # noqa: PTH116 - `:memory:` is no path
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _prepare(connection: sqlite3.Connection, known: tuple[SchemaStep, ...] | None) -> None:
    """Bring the schema up to date, in one transaction."""
    with _transaction(connection):
        connection.execute(RECORD)
        done = connection.execute("SELECT count(*) FROM streamcord_schema").fetchone()[0]
        for step in steps_after(done, known):
            for statement in split(step.sql):
                connection.execute(statement)
            connection.execute("INSERT INTO streamcord_schema VALUES (?, ?)", step[:2])


def _reserve(connection: sqlite3.Connection) -> None:
    """Make the file and its log larger by a table that is dropped again; both keep the room."""
    connection.execute("DROP TABLE IF EXISTS streamcord_reserve")
    with _transaction(connection):
        connection.execute("CREATE TABLE streamcord_reserve (room BLOB)")
        connection.execute("INSERT INTO streamcord_reserve VALUES (zeroblob(?))", (RESERVE,))
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    connection.execute("DROP TABLE streamcord_reserve")


def _write(connection: sqlite3.Connection, statements: Sequence[Statement]) -> list[Row]:
    try:
        return _write_once(connection, statements)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "") != "SQLITE_FULL":
            raise
        # The log cannot grow: moved into the file, it begins anew in the room that it has.
        connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
        return _write_once(connection, statements)


def _write_once(connection: sqlite3.Connection, statements: Sequence[Statement]) -> list[Row]:
    rows: list[Row] = []
    with _transaction(connection):
        for statement in statements:
            rows = _run(connection, statement)
    return rows


def _run(connection: sqlite3.Connection, statement: Statement) -> list[Row]:
    sql, order = _translate(statement.sql)
    with closing(connection.execute(sql, [statement.arguments[index] for index in order])) as cursor:
        return cursor.fetchall()


def _read(connection: sqlite3.Connection, statement: Statement) -> list[Row]:
    """Run a query; what is no UTF-8 is read with marks in its place, and hides no other row."""
    try:
        return _run(connection, statement)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        return _run(connection, statement)
    finally:
        connection.text_factory = str


@lru_cache(256)
def _translate(sql: str) -> tuple[str, tuple[int, ...]]:
    """`$2 = $1` as `? = ?`, and which arguments these are."""
    return _PLACE.sub("?", sql), tuple(int(number) - 1 for number in _PLACE.findall(sql))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # IMMEDIATE: a transaction that begins as a reader could not become a writer while another one writes.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _plain_words(path: str, patience: float) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_explain(error, path, patience)) from error


def _explain(error: sqlite3.Error, path: str, patience: float) -> str:
    """What happened and what to do, by SQLite's own name for it (https://www.sqlite.org/rescode.html)."""
    name = getattr(error, "sqlite_errorname", "")
    for start, words in _WORDS.items():
        if name.startswith(start):
            return words.format(path=path, patience=patience)
    return f"The database {path!r} failed: {error}."


_WORDS = {
    "SQLITE_BUSY": (
        "The database {path!r} was locked by another program for {patience:g} s: "
        "stop the other bot or tool that uses it, or give this bot a file of its own."
    ),
    "SQLITE_CANTOPEN": (
        "The database {path!r} cannot be opened: "
        "check that it is a file, and that it and its folder may be written."
    ),
    "SQLITE_NOTADB": (
        "{path!r} is not a database of streamcord, or its beginning is damaged: "
        "put a backup there, or name another file."
    ),
    "SQLITE_READONLY": "The database {path!r} may not be written: check the permissions of file and folder.",
    "SQLITE_IOERR": (
        "The disk does not take or give what is in the database {path!r}: "
        "check its free space, the disk and the permissions of file and folder."
    ),
    "SQLITE_FULL": "There is no room left to write the database {path!r}: free some space on its disk.",
    "SQLITE_CORRUPT": "The database {path!r} is damaged: put a backup there, or start with a new file.",
    "SQLITE_CONSTRAINT": "The database {path!r} already holds something of that name.",
}
