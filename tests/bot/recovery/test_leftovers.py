"""Nothing besides words is left behind: not by a kill before it was recorded, and not by a request that failed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import life, recovered
from bot.stage import Stage, make_config, on_stage
from bot.test_abuse_scenarios import forbid
from discord_twin import FaultKind, Message, Permission, Twin
from streamcord import ToolCall
from streamcord.store import open_journal
from streamcord.testing import ScriptedProvider
from streamcord_bot.answering import answer_ending, answer_journal
from streamcord_bot.ui.buttons import AnswerButton, make_buttons
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def has_stop_button(message: Message) -> bool:
    return '"sc:stop:' in json.dumps(message.draft.components)


async def broken_off(twin: Twin, file: Path, turn: str = "abc") -> Message:
    """Return the only message of an answer that broke off; its stop button is in no row of the journal."""
    async with life(twin, file, Model(["one\ntw", asyncio.Event()])) as stage:
        stage.ask("count")
        line = await twin.next_message()
        view = make_buttons(AnswerButton("stop", twin.user.id, turn))
        assert await stage.app.editor.set_buttons(channel_of(stage), line.id, view)
    assert has_stop_button(twin.channel.messages[line.id])
    return line


def channel_of(stage: Stage) -> Any:
    return stage.bot.get_channel(stage.twin.channel.id)


async def until(look: Callable[[], bool]) -> None:
    """Wait for something that the twin tells no one about."""
    async with asyncio.timeout(20):
        while not look():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_stop_button_of_a_process_that_died_before_recording_it_is_removed(
    twin: Twin, file: Path
) -> None:
    line = await broken_off(twin, file)

    async with life(twin, file, Model(["o\nthree"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert not has_stop_button(twin.channel.messages[line.id])


async def test_other_answers_keep_their_stop_buttons_during_recovery(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)

    async with life(twin, file, Model(["o\nthree"])) as stage:
        place = channel_of(stage)
        other = AnswerButton("stop", twin.user.id + 1, "abc")
        await place.send("Words for somebody else", view=make_buttons(other))
        kept = twin.channel.messages[max(twin.channel.messages)]
        await recovered(stage)
        await stage.quiet()

    assert has_stop_button(kept)


async def test_recovery_goes_on_where_the_history_may_not_be_read(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    forbid(twin, twin.channel, Permission.READ_MESSAGE_HISTORY)

    async with life(twin, file, Model(["o\nthree"])) as stage:
        await recovered(stage)
        await stage.quiet()

    async with await open_journal(file) as journal:
        assert await journal.unfinished() == []


async def test_progress_line_of_a_process_that_died_before_recording_its_id_is_deleted(
    twin: Twin, file: Path
) -> None:
    await broken_off(twin, file)
    async with await open_journal(file) as journal:
        (turn,) = await journal.unfinished()
        turn.mark("line", 0, text="-# 🔧 roll_dice …")
        await journal.flush()

    async with life(twin, file, Model(["o\nthree"])) as stage:
        line = await channel_of(stage).send("-# 🔧 roll_dice …")
        words = await channel_of(stage).send("-# roll_dice in other words")
        await recovered(stage)
        await stage.quiet()

    assert line.id not in twin.channel.messages
    assert words.id in twin.channel.messages


@pytest.mark.parametrize("body", ["<html>Welcome</html>", "", "null", "[]", '{"message": "x"}', '{"id": "1'])
async def test_button_whose_removal_failed_is_removed_later(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_journal, "RETRY_PAUSES", (0.01,) * 20)
    config = make_config(answer={"buttons": True}, settings={"degree": 1, "typing": "off"})
    async with on_stage(ScriptedProvider(["One.\nTwo.\nThree."]), config=config) as stage:
        stage.twin.inject_fault(FaultKind.FAKE_SUCCESS, "messages.edit", body=body, times=3)
        stage.ask("count")
        assert await stage.texts(3) == ["One.", "Two.", "Three."]
        await until(lambda: not any(map(has_stop_button, stage.said())))

        assert [one.content for one in stage.said()] == ["One.", "Two.", "Three."]
        assert stage.twin.faults.fired[FaultKind.FAKE_SUCCESS] == 3


async def test_progress_line_whose_removal_failed_is_removed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_journal, "RETRY_PAUSES", (0.01,) * 20)
    gone_on = asyncio.Event()
    # The tool is named, but its arguments take long: its line is shown meanwhile.
    model = Model([ToolCall("1", "roll_dice", {}), gone_on], ["A six."])
    async with on_stage(model) as stage:
        stage.twin.inject_fault(FaultKind.FAKE_SUCCESS, "messages.delete", body="<html>", times=2)
        stage.ask("roll")
        await until(lambda: any("roll_dice" in one.content for one in stage.said()))
        gone_on.set()
        await until(lambda: [one.content for one in stage.said()] == ["A six."])

        assert stage.twin.faults.fired[FaultKind.FAKE_SUCCESS] == 2


async def test_next_question_does_not_wait_for_the_buttons_of_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer_ending, "BUTTONS_TIMEOUT_S", 0.05)
    config = make_config(answer={"buttons": True}, settings={"typing": "off", "degree": 1, "merge": "off"})
    async with on_stage(Model(["one\ntwo"]), config=config) as stage:
        stage.twin.inject_fault(FaultKind.ACK_DELAY, "messages.edit", seconds=3600.0)
        stage.ask("first")
        assert await stage.texts(2) == ["one", "two"]
        stage.ask("second")
        assert await stage.texts(2) == ["one", "two"]
