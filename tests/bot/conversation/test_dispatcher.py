from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from streamcord import Asker, Persona, Settings, Stop, StopAnswer, Stops
from streamcord._bot.config.sections import AnswerConfig, ContextConfig
from streamcord._bot.conversation.channel_config import Scene
from streamcord._bot.conversation.channel_queue import Ask, Heard, Kind
from streamcord._bot.conversation.dispatcher import LANE_CAP, Claims, Desk, Reason, find_reason, has_trigger
from streamcord._bot.conversation.incoming_message import File, Remark
from streamcord.store import Place, StoredPersona
from virtual import timeless

SCENE = Scene(
    Place(1, 7), StoredPersona(Persona("Luna")), Settings(), AnswerConfig(bot_rounds=2), ContextConfig()
)


class Room:
    """A desk whose answers take a second."""

    def __init__(self) -> None:
        self.answered: list[int] = []
        self.desk = Desk(self.run, self.show, Stops())

    async def run(self, ask: Ask, stop: Stop) -> None:
        heard = asyncio.Event()
        stop.listen(heard.set)
        try:
            async with asyncio.timeout(3):
                await heard.wait()
        except TimeoutError:
            self.answered.append(ask.remarks[-1].id)

    async def show(self, _: Ask) -> None:
        pass


def said(id_: int, author: int = 1, channel: int = 7, *, calls: bool = True, bot: bool = False) -> Remark:
    return Remark(id_, author, "x", "hi", channel, mentions_us=calls, bot=bot)


@timeless
async def test_a_message_is_claimed_once_and_never_if_it_is_ours() -> None:
    desk = Room().desk

    assert desk.claim(said(1))
    assert not desk.claim(said(1))
    assert not desk.claim(replace(said(2), own=True))


@timeless
async def test_channels_do_not_wait_for_each_other() -> None:
    room = Room()
    assert room.desk.hear(said(1, channel=7, calls=False), SCENE) is Heard.IGNORED
    for channel in range(LANE_CAP + 10):
        assert room.desk.hear(said(channel + 1, channel=channel), SCENE) is Heard.TAKEN
    async with asyncio.timeout(3.5):
        await room.desk.quiet()

    assert len(room.answered) == LANE_CAP + 10
    room.desk.hear(said(999, channel=5000), SCENE)
    assert len(room.desk._lanes) == 1
    await room.desk.close(0)


@timeless
async def test_machines_are_answered_so_often_until_a_person_speaks() -> None:
    room = Room()
    heard = []
    for number in range(4):
        heard.append(room.desk.hear(said(number + 1, bot=True), SCENE))
        await room.desk.quiet()
    room.desk.hear(said(10, 2, calls=False), SCENE)
    heard.append(room.desk.hear(said(11, bot=True), SCENE))
    await room.desk.quiet()

    ignored = Heard.IGNORED
    assert heard == [Heard.TAKEN, Heard.TAKEN, ignored, ignored, Heard.TAKEN]


@timeless
async def test_edits_and_deletions_in_quiet_channels_matter_to_nobody() -> None:
    desk = Room().desk

    assert not desk.edit(7, 1, "new")
    assert not desk.delete(7, 1)
    assert await desk.stop_in(7, Asker(1)) is StopAnswer.NOTHING


@timeless
async def test_who_waits_may_leave_and_who_speaks_may_be_stopped() -> None:
    room = Room()
    room.desk.hear(said(1), SCENE)
    await asyncio.sleep(1.5)
    room.desk.hear(said(2, 2), SCENE)

    assert await room.desk.stop_in(7, Asker(2)) is StopAnswer.ACCEPTED
    assert await room.desk.stop_in(7, Asker(2)) is StopAnswer.REFUSED
    assert await room.desk.stop_in(7, Asker(1)) is StopAnswer.ACCEPTED
    await room.desk.quiet()
    assert room.answered == []


@timeless
async def test_once_closed_nobody_is_heard() -> None:
    room = Room()
    room.desk.hear(said(1), SCENE)
    await asyncio.sleep(0)
    await room.desk.close(10)

    assert not room.desk.claim(said(5))
    room.desk.put(Ask(1, [said(6)], Kind.REGENERATE), SCENE)
    await room.desk.quiet()
    assert room.answered == []


def test_g_03_of_all_the_ways_by_which_a_message_comes_one_may_claim_it() -> None:
    claims = Claims()

    assert [claims.claim(1), claims.claim(1), claims.claim(2)] == [True, False, True]


def test_the_oldest_are_forgotten_so_that_memory_is_bounded() -> None:
    claims = Claims(cap=3)
    for number in range(10):
        assert claims.claim(number)

    assert len(claims) == 3
    assert not claims.claim(9)
    assert claims.claim(0)


USUAL = AnswerConfig(words=("luna",), channels=(7,))
DEAF = AnswerConfig(mentions=False, replies=False, direct_messages=False)


def remark(text: str = "hello", **more: Any) -> Remark:
    return Remark(1, 2, "alice", text, **more)


@pytest.mark.parametrize(
    ("said", "config", "reason"),
    [
        (remark(), USUAL, None),
        (remark(mentions_us=True), USUAL, Reason.MENTION),
        (remark(replies_to_us=True), USUAL, Reason.REPLY),
        (remark(dm=True), USUAL, Reason.DM),
        (remark(channel=7), USUAL, Reason.CHANNEL),
        (remark("hey Luna!"), USUAL, Reason.TRIGGER),
        (remark("lunar eclipse"), USUAL, None),
        (remark("hey Luna!", dm=True, mentions_us=True), USUAL, Reason.DM),
        (remark(mentions_us=True, replies_to_us=True, dm=True), DEAF, None),
        (remark("", mentions_us=True), USUAL, None),
        (remark(" ", mentions_us=True), USUAL, None),
        (remark("", dm=True, files=(File("a.txt"),)), USUAL, Reason.DM),
        (remark(mentions_us=True, own=True), USUAL, None),
        (remark("luna", own=True, channel=7, dm=True), USUAL, None),
        (remark("luna", bot=True, channel=7), USUAL, None),
        (remark(bot=True, mentions_us=True), USUAL, Reason.MENTION),
        (remark(bot=True, replies_to_us=True), USUAL, Reason.REPLY),
        (remark(bot=True, dm=True), USUAL, None),
    ],
)
def test_a_message_is_answered_for_this_reason(
    said: Remark, config: AnswerConfig, reason: Reason | None
) -> None:
    assert find_reason(said, config) is reason


@pytest.mark.parametrize(
    ("rounds", "cap", "answered"), [(0, 3, True), (2, 3, True), (3, 3, False), (0, 0, False)]
)
def test_machines_are_answered_so_often_in_a_row(rounds: int, cap: int, answered: bool) -> None:
    said = remark(bot=True, mentions_us=True)

    assert (find_reason(said, AnswerConfig(bot_rounds=cap), rounds) is not None) is answered


def test_people_are_answered_however_often_machines_were() -> None:
    assert find_reason(remark(mentions_us=True), AnswerConfig(bot_rounds=0), 99) is Reason.MENTION


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Luna, come", ("luna",), True),
        ("LUNA", ("luna",), True),
        ("(luna)", ("luna",), True),
        ("lunatic", ("luna",), False),
        ("xluna", ("luna",), False),
        ("lunatic luna", ("luna",), True),
        ("ルナちゃん、おはよう", ("ルナ",), True),
        ("good bot!", ("good bot",), True),
        ("hey!! luna", ("!!",), True),
        ("STRASSE", ("straße",), True),
        ("anything", (), False),
    ],
)
def test_a_trigger_is_a_word(text: str, words: tuple[str, ...], found: bool) -> None:
    assert has_trigger(text, words) is found
