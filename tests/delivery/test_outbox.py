from __future__ import annotations

from streamcord import Message
from streamcord._delivery.outbox import Outbox
from virtual_time import timeless


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
async def test_outbox_is_full_at_its_cap_and_not_below() -> None:
    outbox = Outbox(4)
    outbox.put(Message("abc"))
    assert not outbox.full

    outbox.put(Message("d"))
    assert outbox.full

    outbox.done()
    assert not outbox.full
    await outbox.wait_for_space()


@timeless
async def test_what_was_joined_can_be_parted_and_counts_as_before() -> None:
    outbox = Outbox(4)
    parts = [Message("abc"), Message("d"), Message("e")]
    for one in (*parts, Message("f")):
        outbox.put(one)
    outbox.replace_first([Message("x")], 3)
    assert (outbox.progress(), outbox.full) == ((3, ()), False)

    outbox.unmerge_first(parts)
    assert (outbox.waiting, outbox.full) == ((*parts, Message("f")), True)
    for done in (1, 2, 3):
        assert outbox.progress() == (done, ())
        outbox.done()
    assert outbox.left == 3


@timeless
async def test_taking_messages_out_makes_space_and_the_first_may_stay() -> None:
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
