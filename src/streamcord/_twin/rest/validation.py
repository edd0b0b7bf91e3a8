"""What Discord accepts in a message, an embed, a webhook's name: pure checks that raise `Refusal`.

Limits: https://docs.discord.com/developers/resources/message#create-message and
`#embed-object-embed-limits`. Lengths are code points, because "our API uses Python 3"
(https://github.com/discord/discord-api-docs/issues/1315).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..state.model import Json, MessageFlag
from .refusals import Refusal, invalid_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..switches import Switches

__all__ = [
    "check_components",
    "check_moderation",
    "component_texts",
    "measure",
    "read_content",
    "read_embeds",
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
_EMBED_LIMITS = {"title": 256, "description": 4096, "footer.text": 2048, "author.name": 256}
_FIELD_LIMITS = {"name": 256, "value": 1024}
_MOST_EMBEDS = 10
_MOST_FIELDS = 25
_EMBED_TOTAL = 6000
_NAME_LIMIT = 80
_NONCE_LIMIT = 25
_MOST_COMPONENTS = 40
_TEXT_DISPLAY = 10
_TEXT_DISPLAY_TOTAL = 4000


def measure(text: str, switches: Switches) -> int:
    """The length of a text as this twin counts it."""
    if switches.count == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text)


def too_long(path: str, limit: int) -> Refusal:
    """The refusal of a text that is over its limit."""
    return invalid_form(path, "BASE_TYPE_MAX_LENGTH", f"Must be {limit} or fewer in length.")


def read_content(value: object, switches: Switches) -> str:
    """The text that will stand in the channel."""
    if value is None:
        return ""
    if not isinstance(value, str):
        value = str(value)
    text = _INVALID.sub("", value) if switches.strip_invalid_unicode else value
    text = text.strip() if switches.trim_whitespace else text
    if measure(text, switches) > switches.content_limit:
        raise too_long("content", switches.content_limit)
    return text


def check_moderation(text: str, switches: Switches) -> None:
    """Refuse what AutoMod and the link filter of this guild block."""
    lowered = text.casefold()
    if any(word.casefold() in lowered for word in switches.automod):
        raise Refusal(200000)
    if any(link.casefold() in lowered for link in switches.harmful_link):
        raise Refusal(240000)


def read_nonce(value: object) -> str | int | None:
    """A nonce is a 64-bit number or a string of up to 25 characters."""
    if value is None or isinstance(value, int):
        return value
    if not isinstance(value, str):
        raise invalid_form("nonce", "BASE_TYPE_BAD_TYPE", "Must be a string or an integer.")
    if len(value) > _NONCE_LIMIT:
        raise too_long("nonce", _NONCE_LIMIT)
    return value


def read_embeds(value: object, switches: Switches) -> tuple[Json, ...]:
    """The embeds with their texts trimmed; at most 6000 characters in all of them together."""
    if not value:
        return ()
    if not isinstance(value, list):
        raise invalid_form("embeds", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    if len(value) > _MOST_EMBEDS:
        raise too_long("embeds", _MOST_EMBEDS)
    total = 0
    embeds = []
    for index, raw in enumerate(value):
        embed = {"type": "rich", **raw}
        total += sum(_check_embed(embed, f"embeds.{index}", switches))
        embeds.append(embed)
    if total > _EMBED_TOTAL:
        message = f"Embed size exceeds maximum size of {_EMBED_TOTAL}"
        raise invalid_form("embeds", "MAX_EMBED_SIZE_EXCEEDED", message)
    return tuple(embeds)


def _check_embed(embed: Json, path: str, switches: Switches) -> Iterator[int]:
    for name, limit in _EMBED_LIMITS.items():
        holder, _, leaf = name.rpartition(".")
        place = embed.get(holder) if holder else embed
        if isinstance(place, dict):
            yield _trim(place, leaf or name, f"{path}.{name}", limit, switches)
    fields = embed.get("fields") or []
    if len(fields) > _MOST_FIELDS:
        raise too_long(f"{path}.fields", _MOST_FIELDS)
    for index, field in enumerate(fields):
        for name, limit in _FIELD_LIMITS.items():
            if not str(field.get(name) or "").strip():
                raise invalid_form(
                    f"{path}.fields.{index}.{name}", "BASE_TYPE_REQUIRED", "This field is required"
                )
            yield _trim(field, name, f"{path}.fields.{index}.{name}", limit, switches)


def _trim(place: Json, name: str, path: str, limit: int, switches: Switches) -> int:
    text = str(place.get(name) or "").strip()
    length = measure(text, switches)
    if length > limit:
        raise too_long(path, limit)
    if name in place:
        place[name] = text
    return length


def check_components(components: Sequence[Json], flags: MessageFlag, payload: Mapping[str, Any]) -> None:
    """Components v2 stand alone: https://docs.discord.com/developers/components/reference ."""
    if not flags & MessageFlag.IS_COMPONENTS_V2:
        return
    for name in ("content", "embeds", "poll", "sticker_ids"):
        if payload.get(name):
            message = "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
            raise invalid_form(name, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message)
    if sum(1 for _ in _walk(components)) > _MOST_COMPONENTS:
        raise too_long("components", _MOST_COMPONENTS)
    if sum(map(len, component_texts(components))) > _TEXT_DISPLAY_TOTAL:
        message = f"Total text size exceeds {_TEXT_DISPLAY_TOTAL}"
        raise invalid_form("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", message)


def component_texts(components: Sequence[Json]) -> list[str]:
    """The texts shown by components; they can ping like content."""
    return [str(one.get("content", "")) for one in _walk(components) if one.get("type") == _TEXT_DISPLAY]


def _walk(components: Sequence[Json]) -> Iterator[Json]:
    for component in components:
        yield component
        inner = component.get("components") or []
        accessory = component.get("accessory")
        yield from _walk([*inner, accessory] if accessory else inner)


def read_webhook_name(value: object, switches: Switches, path: str = "name") -> str:
    """A webhook's name, or the name of one message, as it will be shown."""
    name = " ".join(_INVISIBLE.sub("", str(value)).split())
    if not name:
        raise invalid_form(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 80 in length.")
    if measure(name, switches) > _NAME_LIMIT:
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
