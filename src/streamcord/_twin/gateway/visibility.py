"""What a bot sees of a message when it lacks the message content intent.

Without it, text, embeds, files and components are empty, except in the bot's own messages, in direct messages
and in messages that mention it (https://docs.discord.com/developers/events/gateway#message-content-intent).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state.message_shapes import message_shape

if TYPE_CHECKING:
    from ..state.model import Application, Channel, Json, Message
    from ..world import World

__all__ = ["hide_content", "is_open_to", "seen_by"]


def is_open_to(world: World, application: Application, channel: Channel, message: Message) -> bool:
    """Whether a bot without the intent may still read this message."""
    if channel.guild_id is None or message.author.id == application.user.id:
        return True
    if message.webhook is not None and message.webhook.application_id == application.id:
        return world.switches.webhook_content_visible_without_intent
    return application.user.id in message.draft.mentions


def hide_content(shape: Json) -> Json:
    """The shape of a message that the bot may not read."""
    return {**shape, "content": "", "embeds": [], "attachments": [], "components": []}


def seen_by(world: World, application: Application, channel: Channel, message: Message) -> Json:
    """A message, as REST shows it to a bot."""
    shape = message_shape(world.state, message, viewer=application.user.id)
    if world.switches.message_content_intent or is_open_to(world, application, channel, message):
        return shape
    return hide_content(shape)
