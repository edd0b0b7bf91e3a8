"""Answers that broke off go on; here the process ends in order, in tests/crashes it is killed."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.models import Model
from bot.recovery.again import left_by_a_kill, life, off_by, recovered
from bot.test_abuse_scenarios import forbid
from discord_twin import Message, Permission, Twin, TwinOptions
from streamcord.providers import Prompt
from streamcord.store import open_journal
from streamcord_bot.ui.buttons import AnswerButton, make_buttons
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def hanging() -> Model:
    """A model that says a line and a half, and then nothing more."""
    return Model(["one\ntw", asyncio.Event()])


async def broken_off(twin: Twin, file: Path, age: float = 0.0) -> Message:
    """A question whose answer breaks off after its first line."""
    model = hanging()
    async with life(twin, file, model, off_by(-age)) as stage:
        question = stage.ask("count")
        assert await stage.texts(1) == ["one"]
    return question


def rest(prompt: Prompt) -> list[str]:
    """What a model adds that knows what it has said."""
    before = [str(part.text) for one in prompt.messages for part in one.parts if hasattr(part, "text")]
    return ["o\nthree"] if before[-2].endswith("tw") else ["anew"]


def said(twin: Twin) -> list[str]:
    return [one.content for one in twin.channel.messages.values() if one.by_machine]


async def journal_of(file: Path) -> list[str]:
    async with await open_journal(file) as journal:
        return sorted({row.turn for row in await journal.entries()})


async def test_answer_resumes_after_restart_without_a_partial_line(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    assert said(twin) == ["one"]

    async with life(twin, file, Model(rest)) as stage:
        assert await stage.texts(2) == ["two", "three"]
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]
    assert await journal_of(file) == []


async def test_unrelated_messages_of_the_owner_do_not_restart_a_resumed_answer(
    twin: Twin, file: Path
) -> None:
    await broken_off(twin, file)
    twin.say(twin.channel, twin.user, "I think it is asleep")

    async with life(twin, file, Model(rest), answer={"debounce": 5.0}) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one", "two", "three"]


async def test_late_resumed_answer_has_a_notice_that_replies_to_the_question(twin: Twin, file: Path) -> None:
    question = await broken_off(twin, file, age=700)

    async with life(twin, file, Model(rest)) as stage:
        notice = await twin.next_message()
        assert await stage.texts(2) == ["two", "three"]

    assert notice.draft.embeds
    assert notice.draft.reply_to is question


async def test_answer_older_than_a_day_is_only_logged(
    twin: Twin, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await broken_off(twin, file, age=90_000)

    async with life(twin, file, Model(["never"])) as stage:
        await recovered(stage)
        await stage.quiet()
        assert 'kind="given_up"} 1.0' in stage.app.metrics.render()

    assert said(twin) == ["one"]
    assert "hours old" in caplog.text
    assert await journal_of(file) == []


async def test_answer_to_a_deleted_question_is_not_resumed(twin: Twin, file: Path) -> None:
    question = await broken_off(twin, file)
    twin.delete(question)

    async with life(twin, file, Model(["never"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == ["one"]
    assert await journal_of(file) == []


async def test_a_stop_button_that_was_left_goes_away(twin: Twin, file: Path) -> None:
    async with life(twin, file, hanging()) as stage:
        stage.ask("count")
        (line,) = [await twin.next_message()]
        journal = stage.app.coordinator.journal
        assert journal is not None
        (live,) = stage.app.state.owned_turn_ids
        view = make_buttons(AnswerButton("stop", twin.user.id, "abc"))
        await stage.app.editor.set_buttons(stage.bot.get_channel(twin.channel.id), line.id, view)  # type: ignore[arg-type]
    assert twin.channel.messages[line.id].draft.components
    async with await open_journal(file) as journal:
        (turn,) = await journal.unfinished()
        assert turn.id == live
        turn.mark("button", line.id, by_webhook=False)
        turn.mark("line", 1)
        await journal.flush()

    async with life(twin, file, Model(rest)) as stage:
        assert await stage.texts(2) == ["two", "three"]
        await stage.quiet()

    assert not twin.channel.messages[line.id].draft.components


async def test_live_message_with_a_button_is_resumed(twin: Twin, file: Path) -> None:
    live: dict[str, Any] = {"settings": {"degree": 0, "delivery": "live"}, "answer": {"buttons": True}}
    line = "This line says something that is worth reading."
    async with life(twin, file, Model([f"{line}\ntw", asyncio.Event()]), **live) as stage:
        stage.ask("count")
        killed = await left_by_a_kill(stage, file, once="mark")

    async with life(twin, killed, Model(rest), **live) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == [f"{line}\ntwo\nthree"]


@pytest.mark.parametrize("front", [True, False], ids=["name in front", "webhook"])
async def test_live_persona_message_is_resumed_under_its_name(twin: Twin, file: Path, front: bool) -> None:
    persona = {"Luna": {"prompt": "You are Luna.", "alter": True}}
    live: dict[str, Any] = {"settings": {"degree": 0, "delivery": "live"}, "personas": persona}
    line = "This line says something that is worth reading."
    if front:
        forbid(twin, twin.channel, Permission.MANAGE_WEBHOOKS)
    async with life(twin, file, Model([f"{line}\ntw", asyncio.Event()]), **live) as stage:
        stage.ask("count")
        await twin.until(lambda: bool(said(twin)))
        killed = await left_by_a_kill(stage, file, once="delivered")

    async with life(twin, killed, Model(rest), **live) as stage:
        await recovered(stage)
        await stage.quiet()

    (answer,) = (one for one in twin.channel.messages.values() if one.by_machine)
    assert (answer.shown_name, answer.content) == (
        ("streamcord", f"**Luna:** {line}\ntwo\nthree") if front else ("Luna", f"{line}\ntwo\nthree")
    )
    assert bool(answer.draft.embeds) is not front


async def test_what_grew_while_nothing_could_be_written_is_not_begun_again(twin: Twin, file: Path) -> None:
    live: dict[str, Any] = {"settings": {"degree": 0, "delivery": "live"}}
    line = "This line says something that is worth reading."
    async with life(twin, file, Model([f"{line}\n{line}\ntw", asyncio.Event()]), **live) as stage:
        stage.ask("count")
        await twin.until(lambda: said(twin) == [f"{line}\n{line}"])
        killed = await left_by_a_kill(stage, file)
    # Someone looked: now all of it is in the database.
    await (await open_journal(killed)).close()
    with sqlite3.connect(killed) as other:
        # The database was locked soon after the first words.
        other.execute("DELETE FROM journal WHERE kind NOT IN ('turn', 'received')")
        other.execute("UPDATE journal SET body = replace(body, ?, 'This line ')", (f"{line}\\ntw",))
    other.close()

    async with life(twin, killed, Model([f"{line}\nand more that comes"]), **live) as stage:
        await recovered(stage)
        await stage.quiet()

    assert said(twin) == [f"{line}\n{line}", ""]


async def test_a_model_that_takes_a_prefill_is_given_one(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)

    class Continuing(Model):
        continues = True

    model = Continuing(["o\nthree"])
    async with life(twin, file, model) as stage:
        assert await stage.texts(2) == ["two", "three"]

    assert model.prompts[0].prefill == "one\ntw"


async def test_without_a_journal_nothing_changes(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)

    async with await open_journal(file) as journal:
        (turn,) = await journal.unfinished()
        assert turn.about["bot"] == twin.bot.id
    assert (await journal_of(file)) == [turn.id]


async def test_what_waits_at_the_end_is_joined_and_gone_in_time(file: Path) -> None:
    lines = [f"line {number} of many" for number in range(40)]
    settings = {"typing": "off", "degree": 1, "message_cap": 0}
    async with Twin(TwinOptions()) as twin:
        async with life(
            twin, file, Model(["\n".join(lines)]), settings=settings, durability={"grace": 8.0}
        ) as stage:
            stage.ask("say it")
            await stage.texts(1)
            began = time.monotonic()
        took = time.monotonic() - began
        texts = said(twin)

    # The last one is for the next process if the model had not ended yet.
    assert "\n".join(texts).split("\n") in (lines, lines[:-1])
    assert len(texts) < 15
    assert took < 9.5
