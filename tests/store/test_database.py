"""How names and texts are made fit for any database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from streamcord import StoreError
from streamcord._store.database import (
    Database,
    Migration,
    Statement,
    load_migrations,
    normalize_name,
    pending_migrations,
    placeholders,
    replace_unstorable,
    split_statements,
)
from streamcord._store.postgres import open_postgres
from streamcord._store.sqlite import _prepare, open_sqlite
from streamcord.store import Schema, find_schema

# --- How names and texts are made fit for any database ---


@pytest.mark.parametrize(
    ("one", "other"),
    [("Luna", " LUNA "), ("Straße", "STRASSE"), ("Café", "Cafe\u0301"), ("a  b", "a\tb"), ("ΣΣ", "σς")],
)
def test_names_that_people_take_for_the_same_are_the_same(one: str, other: str) -> None:
    assert normalize_name(one) == normalize_name(other)


def test_different_names_stay_different() -> None:
    assert len({normalize_name(name) for name in ("Luna", "Lunа", "Lu na", "Luna.", "ルナ", "るな")}) == 6


def test_text_loses_only_what_no_database_holds() -> None:
    assert replace_unstorable("a\x00b\ud83dc\udfffd") == "a\ufffdb\ufffdc\ufffdd"
    assert replace_unstorable("\x01\u200b😀\U0010ffff") == "\x01\u200b😀\U0010ffff"


def test_places_are_counted_from_any_number() -> None:
    assert (placeholders(3), placeholders(2, 4), placeholders(0)) == ("$1, $2, $3", "$4, $5", "")


# --- The schema's steps: from every older number to today's, on both databases, with what was in it ---

NUMBERS = [step.number for step in load_migrations()]
# One row for each table, under the number of the step that makes it. A new step adds its own line.
ROWS = {
    1: [
        (
            "INSERT INTO personas (guild, key, name, aliases, alter_ego, prompt, greeting, card, adult)"
            " VALUES (1, 'luna', 'Luna', '[]', TRUE, 'p', 'g', '{}', TRUE)"
        ),
        (
            "INSERT INTO sprites (guild, persona, key, name, identity, url, media_type, content)"
            " VALUES (1, 'luna', 'mad', 'Mad', FALSE, 'u', 'k', '')"
        ),
    ],
    2: [
        "INSERT INTO settings VALUES (1, 2, 'degree', '3')",
        "INSERT INTO persona_choices VALUES (1, 2, 'luna', 'Luna')",
    ],
    3: [
        "INSERT INTO message_labels VALUES (5, 'x', 0.5)",
        "INSERT INTO table_sources VALUES (5, 'x', 0.5)",
    ],
    4: [
        "INSERT INTO memories VALUES (5, 1, 2, 'luna', 'Luna', 7, 'b', '[]', 0.5)",
        "INSERT INTO memory_messages VALUES (5, 5)",
    ],
    5: [
        "INSERT INTO journal VALUES ('t', 0, 'turn', '{}', 0.5)",
        "INSERT INTO questions VALUES (9, 5, 2, 7, 'me', FALSE, 0.5)",
        "INSERT INTO channel_cursors VALUES (2, 1, 5, 0.5)",
        "INSERT INTO bot_leases VALUES (9, 'me', 0.5)",
    ],
    6: ["INSERT INTO spending VALUES (20000, 'person', 7, 1, 2, 3)"],
    7: [
        "INSERT INTO audit_log VALUES (1, 2, 7, 'settings set', 'x', 0.5)",
        "INSERT INTO memory_opt_outs VALUES (7, 0.5)",
    ],
    8: [],
    9: ["INSERT INTO asks VALUES ('ab', 9, 1, 2, 5, 7, 'open', '{}', '{}', '', '', '', 0.5, 1.5)"],
    10: ["INSERT INTO memory_variants VALUES (5, 1, 'b')"],
}


class Site:
    """Where a database is, whichever kind it is."""

    def __init__(self, where: str) -> None:
        self.where = where

    async def open(self, known: tuple[Migration, ...] | None = None) -> Database:
        opener = open_postgres if self.where.startswith("postgresql:") else open_sqlite
        return await opener(self.where, known=known)


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    if request.param == "sqlite":
        return Site(str(tmp_path / "streamcord.db"))
    return Site(request.getfixturevalue("postgres_url"))


def test_the_steps_are_numbered_without_a_gap_and_each_has_a_row_to_carry_over() -> None:
    assert NUMBERS == list(range(1, len(NUMBERS) + 1)) == list(ROWS)


@pytest.mark.parametrize("number", [0, *NUMBERS])
async def test_an_older_database_is_brought_up_to_date_and_keeps_its_rows(number: int, site: Site) -> None:
    rows = [sql for step in NUMBERS[:number] for sql in ROWS[step]]
    old = await site.open(load_migrations()[:number])
    await old.write(*map(Statement, rows))
    await old.close()

    new = await site.open()
    assert await new.read("SELECT number, name FROM streamcord_migrations ORDER BY number") == [
        (step.number, step.name) for step in load_migrations()
    ]
    for sql in rows:
        table = sql.split()[2]
        assert len(await new.read(f"SELECT * FROM {table}")) == 1
    for sql in (sql for step in NUMBERS[number:] for sql in ROWS[step]):
        await new.write(Statement(sql))
    await new.close()


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder but the shared memory of SQLite, in which readers count themselves."""
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.suffix != ".db-shm"}


async def test_old_file_is_kept_before_its_schema_changes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, number = tmp_path / "s.db", len(NUMBERS) - 1
    old = await open_sqlite(str(file), known=load_migrations()[:number])
    await old.write(Statement("INSERT INTO audit_log VALUES (1, 2, 7, 'settings set', 'x', 0.5)"))
    await old.close()

    await (await open_sqlite(str(file))).close()
    await (await open_sqlite(str(file))).close()

    copy = tmp_path / f"s.db.schema{number}"
    told = [record.getMessage() for record in caplog.records if "schema" in record.getMessage()]
    assert told == [f"database {file}: schema {number} → {number + 1}, the old one is kept as {copy}"]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert set(contents(tmp_path)) == {"s.db", copy.name}
    # The older version runs on the copy, and has everything.
    before = await open_sqlite(str(copy), known=load_migrations()[:number])
    assert len(await before.read("SELECT * FROM audit_log")) == 1
    await before.close()


async def test_database_stays_as_it_was_if_it_cannot_be_kept(tmp_path: Path) -> None:
    file, number = tmp_path / "s.db", len(NUMBERS) - 1
    await (await open_sqlite(str(file), known=load_migrations()[:number])).close()
    (tmp_path / f"s.db.schema{number}").mkdir()
    (tmp_path / f"s.db.schema{number}" / "x").touch()

    with pytest.raises(StoreError, match="must be brought up to date, but the copy") as raised:
        await open_sqlite(str(file))

    assert not raised.value.retryable
    assert await find_schema(file) == Schema(number, number + 1)


@pytest.mark.parametrize("running", [False, True])
async def test_looking_at_a_schema_changes_no_byte(running: bool, tmp_path: Path) -> None:
    file, number = tmp_path / "s.db", len(NUMBERS) - 1
    old = await open_sqlite(str(file), known=load_migrations()[:number])
    await old.write(Statement("INSERT INTO audit_log VALUES (1, 2, 7, 'settings set', 'x', 0.5)"))
    if not running:
        await old.close()
    before = contents(tmp_path)

    assert await find_schema(file) == Schema(number, number + 1)
    assert contents(tmp_path) == before
    await old.close()


async def test_schema_of_every_kind_of_database(site: Site, tmp_path: Path) -> None:
    assert await find_schema(site.where) is None
    await (await site.open(load_migrations()[:3])).close()
    assert await find_schema(site.where) == Schema(3, len(NUMBERS))
    assert await find_schema(":memory:") is None
    (tmp_path / "no.db").write_bytes(b"this is no database at all, but long enough to be read" * 20)
    with pytest.raises(StoreError, match="is not a database of streamcord") as raised:
        await find_schema(tmp_path / "no.db")
    assert not raised.value.retryable
    with pytest.raises(StoreError, match="must be a file, or a URL"):
        await find_schema("mysql://x/y")


@pytest.mark.parametrize("number", [0, 5, len(NUMBERS) - 1])
async def test_whoever_dies_while_a_database_is_brought_up_to_date_leaves_it_to_the_next_one(
    number: int, tmp_path: Path
) -> None:
    file = tmp_path / "s.db"
    rows = [sql for step in NUMBERS[:number] for sql in ROWS[step]]
    old = await open_sqlite(str(file), known=load_migrations()[:number])
    await old.write(*map(Statement, rows))
    await old.close()
    moments: list[list[bytes]] = []
    with closing(sqlite3.connect(file, isolation_level=None)) as dying:
        # Without room in memory, what is not committed reaches the log.
        dying.executescript("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1")
        dying.set_trace_callback(
            lambda _: moments.append([file.with_name(f"s.db{end}").read_bytes() for end in ("", "-wal")])
        )
        _prepare(dying, None)

    assert len(moments) > 2 * (len(NUMBERS) - number)
    for at, killed in enumerate(moments):
        for end, content in zip(("", "-wal"), killed, strict=True):
            (tmp_path / f"{at}.db{end}").write_bytes(content)
        new = await open_sqlite(str(tmp_path / f"{at}.db"))
        assert len(await new.read("SELECT * FROM streamcord_migrations")) == len(NUMBERS)
        for sql in rows:
            assert len(await new.read(f"SELECT * FROM {sql.split()[2]}")) == 1
        assert await new.read("PRAGMA integrity_check") == [("ok",)]
        await new.close()


async def test_a_step_that_fails_leaves_the_database_as_it_was(site: Site) -> None:
    broken = Migration(
        len(NUMBERS) + 1, "broken", "CREATE TABLE half (x BIGINT);\nCREATE TABLE settings (x BIGINT);"
    )
    await (await site.open()).close()

    with pytest.raises(StoreError):
        await site.open((*load_migrations(), broken))
    whole = await site.open()
    with pytest.raises(StoreError):
        await whole.read("SELECT * FROM half")
    await whole.close()


async def test_a_database_of_the_future_is_not_touched(site: Site) -> None:
    future = Migration(len(NUMBERS) + 1, "future", "CREATE TABLE marvels (x BIGINT);")
    await (await site.open((*load_migrations(), future))).close()

    known = len(NUMBERS)
    told = rf"newer streamcord \(schema {known + 1}, this one knows {known}\): update streamcord"
    for look in (site.open, lambda: find_schema(site.where)):
        with pytest.raises(StoreError, match=told) as raised:
            await look()
        assert not raised.value.retryable


async def test_database_of_a_development_version_is_refused_and_left_alone(site: Site) -> None:
    old = await site.open(())
    # The table that recorded migrations when the other tables had other names.
    await old.write(Statement("CREATE TABLE streamcord_schema (number BIGINT PRIMARY KEY, name TEXT)"))
    await old.write(Statement("DROP TABLE streamcord_migrations"))
    await old.close()

    told = "was written by an earlier development version of streamcord: start with a new one.$"
    for _ in range(2):
        with pytest.raises(StoreError, match=told):
            await site.open()


def test_the_statements_of_a_file_come_one_by_one() -> None:
    sql = "-- a; comment\nCREATE TABLE a (x TEXT);\n\nINSERT INTO a\nVALUES ('one; two');\n"

    assert [statement.split("\n")[-2] for statement in split_statements(sql)] == [
        "CREATE TABLE a (x TEXT);",
        "VALUES ('one; two');",
    ]


def test_only_what_is_missing_is_done() -> None:
    assert [step.number for step in pending_migrations(2)] == NUMBERS[2:]
    assert pending_migrations(len(NUMBERS)) == ()
