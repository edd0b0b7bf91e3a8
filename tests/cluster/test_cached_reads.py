"""What is read for every question is asked of the database once, and never used after it has changed."""

from __future__ import annotations

import asyncio

import asyncpg  # type: ignore[import-untyped]
import pytest

from cluster.conftest import Join
from streamcord import Persona
from streamcord._store.database import Row, Statement
from streamcord._store.persona_repository import PLACE_READS
from streamcord._store.sql_store import SqlStore
from streamcord.store import Place, StoredPersona
from streamcord_bot.coordination.cluster import read_cache as cached_reads
from streamcord_bot.coordination.cluster.membership import Membership
from streamcord_bot.coordination.cluster.read_cache import CachedReads, open_cached_store

HERE = Place(1, 2)


class Counted:
    """A database of one answer, which counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.rows: list[Row] = [("a",)]

    async def read(self, _sql: str, *_arguments: object) -> list[Row]:
        self.asked += 1
        rows = self.rows
        await asyncio.sleep(0)
        return rows

    async def write(self, *_statements: Statement, independent: bool = False) -> list[Row]:
        return []

    async def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def database() -> Counted:
    return Counted()


async def test_what_is_read_for_every_question_is_asked_once(database: Counted) -> None:
    reads = CachedReads(database, lambda: True)
    for sql in PLACE_READS:
        assert await reads.read(sql, 1, 2) == await reads.read(sql, 1, 2) == [("a",)]

    assert (database.asked, reads.hits) == (len(PLACE_READS), len(PLACE_READS))
    await reads.read(PLACE_READS[0], 1, 3)
    await reads.read("SELECT text FROM memories", 1)
    await reads.read("SELECT text FROM memories", 1)
    assert database.asked == len(PLACE_READS) + 3


async def test_nothing_is_cached_while_not_listening(database: Counted) -> None:
    reads = CachedReads(database, lambda: False)
    await reads.read(PLACE_READS[0], 1, 2)
    await reads.read(PLACE_READS[0], 1, 2)

    assert database.asked == 2


async def test_what_changes_while_it_is_read_is_not_kept(database: Counted) -> None:
    reads = CachedReads(database, lambda: True)
    reading = asyncio.create_task(reads.read(PLACE_READS[0], 1, 2))
    await asyncio.sleep(0)
    database.rows = [("b",)]
    reads.forget()
    await reading

    assert await reads.read(PLACE_READS[0], 1, 2) == [("b",)]


async def test_an_answer_grows_old_and_a_large_one_is_not_kept(database: Counted) -> None:
    now = 0.0
    reads = CachedReads(database, lambda: True, lambda: now)
    await reads.read(PLACE_READS[0], 1, 2)
    now = cached_reads.MAX_AGE_S
    await reads.read(PLACE_READS[0], 1, 2)
    assert database.asked == 2
    database.rows = [("x" * (cached_reads.MAX_RESULT_CHARS + 1),)]
    await reads.read(PLACE_READS[0], 3, 2)
    await reads.read(PLACE_READS[0], 3, 2)
    assert database.asked == 4


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        ("INSERT INTO settings VALUES ($1)", False),
        ("UPDATE personas SET key = $1", False),
        ("DELETE FROM persona_choices WHERE guild = $1", False),
        ("DELETE FROM memories WHERE guild = $1", True),
    ],
)
async def test_writer_reads_its_own_change(database: Counted, sql: str, kept: bool) -> None:
    reads = CachedReads(database, lambda: True)
    await reads.read(PLACE_READS[0], 1, 2)
    await reads.write(Statement(sql))
    await reads.read(PLACE_READS[0], 1, 2)

    assert database.asked == (1 if kept else 2)
    await reads.close()


# --- On a real PostgreSQL -------------------------------------------------------------------------------


@pytest.fixture
async def stores(join: Join, postgres_url: str) -> list[SqlStore]:
    """The stores of two members that hear of changes."""
    members = [await join("1"), await join("2")]
    return [await _open(postgres_url, member) for member in members]


async def _open(url: str, member: Membership) -> SqlStore:
    store = await open_cached_store(url, member)
    member.start()
    await member.listening.wait()
    return store


async def _until(store: SqlStore, wanted: object) -> None:
    async with asyncio.timeout(5):
        while await store.settings(HERE) != wanted:  # noqa: ASYNC110 - the database tells the store, not us
            await asyncio.sleep(0.005)


async def test_a_change_is_known_to_all_members_in_a_moment(
    stores: list[SqlStore], postgres_url: str
) -> None:
    one, other = stores
    assert await one.settings(HERE) == await other.settings(HERE) == {}
    await one.change_settings(HERE, {"degree": 2})
    assert await one.settings(HERE) == {"degree": 2}, "at once where it was set"
    await _until(other, {"degree": 2})
    by_hand = await asyncpg.connect(postgres_url)
    await by_hand.execute("UPDATE settings SET value = '3'")
    await by_hand.close()
    await _until(one, {"degree": 3})
    await _until(other, {"degree": 3})
    for store in stores:
        await store.close()


async def _knows_luna(store: SqlStore) -> bool:
    chosen = await store.find_choice(HERE) == "Luna"
    return chosen and bool(await store.personas(1)) and await store.refuses_memory(7)


async def test_changes_of_personas_choices_and_opt_outs_clear_the_cache(stores: list[SqlStore]) -> None:
    one, other = stores
    assert not await other.personas(1)
    assert await other.find_choice(HERE) is None
    assert not await other.refuses_memory(7)
    await one.save_persona(StoredPersona(Persona("Luna"), guild=1))
    await one.choose_persona(HERE, "Luna")
    await one.refuse_memory(7)
    async with asyncio.timeout(5):
        while not await _knows_luna(other):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.005)
    for store in stores:
        await store.close()
