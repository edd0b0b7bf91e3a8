"""What happens to a guild: roles, members, bans, invites, stickers, and the log of who did what.

Like `State`, these change the world and tell of it; whether somebody may do so is asked elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .model import Invite, Sticker
from .shapes import emoji_shape, invite_shape, member_shape, role_shape, sticker_shape, user_shape
from .state import Event

if TYPE_CHECKING:
    from .model import Channel, Guild, Member, Role, User
    from .state import State

__all__ = [
    "add_invite",
    "add_sticker",
    "ban",
    "change_member",
    "change_role",
    "delete_invite",
    "delete_role",
    "note",
    "remove_member",
    "tell_emojis",
    "tell_stickers",
    "unban",
]


def note(state: State, guild: Guild, user: User, action: int, target: int | None = None, **more: Any) -> None:  # noqa: ANN401
    """Write a line of the audit log."""
    entry = {"id": str(state.make_id()), "user_id": str(user.id), "action_type": action}
    entry["target_id"] = str(target) if target is not None else None
    guild.audit.append({**entry, **{name: value for name, value in more.items() if value is not None}})


# Roles


def change_role(state: State, guild: Guild, role: Role) -> None:
    """Tell that a role has changed."""
    payload = {"guild_id": str(guild.id), "role": role_shape(role)}
    state.tell(Event("GUILD_ROLE_UPDATE", payload, guild.id))


def delete_role(state: State, guild: Guild, role: Role) -> None:
    """Remove a role, also from those who had it."""
    del guild.roles[role.id]
    for member in guild.members.values():
        if role.id in member.role_ids:
            member.role_ids.remove(role.id)
    payload = {"guild_id": str(guild.id), "role_id": str(role.id)}
    state.tell(Event("GUILD_ROLE_DELETE", payload, guild.id))


# Members


def change_member(state: State, guild: Guild, member: Member) -> None:
    """Tell that a member has changed."""
    payload = {**member_shape(member), "guild_id": str(guild.id)}
    state.tell(Event("GUILD_MEMBER_UPDATE", payload, guild.id))


def remove_member(state: State, guild: Guild, user: User) -> None:
    """Let a member go."""
    if guild.members.pop(user.id, None) is not None:
        payload = {"guild_id": str(guild.id), "user": user_shape(user)}
        state.tell(Event("GUILD_MEMBER_REMOVE", payload, guild.id))


def ban(state: State, guild: Guild, user: User, reason: str | None) -> None:
    """Ban a user, who may never have been here."""
    guild.bans[user.id] = reason
    payload = {"guild_id": str(guild.id), "user": user_shape(user)}
    state.tell(Event("GUILD_BAN_ADD", payload, guild.id))
    remove_member(state, guild, user)


def unban(state: State, guild: Guild, user: User) -> None:
    """Let a user come back."""
    del guild.bans[user.id]
    payload = {"guild_id": str(guild.id), "user": user_shape(user)}
    state.tell(Event("GUILD_BAN_REMOVE", payload, guild.id))


# Invites


def add_invite(state: State, guild: Guild, channel: Channel, inviter: User, **options: Any) -> Invite:  # noqa: ANN401
    """A new way in."""
    code = state.make_secret(state.make_id())[:8]
    invite = Invite(code, channel.id, inviter, state.now(), **options)
    guild.invites[code] = invite
    payload = {**invite_shape(state, guild, invite), "channel_id": str(channel.id)}
    state.tell(Event("INVITE_CREATE", payload, guild.id, channel))
    return invite


def delete_invite(state: State, guild: Guild, invite: Invite) -> None:
    """Take a way in away."""
    del guild.invites[invite.code]
    channel = state.channels.get(invite.channel_id)
    payload = {"guild_id": str(guild.id), "channel_id": str(invite.channel_id), "code": invite.code}
    state.tell(Event("INVITE_DELETE", payload, guild.id, channel))


# Emoji and stickers


def tell_emojis(state: State, guild: Guild) -> None:
    """Tell all emoji of a guild, as one of them has changed."""
    emojis = [emoji_shape(one) for one in guild.emojis.values()]
    state.tell(Event("GUILD_EMOJIS_UPDATE", {"guild_id": str(guild.id), "emojis": emojis}, guild.id))


def add_sticker(state: State, guild: Guild, name: str, description: str = "", tags: str = "x") -> Sticker:
    """A new sticker."""
    sticker = Sticker(state.make_id(), name, description, tags)
    guild.stickers[sticker.id] = sticker
    tell_stickers(state, guild)
    return sticker


def tell_stickers(state: State, guild: Guild) -> None:
    """Tell all stickers of a guild, as one of them has changed."""
    stickers = [sticker_shape(guild, one) for one in guild.stickers.values()]
    payload = {"guild_id": str(guild.id), "stickers": stickers}
    state.tell(Event("GUILD_STICKERS_UPDATE", payload, guild.id))
