"""`/persona import` and `/persona export`: character cards, in and out."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import partial
from typing import Literal, TypeAlias

import discord

from streamcord import Sprite
from streamcord.store import Picture, StoredPersona

from ..persona.card_export import export_json, export_png
from ..persona.cards import CARD_CAP, CharacterCard, read_card
from ..persona.fetching import Fetcher, FetchError
from ..persona.server_personas import ServerPersonas, show_name
from ..services import Services
from ..texts import translate
from .command_base import CommandRefused, Interaction, read_file, reply, require_server
from .persona_edit import PERSONA_CAP, show_picture

__all__ = ["Form", "export_card", "import_card"]

Form: TypeAlias = Literal["png", "json v3", "json v2"]
"""How a card is written."""
SHOWN_LOOKS = 10
UPLOAD_CAP = 9 * 1024 * 1024
"""Bytes that Discord takes as a file everywhere, with room for what is around it."""


async def import_card(
    services: Services,
    interaction: Interaction,
    file: discord.Attachment | None,
    url: str | None,
    *,
    replace: bool,
) -> None:
    """Store the persona of a character card with its pictures."""
    guild = require_server(interaction)
    if (file is None) == (not url):
        raise CommandRefused("one_card")
    fetcher = Fetcher()
    content = await read_file(file, CARD_CAP) if file else await fetcher.fetch(str(url).strip(), CARD_CAP)
    card = read_card(content, guild)
    personas = ServerPersonas(services.store, services.config, guild)
    old = await personas.find(card.stored.name)
    if old is not None and not replace:
        raise CommandRefused("persona_exists", name=show_name(old.name))
    if old is None and len(await services.store.personas(guild)) >= PERSONA_CAP:
        raise CommandRefused("persona_cap", cap=PERSONA_CAP)
    looks, lost = await _fetch_looks(fetcher, card)
    await services.store.save_persona(card.stored)
    for sprite in old.persona.sprites if old is not None and old.guild == guild else ():
        await services.store.remove_sprite(guild, card.stored.name, sprite.name)
    for name, picture in looks.items():
        published = await services.avatar_emoji.publish(picture)
        await services.store.save_sprite(guild, card.stored.name, Sprite(name), published)
    services.channel_configs.forget()
    locale, shown = str(interaction.locale), show_name(card.stored.name)
    text = translate(locale, "imported", name=shown, looks=len(looks))
    if lost:
        text += "\n" + translate(locale, "looks_lost", looks=", ".join(map(show_name, lost[:SHOWN_LOOKS])))
    if card.picture is None:
        await reply(interaction, text, public=True)
        return
    keep = partial(services.store.save_avatar, guild, card.stored.name)
    await show_picture(services, interaction, text, card.picture, keep)


async def _fetch_looks(fetcher: Fetcher, card: CharacterCard) -> tuple[dict[str, Picture], list[str]]:
    """The sprites of a card with their pictures, and the names of those that could not be fetched."""
    found, lost = {}, []
    for name, picture in card.looks.items():
        try:
            found[name] = picture if picture.content else await fetcher.fetch_picture(picture.url)
        except FetchError:
            lost.append(name)
    return found, lost


def _write(found: StoredPersona, face: Picture | None, looks: Mapping[str, Picture], form: Form) -> bytes:
    if form == "png":
        return export_png(found, face, looks)
    return export_json(found, looks, "v2" if form == "json v2" else "v3")


async def export_card(
    personas: ServerPersonas, interaction: Interaction, found: StoredPersona, form: Form
) -> None:
    """Send a persona as a character card to the user."""
    pictures = await personas.pictures(found)
    face = pictures.pop("", None)
    content = _write(found, face, pictures, form)
    if len(content) > UPLOAD_CAP:
        # Looks that are too many to carry go by their addresses.
        content = _write(found, face, {name: Picture(look.url) for name, look in pictures.items()}, form)
    if len(content) > UPLOAD_CAP:
        content = _write(found, None, {}, form)
    ending = "png" if form == "png" else "json"
    name = "".join(letter for letter in found.name if letter.isalnum() or letter in " -_").strip()[:40]
    file = discord.File(io.BytesIO(content), f"{name or 'card'}.{ending}")
    text = translate(str(interaction.locale), "exported", name=show_name(found.name))
    await reply(interaction, text, file)
