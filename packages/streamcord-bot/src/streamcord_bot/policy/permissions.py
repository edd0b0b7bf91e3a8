"""Users cannot make the bot do what they themselves may not: ping a role, see a channel, post in it.

What needs a right of its own is checked when it is set, and again whenever it is used: the user who set it may
have lost the permission since. So the id of that user is stored with the value.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import discord

from streamcord.utils import BoundedCache

from ..discord_requests import REQUEST_ERRORS

__all__ = [
    "PROTECTED",
    "PermissionChecker",
    "find_missing_right",
    "may_ping_roles",
    "setter_key",
    "setters_in",
]

PROTECTED = frozenset({"mentions", "thought_log"})
"""Settings for which it is kept who set them."""
_FOR_MANAGERS = frozenset({"rules", "impersonation"})
"""Settings that need Manage Server, also for one channel."""
_FRESH = 300.0
"""Seconds after which a member is asked for again."""


def setter_key(name: str) -> str:
    """Under which key the store knows who set something."""
    return f"by.{name}"


def setters_in(stored: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, int]:
    """Who set the protected ones among these values; 0 means unknown."""
    found = {name: stored.get(setter_key(name)) for name in PROTECTED if name in values}
    return {name: who if isinstance(who, int) else 0 for name, who in found.items()}


def find_missing_right(
    name: str, value: object, person: discord.Member, here: discord.abc.GuildChannel | discord.Thread | None
) -> str:
    """The key of the text that says which permission the user lacks to set this; empty if none.

    `here` is the channel that it is set for, `None` the whole server.
    """
    rights = here.permissions_for(person) if here is not None else person.guild_permissions
    if name in _FOR_MANAGERS and not rights.manage_guild:
        return "need_server"
    if name == "mentions" and value == "users_and_roles" and not rights.mention_everyone:
        return "need_mentions"
    if name == "thought_log" and value and not can_post(person, value):
        return "need_log"
    return ""


def can_post(person: discord.Member, channel_id: object) -> bool:
    """Whether a user can see and write in a channel of their server; false for a channel that does not exist."""
    channel = person.guild.get_channel_or_thread(channel_id) if isinstance(channel_id, int) else None
    if channel is None:
        return False
    rights = channel.permissions_for(person)
    writes = rights.send_messages_in_threads if isinstance(channel, discord.Thread) else rights.send_messages
    return rights.view_channel and writes


def may_ping_roles(person: object, channel: object) -> bool:
    """Whether a member could ping every role in a channel."""
    if not isinstance(person, discord.Member) or not isinstance(
        channel, discord.abc.GuildChannel | discord.Thread
    ):
        return False
    return channel.permissions_for(person).mention_everyone


def may_read_back(person: object, channel: object) -> bool:
    """Whether a user may read earlier messages; for users outside the server, whether everyone may."""
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return True
    who = person if isinstance(person, discord.Member) else channel.guild.default_role
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    place = channel if isinstance(who, discord.Member) else parent
    return place is None or place.permissions_for(who).read_message_history


class PermissionChecker:
    """Checks whether the user who set a value still has the permission for it."""

    def __init__(self) -> None:
        self._members: BoundedCache[tuple[int, int], tuple[float, discord.Member | None]] = BoundedCache(1000)

    async def holds(
        self, set_by: Mapping[str, int], name: str, value: object, here: discord.abc.Snowflake
    ) -> bool:
        """Whether a value may be used here: the user who set it still may, or it is from the bot's file."""
        if name not in set_by:
            return True
        if not isinstance(here, discord.abc.GuildChannel | discord.Thread):
            return False
        member = await self._find(here.guild, set_by[name])
        return member is not None and not find_missing_right(name, value, member, here)

    async def _find(self, guild: discord.Guild, id_: int) -> discord.Member | None:
        """A member as the gateway knows them, else as Discord said in the last minutes."""
        if not id_:
            return None
        if (known := guild.get_member(id_)) is not None:
            return known
        now = asyncio.get_running_loop().time()
        until, member = self._members.find((guild.id, id_)) or (0.0, None)
        if now >= until:
            try:
                member = await guild.fetch_member(id_)
            except REQUEST_ERRORS:
                member = None
            self._members.keep((guild.id, id_), (now + _FRESH, member))
        return member
