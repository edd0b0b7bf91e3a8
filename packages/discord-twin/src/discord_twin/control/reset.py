"""Bring a twin back to how it was: bots stay connected and keep their commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state import guild_changes, message_changes
from .snapshot import load_state

if TYPE_CHECKING:
    from ..server import Twin
    from ..state.models import Json

_BULK_MESSAGES = 100


class Baseline:
    """What a twin has when its control API is created; `restore` removes everything that came later.

    Guilds, channels, roles, users and bots of the beginning keep their ids, so that a bot that is configured with
    them works on. Everything that goes is told to the bots by the events of Discord.

    Args:
        twin: The twin as it is to be again.
        document: A saved state that the twin has after each reset.

    """

    def __init__(self, twin: Twin, document: Json | None = None) -> None:
        self._document = document
        state = twin.state
        self._options = twin.options
        self._users = set(state.users)
        self._applications = set(state.applications)
        self._guilds = set(state.guilds)
        self._channels = set(state.channels)
        self._roles = {role_id for guild in state.guilds.values() for role_id in guild.roles}
        self._permissions = {
            role.id: role.permissions for guild in state.guilds.values() for role in guild.roles.values()
        }
        self._members = {guild.id: set(guild.members) for guild in state.guilds.values()}
        self._settings = {
            one.id: (one.name, one.topic, one.nsfw, one.slow_seconds, dict(one.overwrites))
            for one in state.channels.values()
        }

    def load(self, twin: Twin) -> None:
        """Build the saved state, on a twin that was restored."""
        if self._document is not None:
            load_state(twin, self._document)

    def restore(self, twin: Twin) -> None:
        """Remove what came later, the messages and the log."""
        state = twin.state
        twin.context.options = self._options
        for guild in [one for one in state.guilds.values() if one.id not in self._guilds]:
            state.delete_guild(guild)
        for channel in list(state.channels.values()):
            if channel.id in self._channels or channel.id not in state.channels:
                continue
            if channel.guild_id is None:
                del state.channels[channel.id]
            else:
                state.delete_channel(channel)
        for webhook in list(state.webhooks.values()):
            state.delete_webhook(webhook)
        self._restore_channels(twin)
        self._restore_guilds(twin)
        for user_id in set(state.users) - self._users:
            state.applications.pop(user_id, None)
            del state.users[user_id]
        for application in state.applications.values():
            application.installed_by.clear()
        state.interactions.clear()
        state.dead_webhooks.clear()
        state.uploads.clear()
        twin.gateway.identifies = 0
        twin.clear()

    def _restore_channels(self, twin: Twin) -> None:
        state = twin.state
        for channel in state.channels.values():
            messages = [*channel.messages.values()]
            for start in range(0, len(messages), _BULK_MESSAGES):
                message_changes.delete_many(state, channel, messages[start : start + _BULK_MESSAGES])
            channel.last_message_id = None
            name, topic, nsfw, slow, overwrites = self._settings[channel.id]
            now = (channel.name, channel.topic, channel.nsfw, channel.slow_seconds, channel.overwrites)
            if now != (name, topic, nsfw, slow, overwrites):
                channel.name, channel.topic, channel.nsfw, channel.slow_seconds = name, topic, nsfw, slow
                channel.overwrites = dict(overwrites)
                state.change_channel(channel)

    def _restore_guilds(self, twin: Twin) -> None:
        state = twin.state
        for guild in state.guilds.values():
            for member in list(guild.members.values()):
                if member.user.id not in self._members[guild.id]:
                    guild_changes.remove_member(state, guild, member.user)
            for role in [one for one in guild.roles.values() if one.id not in self._roles]:
                guild_changes.delete_role(state, guild, role)
            for role in guild.roles.values():
                if role.permissions != self._permissions[role.id]:
                    role.permissions = self._permissions[role.id]
                    guild_changes.change_role(state, guild, role)
            for invite in list(guild.invites.values()):
                guild_changes.delete_invite(state, guild, invite)
            if guild.emojis or guild.stickers:
                guild.emojis.clear()
                guild.stickers.clear()
                guild_changes.dispatch_emojis(state, guild)
                guild_changes.dispatch_stickers(state, guild)
            for user_id in self._members[guild.id] - set(guild.members):
                state.add_member(guild, state.users[user_id])
            guild.bans.clear()
            guild.audit.clear()
            for member in guild.members.values():
                member.nick, member.timed_out_until = None, 0.0
