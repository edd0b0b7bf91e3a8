"""`/persona sprite`: add, show and remove the sprites of a persona."""

from __future__ import annotations

from functools import partial

import discord
from discord import app_commands

from streamcord import Sprite
from streamcord.store import Store, StoredPersona

from ..i18n import translate
from ..personas.avatar_emoji import pictures_of
from ..personas.server_personas import ServerPersonas, show_name
from ..policy.channel_config import ChannelConfigs
from ..prompt.prompt_builder import MAX_INSTRUCTION_CHARS
from .autocomplete import choices
from .base import (
    CommandGroup,
    CommandRefused,
    Interaction,
    defer,
    reply,
    require_server,
)
from .persona_editor import PersonaEditor, check_name

SPRITE_CAP = 50
"""Sprites of one persona."""


class SpriteCommands(CommandGroup):
    """`/persona sprite`."""

    def __init__(self, store: Store, channel_configs: ChannelConfigs, editor: PersonaEditor) -> None:
        super().__init__("sprite", "The sprites of a persona")
        self._store = store
        self._channel_configs = channel_configs
        self._editor = editor

    def personas(self, interaction: Interaction) -> ServerPersonas:
        """The personas of the server where a command was used."""
        return self._editor.personas(interaction.guild_id or 0)

    async def complete_persona(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Suggest names of personas."""
        return choices(await self.personas(interaction).names(), current)

    async def complete_sprite(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Suggest sprites of the persona that was typed before."""
        sprites = await self.personas(interaction).sprite_names(str(interaction.namespace["persona"] or ""))
        return choices(sprites, current)

    @app_commands.command(description="Give a persona a sprite, or another picture for one")
    @app_commands.describe(
        persona="whose sprite",
        name="what the model calls it: happy, mad, …",
        picture="the picture",
        url="or its address",
        identity="whether it is a character of its own, shown as sprite (Persona)",
        instruction="when the model should use it: when teased, at night, …",
    )
    @app_commands.autocomplete(persona=complete_persona, name=complete_sprite)
    async def add(
        self,
        interaction: Interaction,
        persona: str,
        name: str,
        picture: discord.Attachment | None = None,
        url: str | None = None,
        identity: bool = False,
        instruction: app_commands.Range[str, 0, MAX_INSTRUCTION_CHARS] = "",
    ) -> None:
        """Add a sprite, or replace its picture."""
        await defer(interaction, public=True)
        guild = require_server(interaction)
        found = await self._find(interaction, persona)
        called = check_name(name)
        before = next(
            (one for one in found.persona.sprites if one.name.casefold() == called.casefold()), None
        )
        # A sprite that gets another picture keeps its instruction.
        wanted = instruction.strip() or (before.instruction if before else "")
        sprite = Sprite(called, identity=identity, instruction=wanted)
        known = {sprite.name.casefold() for sprite in found.persona.sprites}
        # Another picture for a known sprite is always possible.
        if sprite.name.casefold() not in known and len(known) >= SPRITE_CAP:
            raise CommandRefused("sprite_cap", cap=SPRITE_CAP)
        taken = await self._editor.take_picture(picture, url)
        await self._editor.check_capacity(guild, sprite.name.casefold() not in known, len(taken.content))
        # Only after all checks: a refused command must not leave a copy of a shared persona.
        found = await self.personas(interaction).own(found)
        text = translate(
            str(interaction.locale),
            "sprite_added",
            name=show_name(found.name),
            sprite=show_name(sprite.name),
            label=f"{found.name} ({sprite.name}): ".replace("`", "'"),
        )
        # `show_picture` calls it again with another address if the upload as an emoji failed.
        keep = partial(self._store.save_sprite, guild, found.name, sprite)
        await self._editor.show_picture(interaction, text, taken, keep)
        self._channel_configs.forget()
        # `found` is the persona before the change, so these are the pictures that may be unused now.
        await self._editor.remove_unused(pictures_of(found.persona))

    @app_commands.command(description="Remove a sprite of a persona")
    @app_commands.describe(persona="whose sprite", name="which sprite")
    @app_commands.autocomplete(persona=complete_persona, name=complete_sprite)
    async def remove(self, interaction: Interaction, persona: str, name: str) -> None:
        """Remove a sprite."""
        await defer(interaction)
        guild = require_server(interaction)
        found = await self.personas(interaction).own(await self._find(interaction, persona))
        gone = await self._store.remove_sprite(guild, found.name, name)
        self._channel_configs.forget()
        key = "sprite_removed" if gone else "no_sprite"
        shown = {"name": show_name(found.name), "sprite": show_name(name[:100])}
        await reply(interaction, translate(str(interaction.locale), key, **shown))
        await self._editor.remove_unused(pictures_of(found.persona))

    async def _find(self, interaction: Interaction, name: str) -> StoredPersona:
        found = await self.personas(interaction).find(name)
        if found is None:
            raise CommandRefused("no_persona", name=show_name(name[:100]))
        return found
