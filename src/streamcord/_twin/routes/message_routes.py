"""Messages of a bot: create, read, edit, delete, react.

https://docs.discord.com/developers/resources/message
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from streamcord._twin.gateway.visibility import seen_by
from streamcord._twin.rest.message_create import Author, compose, recompose, say_pings, write
from streamcord._twin.rest.refusals import Refusal, invalid_form
from streamcord._twin.rest.routing import NO_CONTENT, Call, Reply, Route
from streamcord._twin.rest.validation import read_nonce
from streamcord._twin.state.message_shapes import message_shape
from streamcord._twin.state.model import ChannelType, Message, MessageType
from streamcord._twin.state.permissions import Permission
from streamcord._twin.state.snowflakes import snowflake_time
from streamcord._twin.state.state import Event

if TYPE_CHECKING:
    from streamcord._twin.state.model import Channel, Json

__all__ = ["ROUTES", "find_message", "need"]

_HOUR = 3600.0
_SYSTEM = frozenset({MessageType.USER_JOIN})


def need(call: Call, channel: Channel, permission: Permission) -> None:
    """Refuse a bot that cannot see the channel (50001) or lacks the permission (50013)."""
    granted = call.state.permissions(call.bot.user, channel)
    if not granted & Permission.VIEW_CHANNEL:
        raise Refusal(50001)
    if not granted & permission:
        raise Refusal(50013)


def find_message(call: Call, channel: Channel) -> Message:
    """The message of the path."""
    message = call.state.find_message(channel.id, call.id("message_id", 10008))
    if message is None or message.is_ephemeral:
        raise Refusal(10008)
    return message


def _check_target(call: Call, channel: Channel) -> None:
    if channel.is_forum or channel.type is ChannelType.CATEGORY:
        raise Refusal(50008)
    if channel.type is ChannelType.DM and not all(user.accepts_dms for user in channel.recipients):
        raise Refusal(50007)
    need(
        call, channel, Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    )
    if channel.locked and not call.state.permissions(call.bot.user, channel) & Permission.MANAGE_THREADS:
        raise Refusal(160005)


def create(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages ."""
    channel, payload = call.channel(), call.payload
    _check_target(call, channel)
    nonce = read_nonce(payload.get("nonce"))
    author = Author(call.bot.user)
    reply_to, reply_ids = _read_reference(call, channel, payload)
    draft = compose(call, channel, author, payload, reply_to)
    if nonce is not None and payload.get("enforce_nonce") and call.switches.nonce_enforce:
        found = call.state.nonces.find(author.user.id, nonce, call.state.now() - call.switches.nonce_window_s)
        if found is not None:
            return _already_made(call, found)
    kind = MessageType.REPLY if reply_ids else MessageType.DEFAULT
    message = write(call, channel, author, replace(draft, nonce=nonce, reply_ids=reply_ids), kind)
    return Reply(message_shape(call.state, message))


def _already_made(call: Call, message: Message) -> Reply:
    exists = call.state.find_message(message.channel_id, message.id) is not None
    if not exists and call.switches.nonce_deleted_404:
        raise Refusal(10008)
    call.record.message = message
    return Reply(message_shape(call.state, message))


def _read_reference(
    call: Call, channel: Channel, payload: Json
) -> tuple[Message | None, tuple[int, int] | None]:
    reference = payload.get("message_reference")
    if not reference or reference.get("type") == 1:
        return None, None
    if not call.state.permissions(call.bot.user, channel) & Permission.READ_MESSAGE_HISTORY:
        raise Refusal(160002)
    target = call.state.find_message(channel.id, int(reference["message_id"]))
    if target is not None and target.type in _SYSTEM:
        message = "Cannot reply to a system message"
        raise invalid_form("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", message)
    if target is not None:
        return target, (channel.id, target.id)
    if reference.get("fail_if_not_exists", call.switches.reply_fail_if_not_exists):
        raise invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    return None, None


def edit(call: Call) -> Reply:
    """PATCH /channels/{channel_id}/messages/{message_id} ."""
    channel = call.channel()
    need(call, channel, Permission.VIEW_CHANNEL)
    message = find_message(call, channel)
    if channel.archived:
        raise Refusal(50083)
    if message.author.id != call.bot.user.id:
        raise Refusal(50005)
    _count_old_edit(call, message)
    before = message.draft
    draft = recompose(call, channel, Author(call.bot.user), message)
    call.state.edit(channel, message, draft)
    call.record.message = message
    say_pings(call.world, channel, message, before)
    return Reply(message_shape(call.state, message))


def _count_old_edit(call: Call, message: Message) -> None:
    if call.state.now() - snowflake_time(message.id) < _HOUR or not call.switches.old_edit_cap:
        return
    if message.old_edits >= call.switches.old_edit_cap:
        raise Refusal(30046)
    message.old_edits += 1


def delete(call: Call) -> Reply:
    """DELETE /channels/{channel_id}/messages/{message_id} ."""
    channel = call.channel()
    own = find_message(call, channel).author.id == call.bot.user.id
    if channel.type is ChannelType.DM and not own:
        raise Refusal(50003)
    need(call, channel, Permission.VIEW_CHANNEL if own else Permission.MANAGE_MESSAGES)
    call.state.delete(channel, find_message(call, channel))
    return NO_CONTENT


def delete_many(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages/bulk-delete ."""
    channel = call.channel()
    need(call, channel, Permission.MANAGE_MESSAGES)
    for message_id in call.payload.get("messages", ()):
        message = call.state.find_message(channel.id, int(message_id))
        if message is not None:
            call.state.delete(channel, message)
    return NO_CONTENT


def read(call: Call) -> Reply:
    """GET /channels/{channel_id}/messages/{message_id} ."""
    channel = call.channel()
    need(call, channel, Permission.READ_MESSAGE_HISTORY)
    return Reply(seen_by(call.world, call.bot, channel, find_message(call, channel)))


def read_many(call: Call) -> Reply:
    """GET /channels/{channel_id}/messages , newest first."""
    channel = call.channel()
    need(call, channel, Permission.VIEW_CHANNEL)
    if not call.state.permissions(call.bot.user, channel) & Permission.READ_MESSAGE_HISTORY:
        return Reply([])  # documented: no messages, no error
    limit = int(call.query.get("limit") or 50)
    if not 1 <= limit <= 100:
        raise invalid_form("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
    shown = _window(channel, call, limit)
    return Reply([seen_by(call.world, call.bot, channel, message) for message in shown])


def _window(channel: Channel, call: Call, limit: int) -> list[Message]:
    found = [message for message in channel.messages.values() if not message.is_ephemeral]
    if "after" in call.query:
        after = int(call.query["after"])
        return list(islice((one for one in found if one.id > after), limit))[::-1]
    if "around" in call.query:
        around = int(call.query["around"])
        older = [one for one in found if one.id < around][-(limit // 2) :]
        return [*older, *islice((one for one in found if one.id >= around), limit - len(older))][::-1]
    before = int(call.query.get("before") or 1 << 63)
    return [one for one in found if one.id < before][-limit:][::-1]


def react(call: Call) -> Reply:
    """PUT and DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me ."""
    channel = call.channel()
    need(call, channel, Permission.ADD_REACTIONS)
    message = find_message(call, channel)
    user, emoji = call.bot.user, unquote(call.ids["emoji"])
    people = message.reactions.setdefault(emoji, [])
    add = call.record.method == "PUT"
    if add and user.id not in people:
        people.append(user.id)
    elif not add and user.id in people:
        people.remove(user.id)
    payload: Json = {"user_id": str(user.id), "channel_id": str(channel.id), "message_id": str(message.id)}
    payload |= {"emoji": {"id": None, "name": emoji}, "burst": False, "type": 0}
    if channel.guild_id is not None:
        payload["guild_id"] = str(channel.guild_id)
    name = "MESSAGE_REACTION_ADD" if add else "MESSAGE_REACTION_REMOVE"
    call.state.tell(Event(name, payload, channel.guild_id, channel))
    return NO_CONTENT


_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = _MESSAGES + "/{message_id}"
_REACTION = _MESSAGE + "/reactions/{emoji}/@me"

ROUTES = (
    Route("messages.create", "POST", _MESSAGES, create),
    Route("messages.list", "GET", _MESSAGES, read_many),
    Route("messages.get", "GET", _MESSAGE, read),
    Route("messages.edit", "PATCH", _MESSAGE, edit),
    Route("messages.delete", "DELETE", _MESSAGE, delete),
    Route("messages.bulk_delete", "POST", _MESSAGES + "/bulk-delete", delete_many),
    Route("messages.react", "PUT", _REACTION, react),
    Route("messages.react", "DELETE", _REACTION, react),
)
