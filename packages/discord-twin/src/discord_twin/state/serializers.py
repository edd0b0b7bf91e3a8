"""How the twin's records look as JSON, complete enough for the strictest client that we know (hikari).

Object shapes: https://docs.discord.com/developers/resources
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .enums import ChannelType
from .permissions import Permission
from .snowflakes import snowflake_time

if TYPE_CHECKING:
    from .models import (
        Application,
        Channel,
        Emoji,
        Guild,
        Invite,
        Json,
        Member,
        Role,
        Sticker,
        User,
        Webhook,
    )
    from .state import State


def timestamp(seconds: float) -> str:
    """Return a time as Discord writes it: `2026-01-01T00:00:00.000000+00:00`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def serialize_user(user: User) -> Json:
    """Return a user, as other users see it."""
    return {
        "id": str(user.id),
        "username": user.name,
        "global_name": None,
        "discriminator": user.discriminator,
        "avatar": user.avatar,
        "bot": user.bot,
        "system": False,
        "banner": None,
        "accent_color": None,
        "public_flags": 0,
        "flags": 0,
        "avatar_decoration_data": None,
        "collectibles": None,
        "primary_guild": None,
    }


def serialize_own_user(user: User) -> Json:
    """Return the bot, as it sees itself."""
    return {
        **serialize_user(user),
        "mfa_enabled": True,
        "verified": True,
        "email": None,
        "locale": "en-US",
        "premium_type": 0,
    }


def serialize_application(application: Application) -> Json:
    """Return an application, as its bot sees it."""
    return {
        "id": str(application.id),
        "name": application.user.name,
        "icon": None,
        "description": application.description,
        "summary": "",
        "type": None,
        "bot_public": False,
        "bot_require_code_grant": False,
        "owner": serialize_user(application.owner),
        "verify_key": "00" * 32,
        "team": None,
        "flags": 1 << 19,  # may have message content, as an unverified bot
        "flags_new": str(1 << 19),
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": [],
        "approximate_user_authorization_count": len(application.installed_by),
        "approximate_guild_count": 1,
        "approximate_user_install_count": len(application.installed_by),
        "integration_types_config": {"0": {}, "1": {}},
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "tags": [],
    }


def serialize_role(role: Role) -> Json:
    """Return a role."""
    return {
        "id": str(role.id),
        "name": role.name,
        "color": role.color,
        "colors": {"primary_color": role.color, "secondary_color": None, "tertiary_color": None},
        "hoist": role.hoist,
        "icon": None,
        "unicode_emoji": None,
        "position": role.position,
        "permissions": str(int(role.permissions)),
        "managed": False,
        "mentionable": role.mentionable,
        "flags": 0,
    }


def serialize_member(member: Member, *, with_user: bool = True) -> Json:
    """Return a member; inside a message the user is left out, because it is the author."""
    until = member.timed_out_until
    shape: Json = {
        "nick": member.nick,
        "avatar": member.avatar,
        "banner": member.banner,
        "roles": [str(role_id) for role_id in member.role_ids],
        "joined_at": timestamp(member.joined_at),
        "premium_since": None,
        "deaf": member.deaf,
        "mute": member.mute,
        "flags": 0,
        "pending": False,
        "communication_disabled_until": timestamp(until) if until else None,
    }
    return {"user": serialize_user(member.user), **shape} if with_user else shape


def serialize_emoji(emoji: Emoji) -> Json:
    """Return a custom emoji."""
    fixed = {"roles": [], "require_colons": True, "managed": False, "available": True}
    return {"id": str(emoji.id), "name": emoji.name, "animated": emoji.animated, **fixed}


def serialize_sticker(guild: Guild, sticker: Sticker) -> Json:
    """Return a sticker of a guild."""
    fixed = {"type": 2, "format_type": 1, "available": True, "sort_value": 0}
    shape = {"id": str(sticker.id), "name": sticker.name, "description": sticker.description}
    return {**shape, "tags": sticker.tags, "guild_id": str(guild.id), **fixed}


def serialize_invite(state: State, guild: Guild, invite: Invite) -> Json:
    """Return an invite, with what it leads to."""
    channel = state.channels[invite.channel_id]
    ends = timestamp(invite.created_at + invite.max_age) if invite.max_age else None
    return {
        "type": 0,
        "code": invite.code,
        "guild": {"id": str(guild.id), "name": guild.name, "features": [], "verification_level": 0}
        | dict.fromkeys(("splash", "banner", "description", "icon", "vanity_url_code"))
        | {"nsfw": False, "nsfw_level": 0, "premium_subscription_count": 0},
        "guild_id": str(guild.id),
        "channel": {"id": str(channel.id), "name": channel.name, "type": int(channel.type)},
        "inviter": serialize_user(invite.inviter),
        **count_members(guild),
        "expires_at": ends,
        "uses": invite.uses,
        "max_uses": invite.max_uses,
        "max_age": invite.max_age,
        "temporary": invite.temporary,
        "created_at": timestamp(invite.created_at),
    }


def serialize_thread_member(thread: Channel, user_id: int) -> Json:
    """That a user has joined a thread."""
    joined = timestamp(snowflake_time(thread.id))
    return {"id": str(thread.id), "user_id": str(user_id), "join_timestamp": joined, "flags": 0}


def count_members(guild: Guild) -> Json:
    """Return how many users a guild has; all are online."""
    count = len(guild.members)
    return {"approximate_member_count": count, "approximate_presence_count": count}


def serialize_guild(guild: Guild) -> Json:
    """Return a guild, as REST answers it."""
    return {
        "id": str(guild.id),
        "name": guild.name,
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "banner": None,
        "description": None,
        "owner_id": str(guild.owner_id),
        "region": "local",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "widget_enabled": False,
        "widget_channel_id": None,
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw": False,
        "nsfw_level": 0,
        "home_header": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "premium_progress_bar_enabled": False,
        "preferred_locale": guild.locale,
        "features": [],
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "safety_alerts_channel_id": None,
        "application_id": None,
        "vanity_url_code": None,
        "max_members": 500_000,
        "max_presences": None,
        "max_video_channel_users": 25,
        "max_stage_video_channel_users": 50,
        "incidents_data": None,
        "roles": [serialize_role(role) for role in guild.roles.values()],
        "emojis": [serialize_emoji(emoji) for emoji in guild.emojis.values()],
        "stickers": [serialize_sticker(guild, sticker) for sticker in guild.stickers.values()],
    }


def serialize_guild_create(
    state: State, guild: Guild, application: Application, *, obfuscate: bool = False
) -> Json:
    """Return a guild, as the gateway sends it after READY; `obfuscate` hides what the bot may not view."""
    channels = [state.channels[channel_id] for channel_id in guild.channel_ids]
    hidden = {one.id for one in channels if obfuscate and not state.can_view(application.user, one)}
    return {
        **serialize_guild(guild),
        "joined_at": timestamp(guild.members[application.user.id].joined_at),
        "large": False,
        "unavailable": False,
        "member_count": len(guild.members),
        "members": [serialize_member(member) for member in guild.members.values()],
        "channels": [
            serialize_hidden_channel(channel) if channel.id in hidden else serialize_channel(channel)
            for channel in channels
            if not channel.is_thread
        ],
        "threads": [
            serialize_channel(channel)
            for channel in channels
            if channel.is_thread and not channel.archived and channel.id not in hidden
        ],
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def serialize_channel(channel: Channel) -> Json:
    """Return a channel of any type."""
    last = channel.last_message_id
    shape: Json = {
        "id": str(channel.id),
        "type": int(channel.type),
        "flags": 0,
        "last_message_id": last and str(last),
    }
    if channel.type is ChannelType.DM:
        # The bot itself is last and is not among the recipients that it sees.
        return {**shape, "recipients": [serialize_user(user) for user in channel.recipients[:1]]}
    if channel.type is ChannelType.GROUP_DM:
        people = [serialize_user(user) for user in channel.recipients]
        owner = str(channel.owner_id)
        return {**shape, "name": channel.name or None, "icon": None, "owner_id": owner, "recipients": people}
    shape |= {
        "name": channel.name,
        "guild_id": str(channel.guild_id),
        "parent_id": channel.parent_id and str(channel.parent_id),
        "rate_limit_per_user": channel.slow_seconds,
        "last_pin_timestamp": _last_pin(channel),
    }
    return shape | (_thread_fields(channel) if channel.is_thread else _guild_channel_fields(channel))


_HIDDEN_NAME = "___hidden___"
_OBFUSCATED = 1 << 17


def serialize_hidden_channel(channel: Channel) -> Json:
    """Return a channel of a guild as it is sent to a bot that may not view it.

    https://docs.discord.com/developers/resources/channel#obfuscated-channels ; which overwrite is left is unsure.
    """
    view = {"id": str(channel.guild_id), "type": 0, "allow": "0", "deny": str(int(Permission.VIEW_CHANNEL))}
    return {
        "id": str(channel.id),
        "type": int(channel.type),
        "flags": _OBFUSCATED,
        "guild_id": str(channel.guild_id),
        "parent_id": channel.parent_id and str(channel.parent_id),
        "position": channel.position,
        "name": _HIDDEN_NAME,
        "permission_overwrites": [view],
        "topic": None,
        "last_message_id": None,
        "last_pin_timestamp": None,
        "nsfw": False,
        "rate_limit_per_user": 0,
    }


def _last_pin(channel: Channel) -> str | None:
    pins = [one.pinned_at for one in channel.messages.values() if one.pinned_at is not None]
    return timestamp(max(pins)) if pins else None


def _guild_channel_fields(channel: Channel) -> Json:
    fields: Json = {
        "topic": channel.topic,
        "nsfw": channel.nsfw,
        "position": channel.position,
        "permission_overwrites": [
            {
                "id": str(target),
                "type": int(one.is_member),
                "allow": str(int(one.allow)),
                "deny": str(int(one.deny)),
            }
            for target, one in channel.overwrites.items()
        ],
        "default_auto_archive_duration": channel.archive_minutes,
    }
    if channel.is_forum:
        fields |= {"available_tags": channel.tags, "default_reaction_emoji": None, "default_sort_order": None}
        fields |= {"default_forum_layout": 0, "default_thread_rate_limit_per_user": 0}
    if channel.type in {ChannelType.VOICE, ChannelType.STAGE}:
        fields |= {"bitrate": 64_000, "user_limit": 0, "rtc_region": None}
    return fields


def _thread_fields(channel: Channel) -> Json:
    return {
        "applied_tags": [str(one) for one in channel.applied_tags],
        "owner_id": str(channel.owner_id),
        "message_count": len(channel.messages),
        "total_message_sent": len(channel.messages),
        "member_count": len(channel.member_ids),
        "thread_metadata": {
            "archived": channel.archived,
            "auto_archive_duration": channel.archive_minutes,
            "archive_timestamp": timestamp(channel.archived_at),
            "locked": channel.locked,
            "invitable": channel.invitable,
            "create_timestamp": timestamp(snowflake_time(channel.id)),
        },
    }


def serialize_webhook(webhook: Webhook, *, with_token: bool = True) -> Json:
    """Return a webhook; its token is shown to its own application only."""
    shape: Json = {
        "id": str(webhook.id),
        "type": 1,
        "guild_id": str(webhook.guild_id),
        "channel_id": str(webhook.channel_id),
        "user": serialize_user(webhook.creator),
        "name": webhook.name,
        "avatar": webhook.avatar,
        "application_id": webhook.application_id and str(webhook.application_id),
    }
    return {**shape, "token": webhook.token} if with_token else shape
