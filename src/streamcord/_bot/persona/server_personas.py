"""The personas of one server as its commands see them: names fit to be kept and shown, and pictures."""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import unicodedata
from dataclasses import replace
from pathlib import Path

import discord

from streamcord import Persona, Sprite, StoreError
from streamcord.store import Picture, Store, StoredPersona

from ..config import BotConfig, PersonaConfig
from .pictures import PICTURE_CAP, PictureError, check_picture

__all__ = [
    "NAME_LENGTH",
    "AvatarEmoji",
    "ServerPersonas",
    "clean_name",
    "escape",
    "publish_looks",
    "publish_shared_looks",
    "seed_personas",
    "show_name",
]


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


# --- Where pictures live --------------------------------------------------------------------------------
#
# Discord shows them for good as emoji of the bot's own application. A webhook takes an avatar by its address
# only. The address of a file in a message stops working after a day
# (https://docs.discord.com/developers/reference#signed-attachment-cdn-urls); that of an emoji does not. An
# application has room for 2000, and nobody sees them in a picker.


EMOJI_CAP = 256 * 1024
"""Bytes that Discord takes for an emoji."""
SIDE = 256
"""Pixels to which a picture is made smaller that has more bytes than that."""

_log = logging.getLogger("streamcord.bot")


class AvatarEmoji:
    """The application emoji that hold avatars, named by their content: the same picture is stored once."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client
        self._addresses: dict[str, str] | None = None
        self._lock = asyncio.Lock()

    async def publish(self, picture: Picture) -> Picture:
        """Upload a picture and return it with its lasting address; unchanged if that failed."""
        if not picture.content:
            return picture
        name = f"sc_{hashlib.sha256(picture.content).hexdigest()[:24]}"
        try:
            async with self._lock:
                address = await self._find(name) or await self._make(name, picture.content)
        except (discord.DiscordException, ValueError) as error:
            _log.warning("a picture has no lasting place: %s", error)
            return picture
        return replace(picture, url=address)

    async def _find(self, name: str) -> str | None:
        if self._addresses is None:
            emojis = await self._client.fetch_application_emojis()
            self._addresses = {emoji.name: emoji.url for emoji in emojis}
        return self._addresses.get(name)

    async def _make(self, name: str, content: bytes) -> str:
        if len(content) > EMOJI_CAP:
            content = await asyncio.to_thread(_shrink, content)
        emoji = await self._client.create_application_emoji(name=name, image=content)
        assert self._addresses is not None
        self._addresses[name] = emoji.url
        return emoji.url


async def publish_looks(avatar_emoji: AvatarEmoji, store: Store, stored: StoredPersona) -> None:
    """Upload all pictures of a persona that have no address yet."""
    persona, guild = stored.persona, stored.guild
    if not persona.avatar:
        picture = await store.find_picture(guild, persona.name)
        if picture is not None and picture.content:
            await store.save_avatar(guild, persona.name, await avatar_emoji.publish(picture))
    for sprite in persona.sprites:
        picture = await store.find_picture(guild, persona.name, sprite.name) if not sprite.avatar else None
        if picture is not None and picture.content:
            await store.save_sprite(guild, persona.name, sprite, await avatar_emoji.publish(picture))


def _shrink(content: bytes) -> bytes:
    """The picture as a small PNG; needs Pillow."""
    try:
        from PIL import Image  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ValueError("it is larger than 256 KB, and without streamcord[tables] it stays so") from None
    try:
        with Image.open(io.BytesIO(content)) as image:
            small = image.convert("RGBA")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"it cannot be drawn ({type(error).__name__})") from None
    small.thumbnail((SIDE, SIDE))
    drawn = io.BytesIO()
    small.save(drawn, "PNG", optimize=True)
    return drawn.getvalue()


async def seed_personas(config: BotConfig, store: Store) -> None:
    """Store the personas of the file for every server; those that are stored already stay as they are."""
    for one in config.personas:
        if await store.find_persona(0, one.name) is None:
            await _seed(one, store, Path(config.file).parent)


async def publish_shared_looks(avatar_emoji: AvatarEmoji, store: Store) -> None:
    """Upload the pictures of personas that every server has."""
    try:
        for stored in await store.personas(0):
            await publish_looks(avatar_emoji, store, stored)
    except StoreError as error:
        _log.warning("pictures of personas were not uploaded: %s", error)


async def _seed(one: PersonaConfig, store: Store, folder: Path) -> None:
    persona = Persona(one.name, one.words, alter=one.alter)
    await store.save_persona(StoredPersona(persona, prompt=one.prompt, greeting=one.greeting))
    face = _find_picture(one.picture, folder)
    if face is not None:
        await store.save_avatar(0, one.name, face)
    for look in one.sprites:
        picture = _find_picture(look.picture, folder)
        await store.save_sprite(0, one.name, Sprite(look.name, identity=look.identity), picture or Picture())


def _find_picture(given: str, folder: Path) -> Picture | None:
    """The picture that the file names: an address, or a file beside it."""
    if not given or given.startswith(("https://", "http://")):
        return Picture(given) if given else None
    try:
        with (folder / given).open("rb") as file:
            content = file.read(PICTURE_CAP + 1)
        return Picture("", content, check_picture(content).kind)
    except (OSError, PictureError) as error:
        _log.warning("the picture %s cannot be used: %s", given, error)
        return None
