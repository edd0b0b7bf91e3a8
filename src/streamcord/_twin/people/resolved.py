"""What an interaction says about the users, roles, channels, messages and files that it names.

https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-resolved-data-structure
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state.message_shapes import attachment_shape, message_shape
from ..state.model import Channel, Message, Role, User
from ..state.shapes import channel_shape, member_shape, role_shape, user_shape
from .acting_person import make_attachment

if TYPE_CHECKING:
    from ..state.model import Json
    from ..world import World

__all__ = ["Resolved"]

_CLIENT_BITS = (1 << 53) - 1


class Resolved:
    """Collects what is named, and writes it as `resolved`."""

    def __init__(self, world: World, channel: Channel, user: User) -> None:
        self._world = world
        self._channel = channel
        self._user = user
        self.shape: Json = {}

    def add(self, value: User | Role | Channel | Message) -> str:
        """Name something; its id."""
        state, key = self._world.state, str(value.id)
        if isinstance(value, User):
            self._put("users", key, user_shape(value))
            self._add_member(value)
        elif isinstance(value, Role):
            self._put("roles", key, role_shape(value))
        elif isinstance(value, Channel):
            granted = self._permissions(self._user, value)
            self._put("channels", key, {**channel_shape(value), "permissions": granted})
        else:
            self._put("messages", key, message_shape(state, value))
        return key

    def _add_member(self, user: User) -> None:
        guild = self._world.state.guilds.get(self._channel.guild_id or 0)
        member = guild.members.get(user.id) if guild else None
        if member is not None:
            shape = member_shape(member, with_user=False)
            for name in ("deaf", "mute"):
                del shape[name]
            self._put(
                "members", str(user.id), {**shape, "permissions": self._permissions(user, self._channel)}
            )

    def _permissions(self, user: User, channel: Channel) -> str:
        return str(int(self._world.state.permissions(user, channel)) & _CLIENT_BITS)

    def add_file(self, name: str, content: bytes) -> str:
        """Name a file that belongs to no message yet; its id."""
        state, file = self._world.state, make_attachment(self._world, name, content)
        state.uploads[file.id] = file
        shape = attachment_shape(state, 0, file)
        self._put("attachments", str(file.id), {**shape, "ephemeral": True})
        return str(file.id)

    def _put(self, kind: str, key: str, shape: Json) -> None:
        self.shape.setdefault(kind, {})[key] = shape
