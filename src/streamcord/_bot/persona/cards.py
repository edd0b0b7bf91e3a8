"""Reads and writes character cards as SillyTavern uses them: version 1 to 3, as JSON or inside a PNG picture.

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
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from streamcord import Persona
from streamcord._shared.image_kinds import PNG_SIGNATURE, image_kind
from streamcord.store import Picture, StoredPersona

from .pictures import PictureError, check_picture, plain_png, read_texts, strip_texts, write_texts
from .server_personas import clean_name

__all__ = [
    "CARD_CAP",
    "EXTENSION_KEY",
    "PROMPT_LENGTH",
    "CardError",
    "CharacterCard",
    "Version",
    "as_dict",
    "as_list",
    "as_text",
    "character_name",
    "compose_prompt",
    "export_json",
    "export_png",
    "fill_names",
    "is_constant",
    "read_card",
]

CARD_CAP = 8 * 1024 * 1024
"""Bytes of a card, as a file and as JSON."""
DEPTH_CAP = 64
LOOK_CAP = 50
"""Looks that are taken from one card."""
ALIAS_CAP = 20
URL_LENGTH = 2048
EXTENSION_KEY = "streamcord"
"""Where a card keeps what only we know, among its extensions."""

_OTHER_FILES = (b"PK\x03\x04", b"RIFF", b"%PDF")


class CardError(ValueError):
    """A file cannot be used as a character card; the message is for the person who sent it."""


@dataclass(frozen=True, slots=True)
class CharacterCard:
    """A card that was read: the persona, its picture, its other looks."""

    stored: StoredPersona
    picture: Picture | None
    looks: Mapping[str, Picture]
    """By the sprite's name; what has an address only was not fetched yet."""


def read_card(content: bytes, guild: int = 0) -> CharacterCard:
    """The card in a PNG or JSON file."""
    if len(content) > CARD_CAP:
        raise CardError(f"The card is larger than {CARD_CAP // 2**20} MB.")
    # Also one that is cut off or damaged there: it is told so as a picture.
    if content.startswith(PNG_SIGNATURE[:4]):
        return _read_png(content, guild)
    if image_kind(content) or content.startswith(_OTHER_FILES):
        raise CardError("A card is a PNG picture or a JSON file: export it as one of these.")
    return _as_card(_parse(content), guild, None, {})


def _read_png(content: bytes, guild: int) -> CharacterCard:
    try:
        kind = check_picture(content).kind
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
    """Whether it nests deeper than any real card; checked level by level, so that no stack overflows."""
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


def _as_card(
    raw: dict[str, Any], guild: int, picture: Picture | None, chunks: Mapping[str, bytes]
) -> CharacterCard:
    # A card of version 1 is the inner object alone.
    card = raw if isinstance(raw.get("data"), dict) else {"data": raw}
    fields: dict[str, Any] = card["data"]
    name = clean_name(as_text(fields, "name"))
    if not name:
        raise CardError("The card has no name for its character.")
    known = as_dict(as_dict(fields.get("extensions")).get(EXTENSION_KEY))
    persona = Persona(name, _aliases(fields, known), alter=known.get("alter") is not False)
    greeting = fill_names(as_text(fields, "first_mes"), character_name(fields), "you")
    looks = _take_looks(fields, chunks)
    return CharacterCard(
        StoredPersona(persona, guild, compose_prompt(fields), greeting, card), picture, looks
    )


def _aliases(fields: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, ...]:
    given = [as_text(fields, "nickname"), *as_list(known.get("aliases"))]
    cleaned = (clean_name(alias) for alias in given[:ALIAS_CAP] if isinstance(alias, str))
    own = clean_name(as_text(fields, "name"))
    return tuple(dict.fromkeys(alias for alias in cleaned if alias and alias != own))


def _take_looks(fields: dict[str, Any], chunks: Mapping[str, bytes]) -> dict[str, Picture]:
    """Take the emotions out of a card's assets, as pictures from the file or by address.

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
        return Picture(content=content, kind=check_picture(content).kind)
    except (binascii.Error, PictureError):
        return None


PROMPT_LENGTH = 32_000
"""Characters of a prompt that a card may bring, at most."""
LORE_CAP = 1000

_CHARACTER = re.compile(r"\{\{char\}\}|<bot>", re.IGNORECASE)
_USER = re.compile(r"\{\{user\}\}|<user>", re.IGNORECASE)
_ORIGINAL = re.compile(r"\{\{original\}\}", re.IGNORECASE)
_START = re.compile(r"<start>", re.IGNORECASE)


def fill_names(text: str, name: str, user: str = "the user") -> str:
    """The text with names in the place of `{{char}}` and `{{user}}`."""
    # As functions, so that a backslash in a name is nothing but a backslash.
    return _USER.sub(lambda _: user, _CHARACTER.sub(lambda _: name, text)).strip()


def character_name(fields: Mapping[str, Any]) -> str:
    """The name that the card's texts use for the character."""
    return clean_name(_text(fields, "nickname")) or clean_name(_text(fields, "name"))


def compose_prompt(fields: Mapping[str, Any]) -> str:
    """One prompt from all fields that describe the character, in the usual order."""
    name = character_name(fields)
    sections = (
        ("", _ORIGINAL.sub("", _text(fields, "system_prompt"))),
        ("", _text(fields, "description")),
        ("Personality: ", _text(fields, "personality")),
        ("Scenario: ", _text(fields, "scenario")),
        *(("", text) for text in _lore(fields.get("character_book"))),
        ("How {{char}} talks:\n", _START.sub("", _text(fields, "mes_example"))),
        ("", _ORIGINAL.sub("", _text(fields, "post_history_instructions"))),
    )
    prompt = ""
    for title, text in sections:
        if text.strip() and len(prompt) < PROMPT_LENGTH:
            prompt += ("\n\n" if prompt else "") + fill_names(title + text, name)
    return prompt[:PROMPT_LENGTH]


def _lore(book: object) -> list[str]:
    """The entries of a lore book that are always on; those that wait for a keyword stay in the card."""
    entries = book.get("entries") if isinstance(book, Mapping) else None
    always = [entry for entry in (entries if isinstance(entries, list) else ()) if is_constant(entry)]
    return [_text(entry, "content") for entry in sorted(always[:LORE_CAP], key=_order)]


def is_constant(entry: object) -> bool:
    """Whether an entry of a lore book is always on."""
    if not isinstance(entry, Mapping):
        return False
    return entry.get("constant") is True and entry.get("enabled") is not False


def _order(entry: Mapping[str, Any]) -> float:
    order = entry.get("insertion_order")
    return order if isinstance(order, (int, float)) else 0


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    # Cut before names are filled in, or a short card could become a very long text.
    return value[:PROMPT_LENGTH] if isinstance(value, str) else ""


# --- Writing --------------------------------------------------------------------------------------------


Version: TypeAlias = Literal["v2", "v3"]

_SPECS: Mapping[Version, tuple[str, str]] = {"v2": ("chara_card_v2", "2.0"), "v3": ("chara_card_v3", "3.0")}
_TEXTS = (
    *("name", "description", "personality", "scenario", "first_mes", "mes_example"),
    *("creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version"),
)
# What the prompt is composed of, besides the description.
_MERGED = ("personality", "scenario", "mes_example", "system_prompt", "post_history_instructions")
_BLUE = (88, 101, 242)


def export_json(stored: StoredPersona, looks: Mapping[str, Picture], version: Version = "v3") -> bytes:
    """The card as a JSON file."""
    return json.dumps(_as_json(stored, looks, version), indent=2).encode()


def export_png(stored: StoredPersona, picture: Picture | None, looks: Mapping[str, Picture]) -> bytes:
    """The card inside of its persona's picture, once for readers of version 3 and once for all others.

    A picture that is no PNG cannot carry a card; a plain one does.
    """
    packed = {
        "ccv3": base64.b64encode(export_json(stored, looks, "v3")),
        "chara": base64.b64encode(export_json(stored, {}, "v2")),
    }
    if picture is not None:
        with suppress(PictureError):
            return write_texts(picture.content, packed)
    return write_texts(plain_png(400, _BLUE), packed)


def _as_json(stored: StoredPersona, looks: Mapping[str, Picture], version: Version) -> dict[str, Any]:
    """The card as it was imported, with everything that was changed since."""
    card = deepcopy(dict(stored.card))
    fields = card["data"] = {**dict.fromkeys(_TEXTS, ""), **as_dict(card.get("data"))}
    for name in ("alternate_greetings", "tags"):
        fields[name] = as_list(fields.get(name))
    if stored.prompt != compose_prompt(fields):
        # Written anew as one text, so that nothing old is said beside it.
        fields |= {"description": stored.prompt, **dict.fromkeys(_MERGED, "")}
        if book := as_dict(fields.get("character_book")):
            entries = [entry for entry in as_list(book.get("entries")) if not is_constant(entry)]
            fields["character_book"] = {**book, "entries": entries}
    if stored.greeting != fill_names(as_text(fields, "first_mes"), character_name(fields), "you"):
        fields["first_mes"] = stored.greeting
    fields["name"] = stored.name
    ours = {"aliases": list(stored.persona.aliases), "alter": stored.persona.alter}
    fields["extensions"] = {**as_dict(fields.get("extensions")), EXTENSION_KEY: ours}
    card["spec"], card["spec_version"] = _SPECS[version]
    if version == "v3":
        fields.setdefault("group_only_greetings", [])
        fields["assets"] = _assets(as_list(fields.get("assets")), looks)
    return card


def _assets(assets: list[Any], looks: Mapping[str, Picture]) -> list[Any]:
    """The card's own assets, then our looks."""
    if not any(isinstance(asset, dict) and asset.get("type") == "icon" for asset in assets):
        assets.insert(0, {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"})
    return assets + [_asset(name, look) for name, look in looks.items() if look.url or look.content]


def _asset(name: str, look: Picture) -> dict[str, str]:
    kind = look.kind or "image/png"
    uri = look.url
    if look.content:
        uri = f"data:{kind};base64,{base64.b64encode(look.content).decode()}"
    return {"type": "emotion", "uri": uri, "name": name, "ext": kind.partition("/")[2].replace("jpeg", "jpg")}
