"""`/memory`: show and forget what personas remember."""

from __future__ import annotations

from discord import app_commands

from streamcord.store import Memory, Store

from ..answering.recent_answers import RecentAnswers
from ..config import BotConfig
from ..i18n import translate
from ..personas.server_personas import ServerPersonas, escape, show_name
from ..policy.channel_config import ChannelConfigs, place_of
from .autocomplete import choices
from .base import (
    TEXT_LENGTH,
    CommandGroup,
    CommandRefused,
    Interaction,
    Scope,
    reply,
    require_place,
)

LINE_LENGTH = 160
"""Characters of one remembered answer that `/memory show` shows."""


class MemoryCommands(CommandGroup):
    """`/memory`: shows and clears what personas remember."""

    def __init__(
        self,
        config: BotConfig,
        store: Store,
        channel_configs: ChannelConfigs,
        recent_answers: RecentAnswers,
    ) -> None:
        super().__init__("memory", "What I remember, and how I forget it")
        self._config = config
        self._store = store
        self._channel_configs = channel_configs
        self._recent_answers = recent_answers

    async def complete_persona(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        """Suggest names of personas."""
        personas = ServerPersonas(self._store, self._config, interaction.guild_id or 0)
        return choices(await personas.names(), current)

    @app_commands.command(description="Show what I remember from this channel")
    @app_commands.describe(persona="whose memory; the default is the persona that speaks here")
    @app_commands.autocomplete(persona=complete_persona)
    async def show(self, interaction: Interaction, persona: str = "") -> None:
        """Show the remembered answers of this channel only."""
        await interaction.response.defer(ephemeral=True)
        if interaction.channel is None:
            raise CommandRefused("command_failed")
        place, parent = place_of(interaction.channel)
        # Memories quote earlier messages, so they need the same permission.
        if place.guild and not interaction.permissions.read_message_history:
            raise CommandRefused("need_history")
        name = persona.strip() or (await self._channel_configs.find(place, parent)).persona.name
        memories = await self._store.recall(name, place)
        key = "memory_head" if memories else "memory_none"
        locale, shown = str(interaction.locale), show_name(name[:100])
        await reply(
            interaction, _fit(translate(locale, key, name=shown), [_lines(locale, one) for one in memories])
        )

    @app_commands.command(description="Forget what was said in this channel, or in the whole server")
    @app_commands.describe(
        persona="whose memory; the default is all personas", where="in this channel, or in the server"
    )
    @app_commands.autocomplete(persona=complete_persona)
    async def clear(self, interaction: Interaction, persona: str = "", where: Scope = "channel") -> None:
        """Forget the answers of a channel or of the server."""
        await interaction.response.defer(ephemeral=True)
        count = await self._store.forget(require_place(interaction, where), persona.strip() or None)
        await reply(interaction, translate(str(interaction.locale), f"cleared_{where}", count=count))

    @app_commands.command(
        name="forget-me", description="Forget every answer to you, in all channels and servers"
    )
    async def forget_me(self, interaction: Interaction) -> None:
        """Delete every answer to the user of the command."""
        await interaction.response.defer(ephemeral=True)
        count = await self._store.forget_person(interaction.user.id)
        self._recent_answers.forget_owner(interaction.user.id)
        await reply(interaction, translate(str(interaction.locale), "forgot_you", count=count))


def _lines(locale: str, memory: Memory) -> str:
    text = f"- <t:{memory.at:.0f}:R> {_short(memory.text)}"
    notes = " ".join(memory.details)
    return f"{text}\n  -# {translate(locale, 'memory_notes', notes=_short(notes))}" if notes.strip() else text


def _short(text: str) -> str:
    words = " ".join(text.split())
    # Escaped before it is wrapped, so that the text cannot close the spoiler around it.
    cut = escape(words if len(words) <= LINE_LENGTH else words[: LINE_LENGTH - 1] + "…")
    # An answer with a spoiler is hidden as a whole: the cut may separate the bars.
    return f"||{cut}||" if "||" in words else cut


def _fit(head: str, entries: list[str]) -> str:
    """Return as many of the newest entries as fit one message, the oldest first."""
    left, kept = TEXT_LENGTH - len(head), list[str]()
    for entry in reversed(entries):
        left -= len(entry) + 1
        if left < 0:
            break
        kept.append(entry)
    return "\n".join([head, *reversed(kept)])
