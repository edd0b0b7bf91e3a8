"""Channels and threads: read, change, delete, type.

https://docs.discord.com/developers/resources/channel
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamcord._twin.log import TypingCall
from streamcord._twin.rest.message_create import Author, compose, write
from streamcord._twin.rest.refusals import Refusal, invalid_form
from streamcord._twin.rest.routing import NO_CONTENT, Call, Reply, Route
from streamcord._twin.state.message_shapes import message_shape
from streamcord._twin.state.model import ChannelType, MessageType
from streamcord._twin.state.permissions import Permission
from streamcord._twin.state.shapes import channel_shape, member_shape, timestamp
from streamcord._twin.state.state import Event

from .message_routes import find_message, need

if TYPE_CHECKING:
    from streamcord._twin.state.model import Channel, Json

__all__ = ["ROUTES"]

_NAME_LIMIT = 100


def type_(call: Call) -> Reply:
    """POST /channels/{channel_id}/typing ; shown for ten seconds, and nothing can take it back."""
    channel = call.channel()
    need(
        call, channel, Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    )
    if channel.archived:
        raise Refusal(50083)
    user, now = call.bot.user, call.state.now()
    call.world.log.typing.append(TypingCall(now, channel.id, user.id))
    payload: Json = {"channel_id": str(channel.id), "user_id": str(user.id), "timestamp": int(now)}
    if channel.guild_id is not None:
        member = call.state.guilds[channel.guild_id].members[user.id]
        payload |= {"guild_id": str(channel.guild_id), "member": member_shape(member)}
    call.state.tell(Event("TYPING_START", payload, channel.guild_id, channel))
    return (
        Reply({"message_send_cooldown_ms": 0, "thread_create_cooldown_ms": 0})
        if (call.switches.typing_200_body)
        else NO_CONTENT
    )


def read(call: Call) -> Reply:
    """GET /channels/{channel_id} ."""
    channel = call.channel()
    need(call, channel, Permission.VIEW_CHANNEL)
    return Reply(channel_shape(channel))


def change(call: Call) -> Reply:
    """PATCH /channels/{channel_id} : the name and topic, or the state of a thread."""
    channel, payload = call.channel(), call.payload
    own_thread = channel.is_thread and channel.owner_id == call.bot.user.id
    manage = Permission.MANAGE_THREADS if channel.is_thread else Permission.MANAGE_CHANNELS
    need(call, channel, Permission.VIEW_CHANNEL if own_thread else manage)
    if "name" in payload:
        channel.name = _read_name(payload["name"])
    if "topic" in payload:
        channel.topic = payload["topic"]
    if channel.is_thread:
        archived = bool(payload.get("archived", channel.archived))
        call.state.set_thread(channel, archived=archived, locked=bool(payload.get("locked", channel.locked)))
    else:
        call.state.change_channel(channel)
    return Reply(channel_shape(channel))


def _read_name(name: object) -> str:
    if not isinstance(name, str) or not 1 <= len(name) <= _NAME_LIMIT:
        raise invalid_form("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
    return name


def delete(call: Call) -> Reply:
    """DELETE /channels/{channel_id} ; a direct-message channel is only closed."""
    channel = call.channel()
    shape = channel_shape(channel)
    if channel.type is not ChannelType.DM:
        need(call, channel, Permission.MANAGE_THREADS if channel.is_thread else Permission.MANAGE_CHANNELS)
        call.state.delete_channel(channel)
    return Reply(shape)


# Threads


def start_at_message(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages/{message_id}/threads ."""
    channel = call.channel()
    need(call, channel, Permission.CREATE_PUBLIC_THREADS)
    message = find_message(call, channel)
    if message.thread_id is not None:
        raise Refusal(160004)
    thread = call.state.add_thread(channel, _read_name(call.payload.get("name")), call.bot.user, message)
    return Reply(channel_shape(thread), status=201)


def start(call: Call) -> Reply:
    """POST /channels/{channel_id}/threads ; in a forum with its first message."""
    channel = call.channel()
    need(call, channel, Permission.SEND_MESSAGES if channel.is_forum else Permission.CREATE_PUBLIC_THREADS)
    name = _read_name(call.payload.get("name"))
    if not channel.is_forum:
        return Reply(channel_shape(call.state.add_thread(channel, name, call.bot.user)), status=201)
    author = Author(call.bot.user)
    draft = compose(call, channel, author, call.payload.get("message") or {})
    thread = call.state.add_thread(channel, name, call.bot.user)
    message = write(call, thread, author, draft, MessageType.DEFAULT)
    return Reply({**channel_shape(thread), "message": message_shape(call.state, message)}, status=201)


def join(call: Call) -> Reply:
    """PUT and DELETE /channels/{channel_id}/thread-members/@me ."""
    thread, user_id = call.channel(), call.bot.user.id
    if not thread.is_thread:
        raise Refusal(50024)
    if call.record.method == "PUT" and user_id not in thread.member_ids:
        thread.member_ids.append(user_id)
    elif call.record.method == "DELETE" and user_id in thread.member_ids:
        thread.member_ids.remove(user_id)
    return NO_CONTENT


def list_active(call: Call) -> Reply:
    """GET /guilds/{guild_id}/threads/active ."""
    guild_id = call.id("guild_id", 10004)
    found = [one for one in call.state.channels.values() if one.guild_id == guild_id and _is_active(one)]
    joined = [one for one in found if call.bot.user.id in one.member_ids]
    members = [_thread_member(one, call.bot.user.id) for one in joined]
    return Reply({"threads": [channel_shape(one) for one in found], "members": members})


def _is_active(channel: Channel) -> bool:
    return channel.is_thread and not channel.archived


def _thread_member(thread: Channel, user_id: int) -> Json:
    return {
        "id": str(thread.id),
        "user_id": str(user_id),
        "join_timestamp": timestamp(thread.archived_at),
        "flags": 0,
    }


_CHANNEL = "/channels/{channel_id}"

ROUTES = (
    Route("channels.typing", "POST", _CHANNEL + "/typing", type_),
    Route("channels.get", "GET", _CHANNEL, read),
    Route("channels.edit", "PATCH", _CHANNEL, change),
    Route("channels.delete", "DELETE", _CHANNEL, delete),
    Route("threads.start_at_message", "POST", _CHANNEL + "/messages/{message_id}/threads", start_at_message),
    Route("threads.start", "POST", _CHANNEL + "/threads", start),
    Route("threads.join", "PUT", _CHANNEL + "/thread-members/@me", join),
    Route("threads.join", "DELETE", _CHANNEL + "/thread-members/@me", join),
    Route("threads.active", "GET", "/guilds/{guild_id}/threads/active", list_active),
)
