"""A SQLite database moves into a PostgreSQL that really runs: everything, or nothing."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from store.conftest import postgres_server, postgres_url
from streamcord import Persona, Settings, Sprite, StoreError
from streamcord.databases import open_database
from streamcord.store import (
    Account,
    Memory,
    Picture,
    Place,
    Spending,
    StoredPersona,
    open_journal,
    open_store,
)
from streamcord_bot.cli import main
from streamcord_bot.ops.copy_database import copy_to_postgres

__all__ = ["postgres_server", "postgres_url"]

HERE = Place(1, 2)
PICTURE = random.Random(7).randbytes(300_000)


async def fill(file: Path) -> None:
    async with await open_store(file) as store:
        persona = Persona("Luna", sprites=(Sprite("mad", "https://x/y.png", instruction="when teased"),))
        await store.save_persona(StoredPersona(persona, guild=1, prompt="A cat\n✨"))
        await store.save_sprite(1, "Luna", Sprite("happy"), Picture(content=PICTURE, kind="image/png"))
        await store.change_settings(HERE, {"degree": 3})
        for number in range(10):
            await store.remember(Memory("Luna", HERE, f"answer {number}", (number + 1000,), user=5))
        await store.label_messages(dict.fromkeys(range(1, 451), "Luna: "))
        await store.add_spending(20_000, {Account("all"): Spending(1, 2, 3)})
        await store.refuse_memory(99)


async def test_everything_arrives_also_an_interrupted_answer(tmp_path: Path, postgres_url: str) -> None:
    file = tmp_path / "bot.db"
    await fill(file)
    # An answer that a killed bot left in the file beside the database.
    journal = await open_journal(file)
    turn = journal.begin(channel=2)
    assert turn is not None
    turn.begin(Settings(), None, None)
    turn.record_event("Half an ans")
    await turn.flush()
    with pytest.raises(StoreError, match="is running"):
        await copy_to_postgres(str(file), postgres_url)
    journal._write_ahead.close()  # type: ignore[union-attr]
    await journal._database.close()
    before = file.read_bytes()

    counts = await copy_to_postgres(f"sqlite:///{file}", postgres_url)

    assert file.read_bytes() == before
    assert counts["memories"] == counts["memory_messages"] == 10
    assert counts["message_labels"] == 450
    assert counts["journal"] > 0
    async with await open_store(file) as old, await open_store(postgres_url) as new:
        assert await new.personas(1) == await old.personas(1)
        assert await new.settings(HERE) == {"degree": 3}
        assert await new.recall("Luna", HERE) == await old.recall("Luna", HERE)
        assert await new.spending(20_000, [Account("all")]) == {Account("all"): Spending(1, 2, 3)}
        assert await new.refuses_memory(99)
        found = await new.find_picture(1, "Luna", "happy")
        assert found is not None
        assert found.content == PICTURE
    async with await open_journal(postgres_url) as resumed:
        (left,) = await resumed.unfinished()
        assert left.text == "Half an ans"

    with pytest.raises(StoreError, match="not empty"):
        await copy_to_postgres(str(file), postgres_url)


async def test_row_that_cannot_be_copied_leaves_an_empty_database(tmp_path: Path, postgres_url: str) -> None:
    file = tmp_path / "bot.db"
    await fill(file)
    with closing(sqlite3.connect(file)) as connection, connection:
        # SQLite takes any type; a damaged row is no reason to lose the others.
        connection.execute("UPDATE spending SET tokens = 'many'")

    with pytest.raises(StoreError, match="table spending could not be copied, so nothing was"):
        await copy_to_postgres(str(file), postgres_url)

    database = await open_database(postgres_url)
    assert await database.read(
        "SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM personas)"
    ) == [(0,)]
    await database.close()


def test_the_command_names_both_and_no_password(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "streamcord.toml"
    config.write_text(f'store = "{tmp_path / "bot.db"}"\n', encoding="utf-8")
    monkeypatch.delenv("STREAMCORD_STORE", raising=False)
    command = ["to-postgres", "--config", str(config)]
    assert main(command) == 2
    assert "STREAMCORD_STORE is not set" in capsys.readouterr().err

    monkeypatch.setenv("STREAMCORD_STORE", postgres_url.replace("postgres@", "postgres:hunter2@"))
    assert main(command) == 2
    assert "start the bot once" in capsys.readouterr().err

    asyncio.run(fill(tmp_path / "bot.db"))
    assert main(command) == 0
    out = capsys.readouterr().out
    assert f"{tmp_path / 'bot.db'} is copied to" in out
    assert "Next: streamcord-bot run" in out
    assert "hunter2" not in out
