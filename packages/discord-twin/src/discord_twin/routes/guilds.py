"""Guilds: read them, their channels and audit log, and search their messages.

https://docs.discord.com/developers/resources/guild
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..message_content_intent import serialize_visible_message
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import guild_changes as changes
from ..state.enums import ChannelType
from ..state.models import Channel
from ..state.permissions import Permission
from ..state.serializers import (
    count_members,
    serialize_channel,
    serialize_guild,
    serialize_user,
)
from ..validation.guild_objects import MOVED_CHANNEL, NEW_CHANNEL
from ..validation.schema import ListOf
from ..validation.table import check
from .channels import set_fields
from .members import find_guild, need_in_guild

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..state.models import Guild, Message

_MAX_CHANNELS = 500


_NOT_KEPT = (
    "webhooks", "integrations", "threads", "application_commands", "auto_moderation_rules",
    "guild_scheduled_events",
)  # fmt: skip
"""Parts of an audit log that the twin leaves empty."""


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


_GUILD = "/guilds/{guild_id}"

ROUTES = (
    Route("guilds.get", "GET", _GUILD, read),
    Route("guilds.preview", "GET", _GUILD + "/preview", read_preview),
    Route("guilds.channels", "GET", _GUILD + "/channels", list_channels),
    Route("guilds.create_channel", "POST", _GUILD + "/channels", create_channel),
    Route("guilds.move_channels", "PATCH", _GUILD + "/channels", move_channels),
    Route("guilds.audit_log", "GET", _GUILD + "/audit-logs", read_audit_log),
    Route("guilds.search", "GET", _GUILD + "/messages/search", search_messages),
)
