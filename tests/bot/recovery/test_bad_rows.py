"""Rows that say nothing, or something that no one wrote: told, passed over, and the rest goes on."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import life, recovered
from bot.recovery.test_resume_answers import broken_off, journal_of, rest, said
from discord_twin import Twin
from streamcord.providers import Prompt
from streamcord.store import open_journal
from twin.conftest import FREE

NONSENSE: list[Any] = [
    *(b"\xff\x00\x9c\xfe", "no", "", -1, 2**63 - 1, 1e308, '{"a":', "[]", "7", "[[" * 50_000, "9" * 5000),
]


VALUES: tuple[Any, ...] = (None, "x", -1, [[]], {"a": 1}, 10**40)


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def answer(prompt: Prompt) -> list[str]:
    return ["here"] if "and now?" in str(prompt) else rest(prompt)


def spoil(column: str) -> Iterator[tuple[str, Any]]:
    """Values for a column that no one wrote there, as SQL takes them; one of them is no UTF-8."""
    yield f"{column} = CAST(x'ff9cfe41' AS TEXT)", None
    for value in NONSENSE:
        yield f"{column} = ?", value


async def test_rows_of_other_turns_that_make_no_sense_keep_no_answer_from_going_on(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    with closing(sqlite3.connect(file)) as other, other:
        rows = other.execute("SELECT * FROM journal ORDER BY number").fetchall()
        # Every column of a turn's beginning and of its last row, and whatever may stand there.
        cases = [
            (row, column, value)
            for row in (0, len(rows) - 1)
            for column in ("turn", "number", "kind", "body", "written_at")
            for value in spoil(column)
        ]
        for case, (row, _, (sql, value)) in enumerate(cases):
            for number in (0, row) if row else (0,):
                # A channel that is not there: what can be read after all is told of and forgotten.
                body = rows[number][3].replace(str(twin.channel.id), "7")
                other.execute(
                    "INSERT INTO journal VALUES (?, ?, ?, ?, ?)",
                    (f"bad{case}", number, rows[number][2], body, rows[number][4]),
                )
            arguments = () if value is None else (value,)
            where = f"turn = 'bad{case}' AND number = {row}"
            other.execute(f"UPDATE OR REPLACE journal SET {sql} WHERE {where}", arguments)

    async with life(twin, file, Model(answer)) as stage:
        await recovered(stage)
        await stage.quiet()
        stage.ask("and now?")
        assert await stage.texts(3) == ["two", "three", "here"]
        await stage.quiet()

    assert said(twin) == ["one", "two", "three", "here"]
    assert "cannot be decoded" in caplog.text


async def test_turn_with_malformed_header_is_logged_and_closed(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    elsewhere = twin.add_channel("elsewhere")
    asked = twin.say(elsewhere, twin.user, "nobody is asked")
    with closing(sqlite3.connect(file)) as other, other:
        (body,) = other.execute("SELECT body FROM journal WHERE number = 0").fetchone()
        turn = json.loads(body)
        turn["about"] |= {"channel": elsewhere.id, "asked": [asked.id]}
        cases = [
            {**turn, "about": {**turn["about"], name: value}}
            for name in ("channel", "dm", "asked", "kind", "replaces", "guild", "turn")
            for value in VALUES
        ]
        cases += [{**turn, name: "x"} for name in ("about", "settings", "seed", "last_known_id", "version")]
        cases += [{**turn, "about": []}, {**turn, "settings": {"degree": {}}}]
        for number, case in enumerate(cases):
            if case["about"] == turn["about"] and case["settings"] == turn["settings"]:
                continue
            other.execute(
                "INSERT INTO journal VALUES (?, 0, 'turn', ?, ?)",
                (f"bad{number}", json.dumps(case), time.time()),
            )

    async with life(twin, file, Model(answer)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]
    assert "cannot resume an interrupted answer" in caplog.text


async def test_rows_after_a_damaged_row_are_not_mixed_with_new_rows(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    with closing(sqlite3.connect(file)) as other, other:
        (last,) = other.execute("SELECT max(number) FROM journal").fetchone()
        assert last >= 2
        other.execute("UPDATE journal SET body = '{' WHERE number = 1")
    async with await open_journal(file) as journal:
        (turn,) = await journal.unfinished()
        assert turn.saved is not None
        assert (turn.text, turn.saved.delivered) == ("", ())
        assert [row.number for row in await journal.entries()] == [0]


STORED = {
    "personas": ("name", "aliases", "alter_ego", "prompt", "greeting", "card"),
    "sprites": ("key", "name", "identity", "url", "media_type"),
    "settings": ("name", "value"),
    "persona_choices": ("persona", "name"),
    "message_labels": ("label", "created_at"),
    "memories": ("name", "user_id", "text", "details", "created_at"),
    "memory_messages": ("message",),
    "spending": ("requests", "tokens", "money"),
    "memory_opt_outs": ("created_at",),
    "channel_cursors": ("guild", "message", "received_at"),
    "bot_leases": ("heartbeat_at",),
    "questions": ("channel", "user_id", "owner", "done", "taken_at"),
}


def fill(database: sqlite3.Connection, twin: Twin, line: int) -> None:
    """One row in each table that is read for an answer in the channel."""
    guild, channel, person, now = twin.guild.id, twin.channel.id, twin.user.id, time.time()
    rows: dict[str, tuple[Any, ...]] = {
        "personas": (guild, "kai", "Kai", "[]", False, "p", "", "{}", False, "{}"),
        "sprites": (guild, "kai", "", "Kai", False, "", "image/png", b"", ""),
        "settings": (guild, channel, "degree", "1"),
        "persona_choices": (guild, channel, "kai", "Kai"),
        "message_labels": (line, "Kai: ", now),
        "memories": (line, guild, channel, "kai", "Kai", person, "b", "[]", now),
        "memory_messages": (line, line),
        "spending": (int(now // 86_400), "all", 0, 1, 1, 1),
        "memory_opt_outs": (77, now),
    }
    for table, row in rows.items():
        marks = ", ".join("?" * len(row))
        database.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)


@pytest.mark.parametrize("value", range(len(NONSENSE) + 1))
async def test_a_column_of_nonsense_in_any_table_costs_that_table_and_no_answer(
    value: int, twin: Twin, tmp_path: Path
) -> None:
    file = tmp_path / "s.db"
    await broken_off(twin, file)
    (line,) = [one.id for one in twin.channel.messages.values() if one.by_machine]
    with closing(sqlite3.connect(file)) as other:
        fill(other, twin, line)
        # All columns of a row at once would hide each other: each table has another one spoilt each time.
        for number, (table, columns) in enumerate(STORED.items()):
            column = columns[(value + number) % len(columns)]
            sql, bad = list(spoil(column))[value]
            if table == "spending" and isinstance(bad, int | float):
                continue  # so much may be spent, and is more than anybody's budget
            other.execute(f"UPDATE {table} SET {sql}", () if value == 0 else (bad,))
        other.commit()

    async with life(twin, file, Model(answer)) as stage:
        await recovered(stage)
        await stage.quiet()
        stage.ask("and now?")
        await twin.until(lambda: "here" in said(twin) or None)
        await stage.quiet()

    words = [text for text in said(twin) if text]
    assert words == ["one", "two", "three", "here"]
    assert await journal_of(file) == []


async def test_an_answer_whose_message_was_deleted_as_it_came_does_not_silence_its_persona(
    twin: Twin, file: Path
) -> None:
    async with life(twin, file, Model(["here"])) as stage:
        with closing(sqlite3.connect(file)) as other, other:
            fill(other, twin, 0)
        stage.ask("and now?")
        assert await stage.texts(1) == ["here"]
        await stage.quiet()
