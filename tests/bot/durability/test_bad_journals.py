"""What a journal may hold, or not any more: it is told in plain words, the bot runs, nothing is doubled."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.durability.again import life, recovered
from bot.durability.test_going_on import broken_off, hanging, journal_of, rest, said
from bot.models import Model
from bot.stage import make_config
from streamcord._bot.durability.continuity import open_bot_journal
from streamcord.twin import Twin
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


async def test_a_clock_that_was_set_back_keeps_nothing_from_going_on(twin: Twin, file: Path) -> None:
    await broken_off(twin, file, age=-3600)
    began = time.monotonic()
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]
    assert time.monotonic() - began < 20


async def test_a_channel_that_is_gone_is_told_and_forgotten(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = twin.add_channel("soon gone")
    async with life(twin, file, hanging()) as stage:
        stage.twin.say(place, twin.user, f"<@{twin.bot.id}> count")
        await twin.next_message(place)
    twin.state.delete_channel(place)
    async with life(twin, file, Model(["here"])) as stage:
        await recovered(stage)
        stage.ask("and here?")
        assert await stage.texts(1) == ["here"]
        await stage.quiet()

    assert f"channel {place.id} is gone" in caplog.text
    assert await journal_of(file) == []


async def test_the_journal_of_another_bot_is_left_alone(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    with sqlite3.connect(file) as other:
        other.execute(
            "UPDATE journal SET body = replace(body, ?, ?) WHERE kind = 'turn'",
            (f'"bot":{twin.bot.id}', '"bot":1'),
        )
    other.close()
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one"]
    assert "it is of another bot" in caplog.text


@pytest.mark.parametrize("row", ['{"ev', '{"version":1}', '{"version":1,"about":7}', "[]", "null"])
async def test_a_row_that_makes_no_sense_is_told_and_nothing_is_sent(
    row: str, twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    with sqlite3.connect(file) as other:
        other.execute("UPDATE journal SET body = ? WHERE kind = 'turn'", (row,))
    other.close()
    async with life(twin, file, Model(["here"])) as stage:
        await recovered(stage)
        await stage.quiet()
        twin.say(twin.channel, twin.user, f"<@{twin.bot.id}> and now?")
        await stage.texts(1)
        await stage.quiet()

    assert said(twin) == ["one", "here"]
    assert "answer in the journal cannot be read" in caplog.text or "does not go on" in caplog.text


async def test_half_a_page_costs_the_journal_and_nothing_else(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    content = file.read_bytes()  # noqa: ASYNC240
    file.write_bytes(content[: len(content) * 2 // 3 + 100])  # noqa: ASYNC240
    journal = await open_bot_journal(make_config(store=str(file)))

    if journal is None:
        assert "there is no journal" in caplog.text
    else:
        await journal.close()


async def test_a_folder_that_may_not_be_written_is_told(caplog: pytest.LogCaptureFixture) -> None:
    # Nobody may write here, whoever they are.
    assert await open_bot_journal(make_config(store="/proc/streamcord.db")) is None
    assert "answers will not go on after a restart" in caplog.text
    assert "/proc/streamcord.db" in caplog.text
