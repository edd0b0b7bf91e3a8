"""Upload avatars and sprites as emoji of the bot's own application.

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
from typing import Protocol

import discord

from streamcord import Persona, StoreError
from streamcord.store import PersonaEntry, Picture, Store

from .pictures import PictureError

__all__ = ["AvatarEmoji", "PictureShrinker", "pictures_of", "publish_pictures", "publish_shared_pictures"]

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


async def publish_shared_pictures(avatar_emoji: AvatarEmoji, store: Store) -> None:
    """Upload the pictures of personas that every server has."""
    try:
        for stored in await store.personas(0):
            await publish_pictures(avatar_emoji, store, stored)
    except StoreError as error:
        _log.warning("could not upload pictures of shared personas: %s", error)
