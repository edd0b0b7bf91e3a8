"""What a journal may hold, or not any more: it is told in plain words, the bot runs, nothing is doubled."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, recovered
from bot.recovery.test_resume_answers import broken_off, hanging, journal_of, rest, said
from bot.stage import make_config
from crashes.faults import set_read_only
from discord_twin import Twin
from discord_twin.state.models import Application
from streamcord.providers import Prompt, Text
from streamcord.store import Place
from streamcord_bot.coordination.journal import NullJournal, open_bot_journal
from streamcord_bot.coordination.single_process import SingleProcess
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


async def test_turn_in_a_deleted_channel_is_logged_and_closed(
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


def join_as(twin: Twin, name: str) -> Application:
    """Another bot on the server."""
    other = twin.state.add_application(name, twin.user)
    twin.state.add_member(twin.guild, other.user)
    return other


async def test_a_new_token_of_the_same_bot_changes_nothing(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    twin.bot.token = f"{twin.token.rpartition('.')[0]}.another-secret-of-the-same-bot"
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]


async def test_turn_of_another_bot_is_left_for_that_bot(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    first, twin.bot = twin.bot, join_as(twin, "other")
    async with life(twin, file, Model(["here"])) as stage:
        await recovered(stage)
        await stage.bot.recovery._resumer.scan()
        await stage.quiet()
        assert said(twin) == ["one"]
        stage.ask("who are you?")
        assert await stage.texts(1) == ["here"]
        await stage.quiet()
    assert caplog.text.count("which belongs to another bot") == 1
    twin.bot = first
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "here", "two", "three"]
    assert await journal_of(file) == []


async def test_what_another_bot_left_a_day_ago_is_forgotten(twin: Twin, file: Path) -> None:
    await broken_off(twin, file, age=90_000)
    twin.bot = join_as(twin, "other")
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one"]
    assert await journal_of(file) == []


async def test_answer_in_a_thread_is_resumed_in_the_same_thread(twin: Twin, file: Path) -> None:
    threads: dict[str, Any] = {"answer": {"threads": True}}
    async with life(twin, file, hanging(), **threads) as stage:
        asked = stage.ask("count")
        thread = await twin.until(lambda: twin.state.channels.get(asked.id))
        assert await stage.texts(1, thread) == ["one"]
    async with life(twin, file, Model(rest), **threads) as stage:
        await recovered(stage)
        await stage.quiet()
    # Here the process died between the thread and its first word.
    late = twin.say(twin.channel, twin.user, f"<@{twin.bot.id}> and now?")
    begun = twin.state.add_thread(twin.channel, "and now?", twin.bot.user, late)
    async with life(twin, file, Model(["here"]), **threads) as stage:
        assert await stage.texts(1, begun) == ["here"]
        await stage.quiet()

    words = [one.content for one in thread.messages.values() if one.by_machine and one.content]
    assert words == ["one", "two", "three"]
    assert said(twin) == []


async def test_journal_of_another_version_is_logged_and_kept(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    with sqlite3.connect(file) as other:
        other.execute("UPDATE journal SET body = replace(body, '\"version\":2', '\"version\":1')")
    other.close()
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one"]
    assert "the format version is 1, expected 2" in caplog.text
    assert len(await journal_of(file)) == 1


async def test_deleted_message_of_an_answer_is_not_sent_again(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    (line,) = [one for one in twin.channel.messages.values() if one.by_machine]
    twin.delete(line)
    async with life(twin, file, Model(rest)) as stage:
        assert await stage.texts(2) == ["two", "three"]
        await stage.quiet()

    assert said(twin) == ["two", "three"]


async def test_a_persona_that_is_gone_ends_what_it_began(twin: Twin, file: Path) -> None:
    luna: dict[str, Any] = {"personas": {"Twin": {}, "Luna": {"alter": True}}}
    async with life(twin, file, hanging(), **luna) as stage:
        await stage.store.choose_persona(Place(twin.guild.id, twin.channel.id), "Luna")
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
    async with life(twin, file, Model(rest)) as stage:
        assert await stage.texts(2) == ["two", "three"]
        await stage.quiet()
        names = [one.shown_name for one in twin.channel.messages.values() if one.by_machine]

    # It was hers when she was there: the answer keeps its voice.
    assert names == ["Luna"] * 3


@pytest.mark.parametrize("row", ['{"ev', '{"version":2}', '{"version":2,"about":7}', "[]", "null"])
async def test_malformed_row_is_logged_and_sends_nothing(
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
    assert (
        "turn in the journal that cannot be decoded" in caplog.text
        or "cannot resume an interrupted answer" in caplog.text
    )


PAGE = 4096


def page_of_the_rows(file: Path) -> int:
    """The number of the page on which the rows of the journal begin."""
    with sqlite3.connect(file) as other:
        (page,) = other.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'journal'").fetchone()
    other.close()
    return int(page)


async def test_half_a_database_page_is_logged_and_loses_only_its_rows(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    with file.open("r+b") as disk:
        # Half of it was never written.
        disk.seek((page_of_the_rows(file) - 1) * PAGE + PAGE // 2)
        disk.write(bytes(PAGE // 2))

    async with life(twin, file, Model(["here"])) as stage:
        await recovered(stage)
        stage.ask("and now?")
        assert await stage.texts(1) == ["here"]
        await stage.quiet()

    assert said(twin) == ["one", "here"]
    assert "is damaged: put a backup there" in caplog.text


async def test_truncated_database_file_is_logged(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    os.truncate(file, (page_of_the_rows(file) - 1) * PAGE + PAGE // 2)

    assert isinstance(await open_bot_journal(make_config(store=str(file))), NullJournal)
    assert "is damaged: put a backup there" in caplog.text


@pytest.mark.parametrize("cut", [1, 50, 200])
async def test_truncated_write_ahead_line_loses_only_the_last_rows(cut: int, twin: Twin, file: Path) -> None:
    async with life(twin, file, Model(["one\ntwo\nthr", asyncio.Event()])) as stage:
        stage.ask("count")
        assert await stage.texts(2) == ["one", "two"]
        killed = await left_by_a_kill(stage, file, lost=cut)

    def go_on(prompt: Prompt) -> list[str]:
        heard = [part.text for one in prompt.messages for part in one.parts if isinstance(part, Text)]
        return ["one\ntwo\nthree".removeprefix(heard[-2])]

    async with life(twin, killed, Model(go_on)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]


async def test_read_only_folder_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    # No one may write here, whoever they are.
    assert isinstance(await open_bot_journal(make_config(store="/proc/streamcord.db")), NullJournal)
    assert "answers are not resumed after a restart" in caplog.text
    assert "/proc/streamcord.db" in caplog.text


@pytest.fixture
def shut(tmp_path: Path) -> Iterator[Path]:
    """A folder that may turn read-only, also for who has its files open."""
    folder = tmp_path / "shut"
    folder.mkdir()
    if not set_read_only(folder):
        pytest.skip("this user may not make a folder read-only")
    set_read_only(folder, on=False)
    yield folder
    set_read_only(folder, on=False)


async def test_a_folder_that_turns_read_only_costs_the_journal_and_nothing_else(
    twin: Twin, shut: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, going = shut / "s.db", asyncio.Event()
    async with life(twin, file, Model(["one\ntw", going, "o\nthree"], ["four"])) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
        set_read_only(shut)
        going.set()
        assert await stage.texts(2) == ["two", "three"]
        stage.ask("and then?")
        assert await stage.texts(1) == ["four"]
        await stage.quiet()
        set_read_only(shut, on=False)
        journal = stage.app.coordinator.journal
        assert journal is not None
        async with asyncio.timeout(10):
            while not await journal.flush():  # noqa: ASYNC110 - a disk tells no one that it is back
                await asyncio.sleep(0.05)
    async with life(twin, file, Model(["never"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three", "four"]
    assert "the disk and the permissions of file and folder" in caplog.text
    assert "writing the journal failed, answers continue without it" in caplog.text


async def test_database_deleted_while_in_use_is_logged(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with life(twin, file, Model(["one"], ["two"])) as stage:
        lease = stage.bot.recovery.coordinator
        assert isinstance(lease, SingleProcess)
        stage.ask("first?")
        assert await stage.texts(1) == ["one"]
        await stage.quiet()
        for one in file.parent.glob("s.db*"):
            one.unlink()
        stage.ask("and then?")
        assert await stage.texts(1) == ["two"]
        await stage.quiet()
        await lease._renew_lease()
        await lease._renew_lease()
        # No other one is begun beside it.
        assert not file.exists()  # noqa: ASYNC240

    assert caplog.text.count("was deleted or moved while it was in use") == 1
    assert said(twin) == ["one", "two"]
