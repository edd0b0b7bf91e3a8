"""Pinned messages, by the old path and the new one, and publishing in announcement channels.

https://docs.discord.com/developers/resources/message#get-channel-pins
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..gateway.sessions import seen_by
from ..rest.refusals import Refusal
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import state_changes as changes
from ..state.message_shapes import message_shape
from ..state.model import SYSTEM_TYPES, ChannelType, MessageFlag
from ..state.permissions import Permission
from ..state.shapes import timestamp
from .message_routes import find_message, need

if TYPE_CHECKING:
    from ..state.model import Channel, Message

__all__ = ["ROUTES"]

_MOST = 250


def _pinned(call: Call, channel: Channel) -> list[Message]:
    need(call, channel, Permission.READ_MESSAGE_HISTORY)
    found = [one for one in channel.messages.values() if one.pinned_at is not None]
    return sorted(found, key=lambda one: (one.pinned_at or 0, one.id), reverse=True)


def list_old(call: Call) -> Reply:
    """GET /channels/{channel_id}/pins : the first fifty."""
    channel = call.channel()
    return Reply([seen_by(call.world, call.bot, channel, one) for one in _pinned(call, channel)[:50]])


def list_new(call: Call) -> Reply:
    """GET /channels/{channel_id}/messages/pins , page by page."""
    channel, limit = call.channel(), call.number("limit", 50, 1, 50)
    found, before = _pinned(call, channel), call.query.get("before")
    if before:
        found = [one for one in found if timestamp(one.pinned_at or 0) < before.replace("Z", "+00:00")]
    items = [
        {"pinned_at": timestamp(one.pinned_at or 0), "message": seen_by(call.world, call.bot, channel, one)}
        for one in found[:limit]
    ]
    return Reply({"items": items, "has_more": len(found) > limit})


def pin(call: Call) -> Reply:
    """PUT a pin."""
    channel = call.channel()
    need(call, channel, Permission.PIN_MESSAGES)
    message = find_message(call, channel)
    if message.type in SYSTEM_TYPES:
        raise Refusal(50021)
    if sum(one.pinned_at is not None for one in channel.messages.values()) >= _MOST:
        raise Refusal(30003, message=f"Maximum number of pins reached ({_MOST})")
    changes.pin(call.state, channel, message, call.bot.user)
    return NO_CONTENT


def unpin(call: Call) -> Reply:
    """DELETE a pin."""
    channel = call.channel()
    need(call, channel, Permission.PIN_MESSAGES)
    changes.unpin(call.state, channel, find_message(call, channel))
    return NO_CONTENT


def crosspost(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages/{message_id}/crosspost ."""
    channel = call.channel()
    if channel.type is not ChannelType.ANNOUNCEMENT:
        raise Refusal(50024)
    need(call, channel, Permission.SEND_MESSAGES)
    message = find_message(call, channel)
    if message.author.id != call.bot.user.id:
        need(call, channel, Permission.MANAGE_MESSAGES)
    if message.draft.flags & MessageFlag.CROSSPOSTED:
        raise Refusal(40033)
    changes.crosspost(call.state, channel, message)
    return Reply(message_shape(call.state, message, viewer=call.bot.user.id))


_CHANNEL = "/channels/{channel_id}"
_OLD, _NEW = _CHANNEL + "/pins", _CHANNEL + "/messages/pins"

ROUTES = (
    Route("pins.list", "GET", _OLD, list_old),
    Route("pins.list", "GET", _NEW, list_new),
    *(Route("pins.add", "PUT", base + "/{message_id}", pin) for base in (_OLD, _NEW)),
    *(Route("pins.remove", "DELETE", base + "/{message_id}", unpin) for base in (_OLD, _NEW)),
    Route("messages.crosspost", "POST", _CHANNEL + "/messages/{message_id}/crosspost", crosspost),
)
