"""Emoji of the application itself: up to 2000, usable everywhere, their pictures on the CDN for good.

https://docs.discord.com/developers/resources/emoji#emoji-object-applicationowned-emoji
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamcord._shared.image_kinds import image_kind, read_data_uri
from streamcord._twin.rest.refusals import Refusal, invalid_form
from streamcord._twin.rest.routing import NO_CONTENT, Call, Reply, Route
from streamcord._twin.state.model import Emoji
from streamcord._twin.state.shapes import emoji_shape, user_shape

if TYPE_CHECKING:
    from streamcord._twin.state.model import Json

__all__ = ["ROUTES"]

_NAME = re.compile(r"\w{2,32}", re.ASCII)
_PICTURE_CAP = 256 * 1024
_CAP = 2000


def _emojis(call: Call) -> dict[int, Emoji]:
    if call.id("application_id", 10002) != call.bot.id:
        raise Refusal(50001, status=403)
    return call.bot.emojis


def _shape(call: Call, emoji: Emoji) -> Json:
    return {**emoji_shape(emoji), "user": user_shape(call.bot.user)}


def list_all(call: Call) -> Reply:
    """GET the emoji."""
    return Reply({"items": [_shape(call, emoji) for emoji in _emojis(call).values()]})


def create(call: Call) -> Reply:
    """POST one emoji."""
    emojis, name = _emojis(call), str(call.payload.get("name", ""))
    picture = read_data_uri(str(call.payload.get("image", "")))
    if not _NAME.fullmatch(name):
        raise invalid_form("name", "STRING_TYPE_REGEX", "String value did not match validation regex.")
    if picture is None:
        raise invalid_form("image", "IMAGE_INVALID", "Invalid image data")
    if len(picture) > _PICTURE_CAP:
        raise invalid_form("image", "BINARY_TYPE_MAX_SIZE", "File cannot be larger than 256.0 kb.")
    if any(emoji.name == name for emoji in emojis.values()):
        raise invalid_form("name", "APPLICATION_EMOJI_NAME_ALREADY_TAKEN", "An emoji has this name already.")
    if len(emojis) >= _CAP:
        raise Refusal(30008)
    emoji = Emoji(call.state.make_id(), name, image_kind(picture) == "gif")
    emojis[emoji.id] = emoji
    call.state.pictures[str(emoji.id)] = picture
    return Reply(_shape(call, emoji), status=201)


def delete(call: Call) -> Reply:
    """DELETE one emoji, and its picture."""
    if _emojis(call).pop(call.id("emoji_id", 10014), None) is None:
        raise Refusal(10014)
    call.state.pictures.pop(call.ids["emoji_id"], None)
    return NO_CONTENT


_BASE = "/applications/{application_id}/emojis"

ROUTES = (
    Route("emojis.list", "GET", _BASE, list_all),
    Route("emojis.create", "POST", _BASE, create),
    Route("emojis.delete", "DELETE", _BASE + "/{emoji_id}", delete),
)
