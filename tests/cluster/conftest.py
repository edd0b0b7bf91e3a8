"""A real PostgreSQL, as the store's own tests have it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from store.conftest import postgres_server, postgres_url
from streamcord_bot.coordination.cluster.cluster_rows import ClusterRows, open_rows
from streamcord_bot.coordination.cluster.membership import Membership

__all__ = ["postgres_server", "postgres_url"]

BOT = 77
Join = Callable[..., Awaitable[Membership]]


@pytest.fixture
async def rows(postgres_url: str) -> AsyncIterator[ClusterRows]:
    """The tables of a cluster, empty."""
    opened = await open_rows(postgres_url, 10.0)
    yield opened
    await opened.close()


@pytest.fixture
async def join(rows: ClusterRows) -> AsyncIterator[Join]:
    """Makes members; each has a name as if it ran elsewhere, and a clock that stands still."""
    async with AsyncExitStack() as stack:

        async def make(name: str, shards: int = 4, **more: object) -> Membership:
            member = Membership(rows, BOT, **more)  # type: ignore[arg-type]
            member.name = f"elsewhere/{name}/1#0"
            member.is_ready = True
            await member.join(shards, 1)
            stack.push_async_callback(member.leave)
            return member

        yield make
