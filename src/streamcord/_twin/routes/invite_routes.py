"""Invites: make, list, look at, take away.

https://docs.discord.com/developers/resources/invite
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rest.refusals import Refusal
from ..rest.routing import Call, Reply, Route
from ..rules.place_rules import INVITE
from ..rules.rule_table import check
from ..state import state_changes as changes
from ..state.permissions import Permission
from ..state.shapes import invite_shape
from .member_routes import find_guild, need_in_guild
from .message_routes import need

if TYPE_CHECKING:
    from ..state.model import Guild, Invite

__all__ = ["ROUTES"]


def create(call: Call) -> Reply:
    """POST /channels/{channel_id}/invites ."""
    channel, payload = call.channel(), call.payload
    if channel.guild_id is None or channel.is_thread:
        raise Refusal(50024)
    need(call, channel, Permission.CREATE_INSTANT_INVITE)
    check(INVITE, payload, call.switches)
    guild = call.state.guilds[channel.guild_id]
    options = {name: int(payload[name]) for name in ("max_age", "max_uses") if payload.get(name) is not None}
    temporary = bool(payload.get("temporary"))
    invite = changes.add_invite(call.state, guild, channel, call.bot.user, temporary=temporary, **options)
    return Reply(invite_shape(call.state, guild, invite))


def list_of_channel(call: Call) -> Reply:
    """GET /channels/{channel_id}/invites ."""
    channel = call.channel()
    need(call, channel, Permission.MANAGE_CHANNELS)
    guild = call.state.guilds[channel.guild_id or 0]
    found = [one for one in guild.invites.values() if one.channel_id == channel.id]
    return Reply([invite_shape(call.state, guild, one) for one in found])


def list_of_guild(call: Call) -> Reply:
    """GET /guilds/{guild_id}/invites ."""
    guild = find_guild(call)
    need_in_guild(call, guild, Permission.MANAGE_GUILD)
    return Reply([invite_shape(call.state, guild, one) for one in guild.invites.values()])


def _find(call: Call) -> tuple[Guild, Invite]:
    code = call.ids["invite_code"]
    for guild in call.state.guilds.values():
        invite = guild.invites.get(code)
        if invite is not None:
            return guild, invite
    raise Refusal(10006)


def read(call: Call) -> Reply:
    """GET /invites/{invite_code} ."""
    return Reply(invite_shape(call.state, *_find(call)))


def delete(call: Call) -> Reply:
    """DELETE /invites/{invite_code} ."""
    guild, invite = _find(call)
    need(call, call.state.channels[invite.channel_id], Permission.MANAGE_CHANNELS)
    shape = invite_shape(call.state, guild, invite)
    changes.delete_invite(call.state, guild, invite)
    return Reply(shape)


ROUTES = (
    Route("invites.create", "POST", "/channels/{channel_id}/invites", create),
    Route("invites.list", "GET", "/channels/{channel_id}/invites", list_of_channel),
    Route("invites.list", "GET", "/guilds/{guild_id}/invites", list_of_guild),
    Route("invites.get", "GET", "/invites/{invite_code}", read),
    Route("invites.delete", "DELETE", "/invites/{invite_code}", delete),
)
