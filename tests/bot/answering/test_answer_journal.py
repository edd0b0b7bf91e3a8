"""What the bot writes down about an answer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life
from discord_twin import Twin
from streamcord import ProviderError
from streamcord.store import open_journal
from streamcord_bot.messages.question import Question
from streamcord_bot.policy.channel_config import place_of
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


async def test_a_question_is_taken_before_and_finished_after_its_answer(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["one"])) as stage:
        question = stage.ask("hello?")
        assert await stage.texts(1) == ["one"]
        await stage.quiet()
        journal = stage.app.coordinator.journal
        assert journal is not None
        assert await journal.claims.answered([question.id, 1]) == {question.id}
        assert stage.app.state.owned_turn_ids == set()
    async with await open_journal(file) as journal:
        assert await journal.entries() == []
        assert await journal.claims.open_questions(0.0) == []


async def test_a_question_that_was_answered_is_not_answered_again(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    async with life(twin, file, Model(["one"])) as stage:
        journal = stage.app.coordinator.journal
        assert journal is not None
        question = twin.say(twin.channel, twin.user, "a mark that calls nobody")
        await journal.claims.claim([question.id], twin.channel.id, twin.user.id)
        await journal.claims.finish([question.id])
        message = await stage.bot.get_channel(twin.channel.id).fetch_message(question.id)  # type: ignore[union-attr]
        asked = Question(twin.user.id, [stage.bot._parts.reader.read(message)])
        config = await stage.app.channel_configs.find_cached(*place_of(message.channel))
        stage.app.dispatcher.put(asked, config)
        await stage.quiet()
    assert [one for one in twin.channel.messages.values() if one.by_machine] == []


async def test_locked_database_does_not_delay_answers(twin: Twin, tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    # The one who waited for the database would wait for an hour.
    async with life(twin, file, Model(["one\ntwo"]), patience=3600.0) as stage:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        stage.ask("hello?")
        assert await stage.texts(2) == ["one", "two"]
        other.execute("COMMIT")
        other.close()
        await stage.quiet()


def notices(twin: Twin) -> int:
    return sum(bool(one.by_machine and one.draft.embeds) for one in twin.channel.messages.values())


@pytest.mark.parametrize("restarts", [False, True])
async def test_failed_notice_is_sent_later_once(twin: Twin, tmp_path: Path, *, restarts: bool) -> None:
    file, gate = tmp_path / "s.db", asyncio.Event()
    model = Model([gate, ProviderError("gone")])
    async with life(twin, file, model) as stage:
        stage.ask("count")
        await model.called()
        await twin.go_offline()
        gate.set()
        await stage.quiet()
        assert notices(twin) == 0
        if not restarts:
            await twin.go_online()
            await twin.until(lambda: notices(twin) or None, 15.0)
    if restarts:
        await twin.go_online()
        async with life(twin, file, Model(["never"])) as stage:
            await twin.until(lambda: notices(twin) or None, 15.0)
            await stage.quiet()

    assert notices(twin) == 1
    async with await open_journal(file) as journal:
        assert await journal.entries() == []
