"""The database on a server: what it says when the server is not there, or will not."""

from __future__ import annotations

import asyncio
import traceback
from urllib.parse import urlsplit, urlunsplit

import asyncpg  # type: ignore[import-untyped]
import pytest

from streamcord import Settings, StoreError
from streamcord._store.database import Statement
from streamcord._store.postgres import open_postgres
from streamcord.store import Place, open_journal, open_store


def with_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


async def test_a_server_that_is_not_there_is_an_error_without_the_password() -> None:
    url = "postgresql://luna:s3cret@127.0.0.1:1/streamcord"
    with pytest.raises(StoreError) as caught:
        await open_store(url, timeout=2)

    assert str(caught.value) == (
        "The database streamcord on 127.0.0.1 cannot be reached: "
        "check that PostgreSQL runs, and host and port of the URL."
    )
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


async def test_a_missing_database_is_named(postgres_server: str) -> None:
    with pytest.raises(StoreError, match=r"The database moon on .* does not exist: make it with createdb"):
        await open_store(with_database(postgres_server, "moon"))


@pytest.mark.parametrize("url", ["postgresql://a:s3cret@host:port/x", "postgresql://u:s3cret@[::1/x"])
async def test_a_url_that_cannot_be_read_is_not_repeated(url: str) -> None:
    with pytest.raises(StoreError, match="The URL of the database cannot be read") as caught:
        await open_store(url)
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


async def test_user_without_permissions_gets_a_helpful_error(postgres_server: str, postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_server)
    await connection.execute("CREATE ROLE guest LOGIN")
    try:
        with pytest.raises(StoreError, match="may not make or write tables"):
            await open_store(postgres_url.replace("postgres@", "guest@"))
    finally:
        await connection.execute("DROP ROLE guest")
        await connection.close()


async def test_a_server_that_goes_away_is_an_error_and_its_return_is_noticed(
    postgres_server: str, postgres_url: str
) -> None:
    async with await open_store(postgres_url) as store:
        await store.change_settings(Place(1), {"degree": 1})
        connection = await asyncpg.connect(postgres_server)
        name = urlsplit(postgres_url).path.strip("/")
        ask = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1"
        await connection.execute(ask, name)
        await connection.close()

        assert await store.settings(Place(1)) == {"degree": 1}


async def test_writers_in_each_others_way_take_turns(postgres_url: str) -> None:
    database = await open_postgres(postgres_url)
    again = "ON CONFLICT (guild, channel, name) DO UPDATE SET value = '2'"
    sql = f"INSERT INTO settings VALUES (1, $1, 'x', '1') {again}"
    up, down = ([Statement(sql, (number,)) for number in order] for order in (range(20), range(19, -1, -1)))

    await asyncio.gather(*(database.write(*statements) for statements in (up, down) * 5))

    assert len(await database.read("SELECT * FROM settings WHERE value = '2'")) == 20
    await database.close()


async def test_a_database_that_someone_locks_is_an_error_and_the_next_write_works(postgres_url: str) -> None:
    async with await open_store(postgres_url, timeout=0.3) as store:
        other = await asyncpg.connect(postgres_url)
        async with other.transaction():
            await other.execute("LOCK TABLE settings")
            with pytest.raises(
                StoreError, match="was locked or did not answer in time: see what else uses it"
            ):
                await store.change_settings(Place(1), {"degree": 1})
        await other.close()

        await store.change_settings(Place(1), {"degree": 2})
        assert await store.settings(Place(1)) == {"degree": 2}


async def test_bots_that_start_at_once_make_the_schema_once(postgres_url: str) -> None:
    stores = await asyncio.gather(*(open_store(postgres_url) for _ in range(4)))
    for store in stores:
        await store.close()


async def test_the_journal_of_a_turn_is_kept_there_too(postgres_url: str) -> None:
    async with await open_journal(postgres_url) as journal:
        turn = journal.begin(question="what? \x00")
        turn.begin(Settings(typing="off"), None, None)
        turn.record_event("words \ud83d")
        turn.leave()
        assert await journal.flush()
    async with await open_journal(postgres_url) as journal:
        (again,) = await journal.unfinished()
        assert (again.about, again.text) == ({"question": "what? \x00"}, "words \ud83d")
        again.close()
        assert await journal.flush()
        assert await journal.entries() == []
