"""Threads and posts of forums: start, join, list.

https://docs.discord.com/developers/resources/channel#start-thread-from-message
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..rest.message_create import Author, compose, write
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state.enums import ChannelType
from ..state.message_changes import announce_thread
from ..state.message_serializers import serialize_message
from ..state.permissions import Permission
from ..state.serializers import serialize_channel, serialize_member, serialize_thread_member
from ..state.state import Event
from ..validation import guild_objects as guild_object_rules
from ..validation.table import check
from .messages import find_message, need

if TYPE_CHECKING:
    from ..state.models import Channel, Json

_MAX_ACTIVE_THREADS = 1000
# Channels whose messages can start a thread.
_HOLD_THREADS = frozenset({ChannelType.TEXT, ChannelType.ANNOUNCEMENT})


# Starting


def start_at_message(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages/{message_id}/threads ."""
    channel, payload = call.channel(), call.payload
    if channel.type not in _HOLD_THREADS:
        raise ApiError(50024)
    need(call, channel, Permission.CREATE_PUBLIC_THREADS)
    payload = check(guild_object_rules.NEW_THREAD, payload, call.options)
    message = find_message(call, channel)
    if message.thread_id is not None:
        raise ApiError(160004)
    _check_active(call, channel)
    # The type of the thread follows from its parent.
    news = channel.type is ChannelType.ANNOUNCEMENT
    kind = ChannelType.ANNOUNCEMENT_THREAD if news else ChannelType.PUBLIC_THREAD
    thread = call.state.add_thread(
        channel, str(payload["name"]).strip(), call.bot.user, message, kind, archive_minutes=_archive(payload)
    )
    announce_thread(call.state, channel, thread, call.bot.user, message)
    return Reply(serialize_channel(thread), status=201)


def start(call: Call) -> Reply:
    """POST /channels/{channel_id}/threads ; in a forum with its first message."""
    channel = call.channel()
    if channel.is_forum:
        return _start_post(call, channel)
    if channel.type not in _HOLD_THREADS:
        raise ApiError(50024)
    payload = call.payload
    payload = check(guild_object_rules.NEW_THREAD, payload, call.options)
    # Documented: without a type it is a private thread.
    kind = ChannelType(int(payload.get("type") or ChannelType.PRIVATE_THREAD))
    private = kind is ChannelType.PRIVATE_THREAD
    need(call, channel, Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS)
    _check_active(call, channel)
    thread = call.state.add_thread(
        channel, str(payload["name"]).strip(), call.bot.user, None, kind, archive_minutes=_archive(payload)
    )
    thread.invitable = bool(payload.get("invitable", True))
    announce_thread(call.state, channel, thread, call.bot.user, None)
    return Reply(serialize_channel(thread), status=201)


def _start_post(call: Call, forum: Channel) -> Reply:
    payload = call.payload
    need(call, forum, Permission.SEND_MESSAGES)
    payload = check(guild_object_rules.NEW_POST, payload, call.options)
    author = Author(call.bot.user)
    # Validated before the thread exists: a refused message must not leave an empty post.
    draft = compose(call, forum, author, payload.get("message") or {}, under=("message",))
    _check_active(call, forum)
    thread = call.state.add_thread(
        forum, str(payload["name"]).strip(), call.bot.user, archive_minutes=_archive(payload)
    )
    thread.applied_tags = [int(one) for one in payload.get("applied_tags") or ()]
    message = write(call, thread, author, draft)
    shape = serialize_message(call.state, message, viewer=call.bot.user.id)
    return Reply({**serialize_channel(thread), "message": shape}, status=201)


def _archive(payload: Json) -> int:
    return int(payload.get("auto_archive_duration") or 1440)


def _check_active(call: Call, channel: Channel) -> None:
    active = [one for one in call.state.channels.values() if one.guild_id == channel.guild_id]
    if sum(_is_active(one) for one in active) >= _MAX_ACTIVE_THREADS:
        raise ApiError(160006)


# Members


def _thread(call: Call) -> Channel:
    thread = call.channel()
    need(call, thread, Permission.VIEW_CHANNEL)
    if not thread.is_thread:
        raise ApiError(50024)
    return thread


def _who(call: Call) -> int:
    if call.ids.get("user_id", "@me") == "@me":
        return call.bot.user.id
    user_id = call.id("user_id", 10013)
    if user_id not in call.state.users:
        raise ApiError(10013)
    return user_id


def join(call: Call) -> Reply:
    """PUT and DELETE /channels/{channel_id}/thread-members/{user_id} , or `@me`."""
    thread, user_id = _thread(call), _who(call)
    add = call.record.method == "PUT"
    if add and thread.archived:
        raise ApiError(50083)
    # Oneself and the members of one's own thread can be removed without a permission.
    if not add and call.bot.user.id not in {user_id, thread.owner_id}:
        need(call, thread, Permission.MANAGE_THREADS)
    if add == (user_id in thread.member_ids):
        return NO_CONTENT
    (thread.member_ids.append if add else thread.member_ids.remove)(user_id)
    payload: Json = {"id": str(thread.id), "guild_id": str(thread.guild_id)}
    payload["member_count"] = len(thread.member_ids)
    news = {"added_members": [serialize_thread_member(thread, user_id)]} if add else {}
    gone = {} if add else {"removed_member_ids": [str(user_id)]}
    call.state.dispatch(Event("THREAD_MEMBERS_UPDATE", {**payload, **news, **gone}, thread.guild_id, thread))
    return NO_CONTENT


def read_member(call: Call) -> Reply:
    """GET /channels/{channel_id}/thread-members/{user_id} ."""
    thread, user_id = _thread(call), _who(call)
    if user_id not in thread.member_ids:
        raise ApiError(10007)
    return Reply(_member(call, thread, user_id))


def list_members(call: Call) -> Reply:
    """GET /channels/{channel_id}/thread-members ."""
    thread = _thread(call)
    return Reply([_member(call, thread, user_id) for user_id in thread.member_ids])


def _member(call: Call, thread: Channel, user_id: int) -> Json:
    shape = serialize_thread_member(thread, user_id)
    member = call.state.guilds[thread.guild_id or 0].members.get(user_id)
    return {**shape, "member": serialize_member(member)} if member is not None else shape


# Lists


def list_active(call: Call) -> Reply:
    """GET /guilds/{guild_id}/threads/active ."""
    guild_id = call.id("guild_id", 10004)
    found = [one for one in call.state.channels.values() if one.guild_id == guild_id and _is_active(one)]
    return Reply({**_listed(call, found), "has_more": False})


def list_archived(call: Call) -> Reply:
    """GET /channels/{channel_id}/threads/archived/public and private ."""
    channel = call.channel()
    need(call, channel, Permission.READ_MESSAGE_HISTORY)
    # Three routes share this handler; the path says which one it is.
    private = call.record.path.partition("?")[0].endswith("/private")
    if private and "/users/@me/" not in call.record.path:
        need(call, channel, Permission.MANAGE_THREADS)
    found = [
        one
        for one in call.state.channels.values()
        if one.parent_id == channel.id
        and one.archived
        and (one.type is ChannelType.PRIVATE_THREAD) == private
    ]
    found.sort(key=lambda one: one.archived_at, reverse=True)
    limit = call.number("limit", 50, 1, 100)
    return Reply({**_listed(call, found[:limit]), "has_more": len(found) > limit})


def _listed(call: Call, threads: list[Channel]) -> Json:
    mine = [one for one in threads if call.bot.user.id in one.member_ids]
    members = [serialize_thread_member(one, call.bot.user.id) for one in mine]
    return {"threads": [serialize_channel(one) for one in threads], "members": members}


def _is_active(channel: Channel) -> bool:
    return channel.is_thread and not channel.archived


_CHANNEL = "/channels/{channel_id}"
_MEMBER = _CHANNEL + "/thread-members/{user_id}"

ROUTES = (
    Route("threads.start_at_message", "POST", _CHANNEL + "/messages/{message_id}/threads", start_at_message),
    Route("threads.start", "POST", _CHANNEL + "/threads", start),
    Route("threads.join", "PUT", _MEMBER, join),
    Route("threads.leave", "DELETE", _MEMBER, join),
    Route("threads.member", "GET", _MEMBER, read_member),
    Route("threads.members", "GET", _CHANNEL + "/thread-members", list_members),
    Route("threads.active", "GET", "/guilds/{guild_id}/threads/active", list_active),
    Route("threads.archived", "GET", _CHANNEL + "/threads/archived/public", list_archived),
    Route("threads.archived", "GET", _CHANNEL + "/threads/archived/private", list_archived),
    Route("threads.archived", "GET", _CHANNEL + "/users/@me/threads/archived/private", list_archived),
)
