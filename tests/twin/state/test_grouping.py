from __future__ import annotations

import pytest

from streamcord._twin.clock import DrivenClock
from streamcord._twin.state.grouping import group_messages
from streamcord._twin.state.model import Channel, Draft, Message, MessageType, User
from streamcord._twin.state.state import State


class Talk:
    def __init__(self) -> None:
        self.clock = DrivenClock()
        self.state = State(self.clock.now)
        self.alice, self.bob = self.state.add_user("alice"), self.state.add_user("bob")
        self.channel: Channel = self.state.add_channel(self.state.add_guild("g", self.alice), "c")

    def say(
        self, user: User, draft: Draft | None = None, type_: MessageType = MessageType.DEFAULT
    ) -> Message:
        return self.state.post(self.channel, user, draft or Draft("x"), type_=type_)

    def sizes(self) -> list[int]:
        return [len(group) for group in group_messages(self.channel.messages.values())]


@pytest.fixture
def talk() -> Talk:
    return Talk()


def test_nothing_is_no_group(talk: Talk) -> None:
    assert talk.sizes() == []


def test_another_author_breaks_the_block_and_it_stays_broken(talk: Talk) -> None:
    for user in (talk.alice, talk.alice, talk.bob, talk.alice):
        talk.say(user)

    assert talk.sizes() == [2, 1, 1]


def test_seven_minutes_between_two_messages_break_the_block(talk: Talk) -> None:
    for wait in (0, 419, 419, 420):
        talk.clock.jump(wait)
        talk.say(talk.alice)

    assert talk.sizes() == [3, 1]


def test_a_reply_starts_a_block(talk: Talk) -> None:
    first = talk.say(talk.alice)
    talk.say(talk.alice, Draft("y", reply_to=first, reply_ids=(talk.channel.id, first.id)), MessageType.REPLY)
    talk.say(talk.alice)

    assert talk.sizes() == [1, 2]
