"""Which gateway events need which intent.

https://docs.discord.com/developers/events/gateway#list-of-intents
"""

from __future__ import annotations

from enum import IntFlag

__all__ = ["Intent", "needed_intent"]


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
