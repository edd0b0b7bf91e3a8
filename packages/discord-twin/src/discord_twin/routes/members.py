"""Members of a guild: find, change, kick, ban, give roles.

https://docs.discord.com/developers/resources/guild#modify-guild-member
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote

from ..errors import ApiError, invalid_form
from ..images import read_data_uri
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import guild_changes as changes
from ..state.permissions import ALL, Permission, permissions_of
from ..state.serializers import serialize_member, serialize_user
from ..validation.guild_objects import BAN, MEMBER
from ..validation.table import check

if TYPE_CHECKING:
    from ..state.models import Guild, Json, Member, Role, User

_KICK, _BAN, _UNBAN, _UPDATE, _ROLES = 20, 22, 23, 24, 25


def find_guild(call: Call) -> Guild:
    """Return the guild of the path, if the bot is in it."""
    guild = call.state.guilds.get(call.id("guild_id", 10004))
    if guild is None:
        raise ApiError(10004)
    if call.bot.user.id not in guild.members:
        raise ApiError(50001)
    return guild


def need_in_guild(call: Call, guild: Guild, permission: Permission) -> None:
    """Refuse a bot whose roles do not grant the permission."""
    granted = permissions_of(guild, guild.members[call.bot.user.id])
    # Owners and administrators pass every check.
    if guild.owner_id == call.bot.user.id or granted & Permission.ADMINISTRATOR:
        granted = ALL
    if not granted & permission:
        raise ApiError(50013)


def outranks(call: Call, guild: Guild, position: int) -> bool:
    """Return whether the bot's highest role is above this position."""
    member = guild.members[call.bot.user.id]
    return guild.owner_id == call.bot.user.id or _highest(guild, member) > position


def _highest(guild: Guild, member: Member) -> int:
    return max((guild.roles[one].position for one in member.role_ids if one in guild.roles), default=0)


def _find(call: Call, guild: Guild) -> Member:
    member = guild.members.get(call.id("user_id", 10013))
    if member is None:
        raise ApiError(10007)
    return member


def _need_rank(call: Call, guild: Guild, member: Member) -> None:
    # The owner of a guild can never be changed; oneself always.
    own = member.user.id == call.bot.user.id
    if guild.owner_id == member.user.id or not (own or outranks(call, guild, _highest(guild, member))):
        raise ApiError(50013)


def _reason(call: Call) -> str | None:
    raw = call.record.header("X-Audit-Log-Reason")
    # Headers are ASCII, so clients percent-encode the reason.
    return unquote(raw) if raw else None


# Reading


def list_all(call: Call) -> Reply:
    """GET /guilds/{guild_id}/members ."""
    limit, after = call.number("limit", 1, 1, 1000), int(call.query.get("after") or 0)
    members = [member for user_id, member in sorted(find_guild(call).members.items()) if user_id > after]
    return Reply([serialize_member(member) for member in members[:limit]])


def search(call: Call) -> Reply:
    """GET /guilds/{guild_id}/members/search : names and nicknames that begin so."""
    query, limit = call.query.get("query", "").casefold(), call.number("limit", 1, 1, 1000)
    if not query:
        raise invalid_form("query", "BASE_TYPE_REQUIRED", "This field is required")
    found = [
        one
        for one in find_guild(call).members.values()
        if one.user.name.casefold().startswith(query) or (one.nick or "").casefold().startswith(query)
    ]
    return Reply([serialize_member(member) for member in found[:limit]])


def read(call: Call) -> Reply:
    """GET /guilds/{guild_id}/members/{user_id} ."""
    return Reply(serialize_member(_find(call, find_guild(call))))


# Changing


def change(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/members/{user_id} ."""
    guild, payload = find_guild(call), call.payload
    member = _find(call, guild)
    payload = check(MEMBER, payload, call.options)
    for names, permission in _NEEDED:
        if names & payload.keys():
            need_in_guild(call, guild, permission)
    _need_rank(call, guild, member)
    _set(guild, member, payload)
    changes.change_member(call.state, guild, member)
    changes.add_audit_entry(call.state, guild, call.bot.user, _UPDATE, member.user.id, reason=_reason(call))
    return Reply(serialize_member(member))


_NEEDED = (
    ({"nick"}, Permission.MANAGE_NICKNAMES),
    ({"roles"}, Permission.MANAGE_ROLES),
    ({"communication_disabled_until"}, Permission.MODERATE_MEMBERS),
)


def _set(guild: Guild, member: Member, payload: Json) -> None:
    if "nick" in payload:
        member.nick = str(payload["nick"]).strip() or None if payload["nick"] else None
    if "communication_disabled_until" in payload:
        until = payload["communication_disabled_until"]
        # `null` ends a time-out.
        member.timed_out_until = datetime.fromisoformat(until).timestamp() if until else 0.0
    if payload.get("roles") is not None:
        roles = [int(one) for one in payload["roles"]]
        if any(one not in guild.roles for one in roles):
            raise ApiError(10011)
        member.role_ids = roles
    for name in ("mute", "deaf"):
        if payload.get(name) is not None:
            setattr(member, name, bool(payload[name]))


def change_own(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/members/@me : the bot's name and avatar in one guild."""
    guild, payload = find_guild(call), call.payload
    member = guild.members[call.bot.user.id]
    payload = check(MEMBER, payload, call.options)
    if "nick" in payload:
        need_in_guild(call, guild, Permission.CHANGE_NICKNAME)
    for name in ("avatar", "banner"):
        if name in payload:
            _set_picture(call, guild, member, name)
    if "bio" in payload:
        member.bio = str(payload["bio"] or "")
    _set(guild, member, {"nick": payload["nick"]} if "nick" in payload else {})
    changes.change_member(call.state, guild, member)
    return Reply({**serialize_member(member), "bio": member.bio})


def _set_picture(call: Call, guild: Guild, member: Member, name: str) -> None:
    raw, limit = call.payload[name], call.options.avatar_limit
    content = read_data_uri(str(raw)) if raw else b""
    too_often = limit is not None and call.context.limits.acquire("avatars", f"{guild.id}", limit)
    if content is None or too_often:
        # The same answer for broken data: https://github.com/discord/discord-api-docs/issues/8560
        raise invalid_form(
            name, "AVATAR_RATE_LIMIT", "You are changing your avatar too fast. Try again later."
        )
    digest = hashlib.md5(content, usedforsecurity=False).hexdigest() if content else None
    if digest:
        call.state.pictures[digest] = content
    setattr(member, name, digest)


def change_own_nick(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/members/@me/nick ; deprecated, still used."""
    change_own(call)
    return Reply({"nick": find_guild(call).members[call.bot.user.id].nick})


def _role(call: Call, guild: Guild) -> Role:
    role = guild.roles.get(call.id("role_id", 10011))
    if role is None:
        raise ApiError(10011)
    need_in_guild(call, guild, Permission.MANAGE_ROLES)
    if not outranks(call, guild, role.position):
        raise ApiError(50013)
    return role


def set_role(call: Call) -> Reply:
    """PUT and DELETE /guilds/{guild_id}/members/{user_id}/roles/{role_id} ."""
    guild = find_guild(call)
    member, role = _find(call, guild), _role(call, guild)
    add = call.record.method == "PUT"
    # Nothing happens if the member already is as asked.
    if add != (role.id in member.role_ids):
        (member.role_ids.append if add else member.role_ids.remove)(role.id)
        changes.change_member(call.state, guild, member)
        changes.add_audit_entry(
            call.state, guild, call.bot.user, _ROLES, member.user.id, reason=_reason(call)
        )
    return NO_CONTENT


def kick(call: Call) -> Reply:
    """DELETE /guilds/{guild_id}/members/{user_id} ."""
    guild = find_guild(call)
    need_in_guild(call, guild, Permission.KICK_MEMBERS)
    member = _find(call, guild)
    _need_rank(call, guild, member)
    changes.remove_member(call.state, guild, member.user)
    changes.add_audit_entry(call.state, guild, call.bot.user, _KICK, member.user.id, reason=_reason(call))
    return NO_CONTENT


# Bans


def _banned_user(call: Call) -> User:
    user = call.state.users.get(call.id("user_id", 10013))
    if user is None:
        raise ApiError(10013)
    return user


def ban(call: Call) -> Reply:
    """PUT /guilds/{guild_id}/bans/{user_id} ."""
    guild, user = find_guild(call), _banned_user(call)
    need_in_guild(call, guild, Permission.BAN_MEMBERS)
    check(BAN, call.payload, call.options)
    # Users who are not in the guild can be banned as well.
    if user.id in guild.members:
        _need_rank(call, guild, guild.members[user.id])
    changes.ban(call.state, guild, user, _reason(call))
    changes.add_audit_entry(call.state, guild, call.bot.user, _BAN, user.id, reason=_reason(call))
    return NO_CONTENT


def unban(call: Call) -> Reply:
    """DELETE /guilds/{guild_id}/bans/{user_id} ."""
    guild, user = find_guild(call), _banned_user(call)
    need_in_guild(call, guild, Permission.BAN_MEMBERS)
    if user.id not in guild.bans:
        raise ApiError(10026)
    changes.unban(call.state, guild, user)
    changes.add_audit_entry(call.state, guild, call.bot.user, _UNBAN, user.id, reason=_reason(call))
    return NO_CONTENT


def _serialize_ban(call: Call, guild: Guild, user_id: int) -> Json:
    return {"reason": guild.bans[user_id], "user": serialize_user(call.state.users[user_id])}


def read_ban(call: Call) -> Reply:
    """GET /guilds/{guild_id}/bans/{user_id} ."""
    guild = find_guild(call)
    need_in_guild(call, guild, Permission.BAN_MEMBERS)
    user_id = call.id("user_id", 10026)
    if user_id not in guild.bans:
        raise ApiError(10026)
    return Reply(_serialize_ban(call, guild, user_id))


def list_bans(call: Call) -> Reply:
    """GET /guilds/{guild_id}/bans ."""
    guild, limit = find_guild(call), call.number("limit", 1000, 1, 1000)
    need_in_guild(call, guild, Permission.BAN_MEMBERS)
    after = int(call.query.get("after") or 0)
    shown = [user_id for user_id in sorted(guild.bans) if user_id > after][:limit]
    return Reply([_serialize_ban(call, guild, user_id) for user_id in shown])


_GUILD = "/guilds/{guild_id}"
_MEMBER, _BAN_OF = _GUILD + "/members/{user_id}", _GUILD + "/bans/{user_id}"

ROUTES = (
    Route("members.list", "GET", _GUILD + "/members", list_all),
    Route("members.search", "GET", _GUILD + "/members/search", search),
    Route("members.edit_own", "PATCH", _GUILD + "/members/@me", change_own),
    Route("members.edit_own", "PATCH", _GUILD + "/members/@me/nick", change_own_nick),
    Route("members.get", "GET", _MEMBER, read),
    Route("members.edit", "PATCH", _MEMBER, change),
    Route("members.kick", "DELETE", _MEMBER, kick),
    Route("members.set_role", "PUT", _MEMBER + "/roles/{role_id}", set_role),
    Route("members.set_role", "DELETE", _MEMBER + "/roles/{role_id}", set_role),
    Route("bans.list", "GET", _GUILD + "/bans", list_bans),
    Route("bans.get", "GET", _BAN_OF, read_ban),
    Route("bans.add", "PUT", _BAN_OF, ban),
    Route("bans.remove", "DELETE", _BAN_OF, unban),
)
