"""Questions that no one heard are answered, once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import life, off_by, recovered
from discord_twin import Fault, FaultKind, Permission, Twin
from streamcord.store import Place
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


def said(twin: Twin) -> list[str]:
    return [one.content for one in twin.channel.messages.values() if one.by_machine]


def ask(twin: Twin, text: str) -> None:
    twin.say(twin.channel, twin.user, f"<@{twin.bot.id}> {text}")


async def test_what_was_asked_while_it_was_away_is_answered_and_nothing_else(
    twin: Twin, tmp_path: Path
) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["first"])) as stage:
        stage.ask("hello?")
        assert await stage.texts(1) == ["first"]
        await stage.quiet()
    ask(twin, "are you there?")
    twin.say(twin.channel, twin.user, "nobody is called here")

    async with life(twin, file, Model(["second"])) as stage:
        assert await stage.texts(1) == ["second"]
        await stage.quiet()
    async with life(twin, file, Model(["third"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["first", "second"]


async def test_missed_direct_messages_are_found(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    direct = twin.dm()
    async with life(twin, file, Model(["first"])) as stage:
        twin.say(direct, twin.user, "hello?")
        assert await stage.texts(1, direct) == ["first"]
        await stage.quiet()
    twin.say(direct, twin.user, "are you there?")

    async with life(twin, file, Model(["second"])) as stage:
        assert await stage.texts(1, direct) == ["second"]


async def test_a_first_start_answers_nothing_old(twin: Twin, tmp_path: Path) -> None:
    ask(twin, "from before")

    async with life(twin, tmp_path / "s.db", Model(["never"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == []


async def test_what_was_asked_too_long_ago_is_left(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["first"]), off_by(-7200)) as stage:
        await stage.settled()
    ask(twin, "are you there?")

    async with life(twin, file, Model(["never"]), durability={"catch_up": 0, "grace": 0.1}) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == []


async def test_a_clock_that_was_set_back_hides_no_question(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["never"]), off_by(3600)) as stage:
        await stage.settled()
    ask(twin, "are you there?")

    async with life(twin, file, Model(["here"])) as stage:
        assert await stage.texts(1) == ["here"]
        await stage.quiet()

    assert said(twin) == ["here"]


@pytest.mark.parametrize("persona", ["Twin", "Luna"])
async def test_unrecorded_interrupted_answer_gets_one_notice_and_is_not_repeated(
    persona: str, twin: Twin, tmp_path: Path
) -> None:
    file = tmp_path / "s.db"
    tables: dict[str, Any] = {"personas": {"Twin": {}, "Luna": {"alter": True}}}
    async with life(twin, file, Model(["one\ntw", asyncio.Event()]), **tables) as stage:
        await stage.store.choose_persona(Place(twin.guild.id, twin.channel.id), persona)
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
    with sqlite3.connect(file) as other:
        # As if the disk had been full from the first word on.
        other.executescript("DELETE FROM questions; DELETE FROM journal")
    other.close()

    for _ in range(2):
        async with life(twin, file, Model(["never"]), **tables) as stage:
            await recovered(stage)
            await stage.quiet()

    assert said(twin) == ["one", ""]
    line, notice = [one for one in twin.channel.messages.values() if one.by_machine]
    assert notice.draft.reply_to is line
    assert "cannot tell whether this answer was complete" in notice.draft.embeds[0]["description"]


@pytest.mark.parametrize("route", ["messages.list", "messages.create"])
async def test_interruption_notice_is_retried_after_a_lost_request(
    route: str, twin: Twin, tmp_path: Path
) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["one\ntw", asyncio.Event()])) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
    with sqlite3.connect(file) as other:
        other.executescript("DELETE FROM questions; DELETE FROM journal")
    other.close()

    twin.faults.add(Fault(FaultKind.STATUS, (route,), status=503))
    async with life(twin, file, Model(["never"])) as stage:
        await recovered(stage)
        await twin.until(lambda: len(said(twin)) > 1 or None, 15.0)
        await stage.quiet()

    assert said(twin) == ["one", ""]


async def test_unrecorded_interrupted_command_gets_a_notice(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    model = Model([asyncio.Event()])
    async with life(twin, file, model) as stage:
        used = twin.slash("ask", question="count")
        await model.called()
    with sqlite3.connect(file) as other:
        other.executescript("DELETE FROM questions; DELETE FROM journal")
    other.close()

    for _ in range(2):
        async with life(twin, file, Model(["never"])) as stage:
            await recovered(stage)
            await stage.quiet()

    waiting, notice = [one for one in twin.channel.messages.values() if one.by_machine]
    assert waiting is used.original
    assert notice.draft.reply_to is waiting


async def test_an_answer_that_ended_is_not_talked_about(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["first"])) as stage:
        stage.ask("hello?")
        assert await stage.texts(1) == ["first"]
        await stage.quiet()
        twin.slash("ask", question="and you?")
        assert await stage.texts(1) == ["first"]
        await stage.quiet()

    async with life(twin, file, Model(["never"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["first", "first"]


async def test_hidden_channels_are_read_after_a_restart(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    secret = twin.add_channel("secret-mods")
    async with life(twin, file, Model(["first"])) as stage:
        stage.ask("hello?")
        assert await stage.texts(1) == ["first"]
        await stage.quiet()
    twin.state.overwrite(secret, twin.bot.user, deny=Permission.VIEW_CHANNEL)
    twin.say(secret, twin.user, f"<@{twin.bot.id}> psst")
    ask(twin, f"what about <#{secret.id}>?")
    # Older clients of the gateway learn of them with all fields.
    for obfuscate in (True, False):
        twin.configure(obfuscate_channels=obfuscate)
        model = Model(["second"])
        async with life(twin, file, model) as stage:
            await recovered(stage)
            await stage.quiet()
        if obfuscate:
            assert "#no-access" in str(model.prompts[0])
            assert "hidden" not in str(model.prompts[0])

    assert said(twin) == ["first", "second"]
    reads = [one for one in twin.log.requests if f"/channels/{secret.id}" in one.path]
    assert [one.status for one in reads] == []
