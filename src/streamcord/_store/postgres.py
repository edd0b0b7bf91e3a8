"""The store on a PostgreSQL server, by its URL, through asyncpg (the extra `postgres`)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from .._shared.setup import install_line

try:
    import asyncpg  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover
    raise ImportError(f"PostgreSQL needs asyncpg: {install_line('postgres')}") from error

from .._errors import StoreError
from .database import RECORD, Row, SchemaStep, Statement, steps_after

_ARGUMENT = re.compile(r"\$(\d+)")

__all__ = ["PostgresDatabase", "leave_as_it_is", "open_postgres", "plain_words"]

CLOSING = 5.0
"""Seconds in which what was begun is finished before the connections are broken."""
_TAKE_TURNS = "SELECT pg_advisory_xact_lock(91759600558445)"
"""Who writes several statements does so alone, as in SQLite: two that start make one schema."""


async def open_postgres(
    url: str, *, patience: float = 5.0, known: tuple[SchemaStep, ...] | None = None
) -> PostgresDatabase:
    """Connect and bring the schema up to date; `patience` is how many seconds to wait for the server."""
    with plain_words(url):
        pool = await asyncpg.create_pool(
            url,
            min_size=0,
            max_size=4,
            timeout=patience,
            command_timeout=60,
            reset=leave_as_it_is,
            server_settings={"lock_timeout": f"{patience * 1000:.0f}"},
        )
    database = PostgresDatabase(pool, url)
    try:
        await database.prepare(known)
    except BaseException:
        await database.close()
        raise
    return database


async def leave_as_it_is(_connection: object) -> None:
    """Reset nothing when a connection is given back: nothing of ours outlives a transaction."""


class PostgresDatabase:
    """A few connections to a server."""

    def __init__(self, pool: Any, url: str) -> None:  # noqa: ANN401 - asyncpg has no types
        self._pool = pool
        self._url = url
        self._closed = False
        self._begun = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def prepare(self, known: tuple[SchemaStep, ...] | None) -> None:
        """Bring the schema up to date, in one transaction."""
        async with self.connection() as connection, connection.transaction():
            await connection.execute(_TAKE_TURNS)
            await connection.execute(RECORD)
            done = await connection.fetchval("SELECT count(*) FROM streamcord_schema")
            for step in steps_after(done, known):
                await connection.execute(step.sql)
                await connection.execute("INSERT INTO streamcord_schema VALUES ($1, $2)", *step[:2])

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query and return its rows."""
        async with self.connection() as connection:
            return [tuple(row) for row in await connection.fetch(sql, *arguments)]

    async def write(self, *statements: Statement, apart: bool = False) -> list[Row]:
        """Run the statements in one transaction; returns the rows of the last one."""
        if apart or len(statements) == 1:
            return await self._write_at_once(_as_one(statements))
        rows: list[Any] = []
        async with self.connection() as connection, connection.transaction():
            await connection.execute(_TAKE_TURNS)
            for sql, arguments in statements:
                rows = await connection.fetch(sql, *arguments)
        return [tuple(row) for row in rows]

    async def _write_at_once(self, statement: Statement) -> list[Row]:
        """One statement is a transaction by itself: nobody has to take turns for it."""
        async with self.connection() as connection:
            try:
                rows = await connection.fetch(statement.sql, *statement.arguments)
            except asyncpg.DeadlockDetectedError:
                # Whoever waited for us has what it needs now.
                rows = await connection.fetch(statement.sql, *statement.arguments)
        return [tuple(row) for row in rows]

    async def close(self) -> None:
        """Finish what was begun, then close the connections; a server that is away is not waited for."""
        if not self._closed:
            self._closed = True
            try:
                async with asyncio.timeout(CLOSING):
                    await self._idle.wait()
                    await self._pool.close()
            except TimeoutError:
                self._pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        """One of the connections; what goes wrong with it is a `StoreError`."""
        if self._closed:
            raise StoreError("The store is closed: open it again.")
        # The pool lets nobody in once it closes, not even those who wait at its door.
        self._begun += 1
        self._idle.clear()
        try:
            with plain_words(self._url):
                async with self._pool.acquire() as connection:
                    yield connection
        finally:
            self._begun -= 1
            if not self._begun:
                self._idle.set()


def _number_on(sql: str, first: int) -> str:
    return _ARGUMENT.sub(lambda found: f"${int(found[1]) + first}", sql)


@lru_cache(256)
def _join(sqls: tuple[str, ...], counts: tuple[int, ...]) -> str:
    """Statements as parts of one; their arguments are numbered on."""
    first, parts = 0, []
    for sql, count in zip(sqls, counts, strict=True):
        parts.append(_number_on(sql, first))
        first += count
    named = ", ".join(f"part{number} AS ({sql})" for number, sql in enumerate(parts[:-1]))
    return f"WITH {named} {parts[-1]}"


def _as_one(statements: Sequence[Statement]) -> Statement:
    """One statement that does what all of these do."""
    if len(statements) == 1:
        return statements[0]
    sql = _join(tuple(one.sql for one in statements), tuple(len(one.arguments) for one in statements))
    return Statement(sql, tuple(value for one in statements for value in one.arguments))


@contextmanager
def plain_words(url: str) -> Iterator[None]:
    """Say what goes wrong with the database of this URL in plain words."""
    try:
        yield
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
        # Not chained: what the driver says of a URL may hold its password.
        raise StoreError(_explain(error, _name(url))) from None


def _name(url: str) -> str:
    """The name of the database for error messages: without user and password."""
    try:
        parts = urlsplit(url)
        return f"{parts.path.strip('/') or 'postgres'} on {parts.hostname or 'this machine'}"
    except ValueError:
        return "of the URL"


def _explain(error: Exception, name: str) -> str:
    for kinds, words in _WORDS:
        if isinstance(error, kinds):
            return words.format(name=name)
    return f"The database {name} failed ({type(error).__name__}): look into the server's log."


_WORDS: tuple[tuple[tuple[type[Exception], ...], str], ...] = (
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
