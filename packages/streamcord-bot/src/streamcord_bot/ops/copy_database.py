"""`streamcord-bot to-postgres`: copy everything from a SQLite file into an empty PostgreSQL database."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from streamcord import StoreError
from streamcord.databases import Database, Row, Statement, open_database, placeholders
from streamcord.store import open_journal

from .backup import back_up

BATCH_ROWS = 200
"""Rows that are read and written at once; a picture is at most a few hundred kilobytes."""
_SQLITE = "sqlite:///"
_WRITE_AHEAD = "-write-ahead"
# SQLite keeps any type in any column, and has neither booleans nor a type for text only.
_CONVERT: Mapping[str, Callable[[Any], object]] = {
    "BIGINT": int,
    "BOOLEAN": bool,
    "BYTEA": bytes,
    "DOUBLE PRECISION": float,
    "TEXT": str,
}


async def copy_to_postgres(store: str, url: str) -> dict[str, int]:
    """Copy all tables of a SQLite file and return how many rows each has; the file stays as it is.

    The bot must not run: what it writes meanwhile would be missing in the copy.

    Raises:
        StoreError: there is no such file, a bot uses it, the other database is not empty, or a row cannot be copied.
            Then nothing is left in the other database.

    """
    path = store.removeprefix(_SQLITE)
    _check_unused(Path(path + _WRITE_AHEAD))
    with TemporaryDirectory(prefix="streamcord-") as folder:
        # A copy of the file is brought up to date and read, not the file itself.
        copy = back_up(store, str(Path(folder) / "copy.db"))
        # There is none if the journal was off.
        with suppress(FileNotFoundError):
            shutil.copyfile(path + _WRITE_AHEAD, f"{copy}{_WRITE_AHEAD}")
        # Rows of interrupted answers move from the file beside the database into it.
        async with await open_journal(copy, fsync=True) as journal:
            await journal.flush()
        source = await open_database(str(copy))
        try:
            target = await open_database(url)
            try:
                return await _copy_tables(source, target)
            finally:
                await target.close()
        finally:
            await source.close()


def _check_unused(write_ahead: Path) -> None:
    """Raise an error if a running bot has the file beside its database."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        with write_ahead.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreError("The bot of this database is running: stop it first.") from None
    except (ImportError, OSError):
        # No such file: no bot has used the database since it was written.
        return


async def _copy_tables(source: Database, target: Database) -> dict[str, int]:
    # In the order of their creation, so that a row comes after the one that it refers to.
    tables = [
        name
        for (name,) in await source.read("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
        if not name.startswith(("sqlite_", "streamcord_"))
    ]
    for table in tables:
        if await target.read(f"SELECT 1 FROM {table} LIMIT 1"):  # noqa: S608 - a name of our own schema
            raise StoreError(f"The PostgreSQL database is not empty ({table}): name an empty one.")
    counts = {}
    try:
        for table in tables:
            counts[table] = await _copy_table(source, target, table)
    except BaseException:
        await target.write(*(Statement(f"DELETE FROM {table}") for table in reversed(tables)))  # noqa: S608
        raise
    return counts


async def _copy_table(source: Database, target: Database, table: str) -> int:
    columns = await source.read("SELECT name, type FROM pragma_table_info($1) ORDER BY cid", table)
    names = ", ".join(name for name, _ in columns)
    convert = [_CONVERT[kind] for _, kind in columns]
    insert = f"INSERT INTO {table} ({names}) VALUES ({placeholders(len(columns))})"  # noqa: S608
    count = 0
    async with aclosing(_read_batches(source, table, names)) as batches:
        async for rows in batches:
            try:
                statements = [
                    Statement(insert, tuple(to(value) for to, value in zip(convert, row, strict=True)))
                    for row in rows
                ]
                await target.write(*statements, Statement("SELECT 1"))
            except (TypeError, ValueError, StoreError) as error:
                raise StoreError(
                    f"The table {table} could not be copied, so nothing was: {error}", retryable=False
                ) from error
            count += len(rows)
    ((copied,),) = await target.read(f"SELECT count(*) FROM {table}")  # noqa: S608
    if copied != count:
        raise StoreError(f"Only {copied} of {count} rows of {table} arrived, so nothing was copied.")
    return count


async def _read_batches(source: Database, table: str, names: str) -> AsyncGenerator[list[Row], None]:
    last = -1
    select = f"SELECT rowid, {names} FROM {table} WHERE rowid > $1 ORDER BY rowid LIMIT {BATCH_ROWS}"  # noqa: S608
    while rows := await source.read(select, last):
        last = rows[-1][0]
        yield [row[1:] for row in rows]
