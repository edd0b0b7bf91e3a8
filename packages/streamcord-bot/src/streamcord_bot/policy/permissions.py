"""Check that users cannot make the bot do what they may not do themselves: ping a role, or post in a channel.

A protected setting is checked when it is set, and again whenever it is used: the user who set it may have lost the
permission since. So the id of that user is stored with the value.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import discord

from streamcord import StopRequester
from streamcord.utils import BoundedCache

from ..discord_requests import REQUEST_ERRORS

PROTECTED = frozenset({"mentions", "thought_log"})
"""Settings that are stored with the id of the user who set them."""
_FOR_MANAGERS = frozenset({"rules", "impersonation"})
"""Settings that need Manage Server, also for one channel."""
_MEMBER_CACHE_S = 300.0
"""A fetched member is used for this long."""


def setter_key(name: str) -> str:
    """Return the key under which the store keeps the user who set a setting."""
    return f"by.{name}"


def setters_in(stored: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, int]:
    """Return the users who set the protected settings among these values; 0 means unknown."""
    found = {name: stored.get(setter_key(name)) for name in PROTECTED if name in values}
    return {name: who if isinstance(who, int) else 0 for name, who in found.items()}


def find_missing_right(
    name: str, value: object, person: discord.Member, here: discord.abc.GuildChannel | discord.Thread | None
) -> str:
    """Return the locale key for the permission that a user lacks to set a value; empty if they may.

    Args:
        name: the setting.
        value: the value.
        person: the user.
        here: the channel that it is set for; `None` for the whole server.

    """
    permissions = here.permissions_for(person) if here is not None else person.guild_permissions
    if name in _FOR_MANAGERS and not permissions.manage_guild:
        return "need_server"
    if name == "mentions" and value == "users_and_roles" and not permissions.mention_everyone:
        return "need_mentions"
    if name == "thought_log" and value and not can_post(person, value):
        return "need_log"
    return ""


HIDDEN_CHANNEL = 1 << 17
"""The flag of a channel that the bot may not see; its name is `HIDDEN_NAME` and its other fields are empty.

https://docs.discord.com/developers/resources/channel#channel-object-channel-flags , for all since 2026-11-16.
"""
HIDDEN_NAME = "___hidden___"


def may_read(channel: Any) -> bool:  # noqa: ANN401 - of any kind
    """Return whether the bot may read the messages of a channel of a server; reading another one is refused."""
    flags = getattr(getattr(channel, "flags", None), "value", 0)
    if flags & HIDDEN_CHANNEL or channel.name == HIDDEN_NAME:
        return False
    try:
        permissions = channel.permissions_for(channel.guild.me)
    except discord.ClientException:
        # The parent of the thread is hidden.
        return False
    return bool(permissions.view_channel and permissions.read_message_history)


def can_post(person: discord.Member, channel_id: object) -> bool:
    """Return whether a user can see a channel of their server and write in it; false if it does not exist."""
    channel = person.guild.get_channel_or_thread(channel_id) if isinstance(channel_id, int) else None
    if channel is None:
        return False
    permissions = channel.permissions_for(person)
    writes = (
        permissions.send_messages_in_threads
        if isinstance(channel, discord.Thread)
        else permissions.send_messages
    )
    return permissions.view_channel and writes


def may_ping_roles(person: object, channel: object) -> bool:
    """Return whether a member could ping every role in a channel."""
    if not isinstance(person, discord.Member) or not isinstance(
        channel, discord.abc.GuildChannel | discord.Thread
    ):
        return False
    return channel.permissions_for(person).mention_everyone


def may_read_back(person: object, channel: object) -> bool:
    """Return whether a user may read earlier messages; for users outside the server, whether everyone may."""
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return True
    who = person if isinstance(person, discord.Member) else channel.guild.default_role
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    place = channel if isinstance(who, discord.Member) else parent
    return place is None or place.permissions_for(who).read_message_history


def lacks_member(message: discord.Message) -> bool:
    """Return whether a message says nothing about the roles of its author.

    Discord sends the member with messages of the gateway only, not with those that are fetched. Without it, lists of
    roles and denied permissions would not apply. Messages of webhooks never have one.
    https://docs.discord.com/developers/events/gateway-events#message-create
    """
    is_member = isinstance(message.author, discord.Member)
    return message.guild is not None and message.webhook_id is None and not is_member


class PermissionChecker:
    """Checks whether the user who set a value still has the permission for it."""

    def __init__(self) -> None:
        # Fetched members (`None`: not in the server) by server and user, with the time until which they are used.
        self._members: BoundedCache[tuple[int, int], tuple[float, discord.Member | None]] = BoundedCache(1000)

    async def holds(
        self, set_by: Mapping[str, int], name: str, value: object, here: discord.abc.Snowflake
    ) -> bool:
        """Return whether a value may be used: it is from the bot's file, or the user who set it still may."""
        if name not in set_by:
            return True
        if not isinstance(here, discord.abc.GuildChannel | discord.Thread):
            return False
        try:
            member = await self.find_member(here.guild, set_by[name])
        except REQUEST_ERRORS:
            # Unknown means that the value is not used for this answer.
            return False
        return member is not None and not find_missing_right(name, value, member, here)

    async def find_member(self, guild: discord.Guild, id_: int) -> discord.Member | None:
        """Return a member from the gateway's cache, else as fetched within the last minutes.

        Returns `None` if the user is not in the server. An error of Discord is raised and not remembered.
        """
        # Settings from before setters were stored have none.
        if not id_:
            return None
        if (known := guild.get_member(id_)) is not None:
            return known
        now = asyncio.get_running_loop().time()
        until, member = self._members.find((guild.id, id_)) or (0.0, None)
        if now >= until:
            try:
                member = await guild.fetch_member(id_)
            except discord.NotFound:
                member = None
            self._members.keep((guild.id, id_), (now + _MEMBER_CACHE_S, member))
        return member


def stop_requester_of(interaction: discord.Interaction[Any]) -> StopRequester:
    """Return who used a command or pressed a button, and whether they may manage messages."""
    person = interaction.user
    roles = frozenset(role.id for role in person.roles) if isinstance(person, discord.Member) else frozenset()
    moderator = interaction.guild is not None and interaction.permissions.manage_messages
    return StopRequester(person.id, moderator, roles, person.bot)
