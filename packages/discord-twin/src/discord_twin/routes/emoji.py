"""Emoji of the application and of guilds; their pictures are on the CDN.

https://docs.discord.com/developers/resources/emoji
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..images import image_kind, read_data_uri
from ..rest.routing import NO_CONTENT, Call, Reply, Route
from ..state import guild_changes as changes
from ..state.models import Emoji
from ..state.permissions import Permission
from ..state.serializers import serialize_emoji, serialize_user
from ..validation.guild_objects import EMOJI
from ..validation.table import check
from .members import find_guild, need_in_guild

if TYPE_CHECKING:
    from ..state.models import Json

_MAX_PICTURE_BYTES = 256 * 1024
_MAX_APPLICATION_EMOJI, _MAX_GUILD_EMOJI = 2000, 50


# Emoji, of the application or of a guild


def _emojis(call: Call) -> dict[int, Emoji]:
    if "guild_id" in call.ids:
        return find_guild(call).emojis
    if call.id("application_id", 10002) != call.bot.id:
        raise ApiError(50001, status=403)
    return call.bot.emojis


def _shape(call: Call, emoji: Emoji) -> Json:
    return {**serialize_emoji(emoji), "user": serialize_user(call.bot.user)}


def _require_permission(call: Call, permission: Permission) -> None:
    if "guild_id" in call.ids:
        need_in_guild(call, find_guild(call), permission | Permission.MANAGE_EXPRESSIONS)


def _changed(call: Call) -> None:
    if "guild_id" in call.ids:
        changes.dispatch_emojis(call.state, find_guild(call))


def list_all(call: Call) -> Reply:
    """GET the emoji."""
    shapes = [_shape(call, emoji) for emoji in _emojis(call).values()]
    # Guilds return a list, applications an object: https://docs.discord.com/developers/resources/emoji
    return Reply(shapes if "guild_id" in call.ids else {"items": shapes})


def _find(call: Call) -> Emoji:
    emoji = _emojis(call).get(call.id("emoji_id", 10014))
    if emoji is None:
        raise ApiError(10014)
    return emoji


def read(call: Call) -> Reply:
    """GET one emoji."""
    return Reply(_shape(call, _find(call)))


def create(call: Call) -> Reply:
    """POST one emoji."""
    emojis, picture = _emojis(call), read_data_uri(str(call.payload.get("image", "")))
    _require_permission(call, Permission.CREATE_EXPRESSIONS)
    check(EMOJI, call.payload, call.options)
    if picture is None:
        raise invalid_form("image", "IMAGE_INVALID", "Invalid image data")
    if len(picture) > _MAX_PICTURE_BYTES:
        raise invalid_form("image", "BINARY_TYPE_MAX_SIZE", "File cannot be larger than 256.0 kb.")
    _check_name(call, str(call.payload["name"]))
    if len(emojis) >= (_MAX_GUILD_EMOJI if "guild_id" in call.ids else _MAX_APPLICATION_EMOJI):
        raise ApiError(30008)
    emoji = Emoji(call.state.make_id(), str(call.payload["name"]), image_kind(picture) == "gif")
    emojis[emoji.id] = emoji
    # The CDN looks pictures of emoji up by id.
    call.state.pictures[str(emoji.id)] = picture
    _changed(call)
    return Reply(_shape(call, emoji), status=201)


def _check_name(call: Call, name: str) -> None:
    # In a guild two may have one name; in an application not.
    taken = any(emoji.name == name for emoji in _emojis(call).values())
    if taken and "guild_id" not in call.ids:
        raise invalid_form("name", "APPLICATION_EMOJI_NAME_ALREADY_TAKEN", "An emoji has this name already.")


def change(call: Call) -> Reply:
    """PATCH one emoji: its name."""
    emoji = _find(call)
    _require_permission(call, Permission.MANAGE_EXPRESSIONS)
    check(EMOJI, call.payload, call.options)
    changed = Emoji(emoji.id, str(call.payload["name"]), emoji.animated)
    _emojis(call)[emoji.id] = changed
    _changed(call)
    return Reply(_shape(call, changed))


def delete(call: Call) -> Reply:
    """DELETE one emoji, and its picture."""
    emoji = _find(call)
    _require_permission(call, Permission.MANAGE_EXPRESSIONS)
    del _emojis(call)[emoji.id]
    call.state.pictures.pop(str(emoji.id), None)
    _changed(call)
    return NO_CONTENT


def _emoji_routes(base: str) -> tuple[Route, ...]:
    one = base + "/{emoji_id}"
    return (
        Route("emojis.list", "GET", base, list_all),
        Route("emojis.create", "POST", base, create),
        Route("emojis.get", "GET", one, read),
        Route("emojis.edit", "PATCH", one, change),
        Route("emojis.delete", "DELETE", one, delete),
    )


ROUTES = (
    *_emoji_routes("/applications/{application_id}/emojis"),
    *_emoji_routes("/guilds/{guild_id}/emojis"),
)
