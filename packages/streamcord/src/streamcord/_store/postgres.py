"""PostgreSQL by URL, through asyncpg (the extra `postgres`)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from .._common.optional_dependencies import install_line

try:
    import asyncpg  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover
    raise ImportError(f"PostgreSQL needs asyncpg: {install_line('postgres')}") from error

from .._exceptions import StoreError
from .database import (
    CREATE_MIGRATIONS_TABLE,
    LOCK_TIMEOUT_S,
    OUTDATED_TABLE,
    Migration,
    Row,
    Schema,
    Statement,
    load_migrations,
    log_migration,
    outdated_error,
    pending_migrations,
)

_ARGUMENT = re.compile(r"\$(\d+)")

CLOSE_TIMEOUT_S = 5.0
"""How long `close` waits for running statements before it breaks the connections."""
_LOCK_WRITERS = "SELECT pg_advisory_xact_lock(91759600558445)"
"""Transactions of several statements run one at a time, as in SQLite; so do migrations of two processes."""


async def open_postgres(
    url: str,
    *,
    timeout: float = LOCK_TIMEOUT_S,  # noqa: ASYNC109 - of the database, not of the call
    known: tuple[Migration, ...] | None = None,
) -> PostgresDatabase:
    """Connect and migrate the schema; `timeout` is how many seconds to wait for the server or a lock."""
    with translate_errors(url):
        pool = await asyncpg.create_pool(
            url,
            min_size=0,
            max_size=4,
            timeout=timeout,
            command_timeout=60,
            reset=skip_reset,
            server_settings={"lock_timeout": f"{timeout * 1000:.0f}"},
        )
    database = PostgresDatabase(pool, url)
    try:
        await database.prepare(known)
    except BaseException:
        await database.close()
        raise
    return database


async def skip_reset(_connection: object) -> None:
    """Save the round trip that resets a released connection: none of our state outlives a transaction.

    Args:
        _connection: The connection, which is left as it is.

    Example:
        pool = await asyncpg.create_pool(url, reset=skip_reset)

    """


async def find_postgres_schema(url: str, timeout: float = LOCK_TIMEOUT_S) -> Schema | None:  # noqa: ASYNC109
    """Return the schema of a database without changing anything; `None` if it has no tables of ours yet.

    Args:
        url: The address of the server.
        timeout: Seconds to wait for the server.

    Raises:
        StoreError: The server cannot be reached, or another version of streamcord has written the database.

    Example:
        schema = await find_postgres_schema("postgresql://localhost/bot")

    """
    with translate_errors(url):
        connection = await asyncpg.connect(url, timeout=timeout, command_timeout=timeout)
        try:
            if await connection.fetchval("SELECT to_regclass($1)", OUTDATED_TABLE):
                raise outdated_error(f"The database {_name(url)}")
            if not await connection.fetchval("SELECT to_regclass('streamcord_migrations')"):
                return None
            applied = int(await connection.fetchval("SELECT count(*) FROM streamcord_migrations"))
        finally:
            await connection.close(timeout=timeout)
    known = load_migrations()
    pending_migrations(applied, known)
    return Schema(applied, len(known))


class PostgresDatabase:
    """A small pool of connections to a PostgreSQL server.

    Args:
        pool: A pool of asyncpg.
        url: The address of the server, for error messages; its password is not shown.

    Example:
        database = PostgresDatabase(await asyncpg.create_pool(url, reset=skip_reset), url)
        rows = await database.read("SELECT 1")

    """

    def __init__(self, pool: Any, url: str) -> None:  # noqa: ANN401 - asyncpg has no types
        self._pool = pool
        self._url = url
        self._closed = False
        # Statements that are running or waiting for a connection.
        self._pending = 0
        # Set while there are none.
        self._idle = asyncio.Event()
        self._idle.set()

    async def prepare(self, known: tuple[Migration, ...] | None) -> None:
        """Apply the missing migrations in one transaction.

        Raises:
            StoreError: another version of streamcord has written the database.

        """
        async with self.connection() as connection, connection.transaction():
            await connection.execute(_LOCK_WRITERS)
            if await connection.fetchval("SELECT to_regclass($1)", OUTDATED_TABLE):
                raise outdated_error(f"The database {_name(self._url)}")
            await connection.execute(CREATE_MIGRATIONS_TABLE)
            applied = await connection.fetchval("SELECT count(*) FROM streamcord_migrations")
            pending = pending_migrations(applied, known)
            log_migration(_name(self._url), applied, pending)
            for migration in pending:
                await connection.execute(migration.sql)
                await connection.execute("INSERT INTO streamcord_migrations VALUES ($1, $2)", *migration[:2])

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query and return its rows."""
        async with self.connection() as connection:
            return [tuple(row) for row in await connection.fetch(sql, *arguments)]

    async def write(self, *statements: Statement, independent: bool = False) -> list[Row]:
        """Run the statements in one transaction and return the rows of the last one."""
        if independent or len(statements) == 1:
            return await self._write_one(_as_one(statements))
        rows: list[Any] = []
        async with self.connection() as connection, connection.transaction():
            await connection.execute(_LOCK_WRITERS)
            for sql, arguments in statements:
                rows = await connection.fetch(sql, *arguments)
        return [tuple(row) for row in rows]

    async def _write_one(self, statement: Statement) -> list[Row]:
        """Run one statement, which is a transaction by itself and needs no lock."""
        async with self.connection() as connection:
            try:
                rows = await connection.fetch(statement.sql, *statement.arguments)
            except asyncpg.DeadlockDetectedError:
                # PostgreSQL aborted this side; the other transaction can finish now, so once more is enough.
                rows = await connection.fetch(statement.sql, *statement.arguments)
        return [tuple(row) for row in rows]

    async def close(self) -> None:
        """Finish the pending statements, then close the connections; give up after `CLOSE_TIMEOUT_S`."""
        if not self._closed:
            self._closed = True
            try:
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await self._idle.wait()
                    await self._pool.close()
            except TimeoutError:
                self._pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        """Borrow a connection; its errors are raised as `StoreError`."""
        if self._closed:
            raise StoreError("The store is closed: open it again.")
        # Counted because a closing pool rejects everyone who still waits for a connection.
        self._pending += 1
        self._idle.clear()
        try:
            with translate_errors(self._url):
                async with self._pool.acquire() as connection:
                    yield connection
        finally:
            self._pending -= 1
            if not self._pending:
                self._idle.set()


def _renumber(sql: str, first: int) -> str:
    return _ARGUMENT.sub(lambda found: f"${int(found[1]) + first}", sql)


@lru_cache(256)
def _join(sqls: tuple[str, ...], counts: tuple[int, ...]) -> str:
    """Join statements into one with CTEs; the arguments are renumbered."""
    first, parts = 0, []
    for sql, count in zip(sqls, counts, strict=True):
        parts.append(_renumber(sql, first))
        first += count
    named = ", ".join(f"part{number} AS ({sql})" for number, sql in enumerate(parts[:-1]))
    return f"WITH {named} {parts[-1]}"


def _as_one(statements: Sequence[Statement]) -> Statement:
    """Combine independent statements into one, so that they take one round trip."""
    if len(statements) == 1:
        return statements[0]
    sql = _join(tuple(one.sql for one in statements), tuple(len(one.arguments) for one in statements))
    return Statement(sql, tuple(value for one in statements for value in one.arguments))


@contextmanager
def translate_errors(url: str) -> Iterator[None]:
    """Raise errors of the driver as a `StoreError` that says what to do.

    Args:
        url: The address of the server, for the message; its password is not shown.

    Yields:
        Nothing; the errors inside the block are translated.

    Raises:
        StoreError: The server cannot be reached, refused the statement, or ended the connection.

    Example:
        with translate_errors(url):
            pool = await asyncpg.create_pool(url)

    """
    try:
        yield
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
        # Not chained: the driver's message about a URL may contain the password.
        raise StoreError(_explain(error, _name(url))) from None


def _name(url: str) -> str:
    """Return the name of the database for error messages, without user and password."""
    try:
        parts = urlsplit(url)
        return f"{parts.path.strip('/') or 'postgres'} on {parts.hostname or 'this machine'}"
    except ValueError:
        return "of the URL"


def _explain(error: Exception, name: str) -> str:
    for kinds, message in _ERROR_MESSAGES:
        if isinstance(error, kinds):
            return message.format(name=name)
    return f"The database {name} failed ({type(error).__name__}): look into the server's log."


_ERROR_MESSAGES: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
    (
        (asyncpg.InvalidAuthorizationSpecificationError,),
        "The database {name} does not let this user in: check user and password in the URL.",
    ),
    (
        (asyncpg.InvalidCatalogNameError,),
        "The database {name} does not exist: make it with createdb, or check the name in the URL.",
    ),
    (
        (asyncpg.InsufficientPrivilegeError,),
        "This user may not make or write tables in the database {name}: grant it the right to.",
    ),
    (
        (asyncpg.TransactionRollbackError, asyncpg.LockNotAvailableError, TimeoutError),
        "The database {name} was locked or did not answer in time: see what else uses it, then try again.",
    ),
    (
        (asyncpg.ReadOnlySQLTransactionError,),
        "The database {name} can only be read: use the server that takes writes, not its copy.",
    ),
    (
        (asyncpg.DiskFullError, asyncpg.OutOfMemoryError),
        "The disk or memory of the database {name} is full: make room, then try again.",
    ),
    (
        (asyncpg.IntegrityConstraintViolationError,),
        "The database {name} already holds something of that name.",
    ),
    (
        (asyncpg.TooManyConnectionsError,),
        "The database {name} takes no more connections: raise its max_connections, or start fewer processes.",
    ),
    (
        (OSError, asyncpg.CannotConnectNowError),
        "The database {name} cannot be reached: check that PostgreSQL runs, and host and port of the URL.",
    ),
    (
        (asyncpg.ClientConfigurationError, ValueError),
        "The URL of the database cannot be read: it looks like postgresql://user:password@host:5432/name.",
    ),
)
