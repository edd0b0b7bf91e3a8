"""Guilds: read them, their channels, roles and members.

https://docs.discord.com/developers/resources/guild
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamcord._twin.rest.refusals import Refusal
from streamcord._twin.rest.routing import Call, Reply, Route
from streamcord._twin.state.shapes import channel_shape, guild_shape, member_shape, role_shape

if TYPE_CHECKING:
    from streamcord._twin.state.model import Guild

__all__ = ["ROUTES"]


def _guild(call: Call) -> Guild:
    guild = call.state.guilds.get(call.id("guild_id", 10004))
    if guild is None:
        raise Refusal(10004)
    if call.bot.user.id not in guild.members:
        raise Refusal(50001)
    return guild


def read(call: Call) -> Reply:
    """GET /guilds/{guild_id} ."""
    guild = _guild(call)
    counts = {
        "approximate_member_count": len(guild.members),
        "approximate_presence_count": len(guild.members),
    }
    return Reply({**guild_shape(guild), **counts})


def list_channels(call: Call) -> Reply:
    """GET /guilds/{guild_id}/channels , threads left out."""
    channels = [call.state.channels[channel_id] for channel_id in _guild(call).channel_ids]
    return Reply([channel_shape(channel) for channel in channels if not channel.is_thread])


def list_roles(call: Call) -> Reply:
    """GET /guilds/{guild_id}/roles ."""
    return Reply([role_shape(role) for role in _guild(call).roles.values()])


def list_members(call: Call) -> Reply:
    """GET /guilds/{guild_id}/members ."""
    limit, after = int(call.query.get("limit") or 1), int(call.query.get("after") or 0)
    members = [member for user_id, member in sorted(_guild(call).members.items()) if user_id > after]
    return Reply([member_shape(member) for member in members[:limit]])


def read_member(call: Call) -> Reply:
    """GET /guilds/{guild_id}/members/{user_id} ."""
    member = _guild(call).members.get(call.id("user_id", 10007))
    if member is None:
        raise Refusal(10007)
    return Reply(member_shape(member))


def change_own_member(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/members/@me : the bot's nickname."""
    member = _guild(call).members[call.bot.user.id]
    member.nick = call.payload.get("nick", member.nick)
    return Reply(member_shape(member))


_GUILD = "/guilds/{guild_id}"

ROUTES = (
    Route("guilds.get", "GET", _GUILD, read),
    Route("guilds.channels", "GET", _GUILD + "/channels", list_channels),
    Route("guilds.roles", "GET", _GUILD + "/roles", list_roles),
    Route("guilds.members", "GET", _GUILD + "/members", list_members),
    Route("guilds.member", "GET", _GUILD + "/members/{user_id}", read_member),
    Route("guilds.own_member", "PATCH", _GUILD + "/members/@me", change_own_member),
)
