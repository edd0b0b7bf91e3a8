"""How the twin's records look as JSON, complete enough for the strictest client that we know (hikari).

Object shapes: https://docs.discord.com/developers/resources
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .model import ChannelType
from .snowflakes import snowflake_time

if TYPE_CHECKING:
    from .model import Application, Channel, Emoji, Guild, Json, Member, Role, User, Webhook
    from .state import State

__all__ = [
    "application_shape",
    "channel_shape",
    "emoji_shape",
    "guild_create_shape",
    "guild_shape",
    "member_shape",
    "own_user_shape",
    "role_shape",
    "timestamp",
    "user_shape",
    "webhook_shape",
]


def timestamp(seconds: float) -> str:
    """A time as Discord writes it: `2026-01-01T00:00:00.000000+00:00`."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def user_shape(user: User) -> Json:
    """A user, as anybody sees it."""
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
    }


def own_user_shape(user: User) -> Json:
    """The bot, as it sees itself."""
    return {
        **user_shape(user),
        "mfa_enabled": True,
        "verified": True,
        "email": None,
        "locale": "en-US",
        "premium_type": 0,
    }


def application_shape(application: Application) -> Json:
    """An application, as its bot sees it."""
    return {
        "id": str(application.id),
        "name": application.user.name,
        "icon": None,
        "description": "",
        "summary": "",
        "bot_public": False,
        "bot_require_code_grant": False,
        "owner": user_shape(application.owner),
        "verify_key": "00" * 32,
        "team": None,
        "flags": 1 << 19,  # may have message content, as an unverified bot
        "approximate_guild_count": 1,
        "approximate_user_install_count": 0,
        "integration_types_config": {},
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "tags": [],
    }


def role_shape(role: Role) -> Json:
    """A role."""
    return {
        "id": str(role.id),
        "name": role.name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": role.position,
        "permissions": str(int(role.permissions)),
        "managed": False,
        "mentionable": role.mentionable,
        "flags": 0,
    }


def member_shape(member: Member, *, with_user: bool = True) -> Json:
    """A member; inside a message it stands beside its user and leaves it out."""
    until = member.timed_out_until
    shape: Json = {
        "nick": member.nick,
        "avatar": None,
        "banner": None,
        "roles": [str(role_id) for role_id in member.role_ids],
        "joined_at": timestamp(member.joined_at),
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "pending": False,
        "communication_disabled_until": timestamp(until) if until else None,
    }
    return {"user": user_shape(member.user), **shape} if with_user else shape


def emoji_shape(emoji: Emoji) -> Json:
    """A custom emoji."""
    fixed = {"roles": [], "require_colons": True, "managed": False, "available": True}
    return {"id": str(emoji.id), "name": emoji.name, "animated": emoji.animated, **fixed}


def guild_shape(guild: Guild) -> Json:
    """A guild, as REST answers it."""
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
        "nsfw_level": 0,
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
        "roles": [role_shape(role) for role in guild.roles.values()],
        "emojis": [emoji_shape(emoji) for emoji in guild.emojis.values()],
        "stickers": [],
    }


def guild_create_shape(state: State, guild: Guild, application: Application) -> Json:
    """A guild, as the gateway sends it after READY."""
    channels = [state.channels[channel_id] for channel_id in guild.channel_ids]
    return {
        **guild_shape(guild),
        "joined_at": timestamp(guild.members[application.user.id].joined_at),
        "large": False,
        "unavailable": False,
        "member_count": len(guild.members),
        "members": [member_shape(member) for member in guild.members.values()],
        "channels": [channel_shape(channel) for channel in channels if not channel.is_thread],
        "threads": [
            channel_shape(channel) for channel in channels if channel.is_thread and not channel.archived
        ],
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def channel_shape(channel: Channel) -> Json:
    """A channel of any type."""
    last = channel.last_message_id
    shape: Json = {
        "id": str(channel.id),
        "type": int(channel.type),
        "flags": 0,
        "last_message_id": last and str(last),
    }
    if channel.type is ChannelType.DM:
        return {**shape, "recipients": [user_shape(user) for user in channel.recipients[:1]]}
    shape |= {
        "name": channel.name,
        "guild_id": str(channel.guild_id),
        "parent_id": channel.parent_id and str(channel.parent_id),
        "rate_limit_per_user": 0,
        "last_pin_timestamp": None,
    }
    return shape | (_thread_fields(channel) if channel.is_thread else _guild_channel_fields(channel))


def _guild_channel_fields(channel: Channel) -> Json:
    fields: Json = {
        "topic": channel.topic,
        "nsfw": False,
        "position": 0,
        "permission_overwrites": [
            {
                "id": str(target),
                "type": int(one.is_member),
                "allow": str(int(one.allow)),
                "deny": str(int(one.deny)),
            }
            for target, one in channel.overwrites.items()
        ],
        "default_auto_archive_duration": 1440,
    }
    if channel.is_forum:
        fields |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
        fields |= {"default_forum_layout": 0, "default_thread_rate_limit_per_user": 0}
    if channel.type is ChannelType.VOICE:
        fields |= {"bitrate": 64_000, "user_limit": 0, "rtc_region": None}
    return fields


def _thread_fields(channel: Channel) -> Json:
    return {
        "owner_id": str(channel.owner_id),
        "message_count": len(channel.messages),
        "total_message_sent": len(channel.messages),
        "member_count": len(channel.member_ids),
        "thread_metadata": {
            "archived": channel.archived,
            "auto_archive_duration": 1440,
            "archive_timestamp": timestamp(channel.archived_at),
            "locked": channel.locked,
            "invitable": True,
            "create_timestamp": timestamp(snowflake_time(channel.id)),
        },
    }


def webhook_shape(webhook: Webhook, *, with_token: bool = True) -> Json:
    """A webhook; its token is shown to its own application only."""
    shape: Json = {
        "id": str(webhook.id),
        "type": 1,
        "guild_id": str(webhook.guild_id),
        "channel_id": str(webhook.channel_id),
        "user": user_shape(webhook.creator),
        "name": webhook.name,
        "avatar": webhook.avatar,
        "application_id": webhook.application_id and str(webhook.application_id),
    }
    return {**shape, "token": webhook.token} if with_token else shape
