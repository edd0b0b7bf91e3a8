"""How messages look as JSON: in an answer, and with guild and member in an event.

https://docs.discord.com/developers/resources/message#message-object
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .model import InteractionType
from .shapes import channel_shape, member_shape, timestamp, user_shape
from .snowflakes import snowflake_time

if TYPE_CHECKING:
    from .model import Attachment, Interaction, Json, Message
    from .state import State

__all__ = ["attachment_shape", "message_event_shape", "message_shape"]


def attachment_shape(state: State, channel_id: int, attachment: Attachment) -> Json:
    """A file, with the address where the twin serves it."""
    url = f"{state.cdn_url}/attachments/{channel_id}/{attachment.id}/{attachment.filename}"
    shape: Json = {
        "id": str(attachment.id),
        "filename": attachment.filename,
        "size": len(attachment.content),
        "url": url,
        "proxy_url": url,
        "content_type": attachment.content_type,
    }
    if attachment.description is not None:
        shape["description"] = attachment.description
    if attachment.width is not None:
        shape |= {"width": attachment.width, "height": attachment.height}
    return shape


def message_shape(state: State, message: Message, *, with_reference: bool = True) -> Json:
    """A message, as REST answers it."""
    draft = message.draft
    shape: Json = {
        "id": str(message.id),
        "channel_id": str(message.channel_id),
        "author": user_shape(message.author),
        "content": draft.content,
        "timestamp": timestamp(snowflake_time(message.id)),
        "edited_timestamp": timestamp(message.edited_at) if message.edited_at else None,
        "tts": draft.tts,
        "mention_everyone": draft.mention_everyone,
        "mentions": [user_shape(state.users[user_id]) for user_id in draft.mentions],
        "mention_roles": [str(role_id) for role_id in draft.mention_roles],
        "attachments": [attachment_shape(state, message.channel_id, one) for one in draft.attachments],
        "embeds": list(draft.embeds),
        "components": list(draft.components),
        "pinned": False,
        "type": int(message.type),
        "flags": int(draft.flags),
    }
    if message.reactions:
        shape["reactions"] = [_reaction_shape(name, users) for name, users in message.reactions.items()]
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
        started = message.interaction
        asked = {"id": str(started.id), "type": int(started.type), "user": user_shape(started.user)}
        fields["application_id"] = fields["webhook_id"] = str(started.application_id)
        owners = {
            "authorizing_integration_owners": {"0": str(state.channels[message.channel_id].guild_id or 0)}
        }
        on_component = started.type is InteractionType.COMPONENT and started.message
        extra = {"interacted_message_id": str(started.message.id)} if on_component and started.message else {}
        fields["interaction_metadata"] = {**asked, **owners, **extra, "name": started.name}
    if message.thread_id is not None and message.thread_id in state.channels:
        fields["thread"] = channel_shape(state.channels[message.thread_id])
    return fields


def _asked(interaction: Interaction, guild_id: int) -> Json:
    asked: Json = {
        "id": str(interaction.id),
        "type": int(interaction.type),
        "name": interaction.name,
        "user": user_shape(interaction.user),
        "authorizing_integration_owners": {"0": str(guild_id)},
    }
    if interaction.type is InteractionType.COMPONENT and interaction.message is not None:
        asked["interacted_message_id"] = str(interaction.message.id)
    return asked


def _reference(state: State, message: Message) -> Json:
    draft = message.draft
    if draft.reply_ids is None:
        return {}
    channel_id, message_id = draft.reply_ids
    guild_id = state.channels[message.channel_id].guild_id
    reference: Json = {"type": 0, "channel_id": str(channel_id), "message_id": str(message_id)}
    if guild_id:
        reference["guild_id"] = str(guild_id)
    target = state.find_message(channel_id, message_id)
    shape = message_shape(state, target, with_reference=False) if target else None
    return {"message_reference": reference, "referenced_message": shape}


def _reaction_shape(name: str, users: list[int]) -> Json:
    count = {"count": len(users), "me": False, "me_burst": False, "burst_colors": []}
    emoji: dict[str, Any] = {"id": None, "name": name}
    return {**count, "count_details": {"normal": len(users), "burst": 0}, "emoji": emoji}


def message_event_shape(state: State, message: Message) -> Json:
    """A message, as MESSAGE_CREATE carries it: with its guild and the member who wrote it."""
    shape = message_shape(state, message)
    channel = state.channels[message.channel_id]
    if channel.guild_id is None:
        return shape
    guild = state.guilds[channel.guild_id]
    shape["guild_id"] = str(guild.id)
    member = guild.members.get(message.author.id)
    if member is not None and message.webhook is None:
        shape["member"] = member_shape(member, with_user=False)
    return shape
