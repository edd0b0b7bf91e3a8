"""Who is answered when, on time that jumps."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from streamcord import Stop, StopMode, Stops
from streamcord._bot.conversation.channel_queue import REMARK_CAP, Ask, Heard, Kind, Lane, Patience
from streamcord._bot.conversation.incoming_message import Remark
from virtual import now, timeless

ALICE, BOB = 1, 2


@dataclass
class Scene:
    """A lane whose answers take `seconds`, and a log of what it did."""

    seconds: float = 10.0
    began: list[tuple[int, list[int], float]] = field(default_factory=list)
    ended: list[StopMode | None] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.start = now()
        self.lane = Lane(7, self.run, self.show, Stops(), Patience(1.0, 5.0, 2))

    async def run(self, ask: Ask, stop: Stop) -> None:
        self.asks.append(ask)
        self.began.append((ask.owner, [one.id for one in ask.remarks], round(now() - self.start, 3)))
        stopped = asyncio.Event()
        stop.listen(stopped.set)
        try:
            async with asyncio.timeout(self.seconds):
                await stopped.wait()
        except TimeoutError:
            pass
        self.ended.append(stop.mode)

    async def show(self, ask: Ask) -> None:
        self.shown.append(ask.owner)

    def say(self, id_: int, author: int = ALICE, *, called: bool = True, text: str = "hi") -> Heard:
        return self.lane.hear(Remark(id_, author, "x", text, channel=7), called=called)


def scene(**more: Any) -> Scene:
    return Scene(**more)


@timeless
async def test_the_first_question_is_answered_at_once_and_shown_after_a_second() -> None:
    stage = scene()
    assert stage.say(1) is Heard.TAKEN
    await stage.lane.finished()

    assert stage.began == [(ALICE, [1], 0)]
    assert stage.asks[0].hold - stage.start == 1.0
    assert stage.ended == [None]


@timeless
async def test_quick_messages_become_one_question_that_waits_for_a_pause() -> None:
    stage = scene(seconds=3)
    stage.say(1)
    await asyncio.sleep(0.5)
    assert stage.say(2, called=False) is Heard.JOINED
    await asyncio.sleep(0.9)
    assert stage.say(3, called=False) is Heard.JOINED
    await stage.lane.finished()

    assert stage.began == [(ALICE, [1], 0), (ALICE, [1, 2, 3], 2.4)]
    assert stage.ended == [StopMode.NOW, None]
    assert ALICE in stage.shown


@timeless
async def test_somebody_who_never_pauses_is_answered_in_the_end() -> None:
    stage = scene(seconds=1)
    for number in range(12):
        stage.say(number + 1)
        await asyncio.sleep(0.5)
    await stage.lane.finished()

    assert stage.began[1][2] <= 5.0


@timeless
async def test_a_message_that_calls_nobody_is_ignored_once_the_second_is_over() -> None:
    stage = scene()
    assert stage.say(1, called=False) is Heard.IGNORED
    stage.say(2)
    await asyncio.sleep(1.5)
    assert stage.say(3, called=False) is Heard.IGNORED
    await stage.lane.finished()

    assert [ids for _, ids, _ in stage.began] == [[2]]


@timeless
async def test_a_follow_up_interrupts_and_goes_before_those_who_wait() -> None:
    stage = scene()
    stage.say(1)
    await asyncio.sleep(2)
    assert stage.say(2, BOB) is Heard.TAKEN
    assert stage.say(3) is Heard.INTERRUPTED
    await stage.lane.finished()

    assert [(owner, ids) for owner, ids, _ in stage.began] == [(ALICE, [1]), (ALICE, [1, 3]), (BOB, [2])]
    assert stage.ended[0] is StopMode.NOW


@timeless
async def test_only_so_many_may_wait_and_the_next_is_told_once() -> None:
    stage = scene()
    heard = [stage.say(1), *(stage.say(number, number) for number in (11, 12, 13, 13, 14))]
    await stage.lane.finished()

    taken, full = Heard.TAKEN, Heard.FULL
    assert heard == [taken, taken, full, full, Heard.IGNORED, full]
    assert stage.say(20, 13) is Heard.TAKEN
    await stage.lane.close()


@timeless
async def test_an_edit_of_the_question_begins_anew_and_discards_the_old_answer() -> None:
    stage = scene()
    stage.say(1, text="cats?")
    await asyncio.sleep(2)
    assert not stage.lane.edit(1, "cats?")
    assert not stage.lane.edit(99, "else")
    assert stage.lane.edit(1, "dogs?")
    await stage.lane.finished()

    assert [one.remarks[0].text for one in stage.asks] == ["cats?", "dogs?"]
    assert [one.discarded for one in stage.asks] == [True, False]


@timeless
async def test_an_edit_while_waiting_only_changes_what_is_asked() -> None:
    stage = scene(seconds=3)
    stage.say(1)
    await asyncio.sleep(0)
    stage.say(2, BOB, text="cats?")
    assert stage.lane.edit(2, "dogs?")
    await stage.lane.finished()

    assert [one.remarks[0].text for one in stage.asks] == ["hi", "dogs?"]
    assert not any(one.discarded for one in stage.asks)


@timeless
async def test_a_deleted_question_is_not_answered() -> None:
    stage = scene()
    stage.say(1)
    await asyncio.sleep(2)
    stage.say(2, BOB)
    assert stage.lane.delete(2)
    assert stage.lane.delete(1)
    assert not stage.lane.delete(3)
    await stage.lane.finished()

    assert len(stage.began) == 1
    assert stage.ended == [StopMode.NOW]


@timeless
async def test_a_part_that_is_deleted_leaves_the_rest_of_the_question() -> None:
    stage = scene(seconds=3)
    stage.say(1)
    await asyncio.sleep(0.1)
    stage.say(2)
    await asyncio.sleep(2)
    assert stage.lane.delete(1)
    await stage.lane.finished()

    assert [ids for _, ids, _ in stage.began] == [[1], [1, 2], [2]]


@timeless
async def test_whoever_waits_may_leave() -> None:
    stage = scene(seconds=3)
    stage.say(1)
    await asyncio.sleep(0)
    stage.say(2, BOB)
    assert stage.lane.forget(BOB)
    assert not stage.lane.forget(BOB)
    await stage.lane.finished()

    assert [owner for owner, *_ in stage.began] == [ALICE]


@timeless
async def test_what_a_button_asks_for_is_not_gathered_and_not_joined() -> None:
    stage = scene(seconds=3)
    stage.say(1)
    await asyncio.sleep(0)
    stage.lane.put(Ask(ALICE, [Remark(5, ALICE, "x", "hi", channel=7)], Kind.REGENERATE))
    await stage.lane.finished()

    assert [(ask.kind, ask.hold > stage.start) for ask in stage.asks] == [
        (Kind.ANSWER, True),
        (Kind.REGENERATE, False),
    ]


@timeless
async def test_an_answer_that_fails_does_not_take_the_channel_with_it() -> None:
    done = []

    async def run(ask: Ask, _: Stop) -> None:
        done.append(ask.owner)
        raise RuntimeError("boom")

    async def show(_: Ask) -> None:
        pass

    lane = Lane(7, run, show, Stops())
    lane.hear(Remark(1, ALICE, "x", "hi", channel=7), called=True)
    lane.hear(Remark(2, BOB, "x", "hi", channel=7), called=True)
    await lane.finished()

    assert done == [ALICE, BOB]
    assert lane.is_idle


@timeless
async def test_a_flood_of_one_person_stays_bounded() -> None:
    stage = scene(seconds=1)
    for number in range(200):
        stage.say(number + 1)
    await stage.lane.finished()

    assert len(stage.began) == 1
    assert len(stage.began[0][1]) == REMARK_CAP
    assert stage.began[0][1][-1] == 200


@timeless
async def test_at_the_end_whoever_speaks_may_finish_and_nobody_else_begins() -> None:
    stage = scene(seconds=3)
    stage.say(1)
    await asyncio.sleep(2)
    stage.say(2, BOB)
    await stage.lane.rest()

    assert [owner for owner, *_ in stage.began] == [ALICE]
    assert stage.ended == [None]


@timeless
async def test_closing_ends_what_runs() -> None:
    stage = scene(seconds=1000)
    stage.say(1)
    await asyncio.sleep(2)
    await stage.lane.close()

    assert now() - stage.start < 3
    assert stage.lane.is_idle
