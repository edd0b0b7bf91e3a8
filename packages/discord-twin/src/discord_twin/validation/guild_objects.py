"""Channels, threads, roles, members, invites, emoji: names, lengths and ranges.

https://docs.discord.com/developers/resources/channel , `guild`, `invite`, `emoji`
"""

from __future__ import annotations

import re

from .schema import (
    AnyObject,
    Field,
    Flag,
    Id,
    ListOf,
    MapOf,
    Object,
    OneOf,
    Required,
    TextField,
    Time,
    Url,
    WholeNumber,
)

_DOCS = "https://docs.discord.com/developers/resources"
_NAME = TextField(1, 100)
# Minutes: an hour, a day, three days, a week.
_ARCHIVE = OneOf((60, 1440, 4320, 10080))
# Seconds: up to six hours.
_SLOW = WholeNumber(0, 21600)

TAG = Object(
    "tag of a forum",
    f"{_DOCS}/channel#forum-tag-object",
    {"name": Required(TextField(1, 20)), "emoji_id": Id()},
)
OVERWRITE = Object(
    "permission overwrite",
    f"{_DOCS}/channel#edit-channel-permissions",
    {"type": Required(OneOf((0, 1))), "allow": WholeNumber(0), "deny": WholeNumber(0)},
)
OVERWRITE_OF = Object(
    "permission overwrite with its target",
    f"{_DOCS}/channel#overwrite-object",
    {**OVERWRITE.fields, "id": Required(Id())},
)
_CHANNEL: dict[str, Field] = {
    "topic": TextField(maximum=4096),
    "nsfw": Flag(),
    "position": WholeNumber(0),
    "rate_limit_per_user": _SLOW,
    "default_thread_rate_limit_per_user": _SLOW,
    "default_auto_archive_duration": _ARCHIVE,
    "default_sort_order": OneOf((0, 1)),
    "default_forum_layout": OneOf((0, 1, 2)),
    "video_quality_mode": OneOf((1, 2)),
    "rtc_region": TextField(),
    "default_reaction_emoji": AnyObject(),
    "default_tag_setting": OneOf(("match_all", "match_some")),
    "flags": WholeNumber(0),
    "bitrate": WholeNumber(8000, 384_000),
    "user_limit": WholeNumber(0, 10_000),
    "parent_id": Id(),
    "available_tags": ListOf(TAG, 0, 20),
    "permission_overwrites": ListOf(OVERWRITE_OF, 0, 500),
}
NEW_CHANNEL = Object(
    "new channel",
    f"{_DOCS}/guild#create-guild-channel",
    {"name": Required(_NAME), "type": OneOf((0, 2, 4, 5, 13, 14, 15, 16)), **_CHANNEL},
)
CHANGED_CHANNEL = Object(
    "changed channel", f"{_DOCS}/channel#modify-channel", {"name": _NAME, "type": OneOf((0, 5)), **_CHANNEL}
)
_THREAD: dict[str, Field] = {
    "auto_archive_duration": _ARCHIVE,
    "rate_limit_per_user": _SLOW,
    "applied_tags": ListOf(Id(), 0, 5),
}
NEW_THREAD = Object(
    "new thread",
    f"{_DOCS}/channel#start-thread-without-message",
    {"name": Required(_NAME), "type": OneOf((10, 11, 12)), "invitable": Flag(), **_THREAD},
)
NEW_POST = Object(
    "new post of a forum",
    f"{_DOCS}/channel#start-thread-in-forum-or-media-channel",
    {"name": Required(_NAME), "message": Required(Object("message", "", {})), **_THREAD},
)
CHANGED_THREAD = Object(
    "changed thread",
    f"{_DOCS}/channel#modify-channel",
    {"name": _NAME, "archived": Flag(), "locked": Flag(), "invitable": Flag(), **_THREAD},
)
BULK_DELETE = Object(
    "bulk delete",
    f"{_DOCS}/message#bulk-delete-messages",
    {"messages": Required(ListOf(Id(), 2, 100))},
)
_COLOUR = WholeNumber(0, 0xFFFFFF)
COLOURS = Object(
    "colours of a role",
    "https://docs.discord.com/developers/topics/permissions#role-object-role-colors-object",
    {"primary_color": Required(_COLOUR), "secondary_color": _COLOUR, "tertiary_color": _COLOUR},
)
ROLE = Object(
    "role",
    f"{_DOCS}/guild#create-guild-role",
    {
        "name": TextField(maximum=100),
        "permissions": WholeNumber(0),
        "color": _COLOUR,
        "colors": COLOURS,
        "hoist": Flag(),
        "mentionable": Flag(),
        "position": WholeNumber(0),
        "icon": TextField(),
        "unicode_emoji": TextField(maximum=100),
    },
)
MOVED_ROLE = Object(
    "moved role", f"{_DOCS}/guild#modify-guild-role-positions", {"id": Id(), "position": WholeNumber(0)}
)
MOVED_CHANNEL = Object(
    "moved channel",
    f"{_DOCS}/guild#modify-guild-channel-positions",
    {"id": Id(), "position": WholeNumber(0), "parent_id": Id(), "lock_permissions": Flag()},
)
MEMBER = Object(
    "changed member",
    f"{_DOCS}/guild#modify-guild-member",
    {
        "nick": TextField(maximum=32),
        "roles": ListOf(Id(), 0, 250),
        "mute": Flag(),
        "deaf": Flag(),
        "communication_disabled_until": Time(),
        "channel_id": Id(),
        "flags": WholeNumber(0),
        "avatar": TextField(),
        "banner": TextField(),
        "bio": TextField(maximum=190),
    },
)
BAN = Object(
    "ban",
    f"{_DOCS}/guild#create-guild-ban",
    {"delete_message_seconds": WholeNumber(0, 604_800), "delete_message_days": WholeNumber(0, 7)},
)
OPEN_DM = Object(
    "new direct message",
    f"{_DOCS}/user#create-dm",
    {
        "recipient_id": Id(),
        "access_tokens": ListOf(TextField(maximum=10_240), 0, 1521),
        "nicks": MapOf(TextField()),
    },
)
USER = Object(
    "own user",
    f"{_DOCS}/user#modify-current-user",
    {"username": TextField(2, 32), "avatar": TextField(), "banner": TextField()},
)
APPLICATION = Object(
    "own application",
    f"{_DOCS}/application#edit-current-application",
    {
        "custom_install_url": Url(),
        "role_connections_verification_url": Url(),
        "interactions_endpoint_url": Url(),
        "event_webhooks_url": Url(),
        "event_webhooks_status": OneOf((1, 2)),
        "event_webhooks_types": ListOf(TextField(1, 100)),
        "flags": WholeNumber(0),
        "icon": TextField(),
        "cover_image": TextField(),
        "type": OneOf((4,)),
        "team_id": Id(),
        "explicit_content_filter": OneOf((0, 1)),
        "max_participants": WholeNumber(-1),
        "install_params": AnyObject(),
        "integration_types_config": MapOf(AnyObject()),
        "tags": ListOf(TextField(1, 20), 0, 5),
    },
)
INVITE = Object(
    "invite",
    f"{_DOCS}/channel#create-channel-invite",
    {
        "max_age": WholeNumber(0, 604_800),
        "max_uses": WholeNumber(0, 100),
        "temporary": Flag(),
        "unique": Flag(),
    },
)
EMOJI = Object(
    "emoji",
    f"{_DOCS}/emoji#create-guild-emoji",
    {"name": Required(TextField(2, 32, re.compile(r"\w+", re.ASCII))), "roles": ListOf(Id())},
)
STICKER = Object(
    "sticker",
    f"{_DOCS}/sticker#create-guild-sticker",
    {
        "name": Required(TextField(2, 30)),
        "description": TextField(maximum=100),
        "tags": Required(TextField(1, 200)),
    },
)
OBJECTS = (
    NEW_CHANNEL, CHANGED_CHANNEL, OVERWRITE, OVERWRITE_OF, TAG, NEW_THREAD, NEW_POST, CHANGED_THREAD,
    BULK_DELETE, ROLE, COLOURS, MOVED_ROLE, MOVED_CHANNEL, MEMBER, BAN, OPEN_DM, USER,
    APPLICATION, INVITE, EMOJI, STICKER,
)  # fmt: skip
