"""`/memory`: what a persona remembers here, and how it forgets."""

from __future__ import annotations

from discord import app_commands

from streamcord.store import Memory

from ..conversation.channel_config import place_of
from ..persona.server_personas import Wardrobe, escape, show_name
from ..services import Services
from ..texts import translate
from .command_base import TEXT_LENGTH, Courteous, Press, Refused, Scope, choices, find_scope, reply

__all__ = ["MemoryCommands"]

LINE_LENGTH = 160


class MemoryCommands(Courteous):
    """What was said, as far as it is remembered."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, "memory", "What I remember, and how I forget it")

    async def complete_persona(self, press: Press, current: str) -> list[app_commands.Choice[str]]:
        """Names of personas, while somebody types one."""
        wardrobe = Wardrobe(self.services.store, self.services.config, press.guild_id or 0)
        return choices(await wardrobe.names(), current)

    @app_commands.command(description="What is remembered of this channel")
    @app_commands.describe(persona="whose memory; left out, of whoever speaks here")
    @app_commands.autocomplete(persona=complete_persona)
    async def show(self, press: Press, persona: str = "") -> None:
        """The last answers; other channels are nobody's business here."""
        await press.response.defer(ephemeral=True)
        if press.channel is None:
            raise Refused("command_failed")
        place, parent = place_of(press.channel)
        name = persona.strip() or (await self.services.scenes.find(place, parent)).persona.name
        memories = await self.services.store.recall(name, place)
        key = "memory_head" if memories else "memory_none"
        locale, shown = str(press.locale), show_name(name[:100])
        await reply(
            press, _fit(translate(locale, key, name=shown), [_lines(locale, one) for one in memories])
        )

    @app_commands.command(description="Forget what was said in this channel, or in the whole server")
    @app_commands.describe(
        persona="whose memory; left out, everybody's", where="in this channel, or in the server"
    )
    @app_commands.autocomplete(persona=complete_persona)
    async def clear(self, press: Press, persona: str = "", where: Scope = "channel") -> None:
        """Forget answers."""
        await press.response.defer(ephemeral=True)
        count = await self.services.store.forget(find_scope(press, where), persona.strip() or None)
        await reply(press, translate(str(press.locale), f"cleared_{where}", count=count))

    @app_commands.command(
        name="forget-me", description="Forget every answer to you, in all channels and servers"
    )
    async def forget_me(self, press: Press) -> None:
        """Everybody may have themselves forgotten."""
        await press.response.defer(ephemeral=True)
        count = await self.services.store.forget_person(press.user.id)
        self.services.archive.forget_owner(press.user.id)
        await reply(press, translate(str(press.locale), "forgot_you", count=count))


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
