"""Change members, roles, bans, invites, emoji and stickers of a guild, and its audit log.

Like `State`, these functions change the state and dispatch an event; the routes check the permissions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .models import Invite, Sticker
from .serializers import (
    serialize_emoji,
    serialize_invite,
    serialize_member,
    serialize_role,
    serialize_sticker,
    serialize_user,
)
from .state import Event

if TYPE_CHECKING:
    from .models import Channel, Guild, Member, Role, User
    from .state import State


def add_audit_entry(
    state: State,
    guild: Guild,
    user: User,
    action: int,
    target: int | None = None,
    **more: Any,  # noqa: ANN401 - fields of the entry
) -> None:
    """Write a line of the audit log."""
    entry = {"id": str(state.make_id()), "user_id": str(user.id), "action_type": action}
    entry["target_id"] = str(target) if target is not None else None
    guild.audit.append({**entry, **{name: value for name, value in more.items() if value is not None}})


def change_role(state: State, guild: Guild, role: Role) -> None:
    """Tell that a role has changed."""
    payload = {"guild_id": str(guild.id), "role": serialize_role(role)}
    state.dispatch(Event("GUILD_ROLE_UPDATE", payload, guild.id))


def delete_role(state: State, guild: Guild, role: Role) -> None:
    """Remove a role, also from those who had it."""
    del guild.roles[role.id]
    for member in guild.members.values():
        if role.id in member.role_ids:
            member.role_ids.remove(role.id)
    payload = {"guild_id": str(guild.id), "role_id": str(role.id)}
    state.dispatch(Event("GUILD_ROLE_DELETE", payload, guild.id))


def change_member(state: State, guild: Guild, member: Member) -> None:
    """Tell that a member has changed."""
    payload = {**serialize_member(member), "guild_id": str(guild.id)}
    state.dispatch(Event("GUILD_MEMBER_UPDATE", payload, guild.id))


def remove_member(state: State, guild: Guild, user: User) -> None:
    """Let a member go."""
    if guild.members.pop(user.id, None) is not None:
        payload = {"guild_id": str(guild.id), "user": serialize_user(user)}
        state.dispatch(Event("GUILD_MEMBER_REMOVE", payload, guild.id))
        state.dispatch_guild_delete(guild, user.id)


def ban(state: State, guild: Guild, user: User, reason: str | None) -> None:
    """Ban a user, who may never have been here."""
    guild.bans[user.id] = reason
    payload = {"guild_id": str(guild.id), "user": serialize_user(user)}
    state.dispatch(Event("GUILD_BAN_ADD", payload, guild.id))
    remove_member(state, guild, user)


def unban(state: State, guild: Guild, user: User) -> None:
    """Let a user come back."""
    del guild.bans[user.id]
    payload = {"guild_id": str(guild.id), "user": serialize_user(user)}
    state.dispatch(Event("GUILD_BAN_REMOVE", payload, guild.id))


def add_invite(state: State, guild: Guild, channel: Channel, inviter: User, **options: Any) -> Invite:  # noqa: ANN401
    """Add a new way in."""
    code = state.make_secret(state.make_id())[:8]
    invite = Invite(code, channel.id, inviter, state.now(), **options)
    guild.invites[code] = invite
    payload = {**serialize_invite(state, guild, invite), "channel_id": str(channel.id)}
    state.dispatch(Event("INVITE_CREATE", payload, guild.id, channel))
    return invite


def delete_invite(state: State, guild: Guild, invite: Invite) -> None:
    """Delete an invite."""
    del guild.invites[invite.code]
    channel = state.channels.get(invite.channel_id)
    payload = {"guild_id": str(guild.id), "channel_id": str(invite.channel_id), "code": invite.code}
    state.dispatch(Event("INVITE_DELETE", payload, guild.id, channel))


def dispatch_emojis(state: State, guild: Guild) -> None:
    """Dispatch all emoji of a guild after one of them has changed."""
    emojis = [serialize_emoji(one) for one in guild.emojis.values()]
    state.dispatch(Event("GUILD_EMOJIS_UPDATE", {"guild_id": str(guild.id), "emojis": emojis}, guild.id))


def add_sticker(state: State, guild: Guild, name: str, description: str = "", tags: str = "x") -> Sticker:
    """Add a new sticker."""
    sticker = Sticker(state.make_id(), name, description, tags)
    guild.stickers[sticker.id] = sticker
    dispatch_stickers(state, guild)
    return sticker


def dispatch_stickers(state: State, guild: Guild) -> None:
    """Dispatch all stickers of a guild after one of them has changed."""
    stickers = [serialize_sticker(guild, one) for one in guild.stickers.values()]
    payload = {"guild_id": str(guild.id), "stickers": stickers}
    state.dispatch(Event("GUILD_STICKERS_UPDATE", payload, guild.id))
