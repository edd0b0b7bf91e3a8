"""Save what a twin holds as one JSON document, and build it again on another twin.

Ids differ between twins, so a document names things by the ids of the twin where it was saved, and everything that
is built gets a new id; ids in texts, embeds and components follow. Files are left out: a link must stay short.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from ..faults import Fault, FaultKind
from ..options import TwinOptions
from ..state.enums import ChannelType, MessageFlag, MessageType
from ..state.models import Channel, Draft, Overwrite
from ..state.permissions import Permission
from .body_schema import InvalidBody, array, boolean, check, integer, number, record, text

if TYPE_CHECKING:
    from ..server import Twin
    from ..state.models import Json, Message, User

VERSION = 1
MAX_MESSAGES = 500
"""Newest messages of each channel that are saved."""
_KEPT_TYPES = {MessageType.DEFAULT, MessageType.REPLY, MessageType.CHAT_INPUT_COMMAND}
_ID = re.compile(r"(?<!\d)\d{15,20}(?!\d)")
_KINDS = tuple(one.name for one in FaultKind)
_TYPES = {int(one) for one in ChannelType}

_ID_TEXT = text("An id of the twin where it was saved.", max_chars=20)
_BITS = integer("Bits of permissions.")
_ANY_OBJECTS = array(record(), maximum=100)
SCHEMA = record(
    {
        "version": integer("1.", 1, VERSION),
        "options": record(about="Options that differ from the defaults."),
        "first": record(
            dict.fromkeys(("guild", "channel", "user", "bot"), _ID_TEXT), about="What every twin has."
        ),
        "roles": array(
            record(
                {"id": _ID_TEXT, "name": text(max_chars=100), "permissions": _BITS, "mentionable": boolean()},
                ("id", "name"),
            ),
            maximum=250,
        ),
        "users": array(
            record({"id": _ID_TEXT, "name": text(max_chars=100), "roles": array(_ID_TEXT)}, ("id", "name")),
            maximum=5000,
        ),
        "channels": array(
            record(
                {
                    "id": _ID_TEXT,
                    "name": text(max_chars=100),
                    "type": integer(maximum=16),
                    "topic": text(max_chars=1024),
                    "nsfw": boolean(),
                    "parent": _ID_TEXT,
                    "owner": _ID_TEXT,
                    "slow_seconds": integer(maximum=21_600),
                    "archived": boolean(),
                    "locked": boolean(),
                    "overwrites": array(
                        record(
                            {"id": _ID_TEXT, "allow": _BITS, "deny": _BITS, "is_member": boolean()}, ("id",)
                        ),
                        maximum=100,
                    ),
                },
                ("id", "name", "type"),
            ),
            maximum=500,
        ),
        "messages": array(
            record(
                {
                    "id": _ID_TEXT,
                    "channel": _ID_TEXT,
                    "author": _ID_TEXT,
                    "name": text(max_chars=80),
                    "text": text(max_chars=4000),
                    "reply_to": _ID_TEXT,
                    "embeds": _ANY_OBJECTS,
                    "components": _ANY_OBJECTS,
                    "flags": integer(),
                    "pinned": boolean(),
                    "edited": boolean(),
                    "reactions": record(about="Ids of users by emoji."),
                },
                ("id", "channel", "author"),
            ),
            maximum=20_000,
        ),
        "faults": array(
            record(
                {
                    "kind": text(choices=_KINDS),
                    "routes": array(text(max_chars=100)),
                    "after": integer(),
                    "times": integer(minimum=1),
                    "status": integer(maximum=4999),
                    "code": integer(),
                    "seconds": number(maximum=86_400.0),
                    "permission": integer(),
                },
                ("kind",),
            ),
            maximum=1000,
        ),
        "commands": array(record(), "Global commands of the first bot, as it registered them.", 200),
    },
    ("version",),
)


class SnapshotError(ValueError):
    """A document that no twin can be built from."""


# Saving


def save_state(twin: Twin) -> Json:
    """Return what the first guild of a twin holds, and its options and faults."""
    guild, state = twin.guild, twin.state
    channels = [state.channels[one] for one in guild.channel_ids if one in state.channels]
    bot_role_ids = {one for member in guild.members.values() if member.user.bot for one in member.role_ids}
    first = {"guild": guild.id, "channel": twin.channel.id, "user": twin.user.id, "bot": twin.bot.id}
    return {
        "version": VERSION,
        "options": _changed_options(twin),
        "first": {name: str(value) for name, value in first.items()},
        "roles": [
            {"id": str(one.id), "name": one.name, "permissions": int(one.permissions), "mentionable": one.mentionable}
            for one in guild.roles.values()
            if one.id not in bot_role_ids
        ],
        "users": [
            {"id": str(one.user.id), "name": one.user.name, "roles": [str(role) for role in one.role_ids]}
            for one in guild.members.values()
            if not one.user.bot
        ],
        "channels": [_save_channel(one) for one in channels],
        "messages": [
            _save_message(one)
            for channel in channels
            for one in [*channel.messages.values()][-MAX_MESSAGES:]
            if one.type in _KEPT_TYPES and not one.is_ephemeral
        ],
        "faults": [_save_fault(one) for one in twin.faults.pending],
        "commands": [*twin.bot.commands.values()],
    }  # fmt: skip


def simple_options(options: TwinOptions) -> Json:
    """Return the options that are JSON as they are; limits and buckets are objects of their own."""
    values = {one.name: getattr(options, one.name) for one in fields(options)}
    return {name: value for name, value in values.items() if isinstance(value, bool | int | float | str)}


def is_option_value(value: Any, default: object) -> bool:  # noqa: ANN401 - from outside
    """Return whether a value can be that of an option; a script writes 10.0 as 10."""
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, float):
        return isinstance(value, int | float) and math.isfinite(value) and value >= 0
    if isinstance(default, int):
        return isinstance(value, int) and 0 <= value < 1 << 53
    return isinstance(value, str) and len(value) <= 100


def _changed_options(twin: Twin) -> Json:
    default = simple_options(TwinOptions())
    return {name: value for name, value in simple_options(twin.options).items() if value != default[name]}


def _save_channel(channel: Channel) -> Json:
    saved: Json = {"id": str(channel.id), "name": channel.name, "type": int(channel.type)}
    for name, value in (("parent", channel.parent_id), ("owner", channel.owner_id)):
        if value is not None:
            saved[name] = str(value)
    for name in ("topic", "nsfw", "slow_seconds", "archived", "locked"):
        if getattr(channel, name):
            saved[name] = getattr(channel, name)
    if channel.overwrites:
        saved["overwrites"] = [
            {"id": str(key), "allow": int(one.allow), "deny": int(one.deny), "is_member": one.is_member}
            for key, one in channel.overwrites.items()
        ]
    return saved


def _save_message(message: Message) -> Json:
    draft = message.draft
    saved: Json = {
        "id": str(message.id),
        "channel": str(message.channel_id),
        "author": str(message.author.id),
        "text": draft.content,
    }
    if message.webhook is not None:
        saved["name"] = message.shown_name[:80]
    if draft.reply_to is not None:
        saved["reply_to"] = str(draft.reply_to.id)
    for name in ("embeds", "components"):
        if getattr(draft, name):
            saved[name] = [*getattr(draft, name)]
    if draft.flags:
        saved["flags"] = int(draft.flags)
    if message.pinned_at is not None:
        saved["pinned"] = True
    if message.edited_at is not None:
        saved["edited"] = True
    if message.reactions:
        saved["reactions"] = {key: [str(one) for one in people] for key, people in message.reactions.items()}
    return saved


def _save_fault(fault: Fault) -> Json:
    saved: Json = {"kind": fault.kind.name, "routes": [*fault.routes]}
    default = Fault(fault.kind)
    for name in ("after", "times", "status", "code", "seconds", "permission"):
        if getattr(fault, name) != getattr(default, name):
            saved[name] = getattr(fault, name)
    return saved


# Loading


def load_state(twin: Twin, document: Json) -> Json:
    """Build what a document describes, on a twin without messages.

    Returns:
        The new id of each id in the document.

    Raises:
        SnapshotError: The document is wrong; the twin may be half built.

    """
    try:
        check(SCHEMA, document, "state")
    except InvalidBody as error:
        raise SnapshotError(str(error)) from None
    return _Loader(twin, document).load()


class _Loader:
    def __init__(self, twin: Twin, document: Json) -> None:
        self._twin = twin
        self._document = document
        # New ids by old ones.
        self._ids: dict[str, int] = {}
        self._messages: dict[str, Message] = {}

    def load(self) -> Json:
        twin, document = self._twin, self._document
        first = document.get("first", {})
        known = {"guild": twin.guild.id, "channel": twin.channel.id, "user": twin.user.id, "bot": twin.bot.id}
        self._ids = {first[name]: own for name, own in known.items() if name in first}
        self._set_options(document.get("options", {}))
        self._load_roles()
        self._load_users()
        # Categories and parents come before what is in them.
        for channel in sorted(document.get("channels", ()), key=lambda one: "parent" in one):
            self._load_channel(channel)
        for command in document.get("commands", ()):
            self._load_command(command)
        for message in document.get("messages", ()):
            self._load_message(message)
        for fault in document.get("faults", ()):
            routes = {"routes": tuple(fault["routes"])} if "routes" in fault else {}
            twin.faults.add(Fault(**{**fault, "kind": FaultKind[fault["kind"]], **routes}))
        return {"ids": {old: str(new) for old, new in self._ids.items()}, "messages": len(self._messages)}

    def _set_options(self, options: Json) -> None:
        known = simple_options(TwinOptions())
        for name, value in options.items():
            if name not in known or not is_option_value(value, known[name]):
                raise SnapshotError(
                    f"state.options.{name[:100]}: there is no such option, or no such value of it"
                )
        try:
            self._twin.configure(**options)
        except ValueError as error:
            raise SnapshotError(f"state.options: {error}") from None

    def _load_roles(self) -> None:
        guild, state = self._twin.guild, self._twin.state
        for one in self._document.get("roles", ()):
            permissions = Permission(one.get("permissions", 0))
            if self._ids.get(one["id"]) == guild.id:
                guild.roles[guild.id].permissions = permissions
                continue
            role = state.add_role(guild, one["name"], permissions, mentionable=one.get("mentionable", False))
            self._ids[one["id"]] = role.id

    def _load_users(self) -> None:
        for one in self._document.get("users", ()):
            if one["id"] in self._ids:
                user = self._twin.state.users[self._ids[one["id"]]]
            else:
                user = self._twin.add_user(one["name"])
                self._ids[one["id"]] = user.id
            member = self._twin.guild.members[user.id]
            member.role_ids = [self._ids[role] for role in one.get("roles", ()) if role in self._ids]

    def _load_channel(self, given: Json) -> None:
        twin = self._twin
        if given["type"] not in _TYPES:
            raise SnapshotError(f"state.channels: there is no type {given['type']}")
        type_ = ChannelType(given["type"])
        overwrites = {
            self._ids.get(one["id"], 0): Overwrite(
                Permission(one.get("allow", 0)), Permission(one.get("deny", 0)), one.get("is_member", False)
            )
            for one in given.get("overwrites", ())
        }
        overwrites.pop(0, None)
        if given["id"] in self._ids:
            channel = twin.channel
            channel.name, channel.topic = given["name"], given.get("topic")
            channel.nsfw, channel.slow_seconds = given.get("nsfw", False), given.get("slow_seconds", 0)
            channel.overwrites = overwrites
            twin.state.change_channel(channel)
            return
        channel = Channel(
            twin.state.make_id(), type_, given["name"], twin.guild.id, self._ids.get(given.get("parent", "")),
            given.get("topic"), overwrites, nsfw=given.get("nsfw", False), slow_seconds=given.get("slow_seconds", 0),
            archived=given.get("archived", False), locked=given.get("locked", False),
            owner_id=self._ids.get(given.get("owner", "")),
        )  # fmt: skip
        if channel.is_thread:
            if channel.parent_id not in twin.state.channels:
                raise SnapshotError(f"state.channels: the thread {given['name']!r} has no parent")
            channel.owner_id = channel.owner_id or twin.user.id
            channel.member_ids.append(channel.owner_id)
        twin.state.open_channel(channel, "THREAD_CREATE" if channel.is_thread else "CHANNEL_CREATE")
        self._ids[given["id"]] = channel.id

    def _load_command(self, given: Json) -> None:
        command_id = given.get("id")
        if (
            not isinstance(command_id, str)
            or not command_id.isdecimal()
            or not isinstance(given.get("name"), str)
        ):
            raise SnapshotError("state.commands: a command has an id and a name")
        # A bot that is connected has registered its own, which are newer.
        if not any(one["name"] == given["name"] for one in self._twin.bot.commands.values()):
            own = {"application_id": str(self._twin.bot.id), "type": 1, "version": command_id}
            self._twin.bot.commands[int(command_id)] = {**own, **given}

    def _load_message(self, given: Json) -> None:
        state = self._twin.state
        channel = state.channels.get(self._ids.get(given["channel"], 0))
        if channel is None or channel.is_forum:
            raise SnapshotError(f"state.messages: {given['id']} is in no channel of the state")
        author, webhook = self._author(given), None
        if "name" in given and channel.guild_id is not None:
            home = state.home_of(channel)
            webhook = next(iter(state.webhooks_of(home)), None) or state.add_webhook(
                home, "streamcord", self._twin.bot.user
            )
        draft = Draft(
            content=self._renamed(given.get("text", "")),
            embeds=tuple(self._renamed(given.get("embeds", []))),
            components=tuple(self._renamed(given.get("components", []))),
            flags=MessageFlag(given.get("flags", 0)) & ~MessageFlag.LOADING & ~MessageFlag.HAS_THREAD,
            username=given.get("name"),
        )
        reply = self._messages.get(given.get("reply_to", ""))
        if reply is not None:
            draft = replace(draft, reply_to=reply, reply_ids=(reply.channel_id, reply.id))
        type_ = MessageType.REPLY if reply is not None else MessageType.DEFAULT
        message = state.post(channel, author, draft, type_=type_, webhook=webhook)
        message.edited_at = state.now() if given.get("edited") else None
        message.is_rewritten = bool(given.get("edited"))
        message.pinned_at = state.now() if given.get("pinned") else None
        for key, people in given.get("reactions", {}).items():
            if isinstance(people, list):
                known = [self._ids.get(one, 0) for one in people if isinstance(one, str)]
                message.reactions[self._renamed(key)] = [one for one in known if one in state.users]
        message.reactions = {key: people for key, people in message.reactions.items() if people}
        self._ids[given["id"]] = message.id
        self._messages[given["id"]] = message

    def _author(self, given: Json) -> User:
        author = self._twin.state.users.get(self._ids.get(given["author"], 0))
        # Messages of webhooks and of further bots become the first bot's.
        return author or self._twin.bot.user

    def _renamed(self, value: Any) -> Any:  # noqa: ANN401 - a part of a JSON document
        """Return a value with new ids in the place of old ones."""
        new = _ID.sub(lambda found: str(self._ids.get(found[0], found[0])), json.dumps(value))
        return json.loads(new)
