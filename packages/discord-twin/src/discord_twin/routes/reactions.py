"""Reactions and polls: what users add to a message.

https://docs.discord.com/developers/resources/message#create-reaction , `poll`
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from ..errors import ApiError
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import message_changes as changes
from ..state.message_serializers import serialize_message
from ..state.permissions import Permission
from ..state.serializers import serialize_user
from ..validation.messages import CUSTOM_EMOJI, is_unicode_emoji
from .messages import find_message, need

if TYPE_CHECKING:
    from ..state.models import Channel, Message, User

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
