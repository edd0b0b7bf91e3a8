"""The personas of one server, as its commands see them, and their names made fit to be kept and shown."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from streamcord import Persona
from streamcord.store import Picture, Store, StoredPersona

from ..config.config import BotConfig

__all__ = ["NAME_LENGTH", "ServerPersonas", "clean_name", "escape", "show_name"]


class ServerPersonas:
    """Finds the personas of a server, and copies a shared one before it is changed there."""

    def __init__(self, store: Store, config: BotConfig, guild: int) -> None:
        self._store = store
        self._config = config
        self._guild = guild

    async def all(self) -> list[StoredPersona]:
        """All personas of the server: its own, those of every server, those of the file."""
        stored = list(await self._store.personas(self._guild))
        known = {one.name.casefold() for one in stored}
        return [*stored, *(one for one in self._given() if one.name.casefold() not in known)]

    async def names(self) -> list[str]:
        """Their names."""
        return [one.name for one in await self.all()]

    async def find(self, name: str) -> StoredPersona | None:
        """A persona by name, in any case."""
        found = await self._store.find_persona(self._guild, name)
        if found is not None:
            return found
        return next((one for one in self._given() if one.name.casefold() == name.strip().casefold()), None)

    async def own(self, found: StoredPersona) -> StoredPersona:
        """The server's own copy of a persona, made if it is a shared one."""
        if found.guild == self._guild:
            return found
        copy = replace(found, guild=self._guild)
        await self._store.save_persona(copy)
        for name, picture in (await self.pictures(found)).items():
            await self.copy_picture(copy.name, found.persona, name, picture)
        return copy

    async def copy_picture(self, persona: str, worn: Persona, look: str, picture: Picture) -> None:
        """Store one picture for a persona of this server; an empty `look` is the base picture."""
        if not look:
            await self._store.save_avatar(self._guild, persona, picture)
            return
        sprite = next(one for one in worn.sprites if one.name == look)
        await self._store.save_sprite(self._guild, persona, sprite, picture)

    async def pictures(self, found: StoredPersona) -> dict[str, Picture]:
        """All pictures of a persona by sprite; the base picture has an empty name."""
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


NAME_LENGTH = 80
"""Characters of a name, at most: what Discord shows over a message."""

_JOINERS = frozenset("\u200c\u200d")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS = frozenset("\\`*_~|<>@#[]")
_LINKS = frozenset("():./")
_MARKS_CAP = 3


def clean_name(name: str) -> str:
    """The name on one line, without invisible characters, at most 80 long; may be empty.

    A letter wears at most three marks, so that no name climbs over its neighbours.
    """
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", name[: NAME_LENGTH * 16]):
        category = unicodedata.category(letter)
        marks = marks + 1 if category == "Mn" else 0
        if letter.isspace():
            kept.append(" ")
        elif (category not in _UNSEEN or letter in _JOINERS) and marks <= _MARKS_CAP:
            kept.append(letter)
    cleaned = " ".join("".join(kept).split()).strip("\u200c\u200d")
    return cleaned[:NAME_LENGTH].rstrip() if any(map(str.isprintable, cleaned)) else ""


def show_name(name: str) -> str:
    """A name in bold, escaped so that it is no Markdown, mention or link."""
    return f"**{''.join(_escaped(letter, letter in _MARKS or letter in _LINKS) for letter in name)}**"


def escape(text: str) -> str:
    """A text escaped so that it is no Markdown and no mention."""
    return "".join(_escaped(letter, letter in _MARKS) for letter in text)


def _escaped(letter: str, marked: bool) -> str:
    return f"\\{letter}" if marked else letter
