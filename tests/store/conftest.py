"""A store in memory; and a PostgreSQL that really runs, once per test process: that of
STREAMCORD_TEST_POSTGRES, or from a wheel.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from itertools import count
from urllib.parse import urlsplit, urlunsplit

import asyncpg  # type: ignore[import-untyped]
import pytest

from streamcord._store.sql_store import SqlStore
from streamcord.store import open_store

from .server import running_postgres

_NUMBERS = count()


class Time:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    """The clock of `store`."""
    return Time()


@pytest.fixture
async def store(time: Time) -> AsyncIterator[SqlStore]:
    """An empty database in memory."""
    async with await open_store(":memory:", clock=time) as opened:
        yield opened


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server where databases may be made."""
    with ExitStack() as stack:
        try:
            given = os.environ.get("STREAMCORD_TEST_POSTGRES")
            url = given or stack.enter_context(running_postgres())
        except Exception as error:
            pytest.skip(f"PostgreSQL does not start from its wheel ({error}); set STREAMCORD_TEST_POSTGRES")
        yield url


@pytest.fixture
async def postgres_url(postgres_server: str) -> AsyncIterator[str]:
    """The URL of a database of one's own, empty."""
    name = f"streamcord_{os.getpid()}_{next(_NUMBERS)}"
    connection = await asyncpg.connect(postgres_server)
    await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    yield urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))
    await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await connection.close()
