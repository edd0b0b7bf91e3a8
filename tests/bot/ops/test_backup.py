"""A copy of the database is whole, private, and made while someone writes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from streamcord import StoreError
from streamcord.store import Place, open_store
from streamcord_bot.cli import main
from streamcord_bot.ops.backup import back_up, explain_postgres

NOW = 1_800_000_000.0
HERE = Place(1, 2)


async def test_a_database_in_use_is_copied_with_what_was_just_written(tmp_path: Path) -> None:
    file = tmp_path / "bot.db"
    async with await open_store(file) as store:
        await store.change_settings(HERE, {"degree": 3})
        copy = back_up(str(file), now=NOW)
        await store.change_settings(HERE, {"degree": 1})

    assert copy == tmp_path / "bot-2027-01-15-080000.db"
    assert copy.stat().st_mode & 0o077 == 0
    async with await open_store(copy, create=False) as restored:
        assert (await restored.settings(HERE))["degree"] == 3


async def test_one_that_nobody_uses_is_copied_into_a_folder_or_file(tmp_path: Path) -> None:
    file, folder = tmp_path / "bot.db", tmp_path / "backups"
    folder.mkdir()
    async with await open_store(file):
        pass

    assert back_up(f"sqlite:///{file}", str(folder), now=NOW).parent == folder
    assert back_up(str(file), str(folder / "mine.db")) == folder / "mine.db"
    with pytest.raises(StoreError, match="exists already"):
        back_up(str(file), str(folder / "mine.db"))


def test_what_cannot_be_copied_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="start the bot once"):
        back_up(str(tmp_path / "none.db"))

    (tmp_path / "bot.db").write_text("this is no database, but a text that is long enough to look at" * 100)
    with pytest.raises(StoreError, match="could not be copied"):
        back_up(str(tmp_path / "bot.db"))
    with pytest.raises(StoreError, match="Cannot write"):
        back_up(str(tmp_path / "bot.db"), str(tmp_path / "nowhere" / "x.db"))

    assert [one.name for one in tmp_path.iterdir()] == ["bot.db"]


def test_a_damaged_database_is_not_taken_for_a_backup(tmp_path: Path) -> None:
    file = tmp_path / "bot.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE words (word TEXT)")
        connection.executemany("INSERT INTO words VALUES (?)", [("x" * 500,)] * 100)
        connection.execute("CREATE INDEX by_word ON words (word)")
    connection.close()
    content = bytearray(file.read_bytes())
    content[3 * 4096 : 6 * 4096] = b"\x00" * (3 * 4096)
    file.write_bytes(content)

    with pytest.raises(StoreError, match=r"damaged|could not be copied"):
        back_up(str(file))


def test_postgresql_is_told_what_to_do_without_its_password() -> None:
    words = explain_postgres("postgresql://bot:hunter2@db.example:6543/chat")

    assert "db.example:6543/chat" in words
    assert "pg_dump" in words
    assert "hunter2" not in words


async def test_the_command_says_where_it_lies_and_how_it_comes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STREAMCORD_STORE", raising=False)
    config = tmp_path / "streamcord.toml"
    config.write_text(f'store = "{tmp_path / "bot.db"}"\n', encoding="utf-8")
    assert main(["backup", "--config", str(config)]) == 2
    assert "start the bot once" in capsys.readouterr().err

    async with await open_store(tmp_path / "bot.db"):
        pass
    assert main(["backup", str(tmp_path / "copy.db"), "--config", str(config)]) == 0
    out = capsys.readouterr().out
    assert "MB, checked." in out
    assert f"cp {tmp_path / 'copy.db'} {tmp_path / 'bot.db'}" in out

    monkeypatch.setenv("STREAMCORD_STORE", "postgresql://bot:hunter2@db/chat")
    assert main(["backup", "--config", str(config)]) == 2
    assert "pg_dump" in capsys.readouterr().out


async def test_the_newest_copies_stay_and_nothing_else_is_deleted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STREAMCORD_STORE", raising=False)
    config, folder = tmp_path / "streamcord.toml", tmp_path / "backups"
    config.write_text(f'store = "{tmp_path / "bot.db"}"\n', encoding="utf-8")
    folder.mkdir()
    async with await open_store(tmp_path / "bot.db"):
        pass
    others = ("bot.db", "bot-2026-01-01.db", "other-2026-01-01-000000.db", "bot-2026-01-01-000000.db.part")
    old = [f"bot-2026-01-0{day}-000000.db" for day in (1, 2, 3)]
    for name in (*others, *old):
        (folder / name).touch()
    (folder / "bot-2020-01-01-000000.db").symlink_to(tmp_path / "bot.db")

    assert main(["backup", str(folder), "--keep", "2", "--config", str(config)]) == 0
    assert f"Older copies deleted: {old[0]}, {old[1]}." in capsys.readouterr().out
    left = {one.name for one in folder.iterdir()}
    assert {*others, old[2], "bot-2020-01-01-000000.db"} < left
    assert len(left) == len(others) + 3

    assert main(["backup", str(tmp_path / "x.db"), "--keep", "2", "--config", str(config)]) == 2
    assert "--keep needs a folder" in capsys.readouterr().err


def test_a_file_that_somebody_put_there_gets_nothing(tmp_path: Path) -> None:
    """A folder that others may write: they guess the name of the unfinished copy, as a file or as a link."""
    source, folder, theirs = tmp_path / "bot.db", tmp_path / "backups", tmp_path / "theirs"
    with sqlite3.connect(source) as connection:
        connection.execute("CREATE TABLE words (word TEXT)")
    folder.mkdir()
    theirs.touch(0o666)
    for name in ("bot-2027-01-15-080000.db.part", ".bot-2027-01-15-080000.db"):
        (folder / name).symlink_to(theirs)
    copy = back_up(str(source), str(folder), now=NOW)

    assert theirs.read_bytes() == b""
    assert not copy.is_symlink()
    assert copy.stat().st_mode & 0o077 == 0
    assert len(list(folder.iterdir())) == 3
