"""Decide whether a bot may read the content of a message, and hide it if not.

Without the privileged message content intent a bot reads only direct messages, its own messages and messages
that mention it: https://docs.discord.com/developers/events/gateway#message-content-intent
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .state.message_serializers import serialize_message

if TYPE_CHECKING:
    from .context import Context
    from .state.models import Application, Channel, Json, Message

__all__ = ["can_read_content", "hide_content", "serialize_visible_message"]


def can_read_content(context: Context, application: Application, channel: Channel, message: Message) -> bool:
    """Return whether a bot without the intent may still read this message."""
    if channel.guild_id is None or message.author.id == application.user.id:
        return True
    # Whether a message through the bot's own webhook counts as its own is not documented.
    if message.webhook is not None and message.webhook.application_id == application.id:
        return context.options.webhook_content_visible_without_intent
    return application.user.id in message.draft.mentions


def hide_content(shape: Json) -> Json:
    """Return the shape of a message that the bot may not read."""
    # Discord sends these fields empty; it does not omit them.
    return {**shape, "content": "", "embeds": [], "attachments": [], "components": []}


def serialize_visible_message(
    context: Context, application: Application, channel: Channel, message: Message
) -> Json:
    """Return a message, as REST shows it to a bot."""
    shape = serialize_message(context.state, message, viewer=application.user.id)
    if context.options.message_content_intent or can_read_content(context, application, channel, message):
        return shape
    return hide_content(shape)
