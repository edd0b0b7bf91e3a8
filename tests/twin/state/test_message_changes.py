from __future__ import annotations

from discord_twin import ChannelType, Event, Twin
from discord_twin.state import guild_changes, message_changes


def collect_events(twin: Twin) -> list[Event]:
    events: list[Event] = []
    twin.state.observe(events.append)
    return events


def test_a_reaction_is_dispatched_once_and_the_last_removes_the_emoji() -> None:
    twin = Twin()
    message, events = twin.say(twin.channel, twin.user, "x"), collect_events(twin)
    for _ in range(2):
        message_changes.add_reaction(twin.state, twin.channel, message, twin.user, "🔥")
    for _ in range(2):
        message_changes.remove_reaction(twin.state, twin.channel, message, twin.user, "🔥")

    assert [one.name for one in events] == ["MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"]
    assert message.reactions == {}


def test_a_pin_has_a_system_message_and_an_unpin_has_none() -> None:
    twin = Twin()
    message, events = twin.say(twin.channel, twin.user, "x"), collect_events(twin)
    for _ in range(2):
        message_changes.pin(twin.state, twin.channel, message, twin.user)
    for _ in range(2):
        message_changes.unpin(twin.state, twin.channel, message)

    assert [one.name for one in events] == ["CHANNEL_PINS_UPDATE", "MESSAGE_CREATE", "CHANNEL_PINS_UPDATE"]
    assert events[-1].payload["last_pin_timestamp"] is None


def test_a_bulk_delete_is_one_event() -> None:
    twin = Twin()
    messages = [twin.say(twin.channel, twin.user, text) for text in "abc"]
    events = collect_events(twin)
    message_changes.delete_many(twin.state, twin.channel, messages[:2])
    message_changes.delete_many(twin.state, twin.channel, messages[:2])

    assert [(one.name, len(one.payload["ids"])) for one in events] == [("MESSAGE_DELETE_BULK", 2)]
    assert twin.channel.texts == ["c"]


def test_one_vote_each_unless_more_are_allowed() -> None:
    twin = Twin()
    single = twin.users.ask(twin.channel, twin.user, "q", ["a", "b"])
    for answer in (1, 2):
        message_changes.vote(twin.state, twin.channel, single, twin.user, answer, on=True)
    assert single.votes == {1: [], 2: [twin.user.id]}
    assert single.draft.poll is not None
    single.draft.poll["allow_multiselect"] = True
    message_changes.vote(twin.state, twin.channel, single, twin.user, 1, on=True)
    message_changes.vote(twin.state, twin.channel, single, twin.user, 2, on=False)
    assert single.votes == {1: [twin.user.id], 2: []}
    message_changes.end_poll(twin.state, twin.channel, single)
    assert single.poll_ended


def test_a_private_thread_is_not_announced() -> None:
    twin = Twin()
    thread = twin.state.add_thread(twin.channel, "t", twin.user, type_=ChannelType.PRIVATE_THREAD)
    message_changes.announce_thread(twin.state, twin.channel, thread, twin.user, None)

    assert list(twin.channel.messages) == []


def test_each_change_is_dispatched() -> None:
    twin, events = Twin(), list[Event]()
    state, guild, bob = twin.state, twin.guild, twin.add_user("bob")
    role = state.add_role(guild, "r")
    guild.members[bob.id].role_ids.append(role.id)
    state.observe(events.append)

    guild_changes.change_role(state, guild, role)
    guild_changes.delete_role(state, guild, role)
    guild_changes.change_member(state, guild, guild.members[bob.id])
    guild_changes.ban(state, guild, bob, "spam")
    guild_changes.unban(state, guild, bob)
    guild_changes.remove_member(state, guild, bob)
    invite = guild_changes.add_invite(state, guild, twin.channel, twin.user, max_uses=1)
    guild_changes.delete_invite(state, guild, invite)
    guild_changes.dispatch_emojis(state, guild)
    guild_changes.add_sticker(state, guild, "cat")

    assert [one.name for one in events] == [
        "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE", "GUILD_BAN_ADD",
        "GUILD_MEMBER_REMOVE", "GUILD_BAN_REMOVE", "INVITE_CREATE", "INVITE_DELETE", "GUILD_EMOJIS_UPDATE",
        "GUILD_STICKERS_UPDATE",
    ]  # fmt: skip
    assert events[2].payload["roles"] == []


def test_the_audit_log_keeps_what_was_given() -> None:
    twin = Twin()
    guild_changes.add_audit_entry(twin.state, twin.guild, twin.user, 22, 7, reason="spam", nothing=None)
    (entry,) = twin.guild.audit

    assert {name: entry[name] for name in entry if name != "id"} == {
        "user_id": str(twin.user.id), "action_type": 22, "target_id": "7", "reason": "spam",
    }  # fmt: skip
