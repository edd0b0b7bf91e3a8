"""Stickers of guilds; their pictures are on the CDN.

https://docs.discord.com/developers/resources/sticker
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import guild_changes as changes
from ..state.permissions import Permission
from ..state.serializers import serialize_sticker
from ..validation.guild_objects import STICKER
from ..validation.table import check
from .members import find_guild, need_in_guild

if TYPE_CHECKING:
    from ..state.models import Guild, Sticker


def list_stickers(call: Call) -> Reply:
    """GET /guilds/{guild_id}/stickers ."""
    guild = find_guild(call)
    return Reply([serialize_sticker(guild, one) for one in guild.stickers.values()])


def _sticker(call: Call) -> tuple[Guild, Sticker]:
    # `/stickers/{id}` names no guild.
    guilds = [find_guild(call)] if "guild_id" in call.ids else list(call.state.guilds.values())
    wanted = call.id("sticker_id", 10060)
    for guild in guilds:
        if wanted in guild.stickers:
            return guild, guild.stickers[wanted]
    raise ApiError(10060)


def read_sticker(call: Call) -> Reply:
    """GET /guilds/{guild_id}/stickers/{sticker_id} and /stickers/{sticker_id} ."""
    return Reply(serialize_sticker(*_sticker(call)))


def create_sticker(call: Call) -> Reply:
    """POST /guilds/{guild_id}/stickers , a form with a file."""
    guild, payload = find_guild(call), call.payload
    need_in_guild(call, guild, Permission.CREATE_EXPRESSIONS | Permission.MANAGE_EXPRESSIONS)
    check(STICKER, payload, call.options)
    if not call.form.uploads:
        raise invalid_form("file", "BASE_TYPE_REQUIRED", "This field is required")
    texts = (str(payload.get(name) or "") for name in ("name", "description", "tags"))
    sticker = changes.add_sticker(call.state, guild, *texts)
    sticker.content = call.form.uploads[0].content
    return Reply(serialize_sticker(guild, sticker), status=201)


def change_sticker(call: Call) -> Reply:
    """PATCH /guilds/{guild_id}/stickers/{sticker_id} ."""
    guild, sticker = _sticker(call)
    need_in_guild(call, guild, Permission.MANAGE_EXPRESSIONS)
    now = {"name": sticker.name, "description": sticker.description, "tags": sticker.tags}
    check(STICKER, {**now, **call.payload}, call.options)
    for name, old in now.items():
        setattr(sticker, name, str(call.payload.get(name) or old))
    changes.dispatch_stickers(call.state, guild)
    return Reply(serialize_sticker(guild, sticker))


def delete_sticker(call: Call) -> Reply:
    """DELETE /guilds/{guild_id}/stickers/{sticker_id} ."""
    guild, sticker = _sticker(call)
    need_in_guild(call, guild, Permission.MANAGE_EXPRESSIONS)
    del guild.stickers[sticker.id]
    changes.dispatch_stickers(call.state, guild)
    return NO_CONTENT


_STICKERS = "/guilds/{guild_id}/stickers"


ROUTES = (
    Route("stickers.list", "GET", _STICKERS, list_stickers),
    Route("stickers.create", "POST", _STICKERS, create_sticker),
    Route("stickers.get", "GET", _STICKERS + "/{sticker_id}", read_sticker),
    Route("stickers.edit", "PATCH", _STICKERS + "/{sticker_id}", change_sticker),
    Route("stickers.delete", "DELETE", _STICKERS + "/{sticker_id}", delete_sticker),
    Route("stickers.get", "GET", "/stickers/{sticker_id}", read_sticker),
)
