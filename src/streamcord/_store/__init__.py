"""The store itself, and which database a path or URL means."""

from __future__ import annotations

import time
from collections.abc import Callable
from os import PathLike, fspath
from types import TracebackType

from .._errors import StoreError
from .channel_records import MemoryRecords, MessageRecords, SettingRecords
from .database import Database
from .persona_records import PersonaRecords
from .privacy.privacy_records import PrivacyRecords
from .spending import SpendingRecords
from .sqlite import open_sqlite

__all__ = ["SqlStore", "open_database", "open_store"]


class SqlStore(
    PersonaRecords, SettingRecords, MessageRecords, MemoryRecords, SpendingRecords, PrivacyRecords
):
    """Everything that a bot keeps; `async with` closes it."""

    async def close(self) -> None:
        """Finish what was begun, then close the database."""
        await self._database.close()

    async def __aenter__(self) -> SqlStore:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


_POSTGRES = ("postgresql://", "postgres://")
_SQLITE = "sqlite:///"


async def open_store(
    where: str | PathLike[str],
    *,
    create: bool = True,
    patience: float = 5.0,
    clock: Callable[[], float] = time.time,
) -> SqlStore:
    """Open the store in a file, or on a server by `postgresql://…`, and bring it up to date.

    A file that is not there is made, unless `create` is off; `:memory:` keeps nothing. `patience` is how many
    seconds to wait for a database that is locked or does not answer.
    """
    return SqlStore(await open_database(fspath(where), create=create, patience=patience), clock)


async def open_database(
    where: str, *, create: bool = True, patience: float = 5.0, power_loss: bool = False
) -> Database:
    """The database that a path or URL means, up to date; `power_loss` makes SQLite wait for its disk."""
    if where.startswith(_POSTGRES):
        try:
            from .postgres import open_postgres  # noqa: PLC0415  (an extra)
        except ImportError as error:
            raise StoreError(str(error)) from None
        return await open_postgres(where, patience=patience)
    path = where.removeprefix(_SQLITE)
    if "://" in path:
        raise StoreError("The database must be a file, or a URL that begins with postgresql://.")
    return await open_sqlite(path, create=create, patience=patience, power_loss=power_loss)
