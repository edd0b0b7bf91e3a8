"""Read character cards as SillyTavern uses them: version 1 to 3, as JSON, inside a PNG picture or as CHARX.

A card is a JSON object; in a PNG it is base64 in the text chunk `chara` (versions 1 and 2) or `ccv3` (version 3).
A CHARX file is a ZIP archive with the card as `card.json`, beside its pictures.
Unknown fields are kept and written again when the card is exported. Untrusted users write these files, so they are
parsed in a separate process (`sandbox/worker.py`).
(https://github.com/malfoyslastname/character-card-spec-v2,
https://github.com/kwaroran/character-card-spec-v3/blob/main/SPEC_V3.md)
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streamcord import Persona
from streamcord.store import Picture, StoredPersona
from streamcord.utils import PNG_SIGNATURE, image_kind

from .charx import EMBEDDED, ZIP_SIGNATURE, ArchiveError, CharxArchive
from .pictures import PICTURE_CAP, PictureError, check_picture, read_texts, strip_texts

CARD_CAP = 8 * 1024 * 1024
"""Bytes of a card, as a file and as JSON."""
TEXT_LENGTH = 2 * 1024 * 1024
"""Characters of a card that are kept, without its pictures."""
DEPTH_CAP = 64
VALUE_CAP = 100_000
"""Fields, list items and other values in a card."""
CARD_SPRITE_CAP = 50
"""Sprites that are taken from one card."""
CARD_SPRITE_BYTES = 8 * 1024 * 1024
"""Bytes of all sprites of one card together; two sprites with the same picture count twice."""
ASSET_CAP = 1000
"""Assets of a card that are looked at; the others go."""
ASSET_LENGTH = 64 * 1024
"""Characters of an asset's address that are kept in the card; a longer one is a file, which goes."""
ALIAS_CAP = 20
URL_LENGTH = 2048
EXTENSION_KEY = "streamcord"
"""Where a card keeps what only we know, among its extensions."""

# WebP and WAV, and PDF.
_OTHER_FILES = (b"RIFF", b"%PDF")

USER = "{{user}}"
"""The person who asks; filled in with their name when a text is used (`macros`)."""


class CardError(ValueError):
    """A file cannot be used as a character card; the message is for the person who sent it."""


@dataclass(frozen=True, slots=True)
class CharacterCard:
    """A card that was read: the persona, its picture, its other sprites."""

    stored: StoredPersona
    picture: Picture | None
    sprites: Mapping[str, Picture]
    """By the sprite's name; what has an address only was not fetched yet."""
    refused: Mapping[str, str]
    """Why a sprite was not taken, by its name."""
    report: Mapping[str, int] = field(default_factory=dict)
    """Entries of lore that are `used`, have a `regex` or are `off`; `cut` is the length of a prompt that was cut."""


def read_card(content: bytes) -> CharacterCard:
    """The card in a PNG or JSON file, as a persona of server 0."""
    if len(content) > CARD_CAP:
        raise CardError(f"The card is larger than {CARD_CAP // 2**20} MB.")
    # Four bytes are enough, so that a damaged PNG gets an error about pictures and not about JSON.
    if content.startswith(PNG_SIGNATURE[:4]):
        return _read_png(content)
    if content.startswith(ZIP_SIGNATURE):
        return _read_charx(content)
    if image_kind(content) or content.startswith(_OTHER_FILES):
        raise CardError("A card is a PNG picture, a JSON file or a CHARX file: export it as one of these.")
    return _as_card(parse_card(content), None, {})


def _read_png(content: bytes) -> CharacterCard:
    try:
        kind = check_picture(content).kind
        texts = read_texts(content)
        picture = Picture(content=strip_texts(content), kind=kind)
    except PictureError as error:
        raise CardError(str(error)) from None
    # Editors that know version 3 write both; `ccv3` has the sprites.
    found = texts.get("ccv3") or texts.get("chara")
    if not found:
        raise CardError("There is no character in this picture: it may have been saved without its card.")
    try:
        packed = base64.b64decode(found)
    except binascii.Error:
        raise CardError("The card in this picture is damaged: download it again.") from None
    return _as_card(parse_card(packed), picture, texts)


def _read_charx(content: bytes) -> CharacterCard:
    try:
        archive = CharxArchive(content)
        raw = parse_card(archive.card(CARD_CAP))
        assets = as_list((as_dict(raw.get("data")) or raw).get("assets"))[:ASSET_CAP]
        files = archive.files((as_text(as_dict(asset), "uri") for asset in assets), PICTURE_CAP)
    except ArchiveError as error:
        raise CardError(str(error)) from None
    return _as_card(raw, _main_icon(assets, files), files)


def _main_icon(assets: Sequence[object], files: Mapping[str, bytes]) -> Picture | None:
    """Return the character's picture: the icon called `main`, else the first icon."""
    icons = [one for one in map(as_dict, assets) if one.get("type") == "icon"]
    icons.sort(key=lambda one: one.get("name") != "main")
    for icon in icons:
        content = files.get(as_text(icon, "uri"), b"")
        if content:
            try:
                return Picture(content=content, kind=check_picture(content).kind)
            except PictureError:
                continue
    return None


# --- Untrusted JSON -------------------------------------------------------------------------------


def parse_card(content: bytes | str) -> dict[str, Any]:
    """The JSON object of a card, as it was imported or as it was kept."""
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
        # `NaN` and `Infinity` are no JSON: other programs could not read the card that we export.
        card = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise CardError("The card cannot be read: it is no JSON, or damaged.") from None
    if not isinstance(card, dict) or not _is_card(card):
        raise CardError("The card cannot be read: it is not built like a character card.")
    return card


def _refuse(word: str) -> float:
    raise ValueError(word)


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)


def _is_card(value: object) -> bool:
    """Whether it nests no deeper and has no more values than any real card.

    Checked level by level, so that no stack overflows. Many small values cost more to read than long texts.
    """
    level, left = [value], VALUE_CAP
    for _ in range(DEPTH_CAP):
        inner = [one for container in level for one in _inside(container)]
        level = [one for one in inner if isinstance(one, (dict, list))]
        left -= len(inner)
        if left < 0:
            return False
        if not level:
            return True
    return False


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


def _as_card(raw: dict[str, Any], picture: Picture | None, chunks: Mapping[str, bytes]) -> CharacterCard:
    # A card of version 1 is the inner object alone.
    card = raw if isinstance(raw.get("data"), dict) else {"data": raw}
    fields: dict[str, Any] = card["data"]
    name = clean_name(as_text(fields, "name"))
    if not name and ("entries" in fields or "character_book" in fields):
        raise CardError("This file holds lore and no character: use /lore import for it.")
    if not name:
        raise CardError("The card has no name for its character.")
    # What an export of ours added: aliases, and whether the persona has a name of its own.
    known = as_dict(as_dict(fields.get("extensions")).get(EXTENSION_KEY))
    persona = Persona(name, _aliases(fields, known), alter=known.get("alter") is not False)
    sprites, refused = _extract_sprites(fields, chunks)
    kept = json.dumps(card)
    if len(kept) > TEXT_LENGTH:
        raise CardError(f"The card holds more than {TEXT_LENGTH // 2**20} MB of text: shorten its lore book.")
    stored = StoredPersona(
        persona, 0, compose_prompt(fields), greeting_of(fields), kept, adult=_is_adult(fields)
    )
    return CharacterCard(stored, picture, sprites, refused)


def _is_adult(fields: Mapping[str, Any]) -> bool:
    return any(isinstance(tag, str) and tag.casefold() == "nsfw" for tag in as_list(fields.get("tags")))


def greeting_of(fields: Mapping[str, Any], user: str = USER) -> str:
    """What the character says first; earlier versions wrote `you` for the person who asks."""
    return fill_names(_text(fields, "first_mes"), character_name(fields), user)[:PROMPT_LENGTH]


def _aliases(fields: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[str, ...]:
    given = [as_text(fields, "nickname"), *as_list(known.get("aliases"))]
    cleaned = (clean_name(alias) for alias in given[:ALIAS_CAP] if isinstance(alias, str))
    own = clean_name(as_text(fields, "name"))
    return tuple(dict.fromkeys(alias for alias in cleaned if alias and alias != own))


def _extract_sprites(
    fields: dict[str, Any], chunks: Mapping[str, bytes]
) -> tuple[dict[str, Picture], dict[str, str]]:
    """Take the emotions out of a card's assets, as pictures from the file or by address; and why not others.

    The card is stored without them, since the store keeps them as sprites; the export puts them back.
    """
    sprites: dict[str, Picture] = {}
    refused: dict[str, str] = {}
    kept: list[object] = []
    # Pictures (or why there is none) by address: many assets may name one part of the file.
    seen: dict[str, Picture | str] = {}
    left = CARD_SPRITE_BYTES
    for asset in as_list(fields.get("assets"))[:ASSET_CAP]:
        name, uri = _address(asset)
        if name and uri not in seen:
            seen[uri] = _find_asset(uri, chunks)
        found = seen[uri] if name else ""
        why = found if isinstance(found, str) else _sprite_refusal(name, found, sprites, left)
        if isinstance(found, Picture) and not why:
            sprites[name] = found
            left -= len(found.content)
        elif len(uri) <= ASSET_LENGTH:
            kept.append(asset)
        if name and why:
            refused.setdefault(name, why)
    if "assets" in fields:
        fields["assets"] = kept
    return sprites, refused


def _sprite_refusal(name: str, sprite: Picture, sprites: Mapping[str, Picture], left: int) -> str:
    """Return why a sprite cannot be added with `left` bytes left, or nothing."""
    if name in sprites:
        return "Another sprite has the same name."
    if len(sprites) >= CARD_SPRITE_CAP:
        return f"A card brings at most {CARD_SPRITE_CAP} sprites."
    if len(sprite.content) > left:
        return f"All sprites of a card together have at most {CARD_SPRITE_BYTES // 2**20} MB."
    return ""


def _address(asset: object) -> tuple[str, str]:
    """The name of a sprite, empty if the asset is something else; and the address of the asset."""
    if not isinstance(asset, dict):
        return "", ""
    name = clean_name(as_text(asset, "name")) if asset.get("type") == "emotion" else ""
    return name, as_text(asset, "uri")


def _find_asset(uri: str, chunks: Mapping[str, bytes]) -> Picture | str:
    """The picture that an address names, or why there is none."""
    if uri.startswith(("https://", "http://")):
        return Picture(uri) if len(uri) <= URL_LENGTH else "Its address is too long."
    encoded = b""
    if uri.startswith(EMBEDDED):
        encoded = base64.b64encode(chunks.get(uri, b""))
    elif uri.startswith("__asset:"):
        encoded = chunks.get(f"chara-ext-asset_:{uri.removeprefix('__asset:')}".lower(), b"")
    elif uri.startswith("data:image/"):
        encoded = uri.partition(";base64,")[2].encode("ascii", "replace")
    if not encoded:
        return "There is no picture at its address."
    try:
        content = base64.b64decode(encoded)
        return Picture(content=content, kind=check_picture(content).kind)
    except binascii.Error:
        return "Its picture is damaged."
    except PictureError as error:
        return str(error)


PROMPT_LENGTH = 32_000
"""Characters of a prompt that a card may bring, at most."""
LORE_CAP = 1000

# Placeholders of SillyTavern; `<bot>`, `<user>` and `<start>` are those of older cards.
_CHARACTER = re.compile(r"\{\{char\}\}|<bot>", re.IGNORECASE)
_USER = re.compile(r"\{\{user\}\}|<user>", re.IGNORECASE)
_ORIGINAL = re.compile(r"\{\{original\}\}", re.IGNORECASE)
_START = re.compile(r"<start>", re.IGNORECASE)


def fill_names(text: str, name: str, user: str = USER) -> str:
    """The text with the card's name in the place of `{{char}}`; `{{user}}` is known only when the text is used."""
    # As functions, so that a backslash in a name is nothing but a backslash.
    return _USER.sub(lambda _: user, _CHARACTER.sub(lambda _: name, text)).strip()


def character_name(fields: Mapping[str, Any]) -> str:
    """The name that the card's texts use for the character."""
    return clean_name(_text(fields, "nickname")) or clean_name(_text(fields, "name"))


def compose_prompt(fields: Mapping[str, Any], user: str = USER) -> str:
    """One prompt from all fields that describe the character, in the usual order.

    Args:
        fields: the fields of the card.
        user: the name of the person who asks; earlier versions wrote `the user`.

    """
    name = character_name(fields)
    sections = (
        ("", _ORIGINAL.sub("", _text(fields, "system_prompt"))),
        ("", _text(fields, "description")),
        ("Personality: ", _text(fields, "personality")),
        ("Scenario: ", _text(fields, "scenario")),
        *(("", text) for text in _lore(fields.get("character_book"))),
        ("How {{char}} talks:\n", _START.sub("", _text(fields, "mes_example"))),
    )
    prompt = ""
    for title, text in sections:
        # A field without text gets no title either.
        if text.strip() and len(prompt) < PROMPT_LENGTH:
            prompt += ("\n\n" if prompt else "") + fill_names(title + text, name, user)
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


# --- Names ----------------------------------------------------------------------------------------


NAME_LENGTH = 80
"""Characters of a name, at most: what Discord shows over a message."""

# Invisible, but they change the letters around them in Persian, Indic scripts and emoji.
_JOINERS = frozenset("\u200c\u200d")
# Unicode categories of controls, formats, surrogates, private use, unassigned, and line separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS_CAP = 3


def clean_name(name: str) -> str:
    """The name on one line, without invisible characters, at most 80 long; may be empty.

    A letter keeps at most three combining marks, so that no name covers the lines around it.
    """
    kept: list[str] = []
    marks = 0
    # NFC first, so that a letter with an accent counts once. The slice bounds the work for a huge name.
    for letter in unicodedata.normalize("NFC", name[: NAME_LENGTH * 16]):
        category = unicodedata.category(letter)
        marks = marks + 1 if category == "Mn" else 0
        if letter.isspace():
            kept.append(" ")
        elif (category not in _UNSEEN or letter in _JOINERS) and marks <= _MARKS_CAP:
            kept.append(letter)
    cleaned = " ".join("".join(kept).split()).strip("\u200c\u200d")
    return cleaned[:NAME_LENGTH].rstrip() if any(map(str.isprintable, cleaned)) else ""
