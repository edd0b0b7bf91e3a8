"""Write character cards of version 2 or 3, as JSON or inside the persona's picture."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal, TypeAlias

from streamcord.store import Picture, StoredPersona

from .character_cards import (
    EXTENSION_KEY,
    as_dict,
    as_list,
    compose_prompt,
    greeting_of,
    is_constant,
    parse_card,
)
from .pictures import PictureError, plain_png, write_texts

Form: TypeAlias = Literal["png", "json v3", "json v2"]
"""How a card is written."""
Version: TypeAlias = Literal["v2", "v3"]

# `spec` and `spec_version` of the card.
_SPECS: Mapping[Version, tuple[str, str]] = {"v2": ("chara_card_v2", "2.0"), "v3": ("chara_card_v3", "3.0")}
_TEXTS = (
    *("name", "description", "personality", "scenario", "first_mes", "mes_example"),
    *("creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version"),
)
# What the prompt is composed of, besides the description.
_MERGED = ("personality", "scenario", "mes_example", "system_prompt")
# Discord's own blue, for personas without a picture.
_BLUE = (88, 101, 242)


def write_card(
    stored: StoredPersona, avatar: Picture | None, sprites: Mapping[str, Picture], form: Form, cap: int
) -> bytes:
    """Return the card with as many of its pictures as fit into `cap` bytes."""
    content = _write(stored, avatar, sprites, form)
    if len(content) > cap:
        # Too large with all sprites inside: write their addresses instead.
        content = _write(
            stored, avatar, {name: Picture(sprite.url) for name, sprite in sprites.items()}, form
        )
    # Still too large: the texts alone always fit, since an import limits their length.
    return content if len(content) <= cap else _write(stored, None, {}, form)


def _write(
    stored: StoredPersona, avatar: Picture | None, sprites: Mapping[str, Picture], form: Form
) -> bytes:
    if form == "png":
        return export_png(stored, avatar, sprites)
    return export_json(stored, sprites, "v2" if form == "json v2" else "v3")


def export_json(stored: StoredPersona, sprites: Mapping[str, Picture], version: Version = "v3") -> bytes:
    """The card as a JSON file."""
    return json.dumps(_as_json(stored, sprites, version), indent=2).encode()


def export_png(stored: StoredPersona, picture: Picture | None, sprites: Mapping[str, Picture]) -> bytes:
    """The card inside of its persona's picture, once for readers of version 3 and once for all others.

    A picture that is no PNG cannot carry a card; a plain one does.
    """
    packed = {
        "ccv3": base64.b64encode(export_json(stored, sprites, "v3")),
        # Readers of version 2 know no sprites, so they would only make this copy larger.
        "chara": base64.b64encode(export_json(stored, {}, "v2")),
    }
    if picture is not None:
        # Any other format than PNG has no text chunks.
        with suppress(PictureError):
            return write_texts(picture.content, packed)
    return write_texts(plain_png(400, _BLUE), packed)


def _as_json(stored: StoredPersona, sprites: Mapping[str, Picture], version: Version) -> dict[str, Any]:
    """The card as it was imported, with everything that was changed since."""
    card = parse_card(stored.card) if stored.card else {}
    fields = card["data"] = {**dict.fromkeys(_TEXTS, ""), **as_dict(card.get("data"))}
    for name in ("alternate_greetings", "tags"):
        fields[name] = as_list(fields.get(name))
    if stored.prompt not in (compose_prompt(fields), compose_prompt(fields, "the user")):
        # The prompt was edited: write it as one text and clear the fields it was composed of.
        fields |= {"description": stored.prompt, **dict.fromkeys(_MERGED, "")}
        if book := as_dict(fields.get("character_book")):
            entries = [entry for entry in as_list(book.get("entries")) if not is_constant(entry)]
            fields["character_book"] = {**book, "entries": entries}
    if stored.greeting not in (greeting_of(fields), greeting_of(fields, "you")):
        fields["first_mes"] = stored.greeting
    fields["name"] = stored.name
    ours = {"aliases": list(stored.persona.aliases), "alter": stored.persona.alter}
    fields["extensions"] = {**as_dict(fields.get("extensions")), EXTENSION_KEY: ours}
    card["spec"], card["spec_version"] = _SPECS[version]
    if version == "v3":
        # Version 3 requires this field.
        fields.setdefault("group_only_greetings", [])
        fields["assets"] = _assets(as_list(fields.get("assets")), sprites)
    return card


def _assets(assets: list[Any], sprites: Mapping[str, Picture]) -> list[Any]:
    """The card's own assets, then our sprites."""
    # `ccdefault:` is the PNG itself (SPEC_V3, "Asset Object").
    if not any(isinstance(asset, dict) and asset.get("type") == "icon" for asset in assets):
        assets.insert(0, {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"})
    return assets + [_asset(name, sprite) for name, sprite in sprites.items() if sprite.url or sprite.content]


def _asset(name: str, sprite: Picture) -> dict[str, str]:
    kind = sprite.kind or "image/png"
    uri = sprite.url
    if sprite.content:
        uri = f"data:{kind};base64,{base64.b64encode(sprite.content).decode()}"
    return {"type": "emotion", "uri": uri, "name": name, "ext": kind.partition("/")[2].replace("jpeg", "jpg")}
