"""How messages look as JSON: in an answer, and with guild and member in an event.

https://docs.discord.com/developers/resources/message#message-object
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .component_serializers import serialize_component
from .enums import InteractionType, MessageType
from .serializers import serialize_channel, serialize_member, serialize_user, timestamp
from .snowflakes import snowflake_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .models import Attachment, Interaction, Json, Message
    from .state import State


# https://docs.discord.com/developers/resources/message#message-snapshot-object
_SNAPSHOT = (
    "type", "content", "embeds", "attachments", "timestamp", "edited_timestamp", "flags", "mentions",
    "mention_roles", "components", "sticker_items",
)  # fmt: skip


# https://docs.discord.com/developers/resources/message#attachment-object-attachment-flags
_IS_SPOILER = 1 << 3


def serialize_attachment(state: State, channel_id: int, attachment: Attachment) -> Json:
    """Return a file, with the address where the twin serves it."""
    url = _address(state, channel_id, attachment)
    shape: Json = {
        "id": str(attachment.id),
        "filename": attachment.filename,
        "size": len(attachment.content),
        "url": url,
        "proxy_url": url,
        "content_type": attachment.content_type,
    }
    if attachment.spoiler:
        shape["flags"] = _IS_SPOILER
    if attachment.description is not None:
        shape["description"] = attachment.description
    if attachment.width is not None:
        shape |= {"width": attachment.width, "height": attachment.height}
    if attachment.duration is not None:
        shape |= {"duration_secs": attachment.duration, "waveform": attachment.waveform}
    return shape


def _address(state: State, channel_id: int, attachment: Attachment) -> str:
    return f"{state.cdn_url}/attachments/{channel_id}/{attachment.id}/{attachment.filename}"


def serialize_message(
    state: State, message: Message, *, with_reference: bool = True, viewer: int | None = None
) -> Json:
    """Return a message, as REST answers it; `viewer` is whose own reactions and votes are marked."""
    draft = message.draft
    shape: Json = {
        "id": str(message.id),
        "channel_id": str(message.channel_id),
        "author": serialize_user(message.author),
        "content": draft.content,
        "timestamp": timestamp(snowflake_time(message.id)),
        "edited_timestamp": timestamp(message.edited_at) if message.edited_at else None,
        "tts": draft.tts,
        "mention_everyone": draft.mention_everyone,
        "mentions": [serialize_user(state.users[user_id]) for user_id in draft.mentions],
        "mention_roles": [str(role_id) for role_id in draft.mention_roles],
        "attachments": [serialize_attachment(state, message.channel_id, one) for one in draft.attachments],
        "embeds": [_serialize_embed(state, message, embed) for embed in draft.embeds],
        "components": [
            serialize_component(
                one, message.id, draft.attachments, partial(_address, state, message.channel_id)
            )
            for one in draft.components
        ],
        "pinned": message.pinned_at is not None,
        "type": int(message.type),
        "flags": int(draft.flags),
    }
    if message.reactions:
        shape["reactions"] = [
            _serialize_reaction(name, users, viewer) for name, users in message.reactions.items()
        ]
    if draft.poll is not None:
        shape["poll"] = serialize_poll(message, viewer)
    if draft.sticker_ids:
        shape["sticker_items"] = [_sticker_item(state, one) for one in draft.sticker_ids]
    # Present in the response to the create and in its event; edits drop it.
    if draft.nonce is not None:
        shape["nonce"] = draft.nonce
    return shape | _origin(state, message) | (_reference(state, message) if with_reference else {})


def _origin(state: State, message: Message) -> Json:
    fields: Json = {}
    if message.webhook is not None:
        fields["webhook_id"] = str(message.webhook.id)
        if message.webhook.application_id:
            fields["application_id"] = str(message.webhook.application_id)
    if message.interaction is not None:
        # The answer to an interaction is a webhook message of the application.
        fields["application_id"] = fields["webhook_id"] = str(message.interaction.application_id)
        fields["interaction_metadata"] = _interaction_metadata(message.interaction)
    if message.thread_id is not None and message.thread_id in state.channels:
        fields["thread"] = serialize_channel(state.channels[message.thread_id])
    return fields


def _interaction_metadata(interaction: Interaction) -> Json:
    """Return who started the interaction that a message answers; a modal also says what opened it."""
    shape: Json = {
        "id": str(interaction.id),
        "type": int(interaction.type),
        "user": serialize_user(interaction.user),
        "authorizing_integration_owners": interaction.owners,
    }
    if interaction.type is InteractionType.COMMAND:
        shape["name"] = interaction.name
    if interaction.type is InteractionType.COMPONENT and interaction.message is not None:
        shape["interacted_message_id"] = str(interaction.message.id)
    if interaction.opened_by is not None:
        shape["triggering_interaction_metadata"] = _interaction_metadata(interaction.opened_by)
    return shape


def _reference(state: State, message: Message) -> Json:
    draft = message.draft
    if draft.reply_ids is None:
        return {}
    channel_id, message_id = draft.reply_ids
    guild_id = state.channels[message.channel_id].guild_id
    kind = 1 if draft.snapshot is not None else 0
    reference: Json = {"type": kind, "channel_id": str(channel_id), "message_id": str(message_id)}
    if guild_id:
        reference["guild_id"] = str(guild_id)
    if draft.snapshot is not None:
        return {"message_reference": reference, "message_snapshots": [{"message": draft.snapshot}]}
    # `null` says that the referenced message was deleted.
    target = state.find_message(channel_id, message_id)
    # References are resolved one level deep.
    shape = serialize_message(state, target, with_reference=False) if target else None
    return {"message_reference": reference, "referenced_message": shape}


def reaction_emoji(key: str) -> Json:
    """Return the emoji of a reaction: a character, or the name and id of a custom one."""
    name, _, number = key.partition(":")
    return {"id": number or None, "name": name}


def _serialize_reaction(name: str, users: list[int], viewer: int | None) -> Json:
    count = {"count": len(users), "me": viewer in users, "me_burst": False, "burst_colors": []}
    return {**count, "count_details": {"normal": len(users), "burst": 0}, "emoji": reaction_emoji(name)}


def _serialize_embed(state: State, message: Message, embed: Json) -> Json:
    """Return an embed whose `attachment://` pictures have the address of the file."""
    files = {f"attachment://{one.filename}": one for one in message.draft.attachments}
    shape = dict(embed)
    for name, key in (("image", "url"), ("thumbnail", "url"), ("footer", "icon_url"), ("author", "icon_url")):
        file = files.get(str((embed.get(name) or {}).get(key)))
        if file is not None:
            url = serialize_attachment(state, message.channel_id, file)["url"]
            shape[name] = {**embed[name], key: url, f"proxy_{key}": url}
    return shape


def _poll_media(media: Json) -> Json:
    """Return an answer of a poll; of an emoji, Discord says both id and name."""
    shape = {name: value for name, value in media.items() if value is not None and name != "emoji"}
    emoji = media.get("emoji") or {}
    if emoji.get("id") or emoji.get("name"):
        shape["emoji"] = {"id": emoji.get("id"), "name": emoji.get("name")}
    return shape


def serialize_poll(message: Message, viewer: int | None = None) -> Json:
    """Return a poll with its current results."""
    poll = message.draft.poll or {}
    answers = poll.get("answers") or []
    ends = snowflake_time(message.id) + 3600 * int(poll.get("duration") or 24)
    counts = [
        {"id": number, "count": len(users), "me_voted": viewer in users}
        for number, users in sorted(message.votes.items())
    ]
    return {
        "question": poll.get("question"),
        "answers": [
            {"answer_id": number, "poll_media": _poll_media(one["poll_media"])}
            for number, one in enumerate(answers, 1)
        ],
        "expiry": timestamp(ends),
        "allow_multiselect": bool(poll.get("allow_multiselect")),
        "layout_type": int(poll.get("layout_type") or 1),
        "results": {"is_finalized": message.poll_ended, "answer_counts": counts},
    }


def _sticker_item(state: State, sticker_id: int) -> Json:
    names = (
        guild.stickers[sticker_id].name for guild in state.guilds.values() if sticker_id in guild.stickers
    )
    return {"id": str(sticker_id), "name": next(names, "unknown"), "format_type": 1}


def serialize_snapshot(state: State, message: Message) -> Json:
    """Return the part of a message that a forward keeps: its current content without the author."""
    shape = serialize_message(state, message, with_reference=False)
    return {name: shape[name] for name in _SNAPSHOT if name in shape}


def serialize_message_event(state: State, message: Message) -> Json:
    """Return a message, as MESSAGE_CREATE carries it: with its guild and the member who wrote it."""
    shape = serialize_message(state, message)
    channel = state.channels[message.channel_id]
    if channel.guild_id is None:
        return shape
    guild = state.guilds[channel.guild_id]
    shape["guild_id"] = str(guild.id)
    member = guild.members.get(message.author.id)
    # The author of a webhook message is no member, even if the ids are equal.
    if member is not None and message.webhook is None:
        shape["member"] = serialize_member(member, with_user=False)
    return shape


def group_messages(messages: Iterable[Message], window: float = 420.0) -> list[list[Message]]:
    """Split messages into the blocks that a client draws under one heading.

    Args:
        messages: The messages of a channel, in order.
        window: Seconds after which a new heading is drawn.

    Returns:
        The blocks, in order.

    Example:
        assert len(group_messages(twin.channel.messages.values())) == 1

    """
    groups: list[list[Message]] = []
    for message in messages:
        if groups and _is_grouped_with(groups[-1][-1], message, window):
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def _is_grouped_with(last: Message, message: Message, window: float) -> bool:
    # A webhook may change its name from message to message.
    same_author = (last.author.id, last.shown_name) == (message.author.id, message.shown_name)
    plain = message.type is MessageType.DEFAULT and message.draft.reply_ids is None
    return same_author and plain and snowflake_time(message.id) - snowflake_time(last.id) < window
