"""Which gateway events need which intent.

https://docs.discord.com/developers/events/gateway#list-of-intents

Without the message content intent, text, embeds, files and components of messages are empty, except in the
bot's own messages, in direct messages and in messages that mention it
(https://docs.discord.com/developers/events/gateway#message-content-intent).
"""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING

from ..state.message_shapes import message_shape

if TYPE_CHECKING:
    from ..state.model import Application, Channel, Json, Message
    from ..world import World

__all__ = ["Intent", "hide_content", "is_open_to", "needed_intent", "seen_by"]


class Intent(IntFlag):
    """The intents that the twin knows."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_MODERATION = 1 << 2
    GUILD_EXPRESSIONS = 1 << 3
    GUILD_WEBHOOKS = 1 << 5
    GUILD_INVITES = 1 << 6
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15
    GUILD_MESSAGE_POLLS = 1 << 24
    DIRECT_MESSAGE_POLLS = 1 << 25


_IN_GUILD = {
    "GUILD_MEMBER_ADD": Intent.GUILD_MEMBERS,
    "GUILD_MEMBER_UPDATE": Intent.GUILD_MEMBERS,
    "GUILD_MEMBER_REMOVE": Intent.GUILD_MEMBERS,
    "GUILD_BAN_ADD": Intent.GUILD_MODERATION,
    "GUILD_BAN_REMOVE": Intent.GUILD_MODERATION,
    "GUILD_EMOJIS_UPDATE": Intent.GUILD_EXPRESSIONS,
    "GUILD_STICKERS_UPDATE": Intent.GUILD_EXPRESSIONS,
    "INVITE_CREATE": Intent.GUILD_INVITES,
    "INVITE_DELETE": Intent.GUILD_INVITES,
    "WEBHOOKS_UPDATE": Intent.GUILD_WEBHOOKS,
    "MESSAGE_CREATE": Intent.GUILD_MESSAGES,
    "MESSAGE_UPDATE": Intent.GUILD_MESSAGES,
    "MESSAGE_DELETE": Intent.GUILD_MESSAGES,
    "MESSAGE_DELETE_BULK": Intent.GUILD_MESSAGES,
    "MESSAGE_POLL_VOTE_ADD": Intent.GUILD_MESSAGE_POLLS,
    "MESSAGE_POLL_VOTE_REMOVE": Intent.GUILD_MESSAGE_POLLS,
    "MESSAGE_REACTION_REMOVE_ALL": Intent.GUILD_MESSAGE_REACTIONS,
    "MESSAGE_REACTION_REMOVE_EMOJI": Intent.GUILD_MESSAGE_REACTIONS,
    "MESSAGE_REACTION_ADD": Intent.GUILD_MESSAGE_REACTIONS,
    "MESSAGE_REACTION_REMOVE": Intent.GUILD_MESSAGE_REACTIONS,
    "TYPING_START": Intent.GUILD_MESSAGE_TYPING,
    "INTERACTION_CREATE": Intent(0),
}
_DIRECT = {
    Intent.GUILD_MESSAGES: Intent.DIRECT_MESSAGES,
    Intent.GUILD_MESSAGE_REACTIONS: Intent.DIRECT_MESSAGE_REACTIONS,
    Intent.GUILD_MESSAGE_POLLS: Intent.DIRECT_MESSAGE_POLLS,
    Intent.GUILD_MESSAGE_TYPING: Intent.DIRECT_MESSAGE_TYPING,
}


def needed_intent(event: str, *, in_guild: bool) -> Intent:
    """The intent that a session must have asked for to get this event; 0 is none."""
    intent = _IN_GUILD.get(event, Intent.GUILDS)
    return intent if in_guild else _DIRECT.get(intent, Intent(0))


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
