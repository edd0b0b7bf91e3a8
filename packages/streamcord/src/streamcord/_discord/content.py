"""Build the text of a message and the users whom it may notify."""

from __future__ import annotations

import discord

from .._delivery.error_codes import ErrorCode
from .._delivery.outgoing import AllowedMentions
from .._exceptions import MessageRefused
from .._settings import DISCORD_LIMIT

MENTION_CAP = 100
"""People that Discord lets one message allow to be pinged, at most."""
_BLOCKS = frozenset("#>-*`|+0123456789")


def to_discord_mentions(allowed_mentions: AllowedMentions) -> discord.AllowedMentions:
    """The allowed mentions with every field set, so that no default of the client or of Discord applies."""
    users: bool | list[discord.Object]
    if isinstance(allowed_mentions.users, bool):
        users = allowed_mentions.users
    else:
        users = [discord.Object(user) for user in dict.fromkeys(allowed_mentions.users)][:MENTION_CAP]
    return discord.AllowedMentions(
        everyone=False, users=users, roles=allowed_mentions.roles, replied_user=allowed_mentions.replied_user
    )


def content_with_name(name: str, content: str) -> str:
    """As `prefix_name`; raises `MessageRefused` with the length that fits if the name leaves too little space."""
    named = prefix_name(name, content)
    if len(named) > DISCORD_LIMIT:
        available = DISCORD_LIMIT - len(named) + len(content)
        raise MessageRefused(
            "too long with its name", code=ErrorCode.INVALID_FORM_BODY, fields=("content",), limit=available
        )
    return named


def prefix_name(name: str, content: str) -> str:
    """The text with the speaker's name in front, on a line of its own if the text starts a block."""
    if not name:
        return content
    gap = "\n" if content[:1] in _BLOCKS else " "
    return f"**{discord.utils.escape_markdown(name)}:**{gap}{content}".rstrip()
