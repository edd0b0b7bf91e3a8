"""Pins of a channel, by the deprecated address and the one with pages.

https://docs.discord.com/developers/resources/message#get-channel-pins
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..message_content_intent import serialize_visible_message
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import message_changes as changes
from ..state.enums import SYSTEM_TYPES
from ..state.permissions import Permission
from ..state.serializers import timestamp
from .messages import find_message, need

if TYPE_CHECKING:
    from ..state.models import Channel, Message


def _pinned(call: Call, channel: Channel) -> list[Message]:
    need(call, channel, Permission.READ_MESSAGE_HISTORY)
    found = [one for one in channel.messages.values() if one.pinned_at is not None]
    return sorted(found, key=lambda one: (one.pinned_at or 0, one.id), reverse=True)


def list_old(call: Call) -> Reply:
    """GET /channels/{channel_id}/pins : the first fifty."""
    channel = call.channel()
    return Reply(
        [
            serialize_visible_message(call.context, call.bot, channel, one)
            for one in _pinned(call, channel)[:50]
        ]
    )


def list_new(call: Call) -> Reply:
    """GET /channels/{channel_id}/messages/pins , page by page."""
    channel, limit = call.channel(), call.number("limit", 50, 1, 50)
    found, before = _pinned(call, channel), call.query.get("before")
    # Timestamps of the same format compare like their times.
    if before:
        found = [one for one in found if timestamp(one.pinned_at or 0) < before.replace("Z", "+00:00")]
    items = [
        {
            "pinned_at": timestamp(one.pinned_at or 0),
            "message": serialize_visible_message(call.context, call.bot, channel, one),
        }
        for one in found[:limit]
    ]
    return Reply({"items": items, "has_more": len(found) > limit})


def _pin_permission(call: Call) -> Permission:
    is_separate = call.options.pin_permission == "pin_messages"
    return Permission.PIN_MESSAGES if is_separate else Permission.MANAGE_MESSAGES


def pin(call: Call) -> Reply:
    """PUT a pin."""
    channel = call.channel()
    need(call, channel, _pin_permission(call))
    message = find_message(call, channel)
    if message.type in SYSTEM_TYPES:
        raise ApiError(50021)
    if sum(one.pinned_at is not None for one in channel.messages.values()) >= call.options.max_pins:
        raise ApiError(30003, message=f"Maximum number of pins reached ({call.options.max_pins})")
    changes.pin(call.state, channel, message, call.bot.user)
    return NO_CONTENT


def unpin(call: Call) -> Reply:
    """DELETE a pin."""
    channel = call.channel()
    need(call, channel, _pin_permission(call))
    changes.unpin(call.state, channel, find_message(call, channel))
    return NO_CONTENT


_CHANNEL = "/channels/{channel_id}"
_OLD, _NEW = _CHANNEL + "/pins", _CHANNEL + "/messages/pins"

# Both addresses work: the old one is deprecated, but clients still use it.
ROUTES = (
    Route("pins.list", "GET", _OLD, list_old),
    Route("pins.list", "GET", _NEW, list_new),
    *(Route("pins.add", "PUT", base + "/{message_id}", pin) for base in (_OLD, _NEW)),
    *(Route("pins.remove", "DELETE", base + "/{message_id}", unpin) for base in (_OLD, _NEW)),
)
