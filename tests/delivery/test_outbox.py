from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from streamcord import Attachment, Message, Speaker
from streamcord._delivery.outbox import (
    KEY_LENGTH,
    NAMED,
    NOBODY,
    Outbox,
    Pace,
    Pings,
    Rate,
    is_same_turn,
    name_part,
    seal,
)
from virtual import now, timeless


@timeless
async def test_messages_come_out_as_they_went_in() -> None:
    outbox = Outbox(100)
    outbox.put(Message("a"))
    outbox.put(Message("b"))

    assert outbox.find_first() == Message("a")
    outbox.done()
    assert outbox.find_first() == Message("b")
    assert len(outbox) == 1


@timeless
async def test_it_is_full_at_its_cap_and_has_room_below_it() -> None:
    outbox = Outbox(4)
    outbox.put(Message("abc"))
    assert not outbox.full

    outbox.put(Message("d"))
    assert outbox.full

    outbox.done()
    assert not outbox.full
    await outbox.wait_for_room()


@timeless
async def test_what_was_joined_can_be_parted_and_counts_as_before() -> None:
    outbox = Outbox(4)
    parts = [Message("abc"), Message("d"), Message("e")]
    for one in (*parts, Message("f")):
        outbox.put(one)
    outbox.replace_first([Message("x")], 3)
    assert (outbox.progress(), outbox.full) == ((3, ()), False)

    outbox.part_first(parts)
    assert (outbox.waiting, outbox.full) == ((*parts, Message("f")), True)
    for done in (1, 2, 3):
        assert outbox.progress() == (done, ())
        outbox.done()
    assert outbox.left == 3


@timeless
async def test_what_is_taken_out_makes_room_and_the_first_may_stay() -> None:
    outbox = Outbox(4)
    for text in ("abc", "def", "ghi"):
        outbox.put(Message(text))

    assert [message.content for message in outbox.take_all(but_first=True)] == ["def", "ghi"]
    assert not outbox.full
    assert [message.content for message in outbox.take_all()] == ["abc"]
    assert outbox.take_all(but_first=True) == []


@timeless
async def test_news_are_a_message_or_the_end() -> None:
    outbox = Outbox(4)
    outbox.put(Message("a"))
    await outbox.wait_for_news()
    outbox.done()

    outbox.close()
    await outbox.wait_for_news()

    assert outbox.closed
    assert outbox.find_first() is None


# --- Parcels ---

MESSAGE = Message("Hi.", speaker=Speaker("Luna"), files=(Attachment("a.txt", b"a"),), reply=True)
KEY = seal("turn", 3, MESSAGE).key


def test_the_same_body_has_the_same_key_at_every_attempt() -> None:
    assert seal("turn", 3, MESSAGE).key == KEY
    assert len(KEY) == KEY_LENGTH


@pytest.mark.parametrize(
    ("turn", "part", "message"),
    [
        ("other", 3, MESSAGE),
        ("turn", 4, MESSAGE),
        ("turn", 3, replace(MESSAGE, content="Hi!")),
        ("turn", 3, replace(MESSAGE, speaker=None)),
        ("turn", 3, replace(MESSAGE, speaker=Speaker("Sol"))),
        ("turn", 3, replace(MESSAGE, files=())),
        ("turn", 3, replace(MESSAGE, files=(Attachment("a.txt", b"b"),))),
        ("turn", 3, replace(MESSAGE, files=(Attachment("b.txt", b"a"),))),
    ],
)
def test_another_turn_part_or_body_has_another(turn: str, part: int, message: Message) -> None:
    assert seal(turn, part, message).key != KEY


def test_without_its_reply_it_is_still_the_same_message() -> None:
    assert seal("turn", 3, replace(MESSAGE, reply=False)).key == KEY


def test_any_text_can_be_sealed() -> None:
    assert seal("t", 0, Message("\ud800\0", speaker=Speaker("\udfff"))).key


def test_nobody_is_pinged_unless_somebody_is_named() -> None:
    assert seal("t", 0, MESSAGE).pings == NOBODY == Pings((), roles=False, replied_user=False)
    assert seal("t", 0, MESSAGE, Pings((7,))).pings.users == (7,)


# --- Time ---


async def after(seconds: float, value: str = "done") -> str:
    await asyncio.sleep(seconds)
    return value


def hurry_in(pace: Pace, seconds: float, patience: float | None = None) -> None:
    asyncio.get_running_loop().call_later(seconds, pace.hurry, patience)


@timeless
async def test_a_wait_ends_when_somebody_is_in_a_hurry() -> None:
    pace = Pace()
    hurry_in(pace, 2.0)
    await pace.wait(60.0)
    assert (now(), pace.hurried) == (2.0, True)
    await pace.wait(60.0)
    assert now() == 2.0


@timeless
async def test_nothing_is_waited_for_in_no_time() -> None:
    await Pace().wait(0.0)

    assert now() == 0.0


@timeless
async def test_what_is_done_in_time_is_done() -> None:
    pace = Pace()

    assert await pace.unless_hurried(after(1.0)) == "done"
    assert await pace.in_time(after(1.0)) == "done"


@timeless
async def test_what_is_not_is_given_up_in_a_hurry() -> None:
    pace = Pace()
    hurry_in(pace, 1.0)

    assert await pace.unless_hurried(after(60.0)) is None
    assert now() == 1.0


@timeless
async def test_what_is_in_flight_may_take_as_long_as_there_is_patience() -> None:
    pace = Pace()
    hurry_in(pace, 1.0, 5.0)
    assert await pace.in_time(after(4.0)) == "done"
    with pytest.raises(TimeoutError):
        await pace.in_time(after(60.0))

    assert now() == 9.0


@timeless
async def test_without_a_bound_it_may_take_as_long_as_it_likes() -> None:
    pace = Pace()
    hurry_in(pace, 1.0)

    assert await pace.in_time(after(60.0)) == "done"


@timeless
async def test_what_fails_fails() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    pace = Pace()
    for way in (pace.in_time, pace.unless_hurried):
        with pytest.raises(ZeroDivisionError):
            await way(fail())


@timeless
async def test_who_is_cancelled_leaves_nothing_running() -> None:
    pace = Pace()
    waiting = asyncio.create_task(pace.in_time(after(60.0)))
    await asyncio.sleep(1.0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@timeless
async def test_a_sleep_without_a_clock_is_the_only_time_there_is() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    pace = Pace(sleep)
    await pace.sleep(1.5)
    await asyncio.sleep(100)

    assert (pace.now(), slept) == (1.5, [1.5])
    assert now() == 100


@timeless
async def test_a_clock_of_its_own_is_believed() -> None:
    assert Pace(None, lambda: 42.0).now() == 42.0


# --- Rates ---


def test_a_burst_is_free_and_then_one_in_each_period() -> None:
    rate = Rate(4, 1.0)
    waits = [rate.take(0.0) for _ in range(6)]

    assert waits == [0.0, 0.0, 0.0, 0.0, 1.0, 2.0]


def test_what_has_drained_is_free_again() -> None:
    rate = Rate(2, 0.5)
    for _ in range(2):
        rate.take(10.0)

    assert rate.pause(10.0) == 0.5
    assert rate.pause(10.25) == 0.25
    assert rate.pause(10.5) == 0.0
    assert rate.pause(99.0) == 0.0


def test_looking_takes_nothing() -> None:
    rate = Rate(1, 1.0)
    assert [rate.pause(0.0), rate.pause(0.0)] == [0.0, 0.0]


def test_discord_is_believed() -> None:
    rate = Rate(4, 1.0)
    rate.correct(4, 0.25, 7.0)

    assert rate.pause(7.0) == 0.25
    rate.correct(0, 0.0, 7.0)
    assert rate.pause(7.0) == 0.0


def test_the_name_of_a_message_tells_its_turn_and_its_part() -> None:
    names = {name_part(turn, part) for turn in ("a", "b", "\ud800") for part in range(100)}

    assert len(names) == 300
    assert all(NAMED <= name < 2**31 for name in names)
    assert is_same_turn(name_part("a", 0), name_part("a", 99))
    assert not is_same_turn(name_part("a", 0), name_part("b", 0))
    assert seal("a", 3, Message("x"), named=True).name == name_part("a", 3)
    assert seal("a", 3, Message("x"), named=True).card
    assert seal("a", 3, Message("x")).name == 0
