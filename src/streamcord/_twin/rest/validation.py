"""Texts and names as they will be shown: trimmed, without what cannot be seen, or refused.

Lengths are code points, because "our API uses Python 3"
(https://github.com/discord/discord-api-docs/issues/1315). What a body may hold is in `rules/`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..rules.rule_table import measure
from .refusals import Refusal, invalid_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..state.model import Json
    from ..switches import Switches

__all__ = [
    "check_moderation",
    "clean_content",
    "clean_embeds",
    "read_nonce",
    "read_webhook_name",
    "safe_filename",
]

_INVALID = re.compile("[\x00\ud800-\udfff]")
# Characters that draw nothing are taken out of names (developers/resources/user, "Usernames and Nicknames").
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_UNSAFE_IN_FILENAME = re.compile(r"[^A-Za-z0-9_.\-]+")
_NAME_LIMIT = 80
_NONCE_LIMIT = 25
_TRIMMED = (("title",), ("description",), ("footer", "text"), ("author", "name"))


def clean_content(value: object, switches: Switches) -> str:
    """The text that will stand in the channel; a number is read as text."""
    text = "" if value is None else str(value)
    text = _INVALID.sub("", text) if switches.strip_invalid_unicode else text
    return text.strip() if switches.trim_whitespace else text


def clean_embeds(embeds: Sequence[Json]) -> tuple[Json, ...]:
    """Embeds that passed the rules, with their texts trimmed."""
    return tuple(_clean_embed(embed) for embed in embeds)


def _clean_embed(embed: Json) -> Json:
    clean: Json = {"type": "rich", **embed}
    for path in _TRIMMED:
        holder = clean.get(path[0]) if len(path) > 1 else clean
        if isinstance(holder, dict) and holder.get(path[-1]) is not None:
            trimmed = {path[-1]: str(holder[path[-1]]).strip()}
            clean.update(trimmed if len(path) == 1 else {path[0]: {**holder, **trimmed}})
    if clean.get("fields"):
        clean["fields"] = [_clean_field(field) for field in clean["fields"]]
    return clean


def _clean_field(field: Json) -> Json:
    texts = {name: str(field[name]).strip() for name in ("name", "value")}
    return {"inline": False, **field, **texts}


def check_moderation(text: str, switches: Switches) -> None:
    """Refuse what AutoMod and the link filter of this guild block."""
    lowered = text.casefold()
    if any(word.casefold() in lowered for word in switches.automod):
        raise Refusal(200000)
    if any(link.casefold() in lowered for link in switches.harmful_link):
        raise Refusal(240000)


def read_nonce(value: Any) -> str | int | None:  # noqa: ANN401 - any JSON
    """A nonce is a 64-bit number or a string of up to 25 characters."""
    if isinstance(value, str) and len(value) > _NONCE_LIMIT:
        message = f"Must be {_NONCE_LIMIT} or fewer characters long."
        raise invalid_form("nonce", "NONCE_TYPE_TOO_LONG", message)
    if value is not None and not isinstance(value, str | int):
        raise invalid_form("nonce", "NONCE_TYPE_INVALID_TYPE", "This field must be a string or integer.")
    return value


def read_webhook_name(value: object, switches: Switches, path: str = "name") -> str:
    """A webhook's name, or the name of one message, as it will be shown."""
    name = " ".join(_INVISIBLE.sub("", str(value)).split())
    if not name or measure(name, switches) > _NAME_LIMIT:
        raise invalid_form(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 80 in length.")
    lowered = name.casefold()
    for part in switches.forbidden_names:
        if part in lowered:
            raise invalid_form(path, "USERNAME_INVALID_CONTAINS", f'Username cannot contain "{part}"')
    if lowered in switches.forbidden_exact_names or "```" in name:
        raise invalid_form(path, "USERNAME_INVALID_CONTAINS", f'Username cannot be "{lowered}"')
    if len(name) == 1 and not switches.single_letter_names:
        raise invalid_form(path, "BASE_TYPE_BAD_LENGTH", "Must be between 2 and 80 in length.")
    return name


def safe_filename(name: str) -> str:
    """A file name as the CDN shows it: no folders, no white space."""
    leaf = name.replace("\\", "/").rpartition("/")[2]
    return _UNSAFE_IN_FILENAME.sub("_", leaf).lstrip(".")[:255] or "unknown"
