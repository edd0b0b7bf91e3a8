"""Guilds: read them, their channels, roles, invites, audit log, and search their messages.

https://docs.discord.com/developers/resources/guild
https://docs.discord.com/developers/resources/invite
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..message_content_intent import serialize_visible_message
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import message_changes as changes
from ..state.models import Channel, ChannelType
from ..state.permissions import Permission
from ..state.serializers import (
    count_members,
    serialize_channel,
    serialize_guild,
    serialize_invite,
    serialize_role,
    serialize_user,
)
from ..validation.guild_objects import INVITE, MOVED_CHANNEL, MOVED_ROLE, NEW_CHANNEL, ROLE
from ..validation.schema import ListOf
from ..validation.table import check
from .channels import set_fields
from .members import find_guild, need_in_guild, outranks
from .messages import need

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..state.models import Guild, Invite, Json, Message, Role

_NOT_KEPT = (
    "webhooks", "integrations", "threads", "application_commands", "auto_moderation_rules",
    "guild_scheduled_events",
)  # fmt: skip
"""Parts of an audit log that the twin leaves empty."""
_MAX_CHANNELS, _MAX_ROLES = 500, 250


def read(call: Call) -> Reply:
    """GET /guilds/{guild_id} ."""
    guild = find_guild(call)
    return Reply({**serialize_guild(guild), **count_members(guild)})


def read_preview(call: Call) -> Reply:
    """GET /guilds/{guild_id}/preview ."""
    return read(call)


# Channels


def list_channels(call: Call) -> Reply:
    """GET /guilds/{guild_id}/channels , threads left out."""
    channels = [call.state.channels[channel_id] for channel_id in find_guild(call).channel_ids]
    if call.options.obfuscate_channels:
        channels = [one for one in channels if call.state.can_view(call.bot.user, one)]
    return Reply([serialize_channel(channel) for channel in channels if not channel.is_thread])


def create_channel(call: Call) -> Reply:
    """POST /guilds/{guild_id}/channels ."""
    guild, payload = find_guild(call), call.payload
    need_in_guild(call, guild, Permission.MANAGE_CHANNELS)
    payload = check(NEW_CHANNEL, payload, call.options)
    if len(guild.channel_ids) >= _MAX_CHANNELS:
        raise ApiError(30013)
    kind = ChannelType(int(payload.get("type") or 0))
    channel = Channel(call.state.make_id(), kind, guild_id=guild.id)
    set_fields(channel, payload)
    if kind in {ChannelType.TEXT, ChannelType.ANNOUNCEMENT}:
        # Text channels have lower-case names without spaces.
        channel.name = "-".join(channel.name.lower().split())
    call.state.open_channel(channel, "CHANNEL_CREATE")
    changes.add_audit_entry(call.state, guild, call.bot.user, 10, channel.id)
    return Reply(serialize_channel(channel), status=201)


def move_channels(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/channels : their order."""
    guild = find_guild(call)
    need_in_guild(call, guild, Permission.MANAGE_CHANNELS)
    for one in check(ListOf(MOVED_CHANNEL), call.form.payload, call.options):
        channel = call.state.channels.get(int(one.get("id") or 0))
        if channel is not None and one.get("position") is not None:
            channel.position = int(one["position"])
            call.state.change_channel(channel)
    return NO_CONTENT


# Roles


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


# Looking back


def read_audit_log(call: Call) -> Reply:
    """GET /guilds/{guild_id}/audit-logs , newest first."""
    guild, limit = find_guild(call), call.number("limit", 50, 1, 100)
    need_in_guild(call, guild, Permission.VIEW_AUDIT_LOG)
    wanted, who = call.query.get("action_type"), call.query.get("user_id")
    found = [
        one
        for one in reversed(guild.audit)
        if wanted in {None, str(one["action_type"])} and who in {None, one["user_id"]}
    ][:limit]
    # The log comes with the users that its entries mention.
    people = {one[name] for one in found for name in ("user_id", "target_id") if one[name]}
    users = [serialize_user(user) for user in call.state.users.values() if str(user.id) in people]
    return Reply({"audit_log_entries": found, "users": users, **{name: [] for name in _NOT_KEPT}})


def search_messages(call: Call) -> Reply:
    """GET /guilds/{guild_id}/messages/search : an index that needs the content intent."""
    guild, limit = find_guild(call), call.number("limit", 25, 1, 25)
    offset = call.number("offset", 0, 0, 9975)
    if not call.options.message_content_intent:
        raise ApiError(50001)
    # Newest first; ids grow with time.
    found = sorted(_matching(call, guild), key=lambda pair: -pair[1].id)
    shown = [
        [{**serialize_visible_message(call.context, call.bot, *pair), "hit": True}]
        for pair in found[offset : offset + limit]
    ]
    return Reply({"total_results": len(found), "messages": shown, "doing_deep_historical_index": False})


def _matching(call: Call, guild: Guild) -> Iterator[tuple[Channel, Message]]:
    words, who = call.query.get("content", "").casefold(), call.query.get("author_id")
    places = {call.query["channel_id"]} if "channel_id" in call.query else None
    for channel_id in guild.channel_ids:
        channel = call.state.channels[channel_id]
        # The index contains every channel, the result only those that the bot can read.
        may_read = call.state.permissions(call.bot.user, channel) & Permission.READ_MESSAGE_HISTORY
        if not may_read or (places is not None and str(channel_id) not in places):
            continue
        for message in channel.messages.values():
            is_by = who is None or str(message.author.id) == who
            if is_by and words in message.content.casefold() and not message.is_ephemeral:
                yield channel, message


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
_ROLE_PATH = _GUILD + "/roles/{role_id}"

ROUTES = (
    Route("guilds.get", "GET", _GUILD, read),
    Route("guilds.preview", "GET", _GUILD + "/preview", read_preview),
    Route("guilds.channels", "GET", _GUILD + "/channels", list_channels),
    Route("guilds.create_channel", "POST", _GUILD + "/channels", create_channel),
    Route("guilds.move_channels", "PATCH", _GUILD + "/channels", move_channels),
    Route("roles.list", "GET", _GUILD + "/roles", list_roles),
    Route("roles.create", "POST", _GUILD + "/roles", create_role),
    Route("roles.move", "PATCH", _GUILD + "/roles", move_roles),
    Route("roles.get", "GET", _ROLE_PATH, read_role),
    Route("roles.edit", "PATCH", _ROLE_PATH, change_role),
    Route("roles.delete", "DELETE", _ROLE_PATH, delete_role),
    Route("guilds.audit_log", "GET", _GUILD + "/audit-logs", read_audit_log),
    Route("guilds.search", "GET", _GUILD + "/messages/search", search_messages),
    Route("invites.create", "POST", "/channels/{channel_id}/invites", create_invite),
    Route("invites.list", "GET", "/channels/{channel_id}/invites", list_invites_of_channel),
    Route("invites.list", "GET", _GUILD + "/invites", list_invites),
    Route("invites.get", "GET", "/invites/{invite_code}", read_invite),
    Route("invites.delete", "DELETE", "/invites/{invite_code}", delete_invite),
)
