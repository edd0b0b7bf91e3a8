from __future__ import annotations

import pytest

from discord_twin import Twin
from discord_twin.clock import DrivenClock
from discord_twin.state import message_serializers as message_shapes
from discord_twin.state.enums import MessageType
from discord_twin.state.message_serializers import group_messages
from discord_twin.state.models import Attachment, Channel, Draft, Message, User
from discord_twin.state.state import State


async def test_a_reply_whose_target_is_gone_keeps_the_reference() -> None:
    twin = Twin()
    first = twin.say(twin.channel, twin.user, "a")
    reply = twin.say(twin.channel, twin.user, "b", reply_to=first)
    twin.delete(first)
    shape = message_shapes.serialize_message(twin.state, reply)

    assert (shape["message_reference"]["message_id"], shape["referenced_message"]) == (str(first.id), None)


async def test_a_file_has_an_address_on_the_twin() -> None:
    twin = Twin()
    twin.state.cdn_url = "http://127.0.0.1:1/cdn"
    plain = Attachment(5, "a.txt", b"abc", "text/plain")
    shape = message_shapes.serialize_attachment(twin.state, 7, plain)

    assert (shape["url"], shape["size"]) == ("http://127.0.0.1:1/cdn/attachments/7/5/a.txt", 3)
    assert "width" not in shape
    assert "description" not in shape


async def test_reactions_are_counted() -> None:
    twin = Twin()
    message = twin.state.post(twin.channel, twin.user, Draft("x"))
    message.reactions["👍"] = [twin.user.id]

    assert message_shapes.serialize_message(twin.state, message)["reactions"][0]["count"] == 1


async def test_an_answer_to_a_button_names_its_message() -> None:
    twin = Twin()
    button = ({"type": 1, "components": [{"type": 2, "style": 1, "label": "l", "custom_id": "b"}]},)
    asked = twin.state.post(twin.channel, twin.bot.user, Draft("x", components=button))
    pressed = twin.press(asked, "b")
    answer = twin.state.post(twin.channel, twin.bot.user, Draft("y"), interaction=pressed)
    shape = message_shapes.serialize_message(twin.state, answer)

    assert shape["interaction_metadata"]["interacted_message_id"] == str(asked.id)


async def test_a_message_shows_the_thread_that_starts_at_it() -> None:
    twin = Twin()
    message = twin.say(twin.channel, twin.user, "x")
    thread = twin.state.add_thread(twin.channel, "talk", twin.user, message)
    assert message_shapes.serialize_message(twin.state, message)["thread"]["name"] == "talk"
    twin.state.delete_channel(thread)
    assert "thread" not in message_shapes.serialize_message(twin.state, message)


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
