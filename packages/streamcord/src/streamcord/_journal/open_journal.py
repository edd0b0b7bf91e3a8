"""Open the journal in the database of a store, with its write-ahead file."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path

from .._exceptions import StoreError
from .._store.database import OUTDATED_WRITE_AHEAD_SUFFIX, WRITE_AHEAD_SUFFIX, outdated_error
from .._store.sql_store import open_database
from .sql_journal import SqlJournal
from .write_ahead_file import WriteAheadFile


async def open_journal(
    where: str | PathLike[str],
    *,
    timeout: float = 1.0,  # noqa: ASYNC109 - of the database, not of the call
    fsync: bool = False,
    clock: Callable[[], float] = time.time,
) -> SqlJournal:
    """Open the journal in the database of a store.

    Args:
        where: the file of the store, or `postgresql://…`.
        timeout: seconds that a write waits for a locked database before it is tried again.
        fsync: whether rows also survive a power failure. Every message then waits for the disk; without it,
            rows survive the death of the process only.
        clock: returns seconds since 1970.

    Raises:
        StoreError: the database cannot be opened, or an earlier development version wrote it.

    Example:
        async with await open_journal("streamcord.db") as journal:
            await say(channel, stream, journal=journal.begin(channel=channel.id))

    """
    database = await open_database(fspath(where), timeout=timeout, fsync=fsync)
    if reserve := getattr(database, "reserve", None):
        # Space for the rows of running turns in case the disk fills up; the journal works without it.
        with suppress(StoreError):
            await reserve()
    file = getattr(database, "file", "")
    if _has_outdated_file(file):
        await database.close()
        raise outdated_error(f"The file {file + OUTDATED_WRITE_AHEAD_SUFFIX!r} beside the database")
    # With `fsync` rows go to the database, whose thread waits for the disk. The file is opened all the
    # same, to find the rows that an earlier process left in it.
    write_ahead = WriteAheadFile(file + WRITE_AHEAD_SUFFIX, is_open=not fsync) if file else None
    journal = SqlJournal(database, clock, write_ahead)
    journal.acquire_write_ahead_file()
    return journal


def _has_outdated_file(file: str) -> bool:
    """Whether an earlier, unreleased version left running turns in a file next to the database."""
    outdated = Path(file + OUTDATED_WRITE_AHEAD_SUFFIX)
    return bool(file) and outdated.is_file() and outdated.stat().st_size > 0
