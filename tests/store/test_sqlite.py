"""The database in a file: what happens when it is locked, missing, damaged, or its process is killed."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from streamcord import StoreError
from streamcord._store.database import Statement
from streamcord._store.sqlite import open_sqlite
from streamcord.store import Memory, Place, open_store

PLACE = Place(1, 2)
WRITER = """
import asyncio, sys
from streamcord.store import Memory, Place, open_store

async def main() -> None:
    path, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    async with await open_store(path, timeout=60) as store:
        print("open", flush=True)
        for number in range(first, first + count):
            said = Memory("Luna", Place(1, number), "x" * 20_000, (number, number + 10**9))
            await store.remember(said)
            print(number, flush=True)

asyncio.run(main())
"""


def start_writer(path: Path, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(first), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_a_kill_in_the_middle_of_writing_leaves_every_acknowledged_answer(tmp_path: Path) -> None:
    path = tmp_path / "streamcord.db"
    for first in (1, 100_001, 200_001):
        with start_writer(path, first, 100_000) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(40)]
            process.kill()
            lines += process.stdout.readlines()
        written = [int(line) for line in lines[1:] if line.endswith("\n")]

        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()
        async with await open_store(path) as store:
            for number in written:
                (memory,) = await store.recall("Luna", Place(1, number))
                assert (len(memory.text), memory.messages) == (20_000, (number, number + 10**9))


TWO_CONNECTIONS = """
import asyncio, sys
from streamcord.store import Memory, Place, open_store

async def main() -> None:
    path = sys.argv[1]
    first, second = await open_store(path), await open_store(path)
    for number in range(1, 21):
        store = (first, second)[number % 2]
        await store.remember(Memory("Luna", Place(1, number), "x" * 20_000, (number,)))
        print(number, flush=True)
        sys.stdin.readline()

asyncio.run(main())
"""
LOOKS = {
    "a query": """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
connection.close()
""",
    "the store of another process": """
import asyncio, sys
from streamcord.store import open_store

async def main() -> None:
    async with await open_store(sys.argv[1]):
        pass

asyncio.run(main())
""",
    "the command check": """
import subprocess, sys
from pathlib import Path

config = Path(sys.argv[1] + ".toml")
config.write_text(f'store = "{sys.argv[1]}"')
command = [sys.executable, "-m", "streamcord_bot", "check", "--offline", "--config", str(config)]
said = subprocess.run(command, capture_output=True, text=True).stdout
assert "it opens and is up to date" in said, said
""",
    "the journal of another bot": """
import asyncio, sys
from streamcord.store import open_journal

async def main() -> None:
    await (await open_journal(sys.argv[1])).close()

asyncio.run(main())
""",
    "a backup": """
import sys
from streamcord_bot.ops.backup import back_up

back_up(sys.argv[1], sys.argv[1] + ".backup")
""",
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_another_process_that_looks_into_the_database_makes_nobody_lose_a_row(
    tmp_path: Path, look: str
) -> None:
    path = tmp_path / "streamcord.db"
    command = [sys.executable, "-c", TWO_CONNECTIONS, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(1, 21):
            assert process.stdout.readline() == f"{number}\n"
            if number == 2:
                subprocess.run([sys.executable, "-c", look, str(path)], check=True)
            if number < 20:
                print(file=process.stdin, flush=True)
        process.kill()

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = connection.execute("SELECT channel FROM memories ORDER BY 1").fetchall()
    assert [row[0] for row in rows] == list(range(1, 21))


async def test_several_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "streamcord.db"
    processes = [start_writer(path, 1 + 1000 * number, 10) for number in range(5)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0

    async with await open_store(path) as store:
        for number in (1 + 1000 * first + offset for first in range(5) for offset in range(10)):
            assert len(await store.recall("Luna", Place(1, number))) == 1


async def test_readers_do_not_wait_for_a_writer_and_a_writer_says_who_is_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "streamcord.db"
    async with await open_store(path, timeout=0.01) as store:
        await store.change_settings(PLACE, {"degree": 1})
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        assert await store.settings(PLACE) == {"degree": 1}
        with pytest.raises(StoreError, match=r"was locked by another program for 0.01 s: stop the other bot"):
            await store.change_settings(PLACE, {"degree": 2})

        other.execute("ROLLBACK")
        other.close()
        await store.change_settings(PLACE, {"degree": 3})
        assert await store.settings(PLACE) == {"degree": 3}


async def test_database_locked_at_start_raises(tmp_path: Path) -> None:
    path = tmp_path / "streamcord.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(StoreError, match="was locked by another program"):
        await open_store(path, timeout=0.01)
    other.close()


async def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        StoreError, match=r"The folder of the database '.*nowhere/x.db' does not exist: make it"
    ):
        await open_store(tmp_path / "nowhere" / "x.db")
    with pytest.raises(StoreError, match=r"There is no database '.*x.db': start the bot once"):
        await open_store(tmp_path / "x.db", create=False)
    assert not (tmp_path / "x.db").exists()


async def test_what_is_not_a_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 1000)

    with pytest.raises(StoreError, match=r"notes.txt' is not a database of streamcord, or its beginning"):
        await open_store(path)
    with pytest.raises(StoreError, match="cannot be opened"):
        await open_store(tmp_path)
    assert path.read_text() == "Dear diary, " * 1000


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: bytes(len(whole)),
        lambda whole: bytes(100) + whole[100:],
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:2048],
        lambda whole: whole[:100] + b"\xa5" * (len(whole) - 100),
    ],
)
async def test_truncated_or_overwritten_file_raises_and_is_not_changed(
    damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    await (await open_store(path)).close()
    left = damage(path.read_bytes())
    path.write_bytes(left)

    with pytest.raises(StoreError, match="put a backup there"):
        async with await open_store(path) as store:
            await store.settings(PLACE)
    assert path.read_bytes() == left


@pytest.mark.parametrize("beside", ["s.db-write-ahead", "s.db-wal"])
async def test_emptied_file_that_was_in_use_raises_and_is_not_changed(beside: str, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.touch()
    (tmp_path / beside).write_bytes(b"rows")

    with pytest.raises(StoreError, match=f"is empty, although it was in use.*backup.*remove {beside} to"):
        await open_store(path)
    assert path.read_bytes() == b""

    (tmp_path / beside).unlink()
    await (await open_store(path)).close()


async def test_empty_file_becomes_a_new_database_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await (await open_store(tmp_path / "new.db")).close()
    assert not caplog.text
    # Some put an empty file there before the first start, and a process may die before it writes.
    (tmp_path / "s.db").touch()
    await (await open_store(tmp_path / "s.db")).close()
    assert "s.db is empty and is set up again: if it had content, stop and put a backup there" in caplog.text


async def test_a_damaged_database_is_an_error_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "streamcord.db"
    async with await open_store(path) as store:
        for number in range(1, 40):
            await store.remember(Memory("Luna", Place(1, number), "x" * 2000, (number,)))
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))

    with pytest.raises(StoreError, match=r"is damaged|failed"):
        async with await open_store(path) as store:
            for number in range(1, 40):
                await store.recall("Luna", Place(1, number))


async def test_statements_happen_all_or_not_at_all() -> None:
    database = await open_sqlite(":memory:")
    sql = "INSERT INTO message_labels (message, label, created_at) VALUES ($1, $3, $2)"

    with pytest.raises(StoreError, match="already holds something of that name"):
        await database.write(Statement(sql, (1, 0.0, "a")), Statement(sql, (1, 0.0, "b")))
    assert await database.read("SELECT * FROM message_labels") == []
    assert await database.write(Statement(sql + " RETURNING label, $1", (1, 0.0, "a"))) == [("a", 1)]
    await database.close()


async def test_a_store_in_memory_is_one_store() -> None:
    async with await open_store(":memory:") as store:
        await store.change_settings(PLACE, {"degree": 1})
        assert await store.settings(PLACE) == {"degree": 1}


async def test_a_write_that_was_asked_for_is_done_even_if_nobody_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "streamcord.db"
    async with await open_store(path) as store:
        task = asyncio.create_task(store.remember(Memory("Luna", PLACE, "x", (1, 2))))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with await open_store(path) as store:
        assert [memory.messages for memory in await store.recall("Luna", PLACE)] == [(1, 2)]


def put(number: int) -> Statement:
    return Statement("INSERT INTO message_labels VALUES ($1, $2, $3)", (number, "x" * 2000, 0.0))
