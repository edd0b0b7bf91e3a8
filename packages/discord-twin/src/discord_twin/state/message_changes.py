"""Change existing messages: reactions, pins, votes, threads.

Like `State`, these functions change the state and dispatch an event; the routes check the permissions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from .enums import ChannelType, MessageFlag, MessageType
from .message_serializers import reaction_emoji
from .models import Draft
from .serializers import (
    serialize_member,
    timestamp,
)
from .state import Event

if TYPE_CHECKING:
    from .models import Channel, Json, Message, User
    from .state import State


def _about(channel: Channel, message: Message) -> Json:
    about: Json = {"channel_id": str(channel.id), "message_id": str(message.id)}
    return {**about, "guild_id": str(channel.guild_id)} if channel.guild_id is not None else about


# Reactions


def add_reaction(state: State, channel: Channel, message: Message, user: User, key: str) -> None:
    """React; doing it twice changes nothing."""
    people = message.reactions.setdefault(key, [])
    if user.id in people:
        return
    people.append(user.id)
    payload = _reaction(channel, message, user, key)
    guild = state.guilds.get(channel.guild_id or 0)
    if guild is not None and user.id in guild.members:
        payload["member"] = serialize_member(guild.members[user.id])
    payload["message_author_id"] = str(message.author.id)
    state.dispatch(Event("MESSAGE_REACTION_ADD", payload, channel.guild_id, channel))


def remove_reaction(state: State, channel: Channel, message: Message, user: User, key: str) -> None:
    """Take a reaction back; with the last one the emoji is gone."""
    people = message.reactions.get(key, [])
    if user.id not in people:
        return
    people.remove(user.id)
    if not people:
        del message.reactions[key]
    payload = _reaction(channel, message, user, key)
    state.dispatch(Event("MESSAGE_REACTION_REMOVE", payload, channel.guild_id, channel))


def _reaction(channel: Channel, message: Message, user: User, key: str) -> Json:
    emoji = reaction_emoji(key)
    return {**_about(channel, message), "user_id": str(user.id), "emoji": emoji, "burst": False, "type": 0}


def remove_reactions(state: State, channel: Channel, message: Message, key: str | None = None) -> None:
    """Remove all reactions, or all with one emoji."""
    if key is None:
        message.reactions.clear()
        event = Event("MESSAGE_REACTION_REMOVE_ALL", _about(channel, message), channel.guild_id, channel)
    else:
        message.reactions.pop(key, None)
        payload = {**_about(channel, message), "emoji": reaction_emoji(key)}
        event = Event("MESSAGE_REACTION_REMOVE_EMOJI", payload, channel.guild_id, channel)
    state.dispatch(event)


# Pins


def pin(state: State, channel: Channel, message: Message, user: User) -> None:
    """Pin a message; the channel says who did."""
    if message.pinned_at is not None:
        return
    message.pinned_at = state.now()
    _dispatch_pins(state, channel)
    draft = Draft(reply_ids=(channel.id, message.id))
    state.post(channel, user, draft, type_=MessageType.PINNED_MESSAGE)


def unpin(state: State, channel: Channel, message: Message) -> None:
    """Take a pin away."""
    if message.pinned_at is not None:
        message.pinned_at = None
        _dispatch_pins(state, channel)


def _dispatch_pins(state: State, channel: Channel) -> None:
    pins = [one.pinned_at for one in channel.messages.values() if one.pinned_at is not None]
    payload: Json = {"channel_id": str(channel.id)}
    payload["last_pin_timestamp"] = timestamp(max(pins)) if pins else None
    if channel.guild_id is not None:
        payload["guild_id"] = str(channel.guild_id)
    state.dispatch(Event("CHANNEL_PINS_UPDATE", payload, channel.guild_id, channel))


# Many at once


def delete_many(state: State, channel: Channel, messages: Iterable[Message]) -> None:
    """Delete several messages; one event lists all."""
    ids = [str(message.id) for message in messages if channel.messages.pop(message.id, None)]
    if not ids:
        return
    payload: Json = {"ids": ids, "channel_id": str(channel.id)}
    if channel.guild_id is not None:
        payload["guild_id"] = str(channel.guild_id)
    state.dispatch(Event("MESSAGE_DELETE_BULK", payload, channel.guild_id, channel))


# Polls


def vote(state: State, channel: Channel, message: Message, user: User, answer: int, *, on: bool) -> None:
    """Vote for an answer, or take the vote back; without multiselect the old vote goes."""
    chosen = [number for number, users in message.votes.items() if user.id in users]
    single = not (message.draft.poll or {}).get("allow_multiselect")
    for number in chosen:
        if (on and single and number != answer) or (not on and number == answer):
            message.votes[number].remove(user.id)
            _dispatch_vote(state, channel, message, user, number, "MESSAGE_POLL_VOTE_REMOVE")
    if on and answer not in chosen:
        message.votes.setdefault(answer, []).append(user.id)
        _dispatch_vote(state, channel, message, user, answer, "MESSAGE_POLL_VOTE_ADD")


def _dispatch_vote(
    state: State, channel: Channel, message: Message, user: User, answer: int, name: str
) -> None:
    payload = {**_about(channel, message), "user_id": str(user.id), "answer_id": answer}
    state.dispatch(Event(name, payload, channel.guild_id, channel))


def end_poll(state: State, channel: Channel, message: Message) -> None:
    """Close a poll: no user can vote any more."""
    message.poll_ended = True
    state.dispatch_message("MESSAGE_UPDATE", channel, message)


# Threads and followed channels


def announce_thread(
    state: State, parent: Channel, thread: Channel, user: User, message: Message | None
) -> None:
    """Write the system message of a new thread: into it, or without a first message into its parent."""
    if message is not None:
        state.dispatch_message("MESSAGE_UPDATE", parent, message)
        draft = Draft(reply_ids=(parent.id, message.id))
        state.post(thread, user, draft, type_=MessageType.THREAD_STARTER_MESSAGE)
    elif thread.type is not ChannelType.PRIVATE_THREAD:
        draft = Draft(content=thread.name, reply_ids=(thread.id, thread.id))
        state.post(parent, user, draft, type_=MessageType.THREAD_CREATED)


def crosspost(state: State, channel: Channel, message: Message) -> None:
    """Publish a message to the channels that follow."""
    message.draft = replace(message.draft, flags=message.draft.flags | MessageFlag.CROSSPOSTED)
    state.dispatch_message("MESSAGE_UPDATE", channel, message)
