"""Users, direct messages, and where the gateway is.

https://docs.discord.com/developers/resources/user
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..rest.routing import NO_CONTENT, Call, Reply, Route, is_true
from ..state.guild_changes import remove_member
from ..state.permissions import permissions_of
from ..state.serializers import (
    count_members,
    serialize_channel,
    serialize_guild,
    serialize_member,
    serialize_own_user,
    serialize_user,
)
from ..validation.guild_objects import OPEN_DM, USER
from ..validation.table import check
from .members import find_guild

if TYPE_CHECKING:
    from ..state.models import Guild, Json, User


def read_own(call: Call) -> Reply:
    """GET /users/@me ."""
    return Reply(serialize_own_user(call.bot.user))


def change_own(call: Call) -> Reply:
    """PATCH /users/@me : the bot's name."""
    check(USER, call.payload, call.options)
    name = str(call.payload.get("username") or call.bot.user.name).strip()
    if not 2 <= len(name) <= 32:
        raise invalid_form("username", "BASE_TYPE_BAD_LENGTH", "Must be between 2 and 32 in length.")
    call.bot.user.name = name
    return Reply(serialize_own_user(call.bot.user))


def read_own_member(call: Call) -> Reply:
    """GET /users/@me/guilds/{guild_id}/member ."""
    return Reply(serialize_member(find_guild(call).members[call.bot.user.id]))


def leave_guild(call: Call) -> Reply:
    """DELETE /users/@me/guilds/{guild_id} ."""
    remove_member(call.state, find_guild(call), call.bot.user)
    return NO_CONTENT


def read(call: Call) -> Reply:
    """GET /users/{user_id} ."""
    user = call.state.users.get(call.id("user_id", 10013))
    if user is None:
        raise ApiError(10013)
    return Reply(serialize_user(user))


def open_dm(call: Call) -> Reply:
    """POST /users/@me/channels ; opening never fails, only sending into it may."""
    check(OPEN_DM, call.payload, call.options)
    raw = str(call.payload.get("recipient_id") or "")
    if not raw:
        raise invalid_form("recipient_id", "BASE_TYPE_REQUIRED", "This field is required")
    user = call.state.users.get(int(raw)) if raw.isdecimal() else None
    if user is None or user.id == call.bot.user.id:
        raise ApiError(50033)
    return Reply(serialize_channel(call.state.open_dm(call.bot.user, user)))


def list_guilds(call: Call) -> Reply:
    """GET /users/@me/guilds ; `with_counts` also says how many users each has."""
    # Guilds that the bot left stay in the state.
    mine = [guild for guild in call.state.guilds.values() if call.bot.user.id in guild.members]
    counted = is_true(call.query.get("with_counts"))
    return Reply(
        [{**_partial(guild, call.bot.user), **(count_members(guild) if counted else {})} for guild in mine]
    )


def _partial(guild: Guild, user: User) -> Json:
    granted = permissions_of(guild, guild.members[user.id])
    return {**serialize_guild(guild), "owner": guild.owner_id == user.id, "permissions": str(int(granted))}


def gateway(call: Call) -> Reply:
    """GET /gateway ."""
    return Reply({"url": call.context.gateway.url})


def gateway_bot(call: Call) -> Reply:
    """GET /gateway/bot ."""
    total = call.options.identify_budget
    # Identifies above the budget are counted as well.
    left = max(0, total - call.context.gateway.identifies)
    limit = {"total": total, "remaining": left, "reset_after": 86_400_000, "max_concurrency": 1}
    return Reply({"url": call.context.gateway.url, "shards": 1, "session_start_limit": limit})


ROUTES = (
    Route("users.own", "GET", "/users/@me", read_own),
    Route("users.edit_own", "PATCH", "/users/@me", change_own),
    Route("users.get", "GET", "/users/{user_id}", read),
    Route("users.open_dm", "POST", "/users/@me/channels", open_dm),
    Route("users.guilds", "GET", "/users/@me/guilds", list_guilds),
    Route("users.own_member", "GET", "/users/@me/guilds/{guild_id}/member", read_own_member),
    Route("users.leave_guild", "DELETE", "/users/@me/guilds/{guild_id}", leave_guild),
    Route("gateway.get", "GET", "/gateway", gateway, open=True),
    Route("gateway.bot", "GET", "/gateway/bot", gateway_bot),
)
