"""Users, the application itself, direct-message channels, and where the gateway is.

https://docs.discord.com/developers/resources/user
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamcord._twin.rest.refusals import Refusal
from streamcord._twin.rest.routing import Call, Reply, Route
from streamcord._twin.state.permissions import permissions_of
from streamcord._twin.state.shapes import (
    application_shape,
    channel_shape,
    guild_shape,
    own_user_shape,
    user_shape,
)

if TYPE_CHECKING:
    from streamcord._twin.state.model import Guild, Json, User

__all__ = ["ROUTES"]


def read_own(call: Call) -> Reply:
    """GET /users/@me ."""
    return Reply(own_user_shape(call.bot.user))


def change_own(call: Call) -> Reply:
    """PATCH /users/@me : the bot's name."""
    call.bot.user.name = str(call.payload.get("username") or call.bot.user.name)
    return Reply(own_user_shape(call.bot.user))


def read(call: Call) -> Reply:
    """GET /users/{user_id} ."""
    user = call.state.users.get(call.id("user_id", 10013))
    if user is None:
        raise Refusal(10013)
    return Reply(user_shape(user))


def open_dm(call: Call) -> Reply:
    """POST /users/@me/channels ; opening never fails, only sending into it may."""
    user = call.state.users.get(int(call.payload["recipient_id"]))
    if user is None:
        raise Refusal(10013)
    return Reply(channel_shape(call.state.open_dm(call.bot.user, user)))


def list_guilds(call: Call) -> Reply:
    """GET /users/@me/guilds ."""
    mine = [guild for guild in call.state.guilds.values() if call.bot.user.id in guild.members]
    return Reply([_partial(guild, call.bot.user) for guild in mine])


def _partial(guild: Guild, user: User) -> Json:
    granted = permissions_of(guild, guild.members[user.id])
    return {**guild_shape(guild), "owner": guild.owner_id == user.id, "permissions": str(int(granted))}


def read_application(call: Call) -> Reply:
    """GET /oauth2/applications/@me and /applications/@me ."""
    shape = application_shape(call.bot)
    return Reply(shape if call.switches.message_content_intent else {**shape, "flags": 0})


def gateway(call: Call) -> Reply:
    """GET /gateway ."""
    return Reply({"url": call.world.gateway.url})


def gateway_bot(call: Call) -> Reply:
    """GET /gateway/bot ."""
    total = call.switches.identify_budget
    left = max(0, total - call.world.gateway.identifies)
    limit = {"total": total, "remaining": left, "reset_after": 86_400_000, "max_concurrency": 1}
    return Reply({"url": call.world.gateway.url, "shards": 1, "session_start_limit": limit})


ROUTES = (
    Route("users.own", "GET", "/users/@me", read_own),
    Route("users.edit_own", "PATCH", "/users/@me", change_own),
    Route("users.get", "GET", "/users/{user_id}", read),
    Route("users.open_dm", "POST", "/users/@me/channels", open_dm),
    Route("users.guilds", "GET", "/users/@me/guilds", list_guilds),
    Route("applications.own", "GET", "/oauth2/applications/@me", read_application),
    Route("applications.own", "GET", "/applications/@me", read_application),
    Route("gateway.get", "GET", "/gateway", gateway, open=True),
    Route("gateway.bot", "GET", "/gateway/bot", gateway_bot),
)
