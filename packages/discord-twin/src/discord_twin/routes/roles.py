"""Roles of a guild: list, create, change, order, delete.

https://docs.discord.com/developers/topics/permissions#role-object
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import guild_changes as changes
from ..state.permissions import Permission
from ..state.serializers import (
    serialize_role,
)
from ..validation.guild_objects import MOVED_ROLE, ROLE
from ..validation.schema import ListOf
from ..validation.table import check
from .members import find_guild, need_in_guild, outranks

if TYPE_CHECKING:
    from ..state.models import Guild, Json, Role

_MAX_ROLES = 250


def list_roles(call: Call) -> Reply:
    """GET /guilds/{guild_id}/roles ."""
    return Reply([serialize_role(role) for role in find_guild(call).roles.values()])


def _role(call: Call, guild: Guild) -> Role:
    role = guild.roles.get(call.id("role_id", 10011))
    if role is None:
        raise ApiError(10011)
    return role


def read_role(call: Call) -> Reply:
    """GET /guilds/{guild_id}/roles/{role_id} ."""
    return Reply(serialize_role(_role(call, find_guild(call))))


def create_role(call: Call) -> Reply:
    """POST /guilds/{guild_id}/roles ; a new role is the lowest but @everyone."""
    guild, payload = find_guild(call), call.payload
    need_in_guild(call, guild, Permission.MANAGE_ROLES)
    payload = check(ROLE, payload, call.options)
    if len(guild.roles) >= _MAX_ROLES:
        raise ApiError(30005)
    for other in guild.roles.values():
        # @everyone stays at 0, all other roles move up.
        other.position += other.id != guild.id
    role = call.state.add_role(guild, "new role")
    role.position = 1
    _set_role(role, payload)
    changes.change_role(call.state, guild, role)
    changes.add_audit_entry(call.state, guild, call.bot.user, 30, role.id)
    return Reply(serialize_role(role))


def _set_role(role: Role, payload: Json) -> None:
    if payload.get("name"):
        role.name = str(payload["name"]).strip()
    if payload.get("permissions") is not None:
        role.permissions = Permission(int(payload["permissions"]))
    for name in ("color", "hoist", "mentionable"):
        if payload.get(name) is not None:
            setattr(role, name, payload[name])


def change_role(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/roles/{role_id} ."""
    guild, payload = find_guild(call), call.payload
    need_in_guild(call, guild, Permission.MANAGE_ROLES)
    role = _role(call, guild)
    payload = check(ROLE, payload, call.options)
    if not outranks(call, guild, role.position):
        raise ApiError(50013)
    _set_role(role, payload)
    changes.change_role(call.state, guild, role)
    return Reply(serialize_role(role))


def move_roles(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/roles : their order."""
    guild = find_guild(call)
    need_in_guild(call, guild, Permission.MANAGE_ROLES)
    for one in check(ListOf(MOVED_ROLE), call.form.payload, call.options):
        role = guild.roles.get(int(one.get("id") or 0))
        if role is None:
            raise ApiError(10011)
        role.position = int(one.get("position") or role.position)
        changes.change_role(call.state, guild, role)
    return list_roles(call)


def delete_role(call: Call) -> Reply:
    """DELETE /guilds/{guild_id}/roles/{role_id} ."""
    guild = find_guild(call)
    need_in_guild(call, guild, Permission.MANAGE_ROLES)
    role = _role(call, guild)
    # @everyone cannot be deleted.
    if role.id == guild.id:
        raise ApiError(50028)
    if not outranks(call, guild, role.position):
        raise ApiError(50013)
    changes.delete_role(call.state, guild, role)
    changes.add_audit_entry(call.state, guild, call.bot.user, 32, role.id)
    return NO_CONTENT


_GUILD = "/guilds/{guild_id}"
_ROLE_PATH = _GUILD + "/roles/{role_id}"


ROUTES = (
    Route("roles.list", "GET", _GUILD + "/roles", list_roles),
    Route("roles.create", "POST", _GUILD + "/roles", create_role),
    Route("roles.move", "PATCH", _GUILD + "/roles", move_roles),
    Route("roles.get", "GET", _ROLE_PATH, read_role),
    Route("roles.edit", "PATCH", _ROLE_PATH, change_role),
    Route("roles.delete", "DELETE", _ROLE_PATH, delete_role),
)
