"""Invites to guilds: create, list, read, delete.

https://docs.discord.com/developers/resources/invite
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..rest.routing import Call, Reply, Route
from ..state import guild_changes as changes
from ..state.permissions import Permission
from ..state.serializers import (
    serialize_invite,
)
from ..validation.guild_objects import INVITE
from ..validation.table import check
from .members import find_guild, need_in_guild
from .messages import need

if TYPE_CHECKING:
    from ..state.models import Guild, Invite


def create_invite(call: Call) -> Reply:
    """POST /channels/{channel_id}/invites ."""
    channel, payload = call.channel(), call.payload
    if channel.guild_id is None or channel.is_thread:
        raise ApiError(50024)
    need(call, channel, Permission.CREATE_INSTANT_INVITE)
    payload = check(INVITE, payload, call.options)
    guild = call.state.guilds[channel.guild_id]
    options = {name: int(payload[name]) for name in ("max_age", "max_uses") if payload.get(name) is not None}
    temporary = bool(payload.get("temporary"))
    invite = changes.add_invite(call.state, guild, channel, call.bot.user, temporary=temporary, **options)
    return Reply(serialize_invite(call.state, guild, invite))


def list_invites_of_channel(call: Call) -> Reply:
    """GET /channels/{channel_id}/invites ."""
    channel = call.channel()
    need(call, channel, Permission.MANAGE_CHANNELS)
    guild = call.state.guilds[channel.guild_id or 0]
    found = [one for one in guild.invites.values() if one.channel_id == channel.id]
    return Reply([serialize_invite(call.state, guild, one) for one in found])


def list_invites(call: Call) -> Reply:
    """GET /guilds/{guild_id}/invites ."""
    guild = find_guild(call)
    need_in_guild(call, guild, Permission.MANAGE_GUILD)
    return Reply([serialize_invite(call.state, guild, one) for one in guild.invites.values()])


def _find_invite(call: Call) -> tuple[Guild, Invite]:
    code = call.ids["invite_code"]
    for guild in call.state.guilds.values():
        invite = guild.invites.get(code)
        if invite is not None:
            return guild, invite
    raise ApiError(10006)


def read_invite(call: Call) -> Reply:
    """GET /invites/{invite_code} ."""
    return Reply(serialize_invite(call.state, *_find_invite(call)))


def delete_invite(call: Call) -> Reply:
    """DELETE /invites/{invite_code} ."""
    guild, invite = _find_invite(call)
    need(call, call.state.channels[invite.channel_id], Permission.MANAGE_CHANNELS)
    shape = serialize_invite(call.state, guild, invite)
    changes.delete_invite(call.state, guild, invite)
    return Reply(shape)


_GUILD = "/guilds/{guild_id}"

ROUTES = (
    Route("invites.create", "POST", "/channels/{channel_id}/invites", create_invite),
    Route("invites.list", "GET", "/channels/{channel_id}/invites", list_invites_of_channel),
    Route("invites.list", "GET", _GUILD + "/invites", list_invites),
    Route("invites.get", "GET", "/invites/{invite_code}", read_invite),
    Route("invites.delete", "DELETE", "/invites/{invite_code}", delete_invite),
)
