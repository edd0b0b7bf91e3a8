"""A database that takes two seconds for everything, and one whose disk is full."""

from __future__ import annotations

import asyncio
import logging
from urllib.parse import parse_qs, urlsplit

import asyncpg  # type: ignore[import-untyped]
import pytest

from cluster.breakable import Line
from cluster.conftest import BOT, Join
from streamcord import StoreError
from streamcord._journal.protocol import JournalRow
from streamcord._store import postgres
from streamcord._store.postgres import open_postgres, translate_errors
from streamcord_bot.coordination.cluster.cluster_rows import ClusterRows, open_rows
from streamcord_bot.coordination.cluster.journal import ClusterJournal
from streamcord_bot.coordination.cluster.membership import Membership


def _socket(url: str) -> str:
    folders = parse_qs(urlsplit(url).query).get("host")
    if folders is None:
        pytest.skip("a server of one's own has no socket that we know of")
    return f"{folders[0]}/.s.PGSQL.5432"


def _through(line: Line, url: str) -> str:
    return f"postgresql://postgres@127.0.0.1:{line.port}{urlsplit(url).path}"


async def test_a_slow_database_makes_everything_late_and_nothing_wrong(postgres_url: str) -> None:
    line = Line(_socket(postgres_url))
    listening = await line.serve()
    rows = await open_rows(_through(line, postgres_url), 10.0)
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
        assert not slow.owned_shards & quick.owned_shards
        assert {slow.name, quick.name} == quick.view.names()
    finally:
        line.delay = 0.0
        await rows.close()
        await near.close()
        listening.close()


FULL = """
CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
CREATE TRIGGER full_now BEFORE INSERT OR UPDATE ON cluster_members EXECUTE FUNCTION disk_is_full();
CREATE TRIGGER full_now BEFORE INSERT OR UPDATE ON journal EXECUTE FUNCTION disk_is_full();
"""
ROOMY = "DROP TRIGGER full_now ON cluster_members; DROP TRIGGER full_now ON journal"
MENDED = "ALTER TABLE old RENAME TO journal; ALTER TABLE o RENAME TO cluster_members"


@pytest.mark.parametrize(
    ("break_", "mend", "words"),
    [
        (FULL, ROOMY, "is full: make room"),
        ("ALTER TABLE journal RENAME TO old; ALTER TABLE cluster_members RENAME TO o", MENDED, "failed"),
    ],
)
async def test_answers_wait_while_the_database_rejects_writes(
    join: Join,
    rows: ClusterRows,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    break_: str,
    mend: str,
    words: str,
) -> None:
    now = [0.0]
    member = await join("1", clock=lambda: now[0])
    journal = ClusterJournal(member)
    async with rows.database.connection() as connection:
        await connection.execute(break_)
    now[0] += 20.0
    await member.tick()
    failed = _event_of("writing the journal failed, answers wait until it succeeds", monkeypatch)
    journal.write(JournalRow("t", 0, "turn", {}, 1.0))
    waiting = asyncio.create_task(journal.flush())
    async with asyncio.timeout(30):
        await failed.wait()

    assert not member.is_valid
    assert not waiting.done(), "no message goes out before its row is written"
    assert "sending nothing until it is back: The " in caplog.text
    assert words in caplog.text
    async with rows.database.connection() as connection:
        await connection.execute(mend)
    await member.tick()
    assert member.is_valid
    assert await waiting
    await journal.close()


def _event_of(words: str, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Return an event that is set when the cluster's journal logs something with these words."""
    logged = asyncio.Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if words in record.getMessage():
                logged.set()

    logger = logging.getLogger(ClusterJournal.__module__)
    monkeypatch.setattr(logger, "handlers", [*logger.handlers, Listener()])
    return logged


async def test_close_does_not_wait_for_an_unreachable_database(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "CLOSE_TIMEOUT_S", 0.05)
    line = Line(_socket(postgres_url))
    listening = await line.serve()
    database = await open_postgres(_through(line, postgres_url))
    line.is_cut = True
    reading = asyncio.create_task(database.read("SELECT 1"))
    await asyncio.sleep(0)

    async with asyncio.timeout(30):
        await database.close()
        with pytest.raises(StoreError):
            await reading
    listening.close()
    line.is_cut = False


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (asyncpg.DiskFullError("no space"), "is full: make room"),
        (asyncpg.ReadOnlySQLTransactionError("no"), "can only be read"),
        (asyncpg.TooManyConnectionsError("too many clients"), "takes no more connections: raise its"),
        (asyncpg.UndefinedColumnError("no such column"), "failed .UndefinedColumnError."),
    ],
)
def test_what_is_wrong_with_a_database_is_one_line(error: Exception, words: str) -> None:
    with pytest.raises(StoreError, match=words), translate_errors("postgresql://a:secret@h/d"):
        raise error
