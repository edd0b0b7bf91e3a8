"""SQLite in a file, with one thread that writes and one that reads.

In WAL mode readers never wait for the writer, and a process that is killed in the middle of a write leaves
the file as it was before (https://www.sqlite.org/wal.html).
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

from .._common.file_modes import PRIVATE, make_private
from .._exceptions import StoreError
from .database import (
    CREATE_MIGRATIONS_TABLE,
    LOCK_TIMEOUT_S,
    OUTDATED_TABLE,
    WRITE_AHEAD_SUFFIX,
    Migration,
    Row,
    Schema,
    Statement,
    load_migrations,
    log_migration,
    outdated_error,
    pending_migrations,
    split_statements,
)

T = TypeVar("T")
_PLACEHOLDER = re.compile(r"\$(\d+)")
_MIN_VERSION = (3, 35)
_MEMORY = ":memory:"
# Deleted text is overwritten, whatever SQLite was compiled with.
_PRAGMAS = {"journal_mode": "WAL", "synchronous": "NORMAL", "foreign_keys": "ON", "secure_delete": "ON"}
_CREATING = threading.Lock()
"""Held while a database file is created."""
_log = logging.getLogger(__name__)
CLEAR_LOG_TIMEOUT_S = 1.0
"""Time to wait for readers and writers of other connections before the log is emptied."""
RESERVED_BYTES = 512 * 1024
"""Free space inside the file and its WAL, so that the journal can still be written to a full disk."""


async def open_sqlite(
    path: str,
    *,
    create: bool = True,
    timeout: float = LOCK_TIMEOUT_S,  # noqa: ASYNC109 - of the database, not of the call
    fsync: bool = False,
    known: tuple[Migration, ...] | None = None,
) -> SqliteDatabase:
    """Open a file and migrate it; `timeout` is how many seconds to wait for another writer.

    With `fsync` a write returns only after it is on the disk.
    """
    if sqlite3.sqlite_version_info < _MIN_VERSION:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 is needed, or use PostgreSQL.")
    _check_path(path, create=create)
    writer = _Worker(path, timeout, {"synchronous": "FULL"} if fsync else {}, creates=True)
    try:
        await writer.do(partial(_prepare, known=known))
    except BaseException:
        await writer.close()
        raise
    if path == _MEMORY:
        return SqliteDatabase(writer, writer)
    return SqliteDatabase(writer, _Worker(path, timeout))


class SqliteDatabase:
    """An open database file."""

    def __init__(self, writer: _Worker, reader: _Worker) -> None:
        self.file = "" if writer.path == _MEMORY else os.path.realpath(writer.path)
        """The real path, empty for `:memory:`; links resolved, so that files beside it have one name."""
        self._writer = writer
        self._reader = reader
        # Device and inode when it was opened, to notice that the file was deleted or replaced.
        self._file_id = _file_id(writer.path)

    @property
    def is_in_place(self) -> bool:
        """Whether the path still leads to the open file; if not, everything written is lost."""
        return _file_id(self._writer.path) == self._file_id

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query and return its rows."""
        return await self._reader.do(lambda connection: _read(connection, Statement(sql, arguments)))

    async def write(self, *statements: Statement, independent: bool = False) -> list[Row]:  # noqa: ARG002
        """Run the statements in one transaction and return the rows of the last one."""
        return await self._writer.do(lambda connection: _write(connection, statements))

    async def reserve(self) -> None:
        """Reserve disk space for rows that must be written even if the disk is full."""
        await self._writer.do(_reserve)

    async def clear_log(self) -> None:
        """Empty the write-ahead log, which holds deleted rows until they are overwritten by chance."""
        await self._writer.do(_clear_log)

    async def close(self) -> None:
        """Finish the pending statements, then close the file."""
        await self._reader.close()
        await self._writer.close()


class _Worker:
    """A thread with its own connection; calls run in order."""

    def __init__(
        self, path: str, timeout: float, pragmas: Mapping[str, str] | None = None, *, creates: bool = False
    ) -> None:
        self.path = path
        # Whether this worker may create the file; the reader must not.
        self._creates = creates
        self._timeout = timeout
        self._pragmas = {**_PRAGMAS, **(pragmas or {})}
        self._thread = ThreadPoolExecutor(1, "streamcord-store")
        # Opened on the thread itself, with the first call.
        self._connection: sqlite3.Connection | None = None
        self._closed = False

    async def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise StoreError("The store is closed: open it again.")
        # Shielded: a write that was requested happens even if the caller is cancelled.
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._thread, self._do, work))

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with _translate_errors(self.path, self._timeout):
            if self._connection is None:
                self._connection = _connect(self.path, self._timeout, self._pragmas, creates=self._creates)
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
    path: str, timeout: float, pragmas: Mapping[str, str], *, creates: bool = False
) -> sqlite3.Connection:
    if creates:
        _create_file(path)
    elif not Path(path).exists():
        # SQLite would create a new file while other connections still write the deleted one.
        raise sqlite3.OperationalError("it was deleted")
    # isolation_level=None: the sqlite3 module starts no transactions of its own.
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    try:
        for name, value in pragmas.items():
            connection.execute(f"PRAGMA {name} = {value}")
    except BaseException:
        connection.close()
        raise
    return connection


def _create_file(path: str) -> None:
    """Create the file readable by its owner only; SQLite gives its -wal and -shm files the same mode."""
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
            return  # opening it with SQLite raises the better error
    for ending in ("", "-wal", "-shm"):
        make_private(path + ending)


def _check_empty(file: Path) -> None:
    """Accept an empty file as a new database, unless the files beside it show that it was in use."""
    if file.stat().st_size:
        return
    turns, log = (file.with_name(file.name + ending) for ending in (WRITE_AHEAD_SUFFIX, "-wal"))
    left = [turns.name] * turns.exists() + [log.name] * (log.exists() and log.stat().st_size > 0)
    if left:
        raise StoreError(
            f"The database {str(file)!r} is empty, although it was in use ({left[0]} is beside it): "
            "settings, memories and privacy opt-outs are gone. Put a backup there, "
            f"or remove {' and '.join(left)} to start with an empty one.",
            retryable=False,
        )
    _log.warning(
        "the database %s is empty and is set up again: if it had content, stop and put a backup there", file
    )


def _file_id(path: str) -> tuple[int, int] | None:
    """Return device and inode of the file at this path, if there is one."""
    try:
        found = os.stat(path)  # noqa: PTH116 - `:memory:` is no path
    except OSError:
        return None
    return found.st_dev, found.st_ino


def find_sqlite_schema(path: str, timeout: float = LOCK_TIMEOUT_S) -> Schema | None:
    """Return the schema of a file without changing anything; `None` if there is no database yet."""
    file = Path(path)
    if path == _MEMORY or not file.exists():
        return None
    if file.is_file():
        _check_empty(file)
    log = file.with_name(file.name + "-wal")
    # Without a log no one has the file open, and SQLite would create one even to read it.
    mode = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    with (
        _translate_errors(path, timeout),
        closing(
            sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True, timeout=timeout)
        ) as connection,
    ):
        applied = _count_migrations(connection)
    known = load_migrations()
    pending_migrations(applied, known)
    return Schema(applied, len(known))


def _count_migrations(connection: sqlite3.Connection) -> int:
    """Return how many migrations were applied; raises `StoreError` for a development version."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if OUTDATED_TABLE in tables:
        path = connection.execute("PRAGMA database_list").fetchone()[2]
        raise outdated_error(f"The database {path!r}")
    if "streamcord_migrations" not in tables:
        return 0
    return int(connection.execute("SELECT count(*) FROM streamcord_migrations").fetchone()[0])


def _prepare(connection: sqlite3.Connection, known: tuple[Migration, ...] | None) -> None:
    """Apply the missing migrations in one transaction, after a copy of the file was kept."""
    applied = _count_migrations(connection)
    pending = pending_migrations(applied, known)
    log_migration(_path_of(connection), applied, pending, _keep_copy(connection, applied) if pending else "")
    with _transaction(connection):
        connection.execute(CREATE_MIGRATIONS_TABLE)
        # Counted again: another process may have brought the file up to date meanwhile.
        for migration in pending_migrations(_count_migrations(connection), known):
            for statement in split_statements(migration.sql):
                connection.execute(statement)
            connection.execute("INSERT INTO streamcord_migrations VALUES (?, ?)", migration[:2])


def _path_of(connection: sqlite3.Connection) -> str:
    """Return the path of the open file; empty for a database in memory."""
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


def _keep_copy(connection: sqlite3.Connection, applied: int) -> str:
    """Copy a database before its schema changes, since older versions refuse the new one; returns the path."""
    path = _path_of(connection)
    if not applied or not path:
        return ""
    target = Path(f"{path}.schema{applied}")
    # Written elsewhere first, so that an interrupted copy does not look complete.
    part = Path(f"{target}.part")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
            # The copy is one file: without this, it would keep the write-ahead mode of the original.
            copy.execute("PRAGMA journal_mode = DELETE")
            is_old = _count_migrations(copy) == applied
        # Otherwise another process has brought the file up to date, and has kept the copy.
        if is_old:
            part.replace(target)
    except (OSError, sqlite3.Error) as error:
        part.unlink(missing_ok=True)
        raise StoreError(
            f"The database {path!r} must be brought up to date, but the copy {str(target)!r} that is kept before "
            f"cannot be written ({error}): free some space, or check the permissions of the folder.",
            retryable=False,
        ) from error
    part.unlink(missing_ok=True)
    return str(target) if is_old else ""


def _reserve(connection: sqlite3.Connection) -> None:
    """Grow the file and its WAL with a table that is dropped again; both keep the space."""
    connection.execute("DROP TABLE IF EXISTS streamcord_reserve")
    with _transaction(connection):
        connection.execute("CREATE TABLE streamcord_reserve (padding BLOB)")
        connection.execute("INSERT INTO streamcord_reserve VALUES (zeroblob(?))", (RESERVED_BYTES,))
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    connection.execute("DROP TABLE streamcord_reserve")


def _clear_log(connection: sqlite3.Connection) -> None:
    """Move the log into the file, where deleted rows are overwritten, and cut it to nothing."""
    path = _path_of(connection)
    if not path:
        return
    log = Path(f"{path}-wal")
    is_reserved = log.exists() and log.stat().st_size >= RESERVED_BYTES
    (timeout,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {CLEAR_LOG_TIMEOUT_S * 1000:.0f}")
    try:
        # https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
        (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {timeout}")
    if is_busy:
        _log.info("%s is in use: deleted text stays in its log until it is overwritten or the bot ends", path)
    elif is_reserved:
        # The space for a full disk went with the log.
        _reserve(connection)


def _write(connection: sqlite3.Connection, statements: Sequence[Statement]) -> list[Row]:
    try:
        return _write_once(connection, statements)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "") != "SQLITE_FULL":
            raise
        # The WAL cannot grow. A checkpoint moves it into the file and reuses the space that it has.
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
    """Run a query; invalid UTF-8 is read with replacement characters, so that it hides no other row."""
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
    """Translate `$2 = $1` to `? = ?` and the indexes of the arguments."""
    return _PLACEHOLDER.sub("?", sql), tuple(int(number) - 1 for number in _PLACEHOLDER.findall(sql))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # IMMEDIATE: a transaction that starts as a reader cannot become a writer while another one writes.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _translate_errors(path: str, timeout: float) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        raise StoreError(_explain(error, path, timeout), retryable=not name.startswith(_PERMANENT)) from error


def _explain(error: sqlite3.Error, path: str, timeout: float) -> str:
    """Return what happened and what to do, by SQLite's result code (https://www.sqlite.org/rescode.html)."""
    name = getattr(error, "sqlite_errorname", "")
    for prefix, message in _ERROR_MESSAGES.items():
        if name.startswith(prefix):
            return message.format(path=path, timeout=timeout)
    return f"The database {path!r} failed: {error}."


_PERMANENT = ("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_READONLY", "SQLITE_CANTOPEN")
"""Errors that trying again does not mend."""
_ERROR_MESSAGES = {
    "SQLITE_BUSY": (
        "The database {path!r} was locked by another program for {timeout:g} s: "
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
        "Reading or writing the database {path!r} failed: "
        "check its free space, the disk and the permissions of file and folder."
    ),
    "SQLITE_FULL": "There is no space left to write the database {path!r}: free some space on its disk.",
    "SQLITE_CORRUPT": "The database {path!r} is damaged: put a backup there, or start with a new file.",
    "SQLITE_CONSTRAINT": "The database {path!r} already holds something of that name.",
}
