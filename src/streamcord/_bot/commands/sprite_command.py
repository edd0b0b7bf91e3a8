"""`/persona sprite`: the looks of a persona."""

from __future__ import annotations

from functools import partial

import discord
from discord import app_commands

from streamcord import Sprite
from streamcord.store import Picture, StoredPersona

from ..persona.fetching import Fetcher
from ..persona.pictures import PICTURE_CAP, look_at
from ..persona.server_personas import Wardrobe, show_name
from ..services import Services
from ..texts import translate
from .command_base import Courteous, Press, Refused, choices, read_file, reply, require_server
from .persona_edit import check_name, show_picture

__all__ = ["SPRITE_CAP", "SpriteCommands", "take_picture"]

SPRITE_CAP = 50
"""Looks of one persona."""


class SpriteCommands(Courteous):
    """How a persona looks."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, "sprite", "The looks of a persona")

    def wardrobe(self, press: Press) -> Wardrobe:
        """The personas of the server where a command was used."""
        return Wardrobe(self.services.store, self.services.config, press.guild_id or 0)

    async def complete_persona(self, press: Press, current: str) -> list[app_commands.Choice[str]]:
        """Names of personas, while somebody types one."""
        return choices(await self.wardrobe(press).names(), current)

    async def complete_look(self, press: Press, current: str) -> list[app_commands.Choice[str]]:
        """Looks of the persona that was named before."""
        found = await self.wardrobe(press).find(str(press.namespace["persona"] or ""))
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
        press: Press,
        persona: str,
        name: str,
        picture: discord.Attachment | None = None,
        url: str | None = None,
        identity: bool = False,
    ) -> None:
        """Keep a look and its picture."""
        await press.response.defer()
        guild = require_server(press)
        found = await self._find(press, persona)
        sprite = Sprite(check_name(name), identity=identity)
        known = {look.name.casefold() for look in found.persona.sprites}
        if sprite.name.casefold() not in known and len(known) >= SPRITE_CAP:
            raise Refused("sprite_cap", cap=SPRITE_CAP)
        taken = await take_picture(picture, url)
        found = await self.wardrobe(press).own(found)
        text = translate(
            str(press.locale),
            "sprite_added",
            name=show_name(found.name),
            look=show_name(sprite.name),
            label=f"{found.name} ({sprite.name}): ".replace("`", "'"),
        )
        keep = partial(self.services.store.save_sprite, guild, found.name, sprite)
        await show_picture(self.services, press, text, taken, keep)
        self.services.scenes.forget()

    @app_commands.command(description="Take a look from a persona")
    @app_commands.describe(persona="whose look", name="which look")
    @app_commands.autocomplete(persona=complete_persona, name=complete_look)
    async def remove(self, press: Press, persona: str, name: str) -> None:
        """Forget a look."""
        await press.response.defer(ephemeral=True)
        guild = require_server(press)
        found = await self.wardrobe(press).own(await self._find(press, persona))
        gone = await self.services.store.remove_sprite(guild, found.name, name)
        self.services.scenes.forget()
        key = "sprite_removed" if gone else "no_sprite"
        shown = {"name": show_name(found.name), "look": show_name(name[:100])}
        await reply(press, translate(str(press.locale), key, **shown))

    async def _find(self, press: Press, name: str) -> StoredPersona:
        found = await self.wardrobe(press).find(name)
        if found is None:
            raise Refused("no_persona", name=show_name(name[:100]))
        return found


async def take_picture(file: discord.Attachment | None, url: str | None) -> Picture:
    """The one picture that was given, checked."""
    if (file is None) == (not url):
        raise Refused("one_picture")
    if file is None:
        return await Fetcher().fetch_picture(str(url).strip())
    content = await read_file(file, PICTURE_CAP)
    return Picture("", content, look_at(content).kind)
