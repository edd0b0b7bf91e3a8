from __future__ import annotations

from bot.answers import answered
from streamcord import Ending, Message
from streamcord._bot.answer.recent_answers import Archive


def test_an_answer_is_found_by_each_of_its_messages() -> None:
    archive = Archive()
    one = answered(Message("a"), Message("b"))
    archive.keep(one)

    assert archive.find(1) is archive.find(2) is one
    assert archive.find(3) is None
    assert one.receipt(2) is one.result.receipts[1]
    assert one.receipt(9) is None


def test_the_oldest_messages_are_forgotten() -> None:
    archive = Archive(cap=3)
    for first in range(1, 20, 2):
        archive.keep(answered(Message("a"), Message("b"), first=first))

    assert len(archive) == 3


def test_the_last_message_of_a_channel_is_known_until_it_is_deleted() -> None:
    archive = Archive()
    archive.keep(answered(Message("a"), first=1))
    archive.keep(answered(Message("b"), first=2, channel=8))
    archive.keep(answered(Message("c"), first=3))
    archive.forget(3)
    archive.forget(99)

    assert archive.last_in(7) == 1
    assert archive.last_in(8) == 2
    assert archive.last_in(9) == 0


def test_what_was_cut_short_can_go_on() -> None:
    assert answered(ending=Ending.TRUNCATED).can_go_on
    assert not answered(ending=Ending.EMPTY_RESPONSE).can_go_on
