"""`/memory`: what a persona remembers here, and how it forgets."""

from __future__ import annotations

from discord import app_commands

from streamcord.store import Memory

from ..conversation.channel_config import place_of
from ..persona.server_personas import ServerPersonas, escape, show_name
from ..services import Services
from ..texts import translate
from .command_base import (
    TEXT_LENGTH,
    CommandGroup,
    CommandRefused,
    Interaction,
    Scope,
    choices,
    reply,
    require_place,
)

__all__ = ["MemoryCommands"]

LINE_LENGTH = 160


class MemoryCommands(CommandGroup):
    """What was said, as far as it is remembered."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, "memory", "What I remember, and how I forget it")

    async def complete_persona(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Names of personas, while somebody types one."""
        personas = ServerPersonas(self.services.store, self.services.config, interaction.guild_id or 0)
        return choices(await personas.names(), current)

    @app_commands.command(description="What is remembered of this channel")
    @app_commands.describe(persona="whose memory; left out, of whoever speaks here")
    @app_commands.autocomplete(persona=complete_persona)
    async def show(self, interaction: Interaction, persona: str = "") -> None:
        """The last answers; other channels are nobody's business here."""
        await interaction.response.defer(ephemeral=True)
        if interaction.channel is None:
            raise CommandRefused("command_failed")
        place, parent = place_of(interaction.channel)
        name = persona.strip() or (await self.services.channel_configs.find(place, parent)).persona.name
        memories = await self.services.store.recall(name, place)
        key = "memory_head" if memories else "memory_none"
        locale, shown = str(interaction.locale), show_name(name[:100])
        await reply(
            interaction, _fit(translate(locale, key, name=shown), [_lines(locale, one) for one in memories])
        )

    @app_commands.command(description="Forget what was said in this channel, or in the whole server")
    @app_commands.describe(
        persona="whose memory; left out, everybody's", where="in this channel, or in the server"
    )
    @app_commands.autocomplete(persona=complete_persona)
    async def clear(self, interaction: Interaction, persona: str = "", where: Scope = "channel") -> None:
        """Forget answers."""
        await interaction.response.defer(ephemeral=True)
        count = await self.services.store.forget(require_place(interaction, where), persona.strip() or None)
        await reply(interaction, translate(str(interaction.locale), f"cleared_{where}", count=count))

    @app_commands.command(
        name="forget-me", description="Forget every answer to you, in all channels and servers"
    )
    async def forget_me(self, interaction: Interaction) -> None:
        """Everybody may have themselves forgotten."""
        await interaction.response.defer(ephemeral=True)
        count = await self.services.store.forget_person(interaction.user.id)
        self.services.recent_answers.forget_owner(interaction.user.id)
        await reply(interaction, translate(str(interaction.locale), "forgot_you", count=count))


def _lines(locale: str, memory: Memory) -> str:
    text = f"- <t:{memory.at:.0f}:R> {_short(memory.text)}"
    notes = " ".join(memory.details)
    return f"{text}\n  -# {translate(locale, 'memory_notes', notes=_short(notes))}" if notes.strip() else text


def _short(text: str) -> str:
    words = " ".join(text.split())
    cut = words if len(words) <= LINE_LENGTH else words[: LINE_LENGTH - 1] + "…"
    return escape(cut)


def _fit(head: str, entries: list[str]) -> str:
    """As many of the newest as one message holds, the oldest first."""
    room, kept = TEXT_LENGTH - len(head), list[str]()
    for entry in reversed(entries):
        room -= len(entry) + 1
        if room < 0:
            break
        kept.append(entry)
    return "\n".join([head, *reversed(kept)])
