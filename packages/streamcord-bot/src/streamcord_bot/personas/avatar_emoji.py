"""Upload avatars and sprites as emoji of the bot's own application.

A webhook accepts an avatar only by its address. The address of an attachment expires after a day
(https://docs.discord.com/developers/reference#signed-attachment-cdn-urls); that of an application emoji does not. So
avatars are uploaded as emoji of the bot's own application, which can have 2000 and shows them in no emoji picker
(https://docs.discord.com/developers/resources/emoji#application-owned).

All servers share these 2000 places. Once they are taken, a new picture of a server replaces the oldest one of
the server that has most, if that server still has at least as many afterwards. So no server keeps the others from
having pictures, and servers with equal shares do not replace each other's. Pictures of the operator's
personas are never replaced.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Protocol

import discord

from streamcord import Persona, StoreError
from streamcord.store import PersonaEntry, Picture, Store

from .pictures import PictureError

EMOJI_CAP = 256 * 1024
"""Bytes that Discord accepts for an emoji."""
MAX_EMOJI = 2000
"""Emoji that an application can have."""
UPLOAD_TIME = timedelta(hours=1)
"""An emoji that no persona uses may be an upload of another process for so long, before it is stored."""

_log = logging.getLogger(__name__)


class PictureShrinker(Protocol):
    """Makes pictures small enough for an emoji; the sandbox does it in another process."""

    async def shrink(self, content: bytes, /) -> bytes:
        """Return the picture in a smaller size."""


class AvatarEmoji:
    """The application emoji that hold avatars, named by their content: the same picture is stored once."""

    def __init__(self, client: discord.Client, file_reader: PictureShrinker, store: Store) -> None:
        self._client = client
        self._file_reader = file_reader
        # Says which servers use which emoji.
        self._store = store
        # The application's emoji by name; `None` before the first request.
        self._emojis: dict[str, discord.Emoji] | None = None
        # Uploads and deletions exclude each other: a picture in use must not be deleted as unused.
        self._lock = asyncio.Lock()

    async def publish(
        self, guild: int, picture: Picture, keep: Callable[[Picture], Awaitable[None]]
    ) -> Picture:
        """Upload a picture of a server and store it with `keep`; without an address if the upload failed.

        It is stored under the same lock, so that `remove_unused` never sees an upload that no persona uses yet.
        """
        async with self._lock:
            published = await self._upload(guild, picture) if picture.content else picture
            await keep(published)
        return published

    async def _upload(self, guild: int, picture: Picture) -> Picture:
        digest = await asyncio.to_thread(hashlib.sha256, picture.content)
        name = f"sc_{digest.hexdigest()[:24]}"
        try:
            # The name is the digest of the content, so a known name is the same picture.
            emoji = (await self._known()).get(name) or await self._make(guild, name, picture.content)
        except (discord.DiscordException, PictureError, StoreError) as error:
            _log.warning("could not upload avatar as application emoji: %s", error)
            return picture
        return replace(picture, url=emoji.url)

    async def remove_unused(self, addresses: Iterable[str | None]) -> None:
        """Delete the emoji at these addresses that no persona of any server uses."""
        gone = {address for address in addresses if address}
        try:
            async with self._lock:
                # Read under the lock, so that no upload can be stored between this check and the deletion.
                gone -= (await self._store.picture_urls()).keys() if gone else set()
                for name, emoji in list((await self._known()).items()) if gone else ():
                    if emoji.url in gone:
                        await emoji.delete()
                        del (await self._known())[name]
        except (discord.DiscordException, StoreError) as error:
            _log.warning("could not delete unused avatar emoji: %s", error)

    async def _known(self) -> dict[str, discord.Emoji]:
        """Return the bot's avatar emoji by name; fetched once."""
        if self._emojis is None:
            self._emojis = _own(await self._client.fetch_application_emojis())
        return self._emojis

    async def _make(self, guild: int, name: str, content: bytes) -> discord.Emoji:
        if len(content) > EMOJI_CAP:
            content = await self._file_reader.shrink(content)
        try:
            emoji = await self._client.create_application_emoji(name=name, image=content)
        except discord.HTTPException as error:
            if error.status != HTTPStatus.BAD_REQUEST or not await self._delete_unused_emoji(guild):
                raise
            emoji = await self._client.create_application_emoji(name=name, image=content)
        (await self._known())[name] = emoji
        return emoji

    async def _delete_unused_emoji(self, guild: int) -> bool:
        """Delete an emoji for a picture of this server; return False if none may be deleted, or if there is room."""
        # Other processes upload too, so what is known may be old.
        found = await self._client.fetch_application_emojis()
        self._emojis = _own(found)
        if len(found) < MAX_EMOJI:
            return False
        users = await self._store.picture_urls()
        until = discord.utils.utcnow() - UPLOAD_TIME
        own = self._emojis.values()
        unused = [emoji for emoji in own if emoji.url not in users and emoji.created_at < until]
        replaced = min(unused, key=_age) if unused else _find_replaced(own, users, guild)
        if replaced is None:
            return False
        # First in the store: a persona without a picture is better than one whose picture does not exist.
        await self._store.remove_picture_url(replaced.url)
        await replaced.delete()
        del self._emojis[replaced.name]
        _log.info("application emoji are full: replaced avatar emoji %d for server %d", replaced.id, guild)
        return True


def _own(found: Iterable[discord.Emoji]) -> dict[str, discord.Emoji]:
    # Other emoji of the application belong to the operator and are left alone.
    return {emoji.name: emoji for emoji in found if emoji.name.startswith("sc_")}


def _age(emoji: discord.Emoji) -> int:
    return emoji.id


def _find_replaced(
    emojis: Iterable[discord.Emoji], users: Mapping[str, frozenset[int]], guild: int
) -> discord.Emoji | None:
    """Return the oldest emoji of the server that has most, if it has more than this server needs for its share."""
    held = defaultdict[int, list[discord.Emoji]](list)
    for emoji in emojis:
        guilds = users.get(emoji.url, frozenset())
        # Server 0 means the operator's personas, which every server has.
        for user in guilds if 0 not in guilds else ():
            held[user].append(emoji)
    if not held:
        return None
    largest = max(held.values(), key=len)
    if guild and len(largest) <= len(held[guild]) + 1:
        return None
    # An emoji that several servers use is replaced last.
    return min(largest, key=lambda emoji: (len(users[emoji.url]), _age(emoji)))


def pictures_of(persona: Persona) -> list[str | None]:
    """Return the addresses of all pictures of a persona."""
    return [persona.avatar, *(sprite.avatar for sprite in persona.sprites)]


async def publish_pictures(avatar_emoji: AvatarEmoji, store: Store, stored: PersonaEntry) -> None:
    """Upload all pictures of a persona that have no address yet."""
    persona, guild = stored.persona, stored.guild
    if not persona.avatar:
        picture = await store.find_picture(guild, persona.name)
        if picture is not None and picture.content:
            await avatar_emoji.publish(guild, picture, partial(store.save_avatar, guild, persona.name))
    for sprite in persona.sprites:
        picture = await store.find_picture(guild, persona.name, sprite.name) if not sprite.avatar else None
        if picture is not None and picture.content:
            keep = partial(store.save_sprite, guild, persona.name, sprite)
            await avatar_emoji.publish(guild, picture, keep)


async def publish_shared_pictures(avatar_emoji: AvatarEmoji, store: Store) -> None:
    """Upload the pictures of personas that every server has."""
    try:
        for stored in await store.personas(0):
            await publish_pictures(avatar_emoji, store, stored)
    except StoreError as error:
        _log.warning("could not upload pictures of shared personas: %s", error)
