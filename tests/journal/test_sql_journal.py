"""The journal in a database."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

import pytest

from streamcord import Degree, Settings, StoreError, say
from streamcord._journal.sql_journal import MAX_QUEUE_CHARS
from streamcord._store.database import Statement
from streamcord._store.sqlite import RESERVED_BYTES, open_sqlite
from streamcord.store import JournalRow, SqlJournal, open_journal, open_store
from virtual_time import Channel, Model


@pytest.fixture
def where(tmp_path: Path) -> str:
    """A database that the journal may be in; that of PostgreSQL is in tests/store."""
    return str(tmp_path / "s.db")


def row(number: int, kind: str = "received", turn: str = "t", **body: object) -> JournalRow:
    return JournalRow(turn, number, kind, body, 1.5)


async def test_rows_are_kept_in_their_order_until_they_are_forgotten(where: str) -> None:
    async with await open_journal(where) as journal:
        journal.write(row(1, events=[["text", "\x00 \ud83d"]]))
        journal.write(row(0, "turn"))
        journal.write(row(0, "turn", "u"))
        assert await journal.flush()
    async with await open_journal(where) as journal:
        assert [(one.turn, one.number) for one in await journal.entries()] == [("t", 0), ("t", 1), ("u", 0)]
        assert (await journal.entries())[1] == row(1, events=[["text", "\x00 \ud83d"]])


async def test_undecodable_turn_is_logged_and_kept_for_a_day(where: str) -> None:
    async with await open_journal(where) as journal:
        journal.write(JournalRow("new", 0, "turn", {"version": 99}, time.time()))
        journal.write(JournalRow("old", 0, "turn", {"version": 99}, time.time() - 90_000))
        await journal.flush()
        assert await journal.unfinished() == []
        assert sorted(one.turn for one in journal.unreadable) == ["new", "old"]
        await journal.flush()
        assert [one.turn for one in await journal.entries()] == ["new"]


async def test_interrupted_turn_is_found_again(where: str) -> None:
    async with await open_journal(where) as journal:
        turn = journal.begin(question="what?", channel=7)
        turn.begin(Settings(degree=Degree.LIGHT, typing="off"), None, None)
        turn.record_event("one\ntwo\nthr")
        turn.leave()
    async with await open_journal(where) as journal:
        (again,) = await journal.unfinished()
        assert (again.about, again.text) == ({"question": "what?", "channel": 7}, "one\ntwo\nthr")
        channel = Channel()
        await say(channel, Model("ee\n"), journal=again)
        assert channel.texts == ["one", "two", "three"]
    async with await open_journal(where) as journal:
        assert await journal.entries() == []


async def test_a_store_and_its_journal_share_a_file(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "s.db")
    async with await open_journal(tmp_path / "s.db", fsync=True) as journal:
        journal.write(row(0, "turn"))
        assert await journal.flush()
    await store.close()


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    await (await open_journal(tmp_path / "s.db")).close()
    return tmp_path / "s.db"


async def test_nobody_waits_for_a_database_that_is_locked_and_nothing_is_lost(file: Path) -> None:
    journal = await open_journal(file, timeout=0.01, fsync=True)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.write(row(0, "turn"))
    before = asyncio.get_running_loop().time()

    kept = [await journal.flush() for _ in range(3)]
    journal.write(row(1))

    assert kept == [False, False, False]
    assert asyncio.get_running_loop().time() - before < 2
    assert journal.failures
    other.execute("COMMIT")
    other.close()
    await flush_until_written(journal)
    assert [one.number for one in await journal.entries()] == [0, 1]
    await journal.close()


async def test_what_json_cannot_say_is_refused_at_once(file: Path) -> None:
    async with await open_journal(file) as journal:
        with pytest.raises(TypeError, match="not JSON serializable"):
            journal.begin(channel=object()).begin(Settings(), None, None)
        journal.write(row(0, "turn"))
        assert await journal.flush()
        assert len(await journal.entries()) == 1


async def test_what_grows_too_long_is_given_up_as_a_whole(file: Path) -> None:
    journal = await open_journal(file, timeout=0.01)
    journal.write(row(0, "turn"))
    assert await journal.flush()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    journal.write(row(1, text="x" * MAX_QUEUE_CHARS))
    journal.write(row(2))
    other.execute("COMMIT")
    other.close()
    await flush_until_written(journal)

    assert journal.given_up == 1
    assert await journal.entries() == []
    await journal.close()


async def flush_until_written(journal: SqlJournal) -> None:
    async with asyncio.timeout(10):
        while not await journal.flush():  # noqa: ASYNC110 - a database tells no one that it is free
            await asyncio.sleep(0.05)


async def test_a_damaged_row_ends_its_turn_before_it_and_hurts_no_other(file: Path) -> None:
    async with await open_journal(file) as journal:
        for name in ["bad", "good"]:
            turn = journal.begin(name=name)
            turn.begin(Settings(), None, None)
            turn.record_event("words")
            turn.leave()
        await flush_until_written(journal)
    with sqlite3.connect(file) as other:
        (bad,) = other.execute("SELECT turn FROM journal WHERE body LIKE '%\"bad\"%'").fetchone()
        other.execute("UPDATE journal SET body = '{\"ev' WHERE turn = ? AND number = 1", (bad,))
    other.close()
    async with await open_journal(file) as journal:
        turns = await journal.unfinished()
    assert sorted((turn.about["name"], turn.text) for turn in turns) == [("bad", ""), ("good", "words")]


async def test_read_only_file_raises_a_helpful_error(tmp_path: Path) -> None:
    (tmp_path / "s.db").write_bytes(b"this is no database at all" * 100)

    with pytest.raises(StoreError, match="not a database of streamcord"):
        await open_journal(tmp_path / "s.db")


async def test_the_file_does_not_grow_with_the_number_of_turns(file: Path) -> None:
    async with await open_journal(file) as journal:
        sizes = []
        for number in range(300):
            turn = journal.begin(number=number)
            turn.begin(Settings(), None, None)
            turn.record_event("words " * 200)
            turn.leave()
            await journal.flush()
            turn.close()
            if number in {100, 299}:
                await flush_until_written(journal)
                sizes.append(file.stat().st_size)  # noqa: ASYNC240
    assert sizes[1] <= sizes[0] + 64 * 1024


async def test_full_disk_uses_the_reserved_space(file: Path) -> None:
    def freeze(connection: sqlite3.Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    database = await open_sqlite(str(file))
    await database.reserve()
    await database._writer.do(freeze)
    put = "INSERT INTO journal (turn, number, kind, body, written_at) VALUES ($1, $2, 'received', $3, 0)"
    try:
        for number in range(100):
            await database.write(Statement(put, ("t", number, "words" * 800)))
        assert await database.read("SELECT count(*) FROM journal") == [(100,)]
        with pytest.raises(StoreError, match="There is no space left"):
            await database.write(Statement(put, ("t", 100, "x" * 2 * RESERVED_BYTES)))
        # Nothing that was taken for it is in anybody's way.
        assert await database.read("SELECT name FROM sqlite_schema WHERE name LIKE '%reserve'") == []
    finally:
        await database.close()


async def test_write_ahead_file_of_a_development_version_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "s.db-turns"
    old.write_bytes(b"rows")

    with pytest.raises(StoreError, match="-turns' beside the database was written by an earlier development"):
        await open_journal(tmp_path / "s.db")
    assert old.read_bytes() == b"rows"
