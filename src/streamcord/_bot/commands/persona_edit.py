"""Changing a persona: what may be changed, the checks, and the form for it."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import discord

from streamcord.store import Picture, StoredPersona

from ..persona.cards import PROMPT_LENGTH
from ..persona.pictures import PICTURE_CAP, check_picture
from ..persona.server_personas import NAME_LENGTH, ServerPersonas, clean_name, show_name
from ..services import Services
from ..texts import translate
from .command_base import CommandRefused, Interaction, describe_error, read_file, reply, require_server

__all__ = ["PERSONA_CAP", "Changes", "EditForm", "apply_changes", "check_name", "show_picture"]

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
