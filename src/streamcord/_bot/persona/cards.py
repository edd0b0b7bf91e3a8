"""Character cards, as SillyTavern and its kin trade them: version 1, 2 or 3, as JSON or inside a PNG picture.

A card is a JSON object; in a PNG it stands as base64 in the text `chara` (versions 1 and 2) or `ccv3`.
What we do not understand is kept, and written again when the card is exported.
(https://github.com/malfoyslastname/character-card-spec-v2,
https://github.com/kwaroran/character-card-spec-v3/blob/main/SPEC_V3.md)
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from streamcord import Persona
from streamcord._image_kinds import PNG_SIGNATURE, image_kind
from streamcord.store import Picture, StoredPersona

from .card_text import call, compose_prompt, fill_in
from .naming import clean_name
from .pictures import PictureError, look_at
from .png import read_texts, strip_texts

__all__ = ["CARD_CAP", "OURS", "Card", "CardError", "as_dict", "as_list", "as_text", "read_card"]

CARD_CAP = 8 * 1024 * 1024
"""Bytes of a card, as a file and as JSON."""
DEPTH_CAP = 64
LOOK_CAP = 50
"""Looks that are taken from one card."""
ALIAS_CAP = 20
URL_LENGTH = 2048
OURS = "streamcord"
"""Where a card keeps what only we know, among its extensions."""

_OTHER_FILES = (b"PK\x03\x04", b"RIFF", b"%PDF")


class CardError(ValueError):
    """A file is no character card that can be used; the message is for the person who brought it."""


@dataclass(frozen=True, slots=True)
class Card:
    """A card that was read: the persona, its picture, its other looks."""

    stored: StoredPersona
    picture: Picture | None
    looks: Mapping[str, Picture]
    """By the sprite's name; what has an address only was not fetched yet."""


def read_card(content: bytes, guild: int = 0) -> Card:
    """The card in a PNG or JSON file."""
    if len(content) > CARD_CAP:
        raise CardError(f"The card is larger than {CARD_CAP // 2**20} MB.")
    # Also one that is cut off or damaged there: it is told so as a picture.
    if content.startswith(PNG_SIGNATURE[:4]):
        return _read_png(content, guild)
    if image_kind(content) or content.startswith(_OTHER_FILES):
        raise CardError("A card is a PNG picture or a JSON file: export it as one of these.")
    return _as_card(_parse(content), guild, None, {})


def _read_png(content: bytes, guild: int) -> Card:
    try:
        kind = look_at(content).kind
        texts = read_texts(content)
        picture = Picture(content=strip_texts(content), kind=kind)
    except PictureError as error:
        raise CardError(str(error)) from None
    found = texts.get("ccv3") or texts.get("chara")
    if not found:
        raise CardError("There is no character in this picture: it may have been saved without its card.")
    try:
        packed = base64.b64decode(found)
    except binascii.Error:
        raise CardError("The card in this picture is damaged: download it again.") from None
    return _as_card(_parse(packed), guild, picture, texts)


# --- JSON of strangers ----------------------------------------------------------------------------


def _parse(content: bytes) -> dict[str, Any]:
    try:
        card = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise CardError("The card cannot be read: it is no JSON, or damaged.") from None
    if not isinstance(card, dict) or _is_deep(card):
        raise CardError("The card cannot be read: it is not built like a character card.")
    return card


def _refuse(word: str) -> float:
    raise ValueError(word)


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)


def _is_deep(value: object) -> bool:
    """Whether it nests deeper than any card does; asked level by level, without a stack to overflow."""
    level = [value]
    for _ in range(DEPTH_CAP):
        level = [inner for one in level for inner in _inside(one) if isinstance(inner, (dict, list))]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def as_text(fields: Mapping[str, Any], name: str) -> str:
    """A field if it is a text, else nothing."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def as_dict(value: object) -> dict[str, Any]:
    """A copy of an object, or an empty one."""
    return dict(value) if isinstance(value, Mapping) else {}


def as_list(value: object) -> list[Any]:
    """A copy of a list, or an empty one."""
    return list(value) if isinstance(value, list) else []


# --- Fields into a persona ------------------------------------------------------------------------


def _as_card(raw: dict[str, Any], guild: int, picture: Picture | None, chunks: Mapping[str, bytes]) -> Card:
    # A card of version 1 is the inner object alone.
    card = raw if isinstance(raw.get("data"), dict) else {"data": raw}
    fields: dict[str, Any] = card["data"]
    name = clean_name(as_text(fields, "name"))
    if not name:
        raise CardError("The card has no name for its character.")
    known = as_dict(as_dict(fields.get("extensions")).get(OURS))
    persona = Persona(name, _aliases(fields, known), alter=known.get("alter") is not False)
    greeting = fill_in(as_text(fields, "first_mes"), call(fields), "you")
    looks = _take_looks(fields, chunks)
    return Card(StoredPersona(persona, guild, compose_prompt(fields), greeting, card), picture, looks)


def _aliases(fields: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, ...]:
    given = [as_text(fields, "nickname"), *as_list(known.get("aliases"))]
    cleaned = (clean_name(alias) for alias in given[:ALIAS_CAP] if isinstance(alias, str))
    own = clean_name(as_text(fields, "name"))
    return tuple(dict.fromkeys(alias for alias in cleaned if alias and alias != own))


def _take_looks(fields: dict[str, Any], chunks: Mapping[str, bytes]) -> dict[str, Picture]:
    """The emotions among a card's assets, where they can be had: in the file, or by an address.

    They are taken out of the card, since the store keeps them as looks; the export puts them back.
    """
    looks: dict[str, Picture] = {}
    left = []
    for asset in as_list(fields.get("assets")):
        name, picture = _look(asset, chunks)
        if name and picture and len(looks) < LOOK_CAP:
            looks.setdefault(name, picture)
        else:
            left.append(asset)
    if looks:
        fields["assets"] = left
    return looks


def _look(asset: object, chunks: Mapping[str, bytes]) -> tuple[str, Picture | None]:
    if not isinstance(asset, dict) or asset.get("type") != "emotion":
        return "", None
    return clean_name(as_text(asset, "name")), _find_asset(as_text(asset, "uri"), chunks)


def _find_asset(uri: str, chunks: Mapping[str, bytes]) -> Picture | None:
    if uri.startswith(("https://", "http://")):
        return Picture(uri) if len(uri) <= URL_LENGTH else None
    encoded = b""
    if uri.startswith("__asset:"):
        encoded = chunks.get(f"chara-ext-asset_:{uri.removeprefix('__asset:')}".lower(), b"")
    elif uri.startswith("data:image/"):
        encoded = uri.partition(";base64,")[2].encode("ascii", "replace")
    try:
        content = base64.b64decode(encoded)
        return Picture(content=content, kind=look_at(content).kind)
    except (binascii.Error, PictureError):
        return None
