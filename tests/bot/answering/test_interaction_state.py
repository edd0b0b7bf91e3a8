"""The reply to a command goes on after its process has ended."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life, off_by, recovered
from bot.recovery.test_resume_answers import hanging, rest
from discord_twin import FaultKind, Interaction, Message, Twin
from streamcord.providers import Image
from streamcord.store import SqlJournal
from streamcord_bot.answering.interaction_state import _describe_files, restore_question
from streamcord_bot.messages.chat_message import AttachedFile, ChatMessage
from twin.conftest import FREE


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def said(twin: Twin) -> list[Message]:
    return [one for one in twin.channel.messages.values() if one.by_machine]


async def until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not look():  # noqa: ASYNC110 - what happens inside the bot tells no one
            await asyncio.sleep(0.01)


async def broken_off(twin: Twin, file: Path, age: float = 0.0) -> Interaction:
    """A command whose reply breaks off after its first line."""
    async with life(twin, file, hanging(), off_by(-age)) as stage:
        used = stage.twin.slash("ask", question="count to three")
        await twin.until(lambda: used.original if used.original and used.original.content else None)
        journal = stage.app.coordinator.journal
        assert isinstance(journal, SqlJournal)
        await journal.flush()
        # It waits no longer: killed now, it must not be answered twice.
        assert len({row.turn for row in await journal.entries()}) == 1
    return used


async def test_reply_is_resumed_with_its_command(twin: Twin, file: Path) -> None:
    used = await broken_off(twin, file)
    assert [one.content for one in said(twin)] == ["one"]
    model = Model(rest)
    async with life(twin, file, model) as stage:
        await recovered(stage)
        await stage.quiet()

    assert [one.content for one in said(twin)] == ["one", "two", "three"]
    assert said(twin)[0] is used.original
    assert "count to three" in str(model.prompts[0])
    assert [one.route for one in twin.log.requests if one.route == "messages.create"] == []


def test_attached_text_is_restored_and_pictures_become_a_note() -> None:
    picture, note = Image(b"x", "image/png"), AttachedFile("note.txt", "Buy milk.")
    long = AttachedFile("log.txt", "x" * 40_000)
    asked = ChatMessage(1, 2, "Ada", "what is it?", images=(picture,), files=(note, long))

    kept = _describe_files(asked)
    body = {"id": 1, "asks": True, "name": "Ada", "text": asked.text, "channel": {"id": 3}, "roles": []}
    again = restore_question({**body, "files": json.loads(json.dumps(kept))}, 2, dm=False)

    assert again is not None
    gone = AttachedFile("log.txt"), AttachedFile("", kind="picture")
    assert again.files == (note, *gone)


async def test_a_message_that_still_waits_is_filled_after_the_start(twin: Twin, file: Path) -> None:
    model = Model([asyncio.Event()])
    async with life(twin, file, model) as stage:
        used = twin.slash("ask", question="count")
        await twin.until(lambda: used.original)
        await until(lambda: bool(model.prompts))
    async with life(twin, file, Model(["one\ntwo"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert [one.content for one in said(twin)] == ["one", "two"]
    assert said(twin)[0] is used.original


async def test_placeholder_of_a_reply_that_cannot_go_on_is_replaced(twin: Twin, file: Path) -> None:
    model = Model([asyncio.Event()])
    async with life(twin, file, model):
        used = twin.slash("ask", question="count")
        await twin.until(lambda: used.original)
        await until(lambda: bool(model.prompts))
    # Its author may not ask any more.
    async with life(twin, file, Model(), access={"block": {"people": [str(twin.user.id)]}}) as stage:
        await recovered(stage)
        told = await twin.until(
            lambda: used.original if used.original and used.original.draft.embeds else None
        )
        await stage.quiet()

    assert "restarted" in told.draft.embeds[0]["description"]
    assert said(twin) == [told]


async def test_unrecorded_reply_gets_a_notice_and_is_not_repeated(twin: Twin, file: Path) -> None:
    await broken_off(twin, file)
    # The last that could be written was that the command waits.
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("DELETE FROM journal WHERE number > 0")
        other.execute("UPDATE journal SET body = json_set(body, '$.about.waits', json('true'))")
    async with life(twin, file, Model(["one\ntwo"])) as stage:
        await recovered(stage)
        await stage.quiet()

    assert [one.content for one in said(twin)] == ["one", ""]
    assert said(twin)[1].draft.embeds


async def test_a_command_is_answered_whose_acknowledgement_got_lost(twin: Twin, file: Path) -> None:
    async with life(twin, file, Model(["one\ntwo"])) as stage:
        await recovered(stage)
        for _ in range(5):
            twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, "interactions.callback")
        used = twin.slash("ask", question="count")
        await until(lambda: stage.app.state.has_pending_recovery)
        # As at the next connection, or after half a minute.
        await stage.bot.recovery.on_resumed()
        await stage.quiet()

    assert [one.content for one in said(twin)] == ["one", "two"]
    assert said(twin)[0] is used.original


async def test_waiting_command_survives_a_restart(twin: Twin, file: Path) -> None:
    async with life(twin, file, hanging()) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["one"]
        used = twin.users.slash(twin.channel, twin.add_user("bob"), "ask", question="and you?")
        await until(lambda: len(stage.app.state.owned_turn_ids) > 1)
    async with life(twin, file, Model(rest, ["fine"])) as stage:
        await recovered(stage)
        await stage.quiet()
        assert stage.app.state.owned_turn_ids == set()

    assert sorted(one.content for one in said(twin)) == ["fine", "one", "three", "two"]
    assert used.original is not None
    assert used.original.content == "fine"


async def test_a_filled_message_whose_receipt_is_lost_is_adopted_and_stays(twin: Twin, file: Path) -> None:
    gate = asyncio.Event()
    async with life(twin, file, Model([gate, "one\ntw", asyncio.Event()])) as stage:
        used = stage.twin.slash("ask", question="count")
        await twin.until(lambda: used.original)
        twin.configure(commit_then_drop_ack_chance=1.0)
        gate.set()
        await twin.until(lambda: used.original if used.original and used.original.content else None)
    twin.configure(commit_then_drop_ack_chance=0.0)
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert [one.content for one in said(twin)] == ["one", "two", "three"]


async def test_private_answer_is_not_resumed_in_public(twin: Twin, file: Path) -> None:
    async with life(twin, file, hanging()) as stage:
        used = stage.twin.slash("ask", question="count", private=True)
        await twin.until(lambda: used.original if used.original and used.original.content else None)
    before = [one.content for one in said(twin)]
    async with life(twin, file, Model(rest)) as stage:
        await recovered(stage)
        await stage.quiet()

    assert [one.content for one in said(twin)] == before
