"""A database that takes two seconds for everything, and one whose disk is full."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs, urlsplit

import asyncpg  # type: ignore[import-untyped]
import pytest

from cluster.breakable import Line
from cluster.conftest import BOT
from streamcord import StoreError
from streamcord._cluster.cluster_rows import open_rows
from streamcord._cluster.membership import Membership
from streamcord._store.postgres import plain_words


async def test_a_slow_database_makes_everything_late_and_nothing_wrong(postgres_url: str) -> None:
    folders = parse_qs(urlsplit(postgres_url).query).get("host")
    if folders is None:
        pytest.skip("a server of one's own has no socket that we know of")
    line = Line(f"{folders[0]}/.s.PGSQL.5432")
    listening = await line.serve()
    name = urlsplit(postgres_url).path
    rows = await open_rows(f"postgresql://postgres@127.0.0.1:{line.port}{name}", 10.0)
    near = await open_rows(postgres_url, 10.0)
    try:
        slow, quick = Membership(rows, BOT), Membership(near, BOT)
        slow.name, quick.name = "elsewhere/1/1#0", "elsewhere/2/1#0"
        slow.is_ready = quick.is_ready = True
        await slow.join(2, 1)
        await quick.join(2, 1)
        line.delay = 1.0
        begun = asyncio.get_running_loop().time()
        await asyncio.gather(slow.tick(), quick.tick())
        await asyncio.gather(slow.tick(), quick.tick())

        assert asyncio.get_running_loop().time() - begun > 2.0
        assert slow.is_valid
        assert not slow.held & quick.held
        assert {slow.name, quick.name} == quick.view.names()
    finally:
        line.delay = 0.0
        await rows.close()
        await near.close()
        listening.close()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (asyncpg.DiskFullError("no space"), "is full: make room"),
        (asyncpg.ReadOnlySQLTransactionError("no"), "can only be read"),
        (asyncpg.UndefinedColumnError("no such column"), "failed .UndefinedColumnError."),
    ],
)
def test_what_is_wrong_with_a_database_is_one_line(error: Exception, words: str) -> None:
    with pytest.raises(StoreError, match=words), plain_words("postgresql://a:secret@h/d"):
        raise error
