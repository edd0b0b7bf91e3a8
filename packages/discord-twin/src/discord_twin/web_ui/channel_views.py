"""Channels, members, unread counts and commands of a user, as plain values for the web UI."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ..state.enums import ChannelType
from ..state.permissions import Permission
from ..users.interactions import offered_commands
from .text_views import avatar_view, shown

if TYPE_CHECKING:
    from ..server import Twin
    from ..state.models import Channel, Json, User

_LISTED = {ChannelType.TEXT, ChannelType.ANNOUNCEMENT, ChannelType.FORUM, ChannelType.MEDIA}
_SUB, _GROUP = 1, 2


def does_see(twin: Twin, user: User, channel: Channel) -> bool:
    """Return whether a user may look into a channel."""
    return bool(twin.state.permissions(user, channel) & Permission.VIEW_CHANNEL)


def list_channels(twin: Twin, user: User) -> list[Channel]:
    """Return the channels that a user sees: the server's, each before its threads, then direct messages."""
    seen = [one for one in twin.state.channels.values() if does_see(twin, user, one)]
    threads: dict[int, list[Channel]] = {}
    for one in seen:
        if one.is_thread and one.parent_id:
            threads.setdefault(one.parent_id, []).append(one)
    homes = [one for one in seen if one.guild_id == twin.guild.id and one.type in _LISTED]
    direct = [one for one in seen if one.recipients]
    return [*(one for home in homes for one in (home, *threads.get(home.id, ()))), *direct]


def channels_view(twin: Twin, user: User) -> Json:
    """Everything around the messages: channels, users, roles and emoji."""
    guild = twin.guild
    return {
        "me": _person(twin, user),
        "server": shown(guild.name),
        "window": twin.options.group_window_s,
        "file_limit": twin.options.file_limit,
        "channels": [_channel(twin, user, one) for one in list_channels(twin, user)],
        "people": [_person(twin, one.user) for one in guild.members.values()],
        "roles": [
            {"id": str(one.id), "name": shown(one.name)}
            for one in guild.roles.values()
            if one.id != guild.id and one.mentionable
        ],
        "emoji": [
            {"name": shown(one.name), "id": str(one.id), "picture": _emoji_picture(twin, one.id)}
            for one in guild.emojis.values()
        ],
    }


def _emoji_picture(twin: Twin, number: int) -> str | None:
    return f"/cdn/emojis/{number}.png" if str(number) in twin.state.pictures else None


def _person(twin: Twin, user: User) -> Json:
    avatar = avatar_view(twin.state, user)
    return {"id": str(user.id), "name": shown(user.name), "bot": user.bot, "avatar": avatar}


def _channel(twin: Twin, user: User, channel: Channel) -> Json:
    granted = twin.state.permissions(user, channel)
    right = Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    others = [one for one in channel.recipients if one is not user]
    name = channel.name or ", ".join(one.name for one in others)
    return {
        "id": str(channel.id),
        "name": shown(name),
        "kind": _kind(channel),
        "parent": str(channel.parent_id or ""),
        "topic": shown(channel.topic or ""),
        "suggestions": [shown(one) for one in channel.suggestions],
        "archived": channel.archived,
        "can_write": bool(granted & right) and not channel.locked,
        "avatar": avatar_view(twin.state, others[0]) if others else None,
        "count": len(channel.messages),
        "first": _first_words(channel),
        **unread_view(twin, user, channel),
    }


def _kind(channel: Channel) -> str:
    if channel.is_thread:
        return "thread"
    if channel.is_forum:
        return "forum"
    return "direct" if channel.recipients else "text"


def _first_words(channel: Channel) -> str:
    if not channel.is_thread:
        return ""
    return shown(next((one.content[:200] for one in channel.messages.values()), ""))


# Unread, and what a phone would show


def unread_view(twin: Twin, user: User, channel: Channel) -> Json:
    """Return how many messages of a channel a user has not read, and how many of them are for them."""
    unread = twin.log.unread.get((user.id, channel.id), 0)
    # The oldest unread message; mentions are counted from there.
    first = next(islice(reversed(channel.messages), unread - 1, None), 0) if unread else 0
    return {"unread": unread, "mentions": _mentions(twin, user, channel, first) if first else 0}


def _mentions(twin: Twin, user: User, channel: Channel, since: int) -> int:
    rang: set[int] = set()
    for ping in reversed(twin.log.pings):
        # The log is in order, so older pings need no look.
        if ping.message_id < since:
            break
        if ping.channel_id == channel.id and user.id in ping.user_ids:
            rang.add(ping.message_id)
    return len(rang)


def marks_since(twin: Twin, user: User, oldest: int) -> dict[int, str]:
    """Return the notification of each message since `oldest`: `push`, or `silent` without a sound."""
    marks: dict[int, str] = {}
    for push in reversed(twin.log.pushes):
        if push.message_id < oldest:
            break
        if user.id in push.user_ids:
            marks[push.message_id] = "silent" if push.silent else "push"
    return marks


# Commands


def command_views(twin: Twin, user: User, channel: Channel) -> list[Json]:
    """Return every command that a user can use here; those with sub-commands are listed one by one."""
    views = []
    for application, command in offered_commands(twin.context, channel, user):
        name = shown(application.user.name)
        for path, leaf in _leaves(command["name"], command):
            views.append(
                {
                    "name": path,
                    "kind": ("", "slash", "user", "message")[command["type"]],
                    "about": shown(leaf.get("description") or ""),
                    "bot": name,
                    "options": [_option(one) for one in leaf.get("options") or ()],
                }
            )
    return views


def _leaves(path: str, command: Json) -> list[tuple[str, Json]]:
    # Only leaves can be used.
    inner = [one for one in command.get("options") or () if one["type"] in {_SUB, _GROUP}]
    if not inner:
        return [(path, command)]
    return [leaf for one in inner for leaf in _leaves(f"{path} {one['name']}", one)]


def _option(option: Json) -> Json:
    kinds = {
        4: "whole",
        5: "truth",
        6: "user",
        7: "channel",
        8: "role",
        9: "mention",
        10: "number",
        11: "file",
    }
    return {
        "name": option["name"],
        "about": shown(option.get("description") or ""),
        "kind": kinds.get(option["type"], "text"),
        "required": bool(option.get("required")),
        "completes": bool(option.get("autocomplete")),
        "choices": [
            {"label": shown(one["name"]), "value": one["value"]} for one in option.get("choices") or ()
        ],
        "min": option.get("min_value", option.get("min_length")),
        "max": option.get("max_value", option.get("max_length")),
    }
