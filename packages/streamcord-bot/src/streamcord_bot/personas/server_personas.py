"""Find, copy and seed the personas of a server, and escape names for display."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from pathlib import Path

from streamcord import Persona, Sprite
from streamcord.store import PersonaEntry, Picture, Store, StoredPersona
from streamcord.utils import read_data_uri

from ..config import BotConfig, PersonaConfig
from .character_cards import CARD_CAP, CardError, CharacterCard, read_card
from .pictures import PICTURE_CAP, PictureError, check_picture


@dataclass(eq=False, repr=False)
class ServerPersonas:
    """Finds the personas of a server, and copies a shared one before it is changed there."""

    store: Store
    config: BotConfig
    guild: int

    async def all(self) -> list[PersonaEntry]:
        """Return all personas of the server: its own, the shared ones, and those of the file."""
        stored = list(await self.store.personas(self.guild))
        known = {one.name.casefold() for one in stored}
        # Personas of the file are in the store after the first start; this also finds them before it.
        given = (PersonaEntry(one.persona) for one in self._given())
        return [*stored, *(one for one in given if one.name.casefold() not in known)]

    async def names(self) -> list[str]:
        """Return the names of all personas."""
        return [one.name for one in await self.all()]

    async def sprite_names(self, name: str) -> list[str]:
        """Return the names of a persona's sprites; empty if there is no such persona."""
        wanted = name.strip().casefold()
        found = next((one for one in await self.all() if one.name.casefold() == wanted), None)
        return [sprite.name for sprite in found.persona.sprites] if found else []

    async def find(self, name: str) -> StoredPersona | None:
        """Return a persona by name, ignoring case, or `None`."""
        found = await self.store.find_persona(self.guild, name)
        if found is not None:
            return found
        return next((one for one in self._given() if one.name.casefold() == name.strip().casefold()), None)

    async def own(self, found: StoredPersona) -> StoredPersona:
        """Return the server's own copy of a persona; copy it first if it is a shared one."""
        # The file restricts by name. The copy keeps the restriction itself, because it may be renamed next.
        wanted = found.name.casefold()
        restricted = any(one.nsfw for one in self.config.personas if one.name.casefold() == wanted)
        if restricted and not found.adult:
            found = replace(found, adult=True)
        if found.guild == self.guild:
            return found
        copy = replace(found, guild=self.guild)
        await self.store.save_persona(copy)
        for name, picture in (await self.pictures(found)).items():
            await self.copy_picture(copy.name, found.persona, name, picture)
        return copy

    async def copy_picture(self, persona: str, source: Persona, sprite_name: str, picture: Picture) -> None:
        """Store one picture for a persona of this server; an empty `sprite_name` is the avatar."""
        if not sprite_name:
            await self.store.save_avatar(self.guild, persona, picture)
            return
        sprite = next(one for one in source.sprites if one.name == sprite_name)
        await self.store.save_sprite(self.guild, persona, sprite, picture)

    async def pictures(self, found: StoredPersona) -> dict[str, Picture]:
        """Return all pictures of a persona by sprite name; the avatar has an empty name."""
        pictures = {}
        for sprite_name, url in (
            ("", found.persona.avatar),
            *((one.name, one.avatar) for one in found.persona.sprites),
        ):
            picture = await self.store.find_picture(found.guild, found.name, sprite_name)
            picture = picture or (Picture(url) if url else None)
            if picture is not None:
                pictures[sprite_name] = picture
        return pictures

    def _given(self) -> list[StoredPersona]:
        return [
            StoredPersona(one.persona(), prompt=one.prompt, greeting=one.greeting)
            for one in self.config.personas
        ]


# Characters that Discord reads as Markdown or mentions, and those that make a link.
_MARKS = frozenset("\\`*_~|<>@#[]")
_LINKS = frozenset("():./")


def show_name(name: str) -> str:
    """Return a name in bold, escaped so that it contains no Markdown, mention or link."""
    return f"**{''.join(_escaped(letter, letter in _MARKS or letter in _LINKS) for letter in name)}**"


def escape(text: str) -> str:
    """Escape Markdown and mentions in a text."""
    return "".join(_escaped(letter, letter in _MARKS) for letter in text)


def _escaped(letter: str, marked: bool) -> str:
    return f"\\{letter}" if marked else letter


_log = logging.getLogger(__name__)


async def seed_personas(config: BotConfig, store: Store) -> None:
    """Store the personas of the file for every server; those that are stored already stay as they are."""
    for one in config.personas:
        if await store.find_persona(0, one.name) is None:
            await _seed(one, store, Path(config.file).parent)


async def _seed(one: PersonaConfig, store: Store, folder: Path) -> None:
    card = await asyncio.to_thread(_read_card_file, one.card, folder)
    persona = Persona(one.name, one.words, alter=one.alter)
    stored = StoredPersona(persona, prompt=one.prompt, greeting=one.greeting)
    if card is not None:
        aliases = tuple(dict.fromkeys((*one.words, *card.stored.persona.aliases)))
        stored = replace(
            card.stored,
            persona=replace(persona, aliases=aliases),
            prompt=one.prompt or card.stored.prompt,
            greeting=one.greeting or card.stored.greeting,
        )
    await store.save_persona(stored)
    for name, look in card.sprites.items() if card is not None else ():
        await store.save_sprite(0, one.name, Sprite(name), look)
    avatar = _find_picture(one.picture, folder) or (card.picture if card is not None else None)
    if avatar is not None:
        await store.save_avatar(0, one.name, avatar)
    for sprite in one.sprites:
        picture = _find_picture(sprite.picture, folder)
        wanted = Sprite(sprite.name, identity=sprite.identity, instruction=sprite.instruction)
        await store.save_sprite(0, one.name, wanted, picture or Picture())


def open_card(given: str, folder: Path) -> CharacterCard:
    """Read the character card that the configuration in a folder names.

    Raises:
        CardError: it is no character card.
        OSError: it cannot be read.

    """
    return read_card(_read(given, folder, CARD_CAP))


def _read_card_file(given: str, folder: Path) -> CharacterCard | None:
    """Return the character card that the configuration names."""
    if not given:
        return None
    try:
        return open_card(given, folder)
    except (OSError, CardError) as error:
        _log.warning("could not use character card %s of the configuration: %s", given[:100], error)
        return None


def _find_picture(given: str, folder: Path) -> Picture | None:
    """Return the picture that the configuration names: an address, a file beside it, or a `data:` address."""
    if not given or given.startswith(("https://", "http://")):
        return Picture(given) if given else None
    try:
        content = _read(given, folder)
        return Picture("", content, check_picture(content).kind)
    except (OSError, PictureError) as error:
        _log.warning("could not use picture %s of the configuration: %s", given[:100], error)
        return None


def _read(given: str, folder: Path, cap: int = PICTURE_CAP) -> bytes:
    if given.startswith("data:"):
        return read_data_uri(given) or b""
    with (folder / given).open("rb") as file:
        # One byte more than allowed makes `check_picture` refuse a file that is too large.
        return file.read(cap + 1)
