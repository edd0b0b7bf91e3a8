from __future__ import annotations

import pytest

from discord_twin.clock import DrivenClock
from discord_twin.state.enums import ChannelType, MessageType
from discord_twin.state.models import Channel, Draft
from discord_twin.state.state import Event, State


class Small:
    """A state with one guild, and the events that it dispatched."""

    def __init__(self) -> None:
        self.clock = DrivenClock()
        self.state = State(self.clock.now)
        self.alice = self.state.add_user("alice")
        self.bot = self.state.add_application("bot", self.alice)
        self.guild = self.state.add_guild("guild", self.alice)
        self.state.add_member(self.guild, self.bot.user)
        self.channel = self.state.add_channel(self.guild, "general")
        self.events: list[Event] = []
        self.state.observe(self.events.append)

    @property
    def event_names(self) -> list[str]:
        return [event.name for event in self.events]


@pytest.fixture
def small() -> Small:
    return Small()


def test_a_token_opens_its_application(small: Small) -> None:
    assert small.state.find_application(small.bot.token) is small.bot
    assert small.state.find_application("") is None


def test_a_message_event_has_its_guild_and_member(small: Small) -> None:
    message = small.state.post(small.channel, small.alice, Draft("hi"))

    (event,) = small.events
    assert (event.name, event.message, event.guild_id) == ("MESSAGE_CREATE", message, small.guild.id)
    assert event.payload["member"]["roles"] == []
    assert small.channel.last_message_id == message.id


def test_messages_are_in_order_of_their_ids(small: Small) -> None:
    for _ in range(5):
        small.state.post(small.channel, small.alice, Draft("hi"))

    assert list(small.channel.messages) == sorted(small.channel.messages)


def test_an_edit_drops_the_nonce_and_bears_a_time(small: Small) -> None:
    message = small.state.post(small.channel, small.bot.user, Draft("a", nonce="n"))
    small.clock.jump(5)
    small.state.edit(small.channel, message, Draft("b", nonce="n"))

    assert (message.content, message.draft.nonce, message.edited_at) == ("b", None, small.clock.now())
    assert small.event_names == ["MESSAGE_CREATE", "MESSAGE_UPDATE"]


def test_a_deleted_message_is_gone_and_dispatched_by_id(small: Small) -> None:
    message = small.state.post(small.channel, small.alice, Draft("hi"))
    small.state.delete(small.channel, message)

    assert small.state.find_message(small.channel.id, message.id) is None
    assert small.events[-1].payload["id"] == str(message.id)


def test_a_thread_at_a_message_has_its_id(small: Small) -> None:
    message = small.state.post(small.channel, small.alice, Draft("hi"))
    thread = small.state.add_thread(small.channel, "talk", small.alice, message)

    assert (thread.id, message.thread_id, thread.parent_id) == (message.id, message.id, small.channel.id)
    assert small.state.home_of(thread) is small.channel


def test_writing_opens_an_archived_thread(small: Small) -> None:
    thread = small.state.add_thread(small.channel, "talk", small.alice)
    small.state.set_thread(thread, archived=True)
    small.state.post(thread, small.alice, Draft("hi"))

    assert not thread.archived
    assert small.event_names == ["THREAD_CREATE", "THREAD_UPDATE", "THREAD_UPDATE", "MESSAGE_CREATE"]


def test_a_channel_takes_its_threads_and_webhooks_with_it(small: Small) -> None:
    thread = small.state.add_thread(small.channel, "talk", small.alice)
    webhook = small.state.add_webhook(small.channel, "luna", small.bot.user)
    small.state.delete_channel(small.channel)

    assert thread.id not in small.state.channels
    assert webhook.id not in small.state.webhooks
    assert small.guild.channel_ids == []
    assert small.event_names[-2:] == ["THREAD_DELETE", "CHANNEL_DELETE"]


def test_two_people_have_one_direct_channel(small: Small) -> None:
    first = small.state.open_dm(small.bot.user, small.alice)

    assert small.state.open_dm(small.alice, small.bot.user) is first
    assert first.recipients == (small.alice, small.bot.user)
    assert small.state.open_dm(small.bot.user, small.state.add_user("bob")) is not first


def test_a_direct_channel_has_no_webhooks(small: Small) -> None:
    with pytest.raises(ValueError, match="direct"):
        small.state.add_webhook(small.state.open_dm(small.bot.user, small.alice), "luna", small.alice)


def test_a_webhook_belongs_to_the_application_that_made_it(small: Small) -> None:
    own = small.state.add_webhook(small.channel, "luna", small.bot.user)
    foreign = small.state.add_webhook(small.channel, "luna", small.alice)

    assert (own.application_id, foreign.application_id) == (small.bot.id, None)
    assert own.token != foreign.token


def test_moving_a_webhook_is_dispatched_to_both_channels(small: Small) -> None:
    webhook = small.state.add_webhook(small.channel, "luna", small.bot.user)
    other = small.state.add_channel(small.guild, "other")
    small.events.clear()
    small.state.move_webhook(webhook, other)

    assert [event.payload["channel_id"] for event in small.events] == [str(small.channel.id), str(other.id)]
    small.state.delete_webhook(webhook)
    small.state.delete_webhook(webhook)
    assert small.event_names == ["WEBHOOKS_UPDATE"] * 3


def test_a_bot_that_joins_gets_a_role_of_its_own(small: Small) -> None:
    (role_id,) = small.guild.members[small.bot.user.id].role_ids

    assert small.guild.roles[role_id].name == "bot"


def test_a_new_emoji_is_dispatched(small: Small) -> None:
    emoji = small.state.add_emoji(small.guild, "wave", animated=True)

    assert small.events[0].payload["emojis"][0]["id"] == str(emoji.id)


def test_a_thread_without_a_parent_grants_no_permissions(small: Small) -> None:
    orphan = Channel(1, ChannelType.PUBLIC_THREAD)

    assert small.state.home_of(orphan) is orphan


def test_secrets_are_the_same_in_every_run(small: Small) -> None:
    assert small.state.make_secret(1) == Small().state.make_secret(1) != small.state.make_secret(2)


def test_a_message_may_be_of_any_type(small: Small) -> None:
    joined = small.state.post(small.channel, small.alice, Draft(), type_=MessageType.USER_JOIN)

    assert joined.type is MessageType.USER_JOIN
