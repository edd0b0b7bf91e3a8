"""An answer that the bot may not write any more waits, and goes on when it may again."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.models import Model
from bot.recovery.again import life
from bot.recovery.test_resume_answers import journal_of
from bot.stage import Stage
from discord_twin import Channel, Permission, Twin
from discord_twin.state.serializers import serialize_guild_create
from discord_twin.state.state import Event
from streamcord_bot.ops.connectivity import DiscordClock
from streamcord_bot.recovery.resume_policy import MAX_REFUSED_S
from twin.conftest import FREE

WRITING = Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS
BUTTONS = {"buttons": True}


@pytest.fixture
async def twin() -> AsyncIterator[Twin]:
    async with Twin(FREE) as started:
        yield started


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def take(permission: Permission) -> Callable[[Twin, Channel], None]:
    return lambda twin, place: twin.state.overwrite(place, twin.bot.user, deny=permission)


def give_back(twin: Twin, place: Channel) -> None:
    twin.state.overwrite(place, twin.bot.user)


def lock(twin: Twin, place: Channel) -> None:
    twin.state.set_thread(place, archived=True, locked=True)


def unlock(twin: Twin, place: Channel) -> None:
    twin.state.set_thread(place, archived=False)


def kick(twin: Twin, place: Channel) -> None:
    twin.state.dispatch(Event("GUILD_DELETE", {"id": str(twin.guild.id)}, twin.guild.id))
    del twin.guild.members[twin.bot.id]


def invite(twin: Twin, place: Channel) -> None:
    twin.state.add_member(twin.guild, twin.bot.user)
    about = serialize_guild_create(twin.state, twin.guild, twin.bot)
    twin.state.dispatch(Event("GUILD_CREATE", about, twin.guild.id))


def words(place: Channel) -> list[str]:
    """What was written, and what is no words as `!`."""
    return [one.content or "!" for one in place.messages.values() if one.by_machine]


def buttons(place: Channel, action: str) -> int:
    shown = (json.dumps(one.draft.components) for one in place.messages.values())
    return sum(f"sc:{action}:" in one for one in shown)


async def refused(
    stage: Stage, place: Channel, go_on: asyncio.Event, do: Callable[[Twin, Channel], None]
) -> None:
    """Ask, and take the right to write after the first words."""
    stage.ask("count", place)
    assert await stage.texts(1, place) == ["one"]
    if do is kick:
        heard = stage.bot.wait_for("guild_remove", timeout=10)
        do(stage.twin, place)
        await heard
    else:
        do(stage.twin, place)
        await stage.settled()
    go_on.set()
    await stage.quiet()


@pytest.mark.parametrize("kind", ["channel", "thread"])
@pytest.mark.parametrize(
    ("do", "undo"),
    [(take(WRITING), give_back), (take(Permission.VIEW_CHANNEL), give_back), (lock, unlock), (kick, invite)],
    ids=["writing", "seeing", "locked", "kicked"],
)
async def test_answer_is_cut_when_a_permission_is_taken_and_given_back(
    do: Callable[[Twin, Channel], None],
    undo: Callable[[Twin, Channel], None],
    kind: str,
    twin: Twin,
    file: Path,
) -> None:
    if do is lock and kind == "channel":
        pytest.skip("only threads are locked")
    place = twin.add_thread("talk", twin.channel) if kind == "thread" else twin.channel
    go_on = asyncio.Event()
    async with life(
        twin, file, Model(["one\n", go_on, "two\n", asyncio.Event()], ["three"]), answer=BUTTONS
    ) as stage:
        await refused(stage, place, go_on, do)
        assert words(place) == ["one"]
        assert len(await journal_of_running(stage)) == 1

        undo(twin, place)
        assert await stage.texts(2, place) == ["two", "three"]
        await stage.quiet()
        assert words(place) == ["one", "two", "three"]
        assert buttons(place, "stop") == 0
        assert buttons(place, "more") == 1

    assert await journal_of(file) == []


async def journal_of_running(stage: Stage) -> list[str]:
    return [one.id for one in await stage.app.coordinator.journal.unfinished(held=True)]


async def test_rest_is_offered_and_not_sent_when_the_permission_is_back_after_hours(
    twin: Twin, file: Path
) -> None:
    place, go_on, ahead = twin.channel, asyncio.Event(), [0.0]
    clock = DiscordClock(lambda: time.time() + ahead[0])
    async with life(
        twin, file, Model(["one\n", go_on, "two\n", asyncio.Event()], ["never"]), clock, answer=BUTTONS
    ) as stage:
        await refused(stage, place, go_on, take(WRITING))
        await stage.bot.recovery._resumer.scan()
        assert words(place) == ["one"]

        ahead[0] = MAX_REFUSED_S + 60.0
        await stage.bot.recovery._resumer.scan()
        assert words(place) == ["one"]
        give_back(twin, place)
        assert await stage.texts(1) == [""]
        await stage.bot.recovery._resumer.scan()

        assert words(place) == ["one", "!"]
        assert buttons(place, "stop") == 0
        assert buttons(place, "more") == 1

    assert await journal_of(file) == []


async def test_answer_waits_for_a_permission_for_a_day_at_most(twin: Twin, file: Path) -> None:
    go_on, ahead = asyncio.Event(), [0.0]
    clock = DiscordClock(lambda: time.time() + ahead[0])
    async with life(twin, file, Model(["one\n", go_on, "two"], ["never"]), clock) as stage:
        await refused(stage, twin.channel, go_on, take(WRITING))
        before = len(twin.log.requests)
        for _ in range(3):
            await stage.bot.recovery._resumer.scan()
        # Nothing is asked of Discord while the answer waits.
        assert len(twin.log.requests) == before
        ahead[0] = 86_500.0
        await stage.bot.recovery._resumer.scan()

    assert words(twin.channel) == ["one"]
    assert await journal_of(file) == []


async def test_question_that_waited_its_turn_is_answered_when_the_permission_is_back(
    twin: Twin, file: Path
) -> None:
    go_on, other = asyncio.Event(), twin.add_user("other")
    # A persona that speaks by a webhook needs another permission than the one that answers.
    personas = {"Luna": {"prompt": "You are Luna."}, "Mia": {"prompt": "You are Mia.", "alter": True}}
    model = Model(["one\n", go_on, "two"], ["answer"])
    async with life(twin, file, model, personas=personas) as stage:
        stage.ask("count", twin.channel)
        assert await stage.texts(1, twin.channel) == ["one"]
        stage.ask("and I?", twin.channel, other)
        await stage.settled()
        take(WRITING)(twin, twin.channel)
        await stage.settled()
        go_on.set()
        await stage.quiet()
        assert words(twin.channel) == ["one"]

        give_back(twin, twin.channel)
        await stage.texts(2, twin.channel)
        await stage.quiet()

    assert sorted(words(twin.channel)) == ["answer", "one", "two"]
    assert await journal_of(file) == []


async def test_question_right_before_the_permission_was_taken_is_answered_when_it_is_back(
    twin: Twin, file: Path
) -> None:
    async with life(twin, file, Model(["answer"])) as stage:
        # The bot may read the change before it has begun with the question.
        stage.ask("hello?", twin.channel)
        take(WRITING)(twin, twin.channel)
        await stage.settled()
        await stage.quiet()
        assert words(twin.channel) == []

        give_back(twin, twin.channel)
        assert await stage.texts(1, twin.channel) == ["answer"]
        await stage.quiet()

    assert await journal_of(file) == []
