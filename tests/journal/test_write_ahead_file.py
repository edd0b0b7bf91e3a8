"""The file of rows beside a database, and the journal that moves what it does not take."""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from streamcord._journal.write_ahead_file import MAX_BYTES, WriteAheadFile
from streamcord._store.database import WRITE_AHEAD_SUFFIX, Row
from streamcord.store import JournalRow, SqlJournal, open_journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / f"s.db{WRITE_AHEAD_SUFFIX}"


@pytest.fixture
def log(path: Path) -> Iterator[WriteAheadFile]:
    log = WriteAheadFile(str(path))
    assert log.acquire()
    yield log
    log.close()


def row(turn: str, number: int, words: str = "") -> Row:
    return turn, number, "received", f'{{"events":[["text","{words}"]]}}', 1.5


def read(path: Path) -> list[Row]:
    """What the next process finds."""
    again = WriteAheadFile(str(path))
    assert again.acquire()
    rows = again.rows()
    again.close()
    return rows


def test_rows_are_found_again_until_their_turn_is_over(log: WriteAheadFile, path: Path) -> None:
    assert log.write([row("t", 0), row("u", 0)], [])
    assert log.write([row("t", 1, "\\n\\u00e9")], [])
    assert log.write([row("v", 0)], ["u", "unknown"])
    log.close()
    assert read(path) == [row("t", 0), row("t", 1, "\\n\\u00e9"), row("v", 0)]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("lost", range(1, 90))
def test_a_line_cut_anywhere_takes_nothing_else_with_it(log: WriteAheadFile, path: Path, lost: int) -> None:
    log.write([row("t", 0)], [])
    log.write([row("t", 1, "a word" * 5)], [])
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-lost])

    again = WriteAheadFile(str(path))
    assert again.acquire()
    assert again.rows() == [row("t", 0)]
    # Nor does what is written after it suffer.
    assert again.write([row("t", 1, "anew")], [])
    again.close()
    assert read(path) == [row("t", 0), row("t", 1, "anew")]


def test_damaged_lines_and_those_of_another_version_are_passed_over(log: WriteAheadFile, path: Path) -> None:
    for number in range(3):
        log.write([row("t", number)], [])
    log._append(log._file or 0, [{"new": 1}, ["t", "x"], ["t", "3", "received", "{}", 1.5]])
    log.close()
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b"received", b"feard")
    path.write_bytes(b"\n".join([*lines, b"\0" * 4096]))
    assert read(path) == [row("t", 0), row("t", 2)]


@pytest.mark.parametrize("body", [b"{}", b"7", b"[", b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_a_line_that_is_no_list_is_passed_over_although_its_sum_is_right(
    log: WriteAheadFile, path: Path, body: bytes
) -> None:
    log.write([row("t", 0)], [])
    log.close()
    path.write_bytes(path.read_bytes() + b"\n%08x %b" % (crc32(body), body))
    assert read(path) == [row("t", 0)]


@pytest.mark.parametrize(
    "odd", ['["t",1,"received","{}",NaN]', '["t",9999999999999999999,"received","{}",1]']
)
def test_a_row_that_no_database_takes_is_passed_over(log: WriteAheadFile, path: Path, odd: str) -> None:
    log.write([row("t", 0)], [])
    log.close()
    body = f"[{odd}]".encode()
    path.write_bytes(path.read_bytes() + b"\n%08x %b" % (crc32(body), body))
    assert read(path) == [row("t", 0)]


def test_a_huge_file_is_not_read_as_a_whole(log: WriteAheadFile, path: Path) -> None:
    log.write([row("t", 0)], [])
    log.close()
    path.write_bytes(path.read_bytes() + b"\n")
    os.truncate(path, 2**42)
    assert read(path) == [row("t", 0)]


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_what_is_no_file_of_ours_is_left_alone(path: Path, kind: str) -> None:
    other = path.with_name("other")
    other.write_text("precious", encoding="utf-8")
    other.chmod(0o644)
    if kind == "link":
        path.symlink_to(other)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    assert not WriteAheadFile(str(path)).acquire()
    assert other.read_text(encoding="utf-8") == "precious"
    assert other.stat().st_mode & 0o777 == 0o644


def test_another_process_has_it_alone_until_it_is_gone(log: WriteAheadFile, path: Path) -> None:
    log.write([row("t", 0)], [])
    other = WriteAheadFile(str(path))
    assert not other.acquire()
    assert not other.write([row("u", 0)], [])
    assert other.is_in_place
    log.close()
    assert other.acquire()
    assert other.rows() == [row("t", 0)]
    other.close()


def test_looking_into_it_takes_it_from_nobody(log: WriteAheadFile, path: Path) -> None:
    log.write([row("t", 0)], [])
    for _ in range(2):
        with path.open("rb") as file:
            file.read()
        assert WriteAheadFile(str(path)).peek() == [row("t", 0)]
    hold = (
        "import sys\n"
        "from streamcord._journal.write_ahead_file import WriteAheadFile\n"
        "sys.exit(WriteAheadFile(sys.argv[1]).acquire())"
    )
    assert subprocess.run([sys.executable, "-c", hold, str(path)], check=False).returncode == 0
    assert log.write([row("t", 1)], [])
    log.close()
    assert subprocess.run([sys.executable, "-c", hold, str(path)], check=False).returncode == 1


def test_file_is_empty_without_running_turns_and_never_exceeds_its_size(
    log: WriteAheadFile, path: Path
) -> None:
    log.write([row("t", 0)], [])
    assert log.write([], ["t"])
    assert path.stat().st_size == 0
    number = 0
    while log.write([row("t", number, "x" * 1000)], []):
        number += 1
    assert MAX_BYTES - 1200 < path.stat().st_size <= MAX_BYTES
    assert log.write([row("u", 0)], ["t"])
    assert log.rows() == [row("u", 0)]
    assert path.stat().st_size < 1000


def test_where_a_line_cannot_be_written_as_a_whole_none_is(log: WriteAheadFile, path: Path) -> None:
    log.write([row("t", 0)], [])
    before = path.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (before + 50, hard))
    try:
        assert not log.write([row("t", 1)], [])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.stat().st_size == before
    assert log.write([row("t", 1)], [])


def test_a_file_that_was_deleted_is_noticed(log: WriteAheadFile, path: Path) -> None:
    assert log.is_in_place
    path.unlink()
    assert not log.is_in_place


def test_a_folder_that_takes_no_file_means_no_log(tmp_path: Path) -> None:
    log = WriteAheadFile(str(tmp_path / "gone" / "file"))
    assert not log.acquire()
    assert not log.write([row("t", 0)], [])


# --- With the database ----------------------------------------------------------------------------------


def entry(turn: str, number: int, words: str = "") -> JournalRow:
    return JournalRow(turn, number, "received" if number else "turn", {"text": words}, 1.5)


def in_table(file: Path) -> list[tuple[str, int]]:
    other = sqlite3.connect(file)
    try:
        return other.execute("SELECT turn, number FROM journal ORDER BY turn, number").fetchall()
    finally:
        other.close()


def in_log(file: Path) -> bytes:
    return Path(f"{file}{WRITE_AHEAD_SUFFIX}").read_bytes()


async def flush_until_written(journal: SqlJournal, file: Path, *expected: tuple[str, int]) -> None:
    """Wait until these rows are in the table."""
    async with asyncio.timeout(10):
        while in_table(file) != list(expected):
            await journal.flush()
            await asyncio.sleep(0.01)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


async def test_a_database_that_is_locked_delays_nothing_and_loses_nothing(file: Path) -> None:
    journal = await open_journal(file, timeout=0.01)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.write(entry("t", 0))
    assert await journal.flush()
    assert not journal.failures
    assert [one.turn for one in await journal.entries()] == ["t"]
    journal.forget("t")
    assert await journal.flush()
    assert await journal.entries() == []
    other.execute("COMMIT")
    other.close()
    await journal.close()


async def test_rows_that_do_not_fit_move_the_file_to_the_database(file: Path) -> None:
    async with await open_journal(file) as journal:
        journal.write(entry("t", 0))
        assert await journal.flush()
        assert in_table(file) == []
        journal.write(entry("t", 1, "x" * MAX_BYTES))
        assert await journal.flush()
        assert in_table(file) == [("t", 0), ("t", 1)]
        journal.write(entry("t", 2))
        journal.write(entry("u", 0))
        assert await journal.flush()
        assert in_table(file) == [("t", 0), ("t", 1)]
        assert [(one.turn, one.number) for one in await journal.entries()] == [
            *(("t", number) for number in range(3)),
            ("u", 0),
        ]
        journal.forget("t")
        await flush_until_written(journal, file)
        assert [one.turn for one in await journal.entries()] == ["u"]


async def test_a_turn_whose_end_the_database_does_not_take_is_kept_as_a_whole(file: Path) -> None:
    journal = await open_journal(file, timeout=0.01)
    for number, words in enumerate(["", "x" * MAX_BYTES, "the last"]):
        journal.write(entry("t", number, words))
        assert await journal.flush()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.forget("t")
    journal.write(entry("u", 0))
    # Who is under way does not wait for it.
    assert await journal.flush()
    assert await journal.flush()
    assert {one.turn for one in await journal.entries()} == {"u"}
    assert b"the last" in in_log(file)
    other.execute("COMMIT")
    other.close()
    await flush_until_written(journal, file)
    assert [one.turn for one in await journal.entries()] == ["u"]
    await journal.close()


async def test_rows_that_nobody_waits_for_are_written_also_while_the_database_is_waited_for(
    file: Path,
) -> None:
    journal = await open_journal(file, timeout=5.0)
    for number, words in enumerate(["", "x" * MAX_BYTES]):
        journal.write(entry("t", number, words))
        assert await journal.flush()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal.forget("t")
    assert await journal.flush()
    async with asyncio.timeout(2):
        for number, said in enumerate(["soon", "sooner", "in time"]):
            journal.write(entry("u", number, said))
            while said.encode() not in in_log(file):  # noqa: ASYNC110 - no one tells
                await asyncio.sleep(0.01)
    other.execute("COMMIT")
    other.close()
    await journal.close()


async def test_a_database_has_one_log_whatever_it_is_called(file: Path, tmp_path: Path) -> None:
    alias = tmp_path / "elsewhere" / "alias.db"
    alias.parent.mkdir()
    alias.symlink_to(file)
    first, second = await open_journal(file), await open_journal(alias)
    first.write(entry("t", 0))
    assert await first.flush()
    assert [one.name for one in alias.parent.iterdir()] == ["alias.db"]
    await kill(first)
    assert [one.turn for one in await second.entries()] == ["t"]
    await second.close()


async def test_an_orderly_end_leaves_everything_in_the_database(file: Path) -> None:
    async with await open_journal(file) as journal:
        journal.write(entry("t", 0))
        await journal.flush()
        await journal.hand_over()
        assert in_table(file) == [("t", 0)]
        journal.write(entry("t", 1))
    assert in_table(file) == [("t", 0), ("t", 1)]
    assert in_log(file) == b""


async def test_what_was_left_in_the_file_is_found_also_where_nothing_is_written_to_it(file: Path) -> None:
    log = WriteAheadFile(f"{file}{WRITE_AHEAD_SUFFIX}")
    assert log.acquire()
    assert log.write([row("t", 0)], [])
    log.close()

    async with await open_journal(file, fsync=True) as journal:
        assert [one.turn for one in await journal.entries()] == ["t"]
        journal.write(entry("t", 1))
        assert await journal.flush()
        assert in_table(file) == [("t", 0), ("t", 1)]


async def test_two_journals_of_one_file_both_keep_their_rows(file: Path) -> None:
    first, second = await open_journal(file), await open_journal(file)
    for name, journal in [("a", first), ("b", second)]:
        journal.write(entry(name, 0))
        assert await journal.flush()
    assert [one.turn for one in await second.entries()] == ["b"]
    await first.close()
    assert [one.turn for one in await second.entries()] == ["a", "b"]
    await second.unfinished()
    second.forget("a")
    second.forget("b")
    await second.close()
    assert in_table(file) == []


async def test_successor_reads_the_file_of_a_suspended_process(file: Path) -> None:
    """It is not dead, so the file stays its own; but another one answers for its bot now."""
    stopped, successor = await open_journal(file), await open_journal(file)
    stopped.write(entry("t", 0))
    stopped.write(entry("t", 1))
    stopped.write(entry("u", 0))
    assert await stopped.flush()
    successor.is_successor = True
    numbers = [(one.turn, one.number) for one in await successor.entries()]
    assert numbers == [("t", 0), ("t", 1), ("u", 0)]

    successor.write(entry("t", 2))
    assert await successor.flush()
    # The one who goes on with that turn has all of it in one place.
    assert in_table(file) == [("t", 0), ("t", 1), ("t", 2)]
    successor.forget("t")
    await flush_until_written(successor, file)
    # What the first one still writes when it wakes up does not bring it back.
    stopped.write(entry("t", 2))
    assert await stopped.flush()
    assert [one.turn for one in await successor.entries()] == ["u"]
    await asyncio.gather(kill(stopped), successor.close())
    async with await open_journal(file) as third:
        assert {one.turn for one in await third.entries() if not one.number} == {"u"}


async def test_what_stands_behind_a_gap_is_not_taken_along(file: Path) -> None:
    stopped, successor = await open_journal(file), await open_journal(file)
    for number in (0, 1, 3):
        stopped.write(entry("t", number))
    assert await stopped.flush()
    successor.is_successor = True
    await successor.entries()
    successor.write(entry("t", 2))
    assert await successor.flush()
    assert in_table(file) == [("t", 0), ("t", 1), ("t", 2)]
    assert [one.number for one in await successor.entries()] == [0, 1, 2]
    await asyncio.gather(kill(stopped), successor.close())


async def kill(journal: SqlJournal) -> None:
    """End it, but leave its file as it is."""
    assert journal._write_ahead is not None
    journal._write_ahead.close()
    journal._write_ahead = None
    await journal.close()


async def test_missing_file_is_reported_like_a_missing_database(file: Path) -> None:
    async with await open_journal(file) as journal:
        assert journal.is_in_place
        file.with_name(f"s.db{WRITE_AHEAD_SUFFIX}").unlink()
        assert not journal.is_in_place
