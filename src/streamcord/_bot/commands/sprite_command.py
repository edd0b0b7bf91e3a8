"""`/persona sprite`: the looks of a persona."""

from __future__ import annotations

from functools import partial

import discord
from discord import app_commands

from streamcord import Sprite
from streamcord.store import Picture, StoredPersona

from ..persona.fetching import Fetcher
from ..persona.pictures import PICTURE_CAP, check_picture
from ..persona.server_personas import ServerPersonas, show_name
from ..services import Services
from ..texts import translate
from .command_base import CommandGroup, CommandRefused, Interaction, choices, read_file, reply, require_server
from .persona_edit import check_name, show_picture

__all__ = ["SPRITE_CAP", "SpriteCommands", "take_picture"]

SPRITE_CAP = 50
"""Looks of one persona."""


class SpriteCommands(CommandGroup):
    """`/persona sprite`."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, "sprite", "The looks of a persona")

    def personas(self, interaction: Interaction) -> ServerPersonas:
        """The personas of the server where a command was used."""
        return ServerPersonas(self.services.store, self.services.config, interaction.guild_id or 0)

    async def complete_persona(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Names of personas, while somebody types one."""
        return choices(await self.personas(interaction).names(), current)

    async def complete_look(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Sprites of the persona that was typed before."""
        found = await self.personas(interaction).find(str(interaction.namespace["persona"] or ""))
        return choices([look.name for look in found.persona.sprites] if found else [], current)

    @app_commands.command(description="Give a persona a look, or another picture for one")
    @app_commands.describe(
        persona="whose look",
        name="what the model calls it: happy, mad, …",
        picture="the picture",
        url="or its address",
        identity="whether it is somebody of its own, shown as look (Persona)",
    )
    @app_commands.autocomplete(persona=complete_persona, name=complete_look)
    async def add(
        self,
        interaction: Interaction,
        persona: str,
        name: str,
        picture: discord.Attachment | None = None,
        url: str | None = None,
        identity: bool = False,
    ) -> None:
        """Add a sprite, or replace its picture."""
        await interaction.response.defer()
        guild = require_server(interaction)
        found = await self._find(interaction, persona)
        sprite = Sprite(check_name(name), identity=identity)
        known = {look.name.casefold() for look in found.persona.sprites}
        if sprite.name.casefold() not in known and len(known) >= SPRITE_CAP:
            raise CommandRefused("sprite_cap", cap=SPRITE_CAP)
        taken = await take_picture(picture, url)
        found = await self.personas(interaction).own(found)
        text = translate(
            str(interaction.locale),
            "sprite_added",
            name=show_name(found.name),
            look=show_name(sprite.name),
            label=f"{found.name} ({sprite.name}): ".replace("`", "'"),
        )
        keep = partial(self.services.store.save_sprite, guild, found.name, sprite)
        await show_picture(self.services, interaction, text, taken, keep)
        self.services.channel_configs.forget()

    @app_commands.command(description="Take a look from a persona")
    @app_commands.describe(persona="whose look", name="which look")
    @app_commands.autocomplete(persona=complete_persona, name=complete_look)
    async def remove(self, interaction: Interaction, persona: str, name: str) -> None:
        """Remove a sprite."""
        await interaction.response.defer(ephemeral=True)
        guild = require_server(interaction)
        found = await self.personas(interaction).own(await self._find(interaction, persona))
        gone = await self.services.store.remove_sprite(guild, found.name, name)
        self.services.channel_configs.forget()
        key = "sprite_removed" if gone else "no_sprite"
        shown = {"name": show_name(found.name), "look": show_name(name[:100])}
        await reply(interaction, translate(str(interaction.locale), key, **shown))

    async def _find(self, interaction: Interaction, name: str) -> StoredPersona:
        found = await self.personas(interaction).find(name)
        if found is None:
            raise CommandRefused("no_persona", name=show_name(name[:100]))
        return found


async def take_picture(file: discord.Attachment | None, url: str | None) -> Picture:
    """The picture that was given as a file or an address, checked."""
    if (file is None) == (not url):
        raise CommandRefused("one_picture")
    if file is None:
        return await Fetcher().fetch_picture(str(url).strip())
    content = await read_file(file, PICTURE_CAP)
    return Picture("", content, check_picture(content).kind)
