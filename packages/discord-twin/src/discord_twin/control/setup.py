"""Operations that prepare a twin: guilds, channels, roles, users, bots and permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state import guild_changes as changes
from ..state.enums import ChannelType
from ..state.permissions import NONE, Permission
from .body_schema import array, boolean, integer, text
from .lookup import find_application, find_channel, find_guild, find_role, find_user
from .operations import ControlError, OperationList
from .views import application_view, channel_view, guild_view, message_view, role_view, user_view

if TYPE_CHECKING:
    from ..state.models import Json, Role, User
    from .operations import ControlCall

operations = OperationList()
_PERMISSIONS = {one.name: one for one in Permission if one.name}
_TYPES = {one.name.lower(): one for one in ChannelType}
_MADE = ("text", "voice", "category", "announcement", "stage", "forum", "media")
_NAME = text("1 to 100 characters.", max_chars=100)
_GUILD = text("Id or name of a guild; the first one if left out.", max_chars=100)
_PERMISSION_LIST = array(
    text("Such as SEND_MESSAGES.", choices=tuple(_PERMISSIONS)), "Names of permissions.", maximum=64
)


def _named(given: str) -> str:
    name = given.strip()
    if not name:
        raise ControlError(400, "a name has 1 to 100 characters")
    return name


def _bits(names: list[str] | None) -> Permission:
    bits = NONE
    for name in names or ():
        bits |= _PERMISSIONS[name]
    return bits


@operations.add("GET", "guilds", returns="Guilds")
async def _list_guilds(call: ControlCall) -> Json:
    """List guilds with channels, roles and members."""
    return {"guilds": [guild_view(call.twin, one) for one in call.twin.state.guilds.values()]}


@operations.add(
    "POST",
    "guilds",
    {
        "name": _NAME,
        "owner": text("Id or name of a user.", max_chars=100),
        "channels": array(_NAME, "Names of text channels; general if left out.", maximum=200),
        "bots": array(_NAME, "Names of bots; the first one if left out.", maximum=20),
    },
    required=("name",),
    returns="Guild",
)
async def _add_guild(call: ControlCall) -> Json:
    """Create a guild; its bots get GUILD_CREATE."""
    state = call.twin.state
    owner = find_user(call.twin, call.body.get("owner"))
    guild = state.add_guild(_named(call.body["name"]), owner)
    for name in call.body.get("channels", ["general"]):
        state.add_channel(guild, _named(name))
    # Bots join last: they are told of the guild with everything in it.
    for name in call.body.get("bots", [call.twin.bot.user.name]):
        state.add_member(guild, find_application(call.twin, name).user)
    return guild_view(call.twin, guild)


@operations.add("DELETE", "guilds/{guild}")
async def _delete_guild(call: ControlCall) -> None:
    """Delete a guild; its bots get GUILD_DELETE."""
    guild = find_guild(call.twin, call.ids["guild"])
    if guild is call.twin.guild:
        raise ControlError(409, "the first guild stays; reset empties it")
    call.twin.state.delete_guild(guild)


@operations.add(
    "POST",
    "channels",
    {
        "name": _NAME,
        "guild": _GUILD,
        "type": text("What it is.", choices=_MADE),
        "topic": text("Its topic.", max_chars=1024),
        "nsfw": boolean("Whether it is age-restricted."),
        "parent": text("Id or name of a category.", max_chars=100),
        "slow_seconds": integer("Slow mode.", maximum=21_600),
    },
    required=("name",),
    returns="Channel",
)
async def _add_channel(call: ControlCall) -> Json:
    """Create a channel."""
    twin, body = call.twin, call.body
    guild = find_guild(twin, body.get("guild"))
    parent = find_channel(twin, body["parent"]) if "parent" in body else None
    type_ = _TYPES[body.get("type", "text")]
    channel = twin.state.add_channel(guild, _named(body["name"]), type_)
    channel.topic = body.get("topic")
    channel.nsfw = body.get("nsfw", False)
    channel.slow_seconds = body.get("slow_seconds", 0)
    channel.parent_id = parent.id if parent else None
    twin.state.change_channel(channel)
    return channel_view(channel)


@operations.add("DELETE", "channels/{channel}")
async def _delete_channel(call: ControlCall) -> None:
    """Delete a channel."""
    channel = find_channel(call.twin, call.ids["channel"])
    if channel is call.twin.channel:
        raise ControlError(409, "the first channel stays; reset empties it")
    call.twin.state.delete_channel(channel)


@operations.add("GET", "channels/{channel}", returns="Channel")
async def _read_channel(call: ControlCall) -> Json:
    """Read a channel with its newest 500 messages."""
    channel = find_channel(call.twin, call.ids["channel"])
    messages = [message_view(call.twin, one) for one in [*channel.messages.values()][-500:]]
    return {**channel_view(channel), "messages": messages}


@operations.add(
    "POST",
    "roles",
    {
        "name": _NAME,
        "guild": _GUILD,
        "permissions": _PERMISSION_LIST,
        "mentionable": boolean("Whether everybody may mention it."),
    },
    required=("name",),
    returns="Role",
)
async def _add_role(call: ControlCall) -> Json:
    """Create a role."""
    body = call.body
    guild = find_guild(call.twin, body.get("guild"))
    bits = _bits(body.get("permissions"))
    role = call.twin.state.add_role(
        guild, _named(body["name"]), bits, mentionable=body.get("mentionable", False)
    )
    return role_view(role)


@operations.add(
    "POST",
    "users",
    {
        "name": text("1 to 32 characters.", max_chars=32),
        "guild": _GUILD,
        "roles": array(_NAME, "Ids or names of roles.", maximum=100),
        "accepts_dms": boolean("Whether bots may write to them directly."),
        "locale": text("The language of their client, such as en-US.", max_chars=10),
    },
    required=("name",),
    returns="User",
)
async def _add_user(call: ControlCall) -> Json:
    """Let a user join; one of that name is not made twice."""
    twin, body = call.twin, call.body
    name = _named(body["name"])
    known = next((one for one in twin.state.users.values() if one.name == name and not one.bot), None)
    user = known or twin.state.add_user(name)
    guild = find_guild(twin, body.get("guild"))
    roles = [find_role(guild, one) for one in body.get("roles", ())]
    if user.id not in guild.members:
        twin.state.add_member(guild, user, roles)
    elif roles:
        member = guild.members[user.id]
        member.role_ids.extend(one.id for one in roles if one.id not in member.role_ids)
        changes.change_member(twin.state, guild, member)
    user.accepts_dms = body.get("accepts_dms", user.accepts_dms)
    user.locale = body.get("locale", user.locale)
    return user_view(user)


@operations.add(
    "POST",
    "bots",
    {"name": text("1 to 32 characters.", max_chars=32), "guild": _GUILD},
    required=("name",),
    returns="Bot",
)
async def _add_bot(call: ControlCall) -> Json:
    """Add a second bot with a token of its own."""
    state = call.twin.state
    name = _named(call.body["name"])
    if any(one.user.name == name for one in state.applications.values()):
        raise ControlError(409, f"there is a bot {name!r} already")
    application = state.add_application(name, call.twin.user)
    state.add_member(find_guild(call.twin, call.body.get("guild")), application.user)
    return application_view(application)


@operations.add(
    "POST",
    "permissions",
    {
        "channel": text("Id or name.", max_chars=100),
        "user": text("Id or name; the bot if left out.", max_chars=100),
        "role": text("Id or name; @everyone is everybody.", max_chars=100),
        "allow": _PERMISSION_LIST,
        "deny": _PERMISSION_LIST,
    },
    returns="Channel",
)
async def _set_permissions(call: ControlCall) -> Json:
    """Set what a channel allows and denies a user or role.

    The bot is meant if no one is named.
    """
    twin, body = call.twin, call.body
    channel = find_channel(twin, body.get("channel"))
    target: User | Role = twin.bot.user
    if "role" in body:
        target = find_role(find_guild(twin, str(channel.guild_id)), body["role"])
    elif "user" in body:
        target = find_user(twin, body["user"])
    if channel.guild_id is None:
        raise ControlError(409, "a direct message has no permissions")
    twin.state.overwrite(channel, target, allow=_bits(body.get("allow")), deny=_bits(body.get("deny")))
    return channel_view(channel)
