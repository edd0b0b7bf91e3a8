"""Channels: read, change, delete, type, and who may do what in them.

https://docs.discord.com/developers/resources/channel
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..request_log import TypingCall
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state.enums import ChannelType
from ..state.models import Overwrite
from ..state.permissions import Permission
from ..state.serializers import serialize_channel, serialize_member
from ..state.state import Event
from ..validation import guild_objects as guild_object_rules
from ..validation.table import check
from .messages import need

if TYPE_CHECKING:
    from ..state.models import Channel, Json, Role, User

_FIELDS = {
    "nsfw": "nsfw",
    "rate_limit_per_user": "slow_seconds",
    "position": "position",
    "auto_archive_duration": "archive_minutes",
    "default_auto_archive_duration": "archive_minutes",
    "invitable": "invitable",
}
"""Fields of the body, and where they are kept."""


def type_(call: Call) -> Reply:
    """POST /channels/{channel_id}/typing ; shown for ten seconds, and nothing can take it back."""
    channel = call.channel()
    need(
        call, channel, Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    )
    if channel.archived:
        raise ApiError(50083)
    user, now = call.bot.user, call.state.now()
    call.context.log.typing.append(TypingCall(now, channel.id, user.id))
    payload: Json = {"channel_id": str(channel.id), "user_id": str(user.id), "timestamp": int(now)}
    if channel.guild_id is not None:
        member = call.state.guilds[channel.guild_id].members[user.id]
        payload |= {"guild_id": str(channel.guild_id), "member": serialize_member(member)}
    call.state.dispatch(Event("TYPING_START", payload, channel.guild_id, channel))
    return (
        Reply({"message_send_cooldown_ms": 0, "thread_create_cooldown_ms": 0})
        if (call.options.typing_200_body)
        else NO_CONTENT
    )


def read(call: Call) -> Reply:
    """GET /channels/{channel_id} ."""
    channel = call.channel()
    need(call, channel, Permission.VIEW_CHANNEL)
    return Reply(serialize_channel(channel))


def change(call: Call) -> Reply:
    """PATCH /channels/{channel_id} : the name and topic, or the state of a thread."""
    channel, payload = call.channel(), call.payload
    # The creator of a thread may rename and archive it without Manage Threads.
    own_thread = channel.is_thread and channel.owner_id == call.bot.user.id
    manage = Permission.MANAGE_THREADS if channel.is_thread else Permission.MANAGE_CHANNELS
    need(call, channel, Permission.VIEW_CHANNEL if own_thread else manage)
    rules = guild_object_rules.CHANGED_THREAD if channel.is_thread else guild_object_rules.CHANGED_CHANNEL
    payload = check(rules, payload, call.options)
    _check_rename(call, channel)
    set_fields(channel, payload)
    if channel.is_thread:
        archived = bool(payload.get("archived", channel.archived))
        call.state.set_thread(channel, archived=archived, locked=bool(payload.get("locked", channel.locked)))
    else:
        call.state.change_channel(channel)
    return Reply(serialize_channel(channel))


def _check_rename(call: Call, channel: Channel) -> None:
    limit, payload = call.options.rename_limit, call.payload
    # Only a real change of name or topic counts against the limit.
    is_new = any(name in payload and payload[name] != getattr(channel, name) for name in ("name", "topic"))
    if limit is None or not is_new:
        return
    wait = call.context.limits.acquire("renames", str(channel.id), limit)
    if wait:
        raise ApiError(20028, retry_after=wait)


def set_fields(channel: Channel, payload: Json) -> None:
    """Take over what a body says of a channel; it has passed the rules."""
    if payload.get("name") is not None:
        channel.name = str(payload["name"]).strip()
    if "topic" in payload:
        channel.topic = payload["topic"]
    for name, attribute in _FIELDS.items():
        if payload.get(name) is not None:
            setattr(channel, attribute, payload[name])
    if "parent_id" in payload and not channel.is_thread:
        channel.parent_id = int(payload["parent_id"]) if payload["parent_id"] else None
    if payload.get("applied_tags") is not None:
        channel.applied_tags = [int(one) for one in payload["applied_tags"]]
    if payload.get("available_tags") is not None:
        channel.tags = [_tag(one, number) for number, one in enumerate(payload["available_tags"], channel.id)]
    for one in payload.get("permission_overwrites") or ():
        allow, deny = (Permission(int(one.get(name) or 0)) for name in ("allow", "deny"))
        channel.overwrites[int(one["id"])] = Overwrite(allow, deny, is_member=int(one["type"]) == 1)


def _tag(raw: Json, number: int) -> Json:
    # A new tag has no id yet.
    known = {"moderated": False, "emoji_id": None, "emoji_name": None}
    return {**known, **raw, "id": str(raw.get("id") or number + 1)}


def delete(call: Call) -> Reply:
    """DELETE /channels/{channel_id} ; a direct-message channel is only closed."""
    channel = call.channel()
    shape = serialize_channel(channel)
    # Closing a direct-message channel changes nothing for the other user.
    if channel.type is not ChannelType.DM:
        need(call, channel, Permission.MANAGE_THREADS if channel.is_thread else Permission.MANAGE_CHANNELS)
        call.state.delete_channel(channel)
    return Reply(shape)


# Permissions


def set_overwrite(call: Call) -> Reply:
    """PUT /channels/{channel_id}/permissions/{overwrite_id} : what a role or a member may do here."""
    channel, payload = call.channel(), call.payload
    need(call, channel, Permission.MANAGE_ROLES)
    payload = check(guild_object_rules.OVERWRITE, payload, call.options)
    target = _target(call, channel, is_member=int(payload["type"]) == 1)
    allow, deny = (Permission(int(payload.get(name) or 0)) for name in ("allow", "deny"))
    call.state.overwrite(channel, target, allow=allow, deny=deny)
    return NO_CONTENT


def _target(call: Call, channel: Channel, *, is_member: bool) -> User | Role:
    target_id = call.id("overwrite_id", 10009)
    if is_member:
        if target_id not in call.state.users:
            raise ApiError(10013)
        return call.state.users[target_id]
    role = call.state.guilds[channel.guild_id or 0].roles.get(target_id)
    if role is None:
        raise ApiError(10011)
    return role


def delete_overwrite(call: Call) -> Reply:
    """DELETE /channels/{channel_id}/permissions/{overwrite_id} ."""
    channel = call.channel()
    need(call, channel, Permission.MANAGE_ROLES)
    if channel.overwrites.pop(call.id("overwrite_id", 10009), None) is None:
        raise ApiError(10009)
    call.state.change_channel(channel)
    return NO_CONTENT


_CHANNEL = "/channels/{channel_id}"

ROUTES = (
    Route("channels.typing", "POST", _CHANNEL + "/typing", type_),
    Route("channels.get", "GET", _CHANNEL, read),
    Route("channels.edit", "PATCH", _CHANNEL, change),
    Route("channels.delete", "DELETE", _CHANNEL, delete),
    Route("channels.set_overwrite", "PUT", _CHANNEL + "/permissions/{overwrite_id}", set_overwrite),
    Route("channels.delete_overwrite", "DELETE", _CHANNEL + "/permissions/{overwrite_id}", delete_overwrite),
)
