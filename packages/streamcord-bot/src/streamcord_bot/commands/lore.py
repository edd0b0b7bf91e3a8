"""`/lore`: what a persona knows of its world, added to the prompt when a key occurs in the conversation."""

from __future__ import annotations

import re
from dataclasses import replace

import discord
from discord import app_commands

from streamcord.store import Store, StoredPersona

from ..i18n import translate
from ..personas.character_cards import CARD_CAP
from ..personas.server_personas import escape, show_name
from ..policy.channel_config import ChannelConfigs
from ..sandbox.client import SandboxClient
from .autocomplete import choices
from .base import (
    TEXT_LENGTH,
    CommandGroup,
    CommandRefused,
    Interaction,
    defer,
    read_file,
    reply,
    require_server,
)
from .persona_editor import PersonaEditor, describe_report

MAX_KEYS = 20
# A key, or a regular expression such as `/a{1,2}/i`, in which a comma separates nothing.
_KEY = re.compile(r"\s*/(?:\\.|[^/\\])+/[a-z]*\s*(?=,|$)|[^,]+")
CONTENT_LENGTH = 2000


class LoreCommands(CommandGroup):
    """`/lore`."""

    def __init__(
        self, store: Store, channel_configs: ChannelConfigs, editor: PersonaEditor, files: SandboxClient
    ) -> None:
        super().__init__("lore", "What a persona knows of its world", guild_only=True)
        self._store = store
        self._channel_configs = channel_configs
        self._editor = editor
        self._files = files

    async def complete_persona(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Suggest names of personas."""
        return choices(await self._editor.personas(interaction.guild_id or 0).names(), current)

    @app_commands.command(name="list", description="The lore of a persona, with its numbers")
    @app_commands.describe(persona="whose lore")
    @app_commands.autocomplete(persona=complete_persona)
    async def list_all(self, interaction: Interaction, persona: str) -> None:
        """List the entries of a persona's lore."""
        await defer(interaction)
        require_server(interaction)
        found = await self._find(interaction, persona)
        locale = str(interaction.locale)
        entries = await self._files.list_lore(found.card) if found.card else []
        # The whole heading is bold.
        head = (
            translate(locale, "lore_head", name=escape(found.name))
            if entries
            else translate(locale, "lore_none", name=show_name(found.name))
        )
        text = "\n".join([head, *(f"{number}. {escape(line)}" for number, line in entries)])
        await reply(interaction, text if len(text) <= TEXT_LENGTH else f"{text[: TEXT_LENGTH - 2]}\n…")

    @app_commands.command(description="Add lore: a text that the model reads when one of the keys occurs")
    @app_commands.describe(
        persona="whose lore", keys="words, with commas between", text="what it knows of them"
    )
    @app_commands.autocomplete(persona=complete_persona)
    async def add(
        self,
        interaction: Interaction,
        persona: str,
        keys: app_commands.Range[str, 1, 500],
        text: app_commands.Range[str, 1, CONTENT_LENGTH],
    ) -> None:
        """Add an entry."""
        await defer(interaction)
        require_server(interaction)
        words = [key.strip() for key in _KEY.findall(keys) if key.strip()][:MAX_KEYS]
        if not words:
            raise CommandRefused("lore_no_keys")
        found = await self._own(interaction, persona)
        await self._keep(found, await self._files.add_lore(found.card, found.name, words, text))
        locale = str(interaction.locale)
        await reply(interaction, translate(locale, "lore_added", name=show_name(found.name)))

    @app_commands.command(description="Remove an entry of lore by its number")
    @app_commands.describe(persona="whose lore", number="the number in /lore list")
    @app_commands.autocomplete(persona=complete_persona)
    async def remove(
        self, interaction: Interaction, persona: str, number: app_commands.Range[int, 1, 100_000]
    ) -> None:
        """Remove an entry."""
        await defer(interaction)
        require_server(interaction)
        found = await self._own(interaction, persona)
        await self._keep(found, await self._files.remove_lore(found.card, number))
        locale = str(interaction.locale)
        await reply(interaction, translate(locale, "lore_removed", name=show_name(found.name), number=number))

    @app_commands.command(
        name="import", description="Add the lore of a file: world info, or a character card with a lorebook"
    )
    @app_commands.describe(persona="who gets it", file="a JSON file")
    @app_commands.autocomplete(persona=complete_persona)
    async def import_(self, interaction: Interaction, persona: str, file: discord.Attachment) -> None:
        """Import entries."""
        await defer(interaction)
        require_server(interaction)
        content = await read_file(file, CARD_CAP)
        found = await self._own(interaction, persona)
        card, report = await self._files.import_lore(found.card, found.name, content)
        await self._keep(found, card)
        locale = str(interaction.locale)
        added = translate(locale, "lore_added", name=show_name(found.name))
        await reply(interaction, "\n".join([added, *describe_report(locale, report)]))

    async def _find(self, interaction: Interaction, name: str) -> StoredPersona:
        found = await self._editor.personas(interaction.guild_id or 0).find(name)
        if found is None:
            raise CommandRefused("no_persona", name=show_name(name[:100]))
        return found

    async def _own(self, interaction: Interaction, name: str) -> StoredPersona:
        """Return the server's own persona; a shared one is copied first."""
        return await self._editor.personas(interaction.guild_id or 0).own(await self._find(interaction, name))

    async def _keep(self, found: StoredPersona, card: str) -> None:
        await self._editor.check_capacity(found.guild, 0, max(0, len(card) - len(found.card)))
        await self._store.save_persona(replace(found, card=card), was=found.name)
        self._channel_configs.forget()
