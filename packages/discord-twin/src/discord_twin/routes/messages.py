"""Messages of a bot: create, read, edit, delete.

https://docs.discord.com/developers/resources/message
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..message_content_intent import serialize_visible_message
from ..rest.message_create import Author, compose, recompose, record_pings, write
from ..rest.request_body import read_nonce
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import message_changes as changes
from ..state.enums import SYSTEM_TYPES, ChannelType, MessageFlag, MessageType
from ..state.message_serializers import serialize_message, serialize_snapshot
from ..state.models import Draft, Message
from ..state.permissions import Permission
from ..state.snowflakes import snowflake_time
from ..validation.guild_objects import BULK_DELETE
from ..validation.table import check

if TYPE_CHECKING:
    from ..state.models import Channel, Json

_HOUR_S = 3600.0
_FORTNIGHT_S = 14 * 86_400.0
_FORWARD = 1


def need(call: Call, channel: Channel, permission: Permission) -> None:
    """Refuse a bot that cannot see the channel (50001) or lacks the permission (50013)."""
    granted = call.state.permissions(call.bot.user, channel)
    if not granted & Permission.VIEW_CHANNEL:
        raise ApiError(50001)
    if not granted & permission:
        raise ApiError(50013)


def find_message(call: Call, channel: Channel) -> Message:
    """Return the message of the path."""
    message = call.state.find_message(channel.id, call.id("message_id", 10008))
    # Ephemeral messages exist for the interaction token only.
    if message is None or message.is_ephemeral:
        raise ApiError(10008)
    return message


def _check_target(call: Call, channel: Channel) -> None:
    if channel.is_forum or channel.type is ChannelType.CATEGORY:
        raise ApiError(50008)
    # A user who blocks the bot or closed their direct messages.
    if channel.type is ChannelType.DM and not all(user.accepts_dms for user in channel.recipients):
        raise ApiError(50007)
    need(
        call, channel, Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    )
    if channel.locked and not call.state.permissions(call.bot.user, channel) & Permission.MANAGE_THREADS:
        raise ApiError(160005)


def create(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages ."""
    channel, payload = call.channel(), call.payload
    _check_target(call, channel)
    nonce = read_nonce(payload.get("nonce"))
    author = Author(call.bot.user)
    forward = _read_forward(call, payload)
    reply_to, reply_ids = _read_reference(call, channel, payload)
    draft = forward or compose(call, channel, author, payload, reply_to)
    reply_ids = forward.reply_ids if forward else reply_ids
    if nonce is not None and payload.get("enforce_nonce") and call.options.nonce_enforce:
        found = call.state.nonces.find(author.user.id, nonce, call.state.now() - call.options.nonce_window_s)
        # Found after all other checks: a repeated create is validated like the first.
        if found is not None:
            return _reply_with_existing(call, found)
    kind = MessageType.REPLY if reply_ids and not forward else MessageType.DEFAULT
    message = write(call, channel, author, replace(draft, nonce=nonce, reply_ids=reply_ids), kind)
    return Reply(serialize_message(call.state, message, viewer=call.bot.user.id))


def _read_forward(call: Call, payload: Json) -> Draft | None:
    """Return a forward carries a message as it is now, and nothing else."""
    reference = payload.get("message_reference")
    if not isinstance(reference, dict) or reference.get("type") != _FORWARD:
        return None
    source = call.state.channels.get(int(reference.get("channel_id") or 0))
    target = call.state.find_message(source.id, int(reference.get("message_id") or 0)) if source else None
    if source is None or target is None:
        raise invalid_form("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message")
    if not call.state.permissions(call.bot.user, source) & Permission.READ_MESSAGE_HISTORY:
        raise ApiError(160002)
    if target.type in SYSTEM_TYPES or target.draft.poll is not None:
        raise ApiError(50068)
    # Without the content intent a bot cannot forward what it cannot read.
    hides = call.options.forward_needs_content and bool(target.content)
    if hides and not serialize_visible_message(call.context, call.bot, source, target)["content"]:
        raise ApiError(160014)
    snapshot = serialize_snapshot(call.state, target)
    return Draft(flags=MessageFlag.HAS_SNAPSHOT, snapshot=snapshot, reply_ids=(source.id, target.id))


def _reply_with_existing(call: Call, message: Message) -> Reply:
    # https://github.com/discord/discord-api-docs/issues/6647
    exists = call.state.find_message(message.channel_id, message.id) is not None
    if not exists and call.options.nonce_deleted_404:
        raise ApiError(10008)
    call.record.message = message
    return Reply(serialize_message(call.state, message, viewer=call.bot.user.id))


def _read_reference(
    call: Call, channel: Channel, payload: Json
) -> tuple[Message | None, tuple[int, int] | None]:
    reference = payload.get("message_reference")
    if reference is not None and not isinstance(reference, dict):
        raise invalid_form(
            "message_reference", "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType"
        )
    if not reference or reference.get("type") == _FORWARD:
        return None, None
    if not str(reference.get("message_id", "")).isdecimal():
        raise invalid_form("message_reference.message_id", "BASE_TYPE_REQUIRED", "This field is required")
    # Replies stay in their channel; only forwards cross channels.
    if str(reference.get("channel_id") or channel.id) != str(channel.id):
        code, message = (
            "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL",
            "Cannot reply to a message in another channel",
        )
        raise invalid_form("message_reference", code, message)
    if not call.state.permissions(call.bot.user, channel) & Permission.READ_MESSAGE_HISTORY:
        raise ApiError(160002)
    target = call.state.find_message(channel.id, int(reference["message_id"]))
    if target is not None and target.type in SYSTEM_TYPES:
        message = "Cannot reply to a system message"
        raise invalid_form("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", message)
    if target is not None:
        return target, (channel.id, target.id)
    # Otherwise the message is sent without a reply.
    if reference.get("fail_if_not_exists", call.options.reply_fail_if_not_exists):
        raise invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    return None, None


def edit(call: Call) -> Reply:
    """PATCH /channels/{channel_id}/messages/{message_id} ."""
    channel = call.channel()
    need(call, channel, Permission.VIEW_CHANNEL)
    message = find_message(call, channel)
    if channel.archived:
        raise ApiError(50083)
    if message.author.id != call.bot.user.id:
        return _suppress_only(call, channel, message)
    if message.draft.poll is not None:
        raise ApiError(520003)
    _count_old_edit(call, message)
    before = message.draft
    draft = recompose(call, channel, Author(call.bot.user), message)
    call.state.edit(channel, message, draft)
    call.record.message = message
    record_pings(call.context, channel, message, before)
    return Reply(serialize_message(call.state, message, viewer=call.bot.user.id))


def _suppress_only(call: Call, channel: Channel, message: Message) -> Reply:
    """Of others' messages a moderator may hide the embeds, and nothing else."""
    if set(call.payload) != {"flags"}:
        raise ApiError(50005)
    need(call, channel, Permission.MANAGE_MESSAGES)
    hidden = MessageFlag(int(call.payload["flags"] or 0)) & MessageFlag.SUPPRESS_EMBEDS
    kept = message.draft.flags & ~MessageFlag.SUPPRESS_EMBEDS
    message.draft = replace(message.draft, flags=kept | hidden)
    call.state.dispatch_message("MESSAGE_UPDATE", channel, message)
    return Reply(serialize_message(call.state, message, viewer=call.bot.user.id))


def _count_old_edit(call: Call, message: Message) -> None:
    options = call.options
    # Only edits of old messages are limited.
    if call.state.now() - snowflake_time(message.id) < _HOUR_S:
        return
    limit = options.old_edit_limit
    if limit is not None and call.context.limits.acquire("old edits", str(message.channel_id), limit):
        raise ApiError(30046)
    if not options.old_edit_cap:
        return
    if message.old_edits >= options.old_edit_cap:
        raise ApiError(30046)
    message.old_edits += 1


def delete(call: Call) -> Reply:
    """DELETE /channels/{channel_id}/messages/{message_id} ."""
    channel = call.channel()
    # A bot deletes its own messages without Manage Messages.
    own = find_message(call, channel).author.id == call.bot.user.id
    if channel.type is ChannelType.DM and not own:
        raise ApiError(50003)
    need(call, channel, Permission.VIEW_CHANNEL if own else Permission.MANAGE_MESSAGES)
    call.state.delete(channel, find_message(call, channel))
    return NO_CONTENT


def delete_many(call: Call) -> Reply:
    """POST /channels/{channel_id}/messages/bulk-delete ."""
    channel = call.channel()
    need(call, channel, Permission.MANAGE_MESSAGES)
    check(BULK_DELETE, call.payload, call.options)
    ids = [int(one) for one in call.payload["messages"]]
    if len(set(ids)) < len(ids):
        raise invalid_form(
            "messages", "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value"
        )
    if any(call.state.now() - snowflake_time(one) > _FORTNIGHT_S for one in ids):
        raise ApiError(50034)
    found = (call.state.find_message(channel.id, one) for one in ids)
    changes.delete_many(call.state, channel, [one for one in found if one is not None])
    return NO_CONTENT


def read(call: Call) -> Reply:
    """GET /channels/{channel_id}/messages/{message_id} ."""
    channel = call.channel()
    need(call, channel, Permission.READ_MESSAGE_HISTORY)
    return Reply(serialize_visible_message(call.context, call.bot, channel, find_message(call, channel)))


def read_many(call: Call) -> Reply:
    """GET /channels/{channel_id}/messages , newest first."""
    channel = call.channel()
    need(call, channel, Permission.VIEW_CHANNEL)
    if not call.state.permissions(call.bot.user, channel) & Permission.READ_MESSAGE_HISTORY:
        return Reply([])  # documented: no messages, no error
    limit = call.number("limit", 50, 1, 100)
    shown = _window(channel, call, limit)
    return Reply([serialize_visible_message(call.context, call.bot, channel, message) for message in shown])


def _window(channel: Channel, call: Call, limit: int) -> list[Message]:
    if "after" not in call.query and "around" not in call.query:
        # The usual page is the newest one: a long channel is not walked through for it.
        before = int(call.query.get("before") or 1 << 63)
        newest = (one for one in reversed(channel.messages.values()) if not one.is_ephemeral)
        return list(islice((one for one in newest if one.id < before), limit))
    found = [message for message in channel.messages.values() if not message.is_ephemeral]
    if "after" in call.query:
        after = int(call.query["after"])
        return list(islice((one for one in found if one.id > after), limit))[::-1]
    # Half of the page is older; the rest begins at the message itself.
    around = int(call.query["around"])
    older = [one for one in found if one.id < around][-(limit // 2) :]
    return [*older, *islice((one for one in found if one.id >= around), limit - len(older))][::-1]


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


_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = _MESSAGES + "/{message_id}"

ROUTES = (
    Route("messages.create", "POST", _MESSAGES, create),
    Route("messages.list", "GET", _MESSAGES, read_many),
    Route("messages.get", "GET", _MESSAGE, read),
    Route("messages.edit", "PATCH", _MESSAGE, edit),
    Route("messages.delete", "DELETE", _MESSAGE, delete),
    Route("messages.bulk_delete", "POST", _MESSAGES + "/bulk-delete", delete_many),
    Route("messages.crosspost", "POST", _MESSAGE + "/crosspost", crosspost),
)
