"""Lists that no bot can change here, with one entry or none: sounds, sticker packs, voice regions, integrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError
from ..rest.routing import Call, Reply, Route
from .members import find_guild

if TYPE_CHECKING:
    from collections.abc import Callable


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

ROUTES = (
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
