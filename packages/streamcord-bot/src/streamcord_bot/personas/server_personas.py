"""Find and copy the personas of a server, escape names for display, and upload avatars.

A webhook accepts an avatar only by its address. The address of an attachment expires after a day
(https://docs.discord.com/developers/reference#signed-attachment-cdn-urls); that of an application emoji does not. So
avatars are uploaded as emoji of the bot's own application, which can have 2000 and shows them in no emoji picker.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

import discord

from streamcord import Persona, Sprite, StoreError
from streamcord.store import PersonaEntry, Picture, Store, StoredPersona
from streamcord.utils import read_data_uri

from ..config import BotConfig, PersonaConfig
from .pictures import PICTURE_CAP, PictureError, check_picture

__all__ = [
    "AvatarEmoji",
    "ServerPersonas",
    "escape",
    "pictures_of",
    "publish_pictures",
    "publish_shared_pictures",
    "seed_personas",
    "show_name",
]


class ServerPersonas:
    """Finds the personas of a server, and copies a shared one before it is changed there."""

    def __init__(self, store: Store, config: BotConfig, guild: int) -> None:
        self._store = store
        self._config = config
        self._guild = guild

    async def all(self) -> list[PersonaEntry]:
        """Return all personas of the server: its own, the shared ones, and those of the file."""
        stored = list(await self._store.personas(self._guild))
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
        found = await self._store.find_persona(self._guild, name)
        if found is not None:
            return found
        return next((one for one in self._given() if one.name.casefold() == name.strip().casefold()), None)

    async def own(self, found: StoredPersona) -> StoredPersona:
        """Return the server's own copy of a persona; copy it first if it is a shared one."""
        # The file restricts by name. The copy keeps the restriction itself, because it may be renamed next.
        wanted = found.name.casefold()
        restricted = any(one.nsfw for one in self._config.personas if one.name.casefold() == wanted)
        if restricted and not found.adult:
            found = replace(found, adult=True)
        if found.guild == self._guild:
            return found
        copy = replace(found, guild=self._guild)
        await self._store.save_persona(copy)
        for name, picture in (await self.pictures(found)).items():
            await self.copy_picture(copy.name, found.persona, name, picture)
        return copy

    async def copy_picture(self, persona: str, source: Persona, sprite_name: str, picture: Picture) -> None:
        """Store one picture for a persona of this server; an empty `sprite_name` is the avatar."""
        if not sprite_name:
            await self._store.save_avatar(self._guild, persona, picture)
            return
        sprite = next(one for one in source.sprites if one.name == sprite_name)
        await self._store.save_sprite(self._guild, persona, sprite, picture)

    async def pictures(self, found: StoredPersona) -> dict[str, Picture]:
        """Return all pictures of a persona by sprite name; the avatar has an empty name."""
        pictures = {}
        for sprite_name, url in (
            ("", found.persona.avatar),
            *((one.name, one.avatar) for one in found.persona.sprites),
        ):
            picture = await self._store.find_picture(found.guild, found.name, sprite_name)
            picture = picture or (Picture(url) if url else None)
            if picture is not None:
                pictures[sprite_name] = picture
        return pictures

    def _given(self) -> list[StoredPersona]:
        return [
            StoredPersona(one.persona(), prompt=one.prompt, greeting=one.greeting)
            for one in self._config.personas
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


# --- Avatars as application emoji -----------------------------------------------------------------------


EMOJI_CAP = 256 * 1024
"""Bytes that Discord accepts for an emoji."""

_log = logging.getLogger(__name__)


class PictureShrinker(Protocol):
    """Makes pictures small enough for an emoji; the sandbox does it in another process."""

    async def shrink(self, content: bytes, /) -> bytes:
        """Return the picture in a smaller size."""
        ...


class AvatarEmoji:
    """The application emoji that hold avatars, named by their content: the same picture is stored once."""

    def __init__(self, client: discord.Client, file_reader: PictureShrinker) -> None:
        self._client = client
        self._file_reader = file_reader
        # The application's emoji by name; `None` before the first request.
        self._emojis: dict[str, discord.Emoji] | None = None
        # Uploads and deletions exclude each other: a picture in use must not be deleted as unused.
        self._lock = asyncio.Lock()

    async def publish(self, picture: Picture, keep: Callable[[Picture], Awaitable[None]]) -> Picture:
        """Upload a picture and store it with `keep`; without an address if the upload failed.

        It is stored under the same lock, so that `remove_unused` never sees an upload that no persona uses yet.
        """
        async with self._lock:
            published = await self._upload(picture) if picture.content else picture
            await keep(published)
        return published

    async def _upload(self, picture: Picture) -> Picture:
        digest = await asyncio.to_thread(hashlib.sha256, picture.content)
        name = f"sc_{digest.hexdigest()[:24]}"
        try:
            # The name is the digest of the content, so a known name is the same picture.
            emoji = (await self._known()).get(name) or await self._make(name, picture.content)
        except (discord.DiscordException, PictureError) as error:
            _log.warning("could not upload avatar as application emoji: %s", error)
            return picture
        return replace(picture, url=emoji.url)

    async def remove_unused(self, store: Store, addresses: Iterable[str | None]) -> None:
        """Delete the emoji at these addresses that no persona of any server uses."""
        gone = {address for address in addresses if address}
        try:
            async with self._lock:
                # Read under the lock, so that no upload can be stored between this check and the deletion.
                gone -= await store.picture_urls() if gone else frozenset()
                for name, emoji in list((await self._known()).items()) if gone else ():
                    if emoji.url in gone:
                        await emoji.delete()
                        del (await self._known())[name]
        except (discord.DiscordException, StoreError) as error:
            _log.warning("could not delete unused avatar emoji: %s", error)

    async def _known(self) -> dict[str, discord.Emoji]:
        """Return the bot's avatar emoji by name; fetched once."""
        if self._emojis is None:
            found = await self._client.fetch_application_emojis()
            # Other emoji of the application belong to the operator and are left alone.
            self._emojis = {emoji.name: emoji for emoji in found if emoji.name.startswith("sc_")}
        return self._emojis

    async def _make(self, name: str, content: bytes) -> discord.Emoji:
        if len(content) > EMOJI_CAP:
            content = await self._file_reader.shrink(content)
        emoji = await self._client.create_application_emoji(name=name, image=content)
        (await self._known())[name] = emoji
        return emoji


def pictures_of(persona: Persona) -> list[str | None]:
    """Return the addresses of all pictures of a persona."""
    return [persona.avatar, *(sprite.avatar for sprite in persona.sprites)]


async def publish_pictures(avatar_emoji: AvatarEmoji, store: Store, stored: PersonaEntry) -> None:
    """Upload all pictures of a persona that have no address yet."""
    persona, guild = stored.persona, stored.guild
    if not persona.avatar:
        picture = await store.find_picture(guild, persona.name)
        if picture is not None and picture.content:
            await avatar_emoji.publish(picture, partial(store.save_avatar, guild, persona.name))
    for sprite in persona.sprites:
        picture = await store.find_picture(guild, persona.name, sprite.name) if not sprite.avatar else None
        if picture is not None and picture.content:
            await avatar_emoji.publish(picture, partial(store.save_sprite, guild, persona.name, sprite))


async def seed_personas(config: BotConfig, store: Store) -> None:
    """Store the personas of the file for every server; those that are stored already stay as they are."""
    for one in config.personas:
        if await store.find_persona(0, one.name) is None:
            await _seed(one, store, Path(config.file).parent)


async def publish_shared_pictures(avatar_emoji: AvatarEmoji, store: Store) -> None:
    """Upload the pictures of personas that every server has."""
    try:
        for stored in await store.personas(0):
            await publish_pictures(avatar_emoji, store, stored)
    except StoreError as error:
        _log.warning("could not upload pictures of shared personas: %s", error)


async def _seed(one: PersonaConfig, store: Store, folder: Path) -> None:
    persona = Persona(one.name, one.words, alter=one.alter)
    await store.save_persona(StoredPersona(persona, prompt=one.prompt, greeting=one.greeting))
    avatar = _find_picture(one.picture, folder)
    if avatar is not None:
        await store.save_avatar(0, one.name, avatar)
    for sprite in one.sprites:
        picture = _find_picture(sprite.picture, folder)
        stored = Sprite(sprite.name, identity=sprite.identity, instruction=sprite.instruction)
        await store.save_sprite(0, one.name, stored, picture or Picture())


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


def _read(given: str, folder: Path) -> bytes:
    if given.startswith("data:"):
        return read_data_uri(given) or b""
    with (folder / given).open("rb") as file:
        # One byte more than allowed makes `check_picture` refuse a file that is too large.
        return file.read(PICTURE_CAP + 1)
