"""Permissions: the bits that delivery needs, and who has which of them in a channel.

Bits and the order of overwrites: https://docs.discord.com/developers/topics/permissions
"""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .models import Channel, Guild, Member


class Permission(IntFlag):
    """The permissions that the twin checks.

    https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags

    Example:
        >>> Permission.SEND_MESSAGES in Permission.SEND_MESSAGES | Permission.EMBED_LINKS
        True

    """

    CREATE_INSTANT_INVITE = 1 << 0
    KICK_MEMBERS = 1 << 1
    BAN_MEMBERS = 1 << 2
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_AUDIT_LOG = 1 << 7
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    CHANGE_NICKNAME = 1 << 26
    MANAGE_NICKNAMES = 1 << 27
    MANAGE_ROLES = 1 << 28
    MANAGE_WEBHOOKS = 1 << 29
    MANAGE_EXPRESSIONS = 1 << 30
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    MODERATE_MEMBERS = 1 << 40
    CREATE_EXPRESSIONS = 1 << 43
    SEND_VOICE_MESSAGES = 1 << 46
    SEND_POLLS = 1 << 49
    USE_EXTERNAL_APPS = 1 << 50
    PIN_MESSAGES = 1 << 51
    BYPASS_SLOWMODE = 1 << 52


ALL = ~Permission(0)
NONE = Permission(0)

EVERYONE = (
    Permission.ADD_REACTIONS
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_EXTERNAL_EMOJIS
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
    | Permission.CREATE_INSTANT_INVITE
    | Permission.CHANGE_NICKNAME
    | Permission.SEND_VOICE_MESSAGES
    | Permission.SEND_POLLS
    | Permission.USE_EXTERNAL_APPS
)
"""What the @everyone role of a new guild may do."""

# The bot may mention everyone, so that a forgotten `allowed_mentions` shows up as a ping in the log.
BOT = (
    Permission.MANAGE_MESSAGES
    | Permission.MENTION_EVERYONE
    | Permission.MANAGE_WEBHOOKS
    | Permission.PIN_MESSAGES
    | Permission.CREATE_PRIVATE_THREADS
)
"""What the role of a bot that joins may do on top of that."""

USER_INSTALL = Permission.ATTACH_FILES | Permission.EMBED_LINKS | Permission.MENTION_EVERYONE
"""What an application may do that a user installed for themselves, where its bot is no member."""

TIMED_OUT = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY


def permissions_in(guild: Guild, channel: Channel, member: Member, now: float) -> Permission:
    """Return the permissions of a member in a channel; for a thread pass its parent, which has the overwrites."""
    if guild.owner_id == member.user.id:
        return ALL
    base = permissions_of(guild, member)
    if base & Permission.ADMINISTRATOR:
        return ALL
    allowed = _overwritten(base, guild, channel, member)
    # Without View Channel no other permission has an effect.
    if not allowed & Permission.VIEW_CHANNEL:
        return NONE
    # https://docs.discord.com/developers/topics/permissions : a time-out leaves view and history
    return allowed & TIMED_OUT if member.timed_out_until > now else allowed


def permissions_of(guild: Guild, member: Member) -> Permission:
    """Return the permissions of a member in the guild, before the overwrites of a channel."""
    granted = guild.roles[guild.id].permissions
    for role_id in member.role_ids:
        if role_id in guild.roles:
            granted |= guild.roles[role_id].permissions
    return granted


def _overwritten(base: Permission, guild: Guild, channel: Channel, member: Member) -> Permission:
    # @everyone first, then all roles together, then the member: later steps win.
    steps = [(guild.id,), tuple(member.role_ids), (member.user.id,)]
    for targets in steps:
        found = [channel.overwrites[target] for target in targets if target in channel.overwrites]
        for overwrite in found:
            # Within one step an allow of any role overrides a deny of another.
            base &= ~overwrite.deny
        for overwrite in found:
            base |= overwrite.allow
    return base
