"""A database in one file, with nothing to install: SQLite, one thread that writes and one that reads.

In WAL mode readers never wait for the writer, and a process that is killed in the middle of a write leaves
the file as it was before. (https://www.sqlite.org/wal.html)
"""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

from .._errors import StoreError
from .._shared.safety.private_files import PRIVATE, make_private
from .database import RECORD, Batch, Row, SchemaStep, Statement, split, steps_after

__all__ = ["SqliteDatabase", "open_sqlite"]

T = TypeVar("T")
_PLACE = re.compile(r"\$(\d+)")
_LEAST_VERSION = (3, 35)
_MEMORY = ":memory:"
_PRAGMAS = {"journal_mode": "WAL", "synchronous": "NORMAL", "foreign_keys": "ON"}
_TIDY_AFTER = 250
"""Writes at once after which the log is moved into the file."""
RESERVE = 512 * 1024
"""Bytes that the file and its log have in hand, so that a full disk does not end what is being written."""
_SLOW, _SLOW_TIMES, _SLOW_FOR = 0.05, 3, 10.0
"""A disk that makes the event loop wait so many seconds, several times, is left to a thread for a while."""


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
    return SqliteDatabase(writer, _Worker(path, patience), None if power_loss else _AtOnce(path))


class SqliteDatabase:
    """An open file."""

    def __init__(self, writer: _Worker, reader: _Worker, at_once: _AtOnce | None = None) -> None:
        self._writer = writer
        self._reader = reader
        self._at_once = at_once
        self._file = _identify(writer.path)

    @property
    def is_in_place(self) -> bool:
        """Whether the file that is written still has its name: if not, nobody will find what is written."""
        return _identify(self._writer.path) == self._file

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query and return its rows."""
        return await self._reader.do(lambda connection: _run(connection, Statement(sql, arguments)))

    async def write(self, *statements: Statement, apart: bool = False) -> list[Row]:  # noqa: ARG002
        """Run the statements in one transaction; returns the rows of the last one."""
        tidies = self._at_once is not None and self._at_once.rest()
        return await self._writer.do(lambda connection: _write(connection, statements, tidies=tidies))

    def write_at_once(self, batches: Sequence[Batch]) -> bool:
        """Run the statements in one transaction, here and now; false if that would have to wait.

        No thread is asked, which costs ten times as much as a small write does.
        """
        return self._at_once is not None and self._at_once.write(batches)

    async def reserve(self) -> None:
        """Take room on the disk while there is some, for rows that must be kept when there is none."""
        await self._writer.do(_reserve)

    async def close(self) -> None:
        """Finish what waits, then close the file."""
        if self._at_once is not None:
            self._at_once.close()
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


class _AtOnce:
    """A connection of the event loop's own thread: it waits for nobody, and for no disk.

    Small writes in WAL mode only reach the memory of the system. What takes time, moving the log into the
    file, is left to the thread that writes: every so often a write is refused here and goes there.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._count = 0
        self._slow = 0
        self._slow_until = 0.0

    def write(self, batches: Sequence[Batch]) -> bool:
        began = time.monotonic()
        if self._count >= _TIDY_AFTER or began < self._slow_until:
            return False
        try:
            if self._connection is None:
                self._connection = _connect(self._path, 0.0, {**_PRAGMAS, "wal_autocheckpoint": "0"})
            if len(batches) == 1 and len(batches[0].rows) == 1:
                # One statement is a transaction by itself.
                self._connection.execute(_in_order(batches[0].sql), batches[0].rows[0])
            else:
                with _transaction(self._connection):
                    for sql, rows in batches:
                        self._connection.executemany(_in_order(sql), rows)
        except sqlite3.Error:
            # Locked, full or worse: whoever may wait finds out, and says so.
            return False
        self._count += 1
        self._watch(began)
        return True

    def _watch(self, began: float) -> None:
        """Leave a disk that makes everybody wait to the thread; one slow write is only a busy machine."""
        now = time.monotonic()
        self._slow = self._slow + 1 if now - began > _SLOW else 0
        if self._slow >= _SLOW_TIMES:
            self._slow, self._slow_until = 0, now + _SLOW_FOR

    def rest(self) -> bool:
        """Whether the log should be moved into the file before the next write."""
        due, self._count = self._count >= _TIDY_AFTER, 0
        return due

    def close(self) -> None:
        self._count = _TIDY_AFTER
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
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE))
    except OSError:
        return  # SQLite says why in its own words
    for ending in ("", "-wal", "-shm"):
        make_private(path + ending)


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
    """Let file and log grow by a table that is gone again: both keep the room."""
    connection.execute("DROP TABLE IF EXISTS streamcord_reserve")
    with _transaction(connection):
        connection.execute("CREATE TABLE streamcord_reserve (room BLOB)")
        connection.execute("INSERT INTO streamcord_reserve VALUES (zeroblob(?))", (RESERVE,))
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    connection.execute("DROP TABLE streamcord_reserve")


def _write(
    connection: sqlite3.Connection, statements: Sequence[Statement], *, tidies: bool = False
) -> list[Row]:
    if tidies:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
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


@lru_cache(256)
def _translate(sql: str) -> tuple[str, tuple[int, ...]]:
    """`$2 = $1` as `? = ?`, and which arguments these are."""
    return _PLACE.sub("?", sql), tuple(int(number) - 1 for number in _PLACE.findall(sql))


@lru_cache(256)
def _in_order(sql: str) -> str:
    """The same where each argument stands once, in its place."""
    text, order = _translate(sql)
    assert order == tuple(range(len(order))), sql
    return text


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
    "SQLITE_CANTOPEN": "The database {path!r} cannot be opened: check that it is a file that may be read.",
    "SQLITE_NOTADB": "{path!r} is not a database of streamcord: name another file.",
    "SQLITE_READONLY": "The database {path!r} may not be written: check the permissions of file and folder.",
    "SQLITE_IOERR": (
        "The disk does not take or give what is in the database {path!r}: "
        "check the disk and the permissions of file and folder."
    ),
    "SQLITE_FULL": "There is no room left to write the database {path!r}: free some space on its disk.",
    "SQLITE_CORRUPT": "The database {path!r} is damaged: put a backup there, or start with a new file.",
    "SQLITE_CONSTRAINT": "The database {path!r} already holds something of that name.",
}
