"""Channels, threads, roles, members, invites, emoji: names, lengths and ranges.

https://docs.discord.com/developers/resources/channel , `guild`, `invite`, `emoji`
"""

from __future__ import annotations

import re

from .schema import Field, Flag, Id, ListOf, Object, OneOf, Required, TextField, Time, WholeNumber

__all__ = [
    "BAN",
    "BULK_DELETE",
    "CHANGED_CHANNEL",
    "CHANGED_THREAD",
    "EMOJI",
    "INVITE",
    "MEMBER",
    "NEW_CHANNEL",
    "NEW_POST",
    "NEW_THREAD",
    "OBJECTS",
    "OVERWRITE",
    "ROLE",
    "STICKER",
]

_DOCS = "https://docs.discord.com/developers/resources"
_NAME = TextField(1, 100)
# Minutes: an hour, a day, three days, a week.
_ARCHIVE = OneOf((60, 1440, 4320, 10080))
# Seconds: up to six hours.
_SLOW = WholeNumber(0, 21600)

TAG = Object("tag of a forum", f"{_DOCS}/channel#forum-tag-object", {"name": Required(TextField(1, 20))})
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
ROLE = Object(
    "role",
    f"{_DOCS}/guild#create-guild-role",
    {
        "name": TextField(maximum=100),
        "permissions": WholeNumber(0),
        "color": WholeNumber(0, 0xFFFFFF),
        "hoist": Flag(),
        "mentionable": Flag(),
        "position": WholeNumber(0),
    },
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
    },
)
BAN = Object("ban", f"{_DOCS}/guild#create-guild-ban", {"delete_message_seconds": WholeNumber(0, 604_800)})
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
    {"name": Required(TextField(2, 32, re.compile(r"\w+", re.ASCII)))},
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
    BULK_DELETE, ROLE, MEMBER, BAN, INVITE, EMOJI, STICKER,
)  # fmt: skip
