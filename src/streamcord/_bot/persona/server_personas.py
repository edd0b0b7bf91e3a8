"""The personas of one server, as its commands see them: its own, those of all servers, those of the file."""

from __future__ import annotations

from dataclasses import replace

from streamcord import Persona
from streamcord.store import Picture, Store, StoredPersona

from ..config.config import BotConfig

__all__ = ["Wardrobe"]


class Wardrobe:
    """Finds personas, and makes a server its own copy of one before it is changed there."""

    def __init__(self, store: Store, config: BotConfig, guild: int) -> None:
        self._store = store
        self._config = config
        self._guild = guild

    async def all(self) -> list[StoredPersona]:
        """Everybody who can speak in the server."""
        stored = list(await self._store.personas(self._guild))
        known = {one.name.casefold() for one in stored}
        return [*stored, *(one for one in self._given() if one.name.casefold() not in known)]

    async def names(self) -> list[str]:
        """The same, by name."""
        return [one.name for one in await self.all()]

    async def find(self, name: str) -> StoredPersona | None:
        """Somebody by name."""
        found = await self._store.find_persona(self._guild, name)
        if found is not None:
            return found
        return next((one for one in self._given() if one.name.casefold() == name.strip().casefold()), None)

    async def own(self, found: StoredPersona) -> StoredPersona:
        """The server's own copy, with all looks; what is shared is never changed from within one server."""
        if found.guild == self._guild:
            return found
        copy = replace(found, guild=self._guild)
        await self._store.save_persona(copy)
        for name, picture in (await self.pictures(found)).items():
            await self.dress(copy.name, found.persona, name, picture)
        return copy

    async def dress(self, persona: str, worn: Persona, look: str, picture: Picture) -> None:
        """Give a persona of this server one picture of another; an empty look is the base one."""
        if not look:
            await self._store.save_avatar(self._guild, persona, picture)
            return
        sprite = next(one for one in worn.sprites if one.name == look)
        await self._store.save_sprite(self._guild, persona, sprite, picture)

    async def pictures(self, found: StoredPersona) -> dict[str, Picture]:
        """All pictures of a persona by look, the base one under an empty name."""
        pictures = {}
        for look, url in (
            ("", found.persona.avatar),
            *((one.name, one.avatar) for one in found.persona.sprites),
        ):
            picture = await self._store.find_picture(found.guild, found.name, look)
            picture = picture or (Picture(url) if url else None)
            if picture is not None:
                pictures[look] = picture
        return pictures

    def _given(self) -> list[StoredPersona]:
        return [
            StoredPersona(one.persona(), prompt=one.prompt, greeting=one.greeting)
            for one in self._config.personas
        ]
