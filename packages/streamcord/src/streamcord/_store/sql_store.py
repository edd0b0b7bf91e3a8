"""The store on a SQL database, and opening a database by path or URL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from os import PathLike, fspath

from .._exceptions import StoreError
from .ask_repository import AskRepository
from .database import LOCK_TIMEOUT_S, Database, Schema
from .memory_repository import MemoryRepository
from .message_repository import MessageRepository
from .persona_repository import PersonaRepository
from .privacy_repository import PrivacyRepository
from .settings_repository import SettingRepository
from .spending_repository import SpendingRepository
from .sqlite import find_sqlite_schema, open_sqlite


class SqlStore(
    PersonaRepository,
    SettingRepository,
    MessageRepository,
    MemoryRepository,
    SpendingRepository,
    PrivacyRepository,
    AskRepository,
):
    """The implementation of `streamcord.store.Store`; `async with` closes it.

    Example:
        store = SqlStore(await open_database("bot.db"), time.time)
        personas = await store.personas(guild.id)

    """

    async def close(self) -> None:
        """Finish the pending statements, then close the database."""
        await self._database.close()

    async def __aenter__(self) -> SqlStore:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


_POSTGRES = ("postgresql://", "postgres://")
_SQLITE = "sqlite:///"


async def open_store(
    where: str | PathLike[str],
    *,
    create: bool = True,
    timeout: float = LOCK_TIMEOUT_S,  # noqa: ASYNC109 - of the database, not of the call
    clock: Callable[[], float] = time.time,
) -> SqlStore:
    """Open the store and bring its schema up to date.

    Args:
        where: A SQLite file, `:memory:`, or a URL that begins with `postgresql://`.
        create: Create the file if it does not exist.
        timeout: Seconds to wait for a database that is locked or does not answer.
        clock: Returns the time in seconds since 1970.

    Raises:
        StoreError: the database cannot be opened; the message says what to do.

    Example:
        async with await open_store("streamcord.db") as store:
            personas = await store.personas(guild.id)

    """
    return SqlStore(await open_database(fspath(where), create=create, timeout=timeout), clock)


async def find_schema(
    where: str | PathLike[str],
    *,
    timeout: float = LOCK_TIMEOUT_S,  # noqa: ASYNC109 - of the database, not of the call
) -> Schema | None:
    """Look at the schema of a database without changing anything.

    Args:
        where: A SQLite file, `:memory:`, or a URL that begins with `postgresql://`.
        timeout: Seconds to wait for a database that is locked or does not answer.

    Returns:
        The schema, or `None` if there is no database yet. `open_store` creates it, or brings it up to date.

    Raises:
        StoreError: the database cannot be read, or a newer version of streamcord has written it.

    Example:
        schema = await find_schema("streamcord.db")

    """
    where = fspath(where)
    if where.startswith(_POSTGRES):
        try:
            from .postgres import find_postgres_schema  # noqa: PLC0415  (an extra)
        except ImportError as error:
            raise StoreError(str(error), retryable=False) from None
        return await find_postgres_schema(where, timeout)
    path = where.removeprefix(_SQLITE)
    if "://" in path:
        raise _url_error()
    return await asyncio.to_thread(find_sqlite_schema, path, timeout)


def _url_error() -> StoreError:
    return StoreError(
        "The database must be a file, or a URL that begins with postgresql://.", retryable=False
    )


async def open_database(
    where: str,
    *,
    create: bool = True,
    timeout: float = LOCK_TIMEOUT_S,  # noqa: ASYNC109 - of the database, not of the call
    fsync: bool = False,
) -> Database:
    """Open a database and bring its schema up to date.

    Args:
        where: A path for SQLite, `:memory:`, or a `postgresql://` address.
        create: Whether to create a missing SQLite file.
        timeout: Seconds to wait for another process that writes to the SQLite file.
        fsync: Whether SQLite waits for its disk after each transaction.

    Returns:
        The open database; close it at the end.

    Raises:
        StoreError: The database cannot be opened, or a newer version of streamcord has written it.

    Example:
        database = await open_database("bot.db")
        store, journal = SqlStore(database, time.time), SqlJournal(database)

    """
    if where.startswith(_POSTGRES):
        try:
            from .postgres import open_postgres  # noqa: PLC0415  (an extra)
        except ImportError as error:
            raise StoreError(str(error)) from None
        return await open_postgres(where, timeout=timeout)
    path = where.removeprefix(_SQLITE)
    if "://" in path:
        raise _url_error()
    return await open_sqlite(path, create=create, timeout=timeout, fsync=fsync)
