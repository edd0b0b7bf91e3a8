"""Users, the application itself, direct messages, where the gateway is, and lists that are the same for all.

https://docs.discord.com/developers/resources/user
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..rest.routing import NO_CONTENT, Call, Reply, Route, is_true
from ..state.message_changes import remove_member
from ..state.permissions import permissions_of
from ..state.serializers import (
    count_members,
    serialize_application,
    serialize_channel,
    serialize_guild,
    serialize_member,
    serialize_own_user,
    serialize_user,
)
from ..validation.guild_objects import APPLICATION, OPEN_DM, USER
from ..validation.table import check
from .members import find_guild

if TYPE_CHECKING:
    from collections.abc import Callable

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


def read_application(call: Call) -> Reply:
    """GET /oauth2/applications/@me and /applications/@me ."""
    shape = serialize_application(call.bot)
    # The flag says that the privileged intent is turned on.
    return Reply(shape if call.options.message_content_intent else {**shape, "flags": 0})


def change_application(call: Call) -> Reply:
    """PATCH /applications/@me : the twin keeps the description only."""
    payload = check(APPLICATION, call.payload, call.options)
    if "description" in payload:
        given = payload["description"]
        # With translations it is an object.
        call.bot.description = str((given.get("default") if isinstance(given, dict) else given) or "")
    return read_application(call)


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
    Route("applications.own", "GET", "/oauth2/applications/@me", read_application),
    Route("applications.own", "GET", "/applications/@me", read_application),
    Route("applications.edit_own", "PATCH", "/applications/@me", change_application),
    Route("users.own_member", "GET", "/users/@me/guilds/{guild_id}/member", read_own_member),
    Route("users.leave_guild", "DELETE", "/users/@me/guilds/{guild_id}", leave_guild),
    Route("gateway.get", "GET", "/gateway", gateway, open=True),
    Route("gateway.bot", "GET", "/gateway/bot", gateway_bot),
)


_SOUND = {
    "sound_id": "1",
    "name": "quack",
    "volume": 1.0,
    "emoji_id": None,
    "emoji_name": "🦆",
    "available": True,
}
_REGION = {"id": "local", "name": "Local", "optimal": True, "deprecated": False, "custom": False}


# Catalogues that no bot can change here: one entry, or none.
def _always(payload: object) -> Callable[[Call], Reply]:
    def answer(_call: Call) -> Reply:
        return Reply(payload)

    return answer


def _of_guild(payload: object) -> Callable[[Call], Reply]:
    def answer(call: Call) -> Reply:
        find_guild(call)
        return Reply(payload)

    return answer


def _of_application(call: Call) -> Reply:
    if call.id("application_id", 10002) != call.bot.id:
        raise ApiError(50001)
    return Reply([])


_GUILD, _APPLICATION = "/guilds/{guild_id}", "/applications/{application_id}"

CATALOG_ROUTES = (
    Route("sounds.default", "GET", "/soundboard-default-sounds", _always([_SOUND])),
    Route("sounds.list", "GET", _GUILD + "/soundboard-sounds", _of_guild({"items": []})),
    Route("stickers.packs", "GET", "/sticker-packs", _always({"sticker_packs": []})),
    Route("voice.regions", "GET", "/voice/regions", _always([_REGION])),
    Route("voice.regions", "GET", _GUILD + "/regions", _of_guild([_REGION])),
    Route("guilds.integrations", "GET", _GUILD + "/integrations", _of_guild([])),
    Route("guilds.events", "GET", _GUILD + "/scheduled-events", _of_guild([])),
    Route("automod.list", "GET", _GUILD + "/auto-moderation/rules", _of_guild([])),
    Route("entitlements.list", "GET", _APPLICATION + "/entitlements", _of_application),
    Route("skus.list", "GET", _APPLICATION + "/skus", _of_application),
    Route("applications.metadata", "GET", _APPLICATION + "/role-connections/metadata", _of_application),
)
