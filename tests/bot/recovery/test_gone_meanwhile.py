"""What an answer needs may be gone when it goes on: it is told in the log, and the rest goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, recovered
from bot.recovery.test_resume_answers import broken_off, hanging, journal_of, rest, said
from bot.test_abuse_scenarios import forbid
from discord_twin import Permission, Twin
from streamcord._store.database import WRITE_AHEAD_SUFFIX
from streamcord_bot.recovery.resume_policy import MAX_REFUSED_S
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


async def test_turn_in_an_unreadable_channel_is_logged_once_and_closed(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file)
    forbid(twin, twin.channel, Permission.READ_MESSAGE_HISTORY)
    elsewhere = twin.add_channel("elsewhere")
    async with life(twin, file, Model(["here"])) as stage:
        await recovered(stage)
        await stage.bot.recovery._resumer.scan()
        await stage.quiet()
        twin.say(elsewhere, twin.user, f"<@{twin.bot.id}> and you?")
        assert await stage.texts(1, elsewhere) == ["here"]
        await stage.quiet()

    assert said(twin) == ["one"]
    assert caplog.text.count("cannot resume an interrupted answer") == 1
    assert str(twin.channel.id) in caplog.text
    assert await journal_of(file) == []


async def test_channel_without_send_permission_does_not_block_other_turns(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    forbid(twin, twin.channel, Permission.SEND_MESSAGES)
    elsewhere = twin.add_channel("elsewhere")

    def answer(prompt: object) -> list[str]:
        return ["here"] if "and you?" in str(prompt) else rest(prompt)  # type: ignore[arg-type]

    async with life(twin, file, Model(answer)) as stage:
        await recovered(stage)
        await stage.quiet()
        twin.say(elsewhere, twin.user, f"<@{twin.bot.id}> and you?")
        assert await stage.texts(1, elsewhere) == ["here"]
        await stage.quiet()

    assert said(twin) == ["one"]
    # It waits for the permission.
    assert len(await journal_of(file)) == 1


async def test_turn_of_a_left_server_is_logged_and_others_resume(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file, age=MAX_REFUSED_S + 60)
    del twin.guild.members[twin.bot.id]
    direct = twin.dm()
    async with life(twin, file, Model(["here"])) as stage:
        await recovered(stage)
        twin.say(direct, twin.user, "and you?")
        assert await stage.texts(1, direct) == ["here"]
        await stage.quiet()

    assert f"channel {twin.channel.id} is gone" in caplog.text
    assert await journal_of(file) == []


DAMAGE = [b"", b"\x00" * 4096, b"\xff\xfe\x00 not a line\n\n\n", b'\n00000000 ["x"]', b"\n" * 1000]


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_file_of_rows_that_holds_anything_costs_what_stood_in_it(
    damage: bytes, twin: Twin, file: Path
) -> None:
    async with life(twin, file, hanging()) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
        killed = await left_by_a_kill(stage, file, "delivered")
    Path(f"{killed}{WRITE_AHEAD_SUFFIX}").write_bytes(damage)  # noqa: ASYNC240
    async with life(twin, killed, Model(["here"])) as stage:
        await recovered(stage)
        stage.ask("and now?")
        assert await stage.texts(1) in (["here"], [""])
        await stage.quiet()

    # No row tells of it: people are told that it broke off, and nothing is said again.
    assert [text for text in said(twin) if text] == ["one", "here"]


async def test_a_folder_in_the_place_of_the_file_of_rows_costs_the_file_alone(twin: Twin, file: Path) -> None:
    Path(f"{file}{WRITE_AHEAD_SUFFIX}").mkdir()  # noqa: ASYNC240
    await broken_off(twin, file)
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]
