"""Reactions, polls and pins: what users add to a message.

https://docs.discord.com/developers/resources/message#create-reaction , `poll`
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from ..errors import ApiError
from ..message_content import serialize_visible_message
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import message_changes as changes
from ..state.message_serializers import serialize_message
from ..state.models import SYSTEM_TYPES, ChannelType, MessageFlag
from ..state.permissions import Permission
from ..state.serializers import serialize_user, timestamp
from ..validation.messages import CUSTOM_EMOJI, is_unicode_emoji
from .messages import find_message, need

if TYPE_CHECKING:
    from ..state.models import Channel, Message, User

__all__ = ["PIN_ROUTES", "ROUTES"]

# Different emoji on one message.
_MAX_EMOJI = 20


def _emoji(call: Call) -> str:
    """Return the emoji of the path, as the key under which its reactions are kept."""
    raw = unquote(call.ids["emoji"])
    # Clients send the name that they know; only the id counts.
    custom = CUSTOM_EMOJI.fullmatch(raw)
    if custom:
        known = {one: emoji for guild in call.state.guilds.values() for one, emoji in guild.emojis.items()}
        emoji = (known | call.bot.emojis).get(int(custom[2]))
        if emoji is None:
            raise ApiError(10014, status=400)
        return f"{emoji.name}:{emoji.id}"
    if not is_unicode_emoji(raw):
        raise ApiError(10014, status=400)
    return raw


def _place(call: Call, permission: Permission) -> tuple[Channel, Message]:
    channel = call.channel()
    # Reactions need to see the history, even on the newest message.
    need(call, channel, Permission.READ_MESSAGE_HISTORY)
    need(call, channel, permission)
    return channel, find_message(call, channel)


def _user(call: Call) -> User:
    user = call.state.users.get(call.id("user_id", 10013))
    if user is None:
        raise ApiError(10013)
    return user


def add(call: Call) -> Reply:
    """PUT .../reactions/{emoji}/@me ; only the first with a new emoji needs Add Reactions."""
    emoji = _emoji(call)
    channel, message = _place(call, Permission.VIEW_CHANNEL)
    if channel.archived:
        raise ApiError(50083)
    if emoji not in message.reactions:
        need(call, channel, Permission.ADD_REACTIONS)
        if len(message.reactions) >= _MAX_EMOJI:
            raise ApiError(30010)
    changes.add_reaction(call.state, channel, message, call.bot.user, emoji)
    return NO_CONTENT


def remove_own(call: Call) -> Reply:
    """DELETE .../reactions/{emoji}/@me ."""
    emoji = _emoji(call)
    channel, message = _place(call, Permission.VIEW_CHANNEL)
    changes.remove_reaction(call.state, channel, message, call.bot.user, emoji)
    return NO_CONTENT


def remove_of_user(call: Call) -> Reply:
    """DELETE .../reactions/{emoji}/{user_id} ."""
    emoji = _emoji(call)
    channel, message = _place(call, Permission.MANAGE_MESSAGES)
    changes.remove_reaction(call.state, channel, message, _user(call), emoji)
    return NO_CONTENT


def remove_all(call: Call) -> Reply:
    """DELETE .../reactions , of all emoji or of one."""
    emoji = _emoji(call) if "emoji" in call.ids else None
    channel, message = _place(call, Permission.MANAGE_MESSAGES)
    changes.remove_reactions(call.state, channel, message, emoji)
    return NO_CONTENT


def list_users(call: Call) -> Reply:
    """GET .../reactions/{emoji} : who reacted with it."""
    emoji = _emoji(call)
    _, message = _place(call, Permission.VIEW_CHANNEL)
    return Reply(_page_of_users(call, message.reactions.get(emoji, [])))


def _page_of_users(call: Call, ids: list[int]) -> list[object]:
    limit = call.number("limit", 25, 1, 100)
    after = int(call.query.get("after") or 0)
    shown = [user_id for user_id in sorted(ids) if user_id > after][:limit]
    return [serialize_user(call.state.users[user_id]) for user_id in shown]


# Polls


def list_voters(call: Call) -> Reply:
    """GET /channels/{channel_id}/polls/{message_id}/answers/{answer_id} ."""
    _, message = _place(call, Permission.VIEW_CHANNEL)
    if message.draft.poll is None:
        raise ApiError(520006)
    return Reply({"users": _page_of_users(call, message.votes.get(call.id("answer_id", 10008), []))})


def expire(call: Call) -> Reply:
    """POST /channels/{channel_id}/polls/{message_id}/expire ; only its author may."""
    channel, message = _place(call, Permission.VIEW_CHANNEL)
    if message.draft.poll is None:
        raise ApiError(520006)
    if message.author.id != call.bot.user.id:
        raise ApiError(50005)
    if message.poll_ended:
        raise ApiError(520001)
    changes.end_poll(call.state, channel, message)
    return Reply(serialize_message(call.state, message, viewer=call.bot.user.id))


_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_EMOJI = _MESSAGE + "/reactions/{emoji}"
_POLL = "/channels/{channel_id}/polls/{message_id}"

ROUTES = (
    Route("reactions.add", "PUT", _EMOJI + "/@me", add),
    Route("reactions.remove_own", "DELETE", _EMOJI + "/@me", remove_own),
    Route("reactions.remove", "DELETE", _EMOJI + "/{user_id}", remove_of_user),
    Route("reactions.list", "GET", _EMOJI, list_users),
    Route("reactions.remove_emoji", "DELETE", _EMOJI, remove_all),
    Route("reactions.remove_all", "DELETE", _MESSAGE + "/reactions", remove_all),
    Route("polls.voters", "GET", _POLL + "/answers/{answer_id}", list_voters),
    Route("polls.expire", "POST", _POLL + "/expire", expire),
)


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


def crosspost(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages/{message_id}/crosspost ."""
    channel = call.channel()
    if channel.type is not ChannelType.ANNOUNCEMENT:
        raise ApiError(50024)
    need(call, channel, Permission.SEND_MESSAGES)
    message = find_message(call, channel)
    # Publishing messages of others needs Manage Messages.
    if message.author.id != call.bot.user.id:
        need(call, channel, Permission.MANAGE_MESSAGES)
    if message.draft.flags & MessageFlag.CROSSPOSTED:
        raise ApiError(40033)
    changes.crosspost(call.state, channel, message)
    return Reply(serialize_message(call.state, message, viewer=call.bot.user.id))


_CHANNEL = "/channels/{channel_id}"
_OLD, _NEW = _CHANNEL + "/pins", _CHANNEL + "/messages/pins"

# Both addresses work: the old one is deprecated, but clients still use it.
PIN_ROUTES = (
    Route("pins.list", "GET", _OLD, list_old),
    Route("pins.list", "GET", _NEW, list_new),
    *(Route("pins.add", "PUT", base + "/{message_id}", pin) for base in (_OLD, _NEW)),
    *(Route("pins.remove", "DELETE", base + "/{message_id}", unpin) for base in (_OLD, _NEW)),
    Route("messages.crosspost", "POST", _CHANNEL + "/messages/{message_id}/crosspost", crosspost),
)
