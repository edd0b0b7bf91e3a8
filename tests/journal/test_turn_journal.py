"""The rows of one turn."""

from __future__ import annotations

import asyncio
from random import Random

from journal.lives import Paper, Pen
from streamcord import Message, Receipt, Settings, ThoughtDelta
from streamcord.store import TurnJournal
from virtual_time import now, timeless


class Anchored:
    last_known_id = 77


def begun(pen: Pen, *, held: bool = False) -> TurnJournal:
    turn = TurnJournal(pen, {"question": 5}, held=held, clock=now)
    turn.begin(Settings(typing="off"), Random(1), Anchored())
    return turn


def kinds(paper: Paper) -> list[str]:
    return [row.kind for row in paper.rows.values()]


@timeless
async def test_words_are_gathered_for_a_moment_and_then_written() -> None:
    paper = Paper()
    turn = begun(pen := paper.open())

    for word in ["a", "b", "c"]:
        turn.record_event(word)
    turn.record_event(ThoughtDelta("hm"))
    await asyncio.sleep(0.15)
    await pen.flush()
    before = kinds(paper)
    await asyncio.sleep(0.1)

    assert before == ["turn"]
    assert [row.body for row in paper.rows.values()][1:] == [{"events": [["text", "abc"]]}]


@timeless
async def test_received_text_is_written_before_a_message_is_sent() -> None:
    paper = Paper()
    turn = begun(paper.open())

    turn.record_event("Hi")
    await turn.sending(0, Message("Hi"), 1)

    assert kinds(paper) == ["turn", "received", "sending"]


@timeless
async def test_received_text_is_written_before_a_live_message_is_finalized() -> None:
    paper = Paper()
    turn = begun(pen := paper.open())

    turn.record_event("Hi you")
    turn.finalized(0, Receipt(Message("Hi you"), 9), 1, ())
    await pen.flush()

    assert kinds(paper) == ["turn", "received", "sending", "delivered"]


@timeless
async def test_an_outcome_is_written_once() -> None:
    paper = Paper()
    turn = begun(pen := paper.open())

    for outcome in (
        turn.cancelled,
        lambda: turn.failed("x"),
        lambda: turn.delivered(Receipt(Message("Hi"), 5)),
    ):
        await turn.sending(0, Message("Hi"), 1, [Message("rest")])
        outcome()
        outcome()
    await pen.flush()

    assert kinds(paper)[1:] == ["sending", "cancelled", "sending", "failed", "sending", "delivered"]


@timeless
async def test_a_turn_is_forgotten_at_its_end_unless_it_is_held() -> None:
    paper = Paper()
    turn, held = begun(paper.open()), begun(paper.open(), held=True)

    turn.end()
    turn.record_event("too late")
    held.end()
    held.end()
    held.mark("button", 5, by_webhook=True)
    await asyncio.sleep(1)

    assert kinds(paper) == ["turn", "ended", "mark"]
    held.close()
    assert kinds(paper) == []


@timeless
async def test_a_turn_that_is_left_stays_and_its_last_words_with_it() -> None:
    paper = Paper()
    turn = begun(paper.open())

    turn.record_event("Hi")
    turn.stop("now")
    turn.record_source_end()
    turn.leave()
    turn.mark("button", 5)
    await asyncio.sleep(1)

    assert kinds(paper) == ["turn", "received", "stopped", "received"]


@timeless
async def test_resumed_turn_has_the_same_seed_and_appends_rows() -> None:
    paper = Paper()
    pen = paper.open()
    first = TurnJournal(pen, {"question": 5}, clock=now)
    drawn = first.begin(Settings(), None, Anchored()).random()
    await pen.flush()

    (again,) = paper.saved(paper.open())
    assert again.begin(Settings(), Random(9), Anchored()).random() == drawn
    assert (again.id, again.about, again.settings) == (first.id, {"question": 5}, Settings())
    again.adopt(0, Message("a"), 1, [Message("b")], 12)
    again.adopt(1, Message("b"), 1, [], 0)
    await asyncio.sleep(1)

    (third,) = paper.saved(paper.open())
    assert third.saved is not None
    assert third.saved.last_known_id == 77
    assert [receipt.id for _, receipt in third.saved.delivered] == [12]
    assert (third.saved.uncertain, third.saved.until, third.text) == (None, 1, "")
    assert first.text == ""
