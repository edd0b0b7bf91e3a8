"""Going on with a turn; the invariants are in test_recovery_invariants.py."""

from __future__ import annotations

from random import Random

import pytest

from journal.lives import Paper, Place, Visitor, live, speak
from streamcord import (
    AnswerContext,
    Degree,
    DeliveryUnavailable,
    Ending,
    Message,
    NotAllowed,
    Persona,
    Receipt,
    Settings,
    Stop,
    StopMode,
    say,
)
from streamcord._delivery.outgoing import OutgoingMessage
from streamcord._delivery.transport import FetchedMessage
from streamcord.store import TurnJournal
from virtual_time import Channel, Model, now, timeless

ALTER = AnswerContext(persona=Persona("Luna", alter=True))
MERGED = Settings(degree=Degree.LIGHT, typing="off")
LINES = Settings(degree=Degree.LIGHT, typing="off", merge="off")


async def broken_off(
    paper: Paper,
    place: Place,
    settings: Settings = LINES,
    tries: int = 1,
    context: AnswerContext | None = None,
) -> None:
    """A turn that dies while its second message is under way."""

    class Dying(Visitor):
        async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
            if len(self.place.messages) >= tries:
                raise DeliveryUnavailable("it is gone", retry_after=1e9)
            return await super().deliver(outgoing)

    pen = paper.open()
    with pytest.raises(DeliveryUnavailable):
        await say(
            Dying(place, Random(1)),
            Model("one\ntwo\nthree\n"),
            settings=settings,
            context=context,
            journal=TurnJournal(pen, clock=now),
        )
    await pen.flush()


@timeless
async def test_what_discord_could_not_take_is_delivered_when_it_is_back() -> None:
    paper, place = Paper(), Place()
    await broken_off(paper, place)

    (turn,) = paper.saved(paper.open())
    result = await say(Visitor(place, Random(2)), Model(), journal=turn)

    assert place.texts == ["one", "two", "three"]
    assert [receipt.id for receipt in result.receipts] == [1000, 1001, 1002]
    assert result.ending is Ending.COMPLETED
    assert paper.rows == {}


@timeless
async def test_what_had_arrived_after_all_is_adopted() -> None:
    paper, place = Paper(), Place()
    await broken_off(paper, place)
    place.messages.append((1001, "two", "unknown"))

    (turn,) = paper.saved(paper.open())
    result = await say(Visitor(place, Random(2)), Model(), journal=turn)

    assert place.texts == ["one", "two", "three"]
    assert [receipt.changes for receipt in result.receipts] == [(), ("adopted",), ()]


@timeless
async def test_words_that_nobody_can_explain_end_the_turn() -> None:
    paper, place = Paper(), Place()
    await broken_off(paper, place)
    place.messages.append((1001, "something else", "unknown"))

    (turn,) = paper.saved(paper.open())
    source = Model("four\n")
    await say(Visitor(place, Random(2)), source, journal=turn)

    assert place.texts == ["one", "something else"]
    assert turn.stray
    assert source.read == []


class Private(Visitor):
    """A transport that only one person sees."""

    async def reply_is_private(self) -> bool:
        return True


async def left_private(paper: Paper, place: Place) -> None:
    """A private turn that dies while its second message is under way."""

    class Dying(Private):
        async def deliver(self, outgoing: OutgoingMessage) -> Receipt:
            if self.place.messages:
                raise DeliveryUnavailable("it is gone", retry_after=1e9)
            return await super().deliver(outgoing)

    pen = paper.open()
    with pytest.raises(DeliveryUnavailable):
        await say(
            Dying(place, Random(1)),
            Model("one\ntwo\nthree\n"),
            settings=LINES,
            journal=TurnJournal(pen, clock=now),
        )
    await pen.flush()


@timeless
async def test_private_answer_is_not_resumed_in_public() -> None:
    paper, place = Paper(), Place()
    await left_private(paper, place)

    (turn,) = paper.saved(paper.open())
    source = Model("four\n")
    with pytest.raises(NotAllowed, match=r"was private.*ephemeral=True") as caught:
        await say(Visitor(place, Random(2)), source, journal=turn)

    assert place.texts == ["one"]
    assert source.read == []
    assert caught.value.result is not None
    assert {dropped.reason for dropped in caught.value.result.dropped} == {"private"}
    assert paper.rows == {}


@timeless
async def test_private_answer_is_resumed_in_private() -> None:
    paper, place = Paper(), Place()
    await left_private(paper, place)

    (turn,) = paper.saved(paper.open())
    await say(Private(place, Random(2)), Model(), journal=turn)

    assert place.texts == ["one", "two", "three"]


class Blind(Visitor):
    """A channel that cannot be read back."""

    async def read_back(self, after: int) -> list[FetchedMessage]:
        raise DeliveryUnavailable("no permission")


@timeless
async def test_where_nobody_can_look_the_key_must_do() -> None:
    paper, place = Paper(), Place()
    await broken_off(paper, place)

    (turn,) = paper.saved(paper.open())
    await say(Blind(place, Random(2)), Model(), journal=turn)

    assert place.texts == ["one", "two", "three"]


@timeless
async def test_message_without_nonce_in_an_unreadable_channel_is_reported_and_not_repeated() -> None:
    paper, place = Paper(), Place()
    await broken_off(paper, place, MERGED, context=ALTER)

    (turn,) = paper.saved(paper.open())
    result = await say(Blind(place, Random(2)), Model(), journal=turn)

    assert place.texts == ["one", "three"]
    assert [(one.text, one.reason) for one in result.dropped] == [("two", "uncertain")]


@timeless
async def test_a_plain_transport_says_the_rest_and_nothing_twice() -> None:
    paper, place = Paper(), Place()
    await broken_off(paper, place)

    (turn,) = paper.saved(paper.open())
    channel = Channel()
    await say(channel, Model(), journal=turn)

    assert channel.texts == ["three"]


@timeless
async def test_a_turn_that_was_stopped_is_over() -> None:
    paper, place = Paper(), Place()
    stop = Stop()
    stop.ask(StopMode.NOW)

    await say(
        Visitor(place, Random(1)), Model("one\n"), stop=stop, journal=TurnJournal(paper.open(), clock=now)
    )

    assert paper.rows == {}


@timeless
async def test_another_plan_goes_on_behind_what_was_shown() -> None:
    paper, place = Paper(), Place()
    await broken_off(paper, place)

    (turn,) = paper.saved(paper.open())
    # As if another version had cut the same words elsewhere.
    other = Settings(degree=Degree.NONE, typing="off", merge="off")
    await say(Visitor(place, Random(2)), Model(), journal=turn, settings=other)

    assert place.texts == ["one", "two", "three"]


@timeless
async def test_without_a_kill_nothing_is_left_in_the_journal() -> None:
    place, result = await live("one\ntwo\n", LINES, [], 1)

    assert place.texts == ["one", "two"]
    assert result is not None
    assert [piece async for piece in speak("ab", "ab", Random(1))] != []


@timeless
async def test_a_message_of_a_tool_is_said_again_in_its_place() -> None:
    paper, place = Paper(), Place()
    pen = paper.open()
    turn = TurnJournal(pen, clock=now)
    turn.begin(LINES, Random(1), Visitor(place, Random(1)))
    turn.record_event("one\n")
    turn.record_event(Message("a note"))
    turn.leave()
    await pen.flush()

    (again,) = paper.saved(paper.open())
    await say(Visitor(place, Random(2)), Model("two\n"), journal=again)

    assert place.texts == ["one", "a note", "two"]
