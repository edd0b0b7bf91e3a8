"""Changing a persona: what may be changed, the checks, the form for it, and character cards in and out."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

import discord

from streamcord import Sprite
from streamcord.store import Picture, StoredPersona

from ..notices import translate
from ..persona.cards import CARD_CAP, PROMPT_LENGTH, CharacterCard, export_json, export_png, read_card
from ..persona.fetching import Fetcher, FetchError
from ..persona.pictures import PICTURE_CAP, check_picture
from ..persona.server_personas import NAME_LENGTH, ServerPersonas, clean_name, show_name
from ..services import Services
from .command_base import CommandRefused, Interaction, describe_error, read_file, reply, require_server

__all__ = [
    "PERSONA_CAP",
    "Changes",
    "EditForm",
    "Form",
    "apply_changes",
    "check_name",
    "export_card",
    "import_card",
    "show_picture",
]

PERSONA_CAP = 100
"""Personas of one server."""
GREETING_LENGTH = 2000
ALIAS_CAP = 20
FORM_LENGTH = 4000
"""Characters that Discord takes in one field of a form."""
FILE_CAP = 4 * PROMPT_LENGTH


@dataclass(frozen=True, slots=True)
class Changes:
    """The fields of a persona to change; `None` leaves a field as it is."""

    name: str | None = None
    prompt: str | None = None
    prompt_file: discord.Attachment | None = None
    greeting: str | None = None
    aliases: str | None = None
    picture: discord.Attachment | None = None
    own_face: bool | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to change."""
        return self == Changes()


def check_name(name: str) -> str:
    """The cleaned name; raises `CommandRefused` if it cannot be used."""
    cleaned = clean_name(name)
    if not cleaned:
        raise CommandRefused("no_name")
    if len(name.strip()) > NAME_LENGTH:
        raise CommandRefused("name_length", length=NAME_LENGTH)
    return cleaned


async def apply_changes(
    services: Services, interaction: Interaction, old: StoredPersona, changes: Changes, done: str
) -> None:
    """Store the changed persona and tell the user; `old` must be the server's own copy."""
    new, picture = await _changed(services, interaction, old, changes)
    await services.store.save_persona(new, was=old.name)
    services.channel_configs.forget()
    text = translate(str(interaction.locale), done, name=show_name(new.name))
    if picture is None:
        await reply(interaction, text)
        return
    await show_picture(
        services, interaction, text, picture, partial(services.store.save_avatar, new.guild, new.name)
    )


async def show_picture(
    services: Services,
    interaction: Interaction,
    text: str,
    picture: Picture,
    keep: Callable[[Picture], Awaitable[None]],
) -> None:
    """Store a picture and post it with the reply, for everybody to see.

    If there is no lasting place for it, the message that shows it is a place for a while.
    """
    published = await services.avatar_emoji.publish(picture)
    await keep(published)
    name = f"picture.{picture.kind.partition('/')[2]}"
    message = await reply(interaction, text, discord.File(io.BytesIO(picture.content), name), public=True)
    if not published.url and message is not None and message.attachments:
        await keep(replace(published, url=message.attachments[0].url))


async def _changed(
    services: Services, interaction: Interaction, old: StoredPersona, changes: Changes
) -> tuple[StoredPersona, Picture | None]:
    persona, prompt = old.persona, changes.prompt
    if changes.name is not None:
        persona = replace(persona, name=check_name(changes.name))
        await _check_free(services, interaction, old, persona.name)
    if changes.aliases is not None:
        given = (clean_name(alias) for alias in changes.aliases.split(","))
        persona = replace(persona, aliases=tuple(dict.fromkeys(filter(None, given)))[:ALIAS_CAP])
    if changes.own_face is not None:
        persona = replace(persona, alter=changes.own_face)
    if changes.prompt_file is not None:
        prompt = (await read_file(changes.prompt_file, FILE_CAP)).decode("utf-8-sig", "replace")
    new = replace(
        old,
        persona=persona,
        prompt=old.prompt if prompt is None else prompt.strip()[:PROMPT_LENGTH],
        greeting=old.greeting if changes.greeting is None else changes.greeting.strip()[:GREETING_LENGTH],
    )
    return new, await _read_picture(changes.picture) if changes.picture else None


async def _check_free(services: Services, interaction: Interaction, old: StoredPersona, name: str) -> None:
    personas = ServerPersonas(services.store, services.config, interaction.guild_id or 0)
    other = await personas.find(name)
    if other is not None and other.name.casefold() != old.name.casefold():
        raise CommandRefused("persona_exists", name=show_name(other.name))


async def _read_picture(file: discord.Attachment) -> Picture:
    content = await read_file(file, PICTURE_CAP)
    return Picture("", content, check_picture(content).kind)


class EditForm(discord.ui.Modal):
    """The form of `/persona edit`."""

    def __init__(self, services: Services, found: StoredPersona) -> None:
        super().__init__(title=f"{found.name}"[:45] or "?")
        self._services = services
        self._found = found
        self._name = self._field("name", found.name, NAME_LENGTH)
        self._aliases = self._field("aliases", ", ".join(found.persona.aliases), 1000, required=False)
        # What is longer than a form can show is not put into one, or sending it would cut it off.
        self._prompt = None
        if len(found.prompt) <= FORM_LENGTH:
            self._prompt = self._field("prompt", found.prompt, FORM_LENGTH, required=False, long=True)
        self._greeting = None
        if len(found.greeting) <= GREETING_LENGTH:
            self._greeting = self._field(
                "greeting", found.greeting, GREETING_LENGTH, required=False, long=True
            )

    def _field(
        self, label: str, value: str, length: int, *, required: bool = True, long: bool = False
    ) -> discord.ui.TextInput[EditForm]:
        style = discord.TextStyle.paragraph if long else discord.TextStyle.short
        field: discord.ui.TextInput[EditForm] = discord.ui.TextInput(
            label=label, custom_id=label, style=style, default=value, max_length=length, required=required
        )
        self.add_item(field)
        return field

    async def on_submit(self, interaction: Interaction, /) -> None:
        """Store the texts of the form."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild = require_server(interaction)
        personas = ServerPersonas(self._services.store, self._services.config, guild)
        # Somebody may have changed it since the form was opened.
        found = await personas.own(await personas.find(self._found.name) or self._found)
        changes = Changes(
            self._name.value,
            self._prompt.value if self._prompt else None,
            greeting=self._greeting.value if self._greeting else None,
            aliases=self._aliases.value,
        )
        await apply_changes(self._services, interaction, found, changes, "persona_changed")

    async def on_error(self, interaction: Interaction, error: Exception, /) -> None:  # type: ignore[override]
        """Tell the user what went wrong."""
        with suppress(discord.HTTPException):
            await reply(interaction, describe_error(str(interaction.locale), error))


# --- Character cards ------------------------------------------------------------------------------------


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
