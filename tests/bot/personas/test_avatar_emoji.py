"""The 2000 emoji of the application are shared by all servers, with a fair share for each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import count

import discord
import pytest

from discord_twin import FaultKind, Twin
from discord_twin.discord_py import connect_discord_py
from discord_twin.state.models import Emoji
from streamcord import Persona, Sprite
from streamcord.store import Picture, Store, StoredPersona, open_store
from streamcord_bot.personas.avatar_emoji import MAX_EMOJI, AvatarEmoji
from streamcord_bot.personas.pictures import plain_png
from streamcord_bot.sandbox.client import SandboxClient
from twin.conftest import FREE

LARGE, SMALL, SHARED = 7, 8, 0
NOW = discord.utils.utcnow()


@dataclass
class Gallery:
    """The emoji of an application, and the personas of the servers that use them."""

    twin: Twin
    store: Store
    avatar_emoji: AvatarEmoji
    numbers: count[int]

    def add(self, name: str, created: datetime = NOW - timedelta(days=30)) -> str:
        """Add an emoji; return its address."""
        number = next(self.numbers)
        emoji = Emoji(discord.utils.time_snowflake(created) + number, f"{name}{number}")
        self.twin.bot.emojis[emoji.id] = emoji
        return self.address(emoji.id)

    def address(self, emoji: int) -> str:
        """Return the address of an emoji by its id."""
        return f"{self.twin.cdn_url}/emojis/{emoji}.png"

    async def use(self, guild: int, address: str) -> str:
        """Give the persona of a server a sprite with this address; return the name of the sprite."""
        name = f"sprite {next(self.numbers)}"
        await self.store.save_sprite(guild, "Luna", Sprite(name), Picture(address, b"bytes", "image/png"))
        return name

    async def fill(self, shares: Mapping[int, int]) -> dict[int, list[str]]:
        """Give each server its share; every other place holds an emoji of the operator."""
        addresses = {guild: [self.add("sc_") for _ in range(share)] for guild, share in shares.items()}
        for guild, own in addresses.items():
            for address in own:
                await self.use(guild, address)
        while len(self.twin.bot.emojis) < MAX_EMOJI:
            self.add("operator")
        return addresses

    async def publish(self, guild: int) -> bool:
        """Upload a new picture of a server; return whether it got a place."""
        number = next(self.numbers)
        picture = Picture("", plain_png(8, (number // 256, number % 256, 1)), "image/png")
        keep = partial(self.store.save_sprite, guild, "Luna", Sprite(f"new {number}"))
        return bool((await self.avatar_emoji.publish(guild, picture, keep)).url)

    async def share(self, guild: int) -> int:
        """Return how many emoji a server has that exist."""
        exist = {self.address(emoji) for emoji in self.twin.bot.emojis}
        users = await self.store.picture_urls()
        assert set(users) <= exist, "an address of a deleted emoji is in use"
        return sum(guild in guilds for guilds in users.values())

    def exists(self, address: str) -> bool:
        """Return whether the emoji at an address exists."""
        return address in map(self.address, self.twin.bot.emojis)


@asynccontextmanager
async def with_gallery() -> AsyncIterator[Gallery]:
    async with Twin(FREE) as twin, await open_store(":memory:") as store:
        for guild in (LARGE, SMALL, SHARED):
            await store.save_persona(StoredPersona(Persona("Luna"), guild))
        with connect_discord_py(twin):
            async with discord.Client(intents=discord.Intents.none()) as client:
                await client.login(twin.token)
                yield Gallery(twin, store, AvatarEmoji(client, SandboxClient(), store), count(1))


async def test_a_picture_replaces_the_oldest_of_the_server_that_has_most() -> None:
    async with with_gallery() as gallery:
        addresses = await gallery.fill({LARGE: 6, SMALL: 2})
        operators = {one.id for one in gallery.twin.bot.emojis.values() if one.name.startswith("operator")}

        assert await gallery.publish(SMALL)
        assert [gallery.exists(one) for one in addresses[LARGE]] == [False, *[True] * 5]
        assert [gallery.exists(one) for one in addresses[SMALL]] == [True, True]
        assert operators <= gallery.twin.bot.emojis.keys()
        assert (await gallery.share(LARGE), await gallery.share(SMALL)) == (5, 3)
        # The bytes stay: the picture can be uploaded again.
        assert await gallery.store.find_picture(LARGE, "Luna", "sprite 9") == Picture(
            "", b"bytes", "image/png"
        )


@pytest.mark.parametrize(
    ("large", "small", "places"), [(3, 3, 0), (4, 3, 0), (5, 3, 1), (12, 0, 6), (1, 0, 0)]
)
async def test_servers_end_with_equal_shares(large: int, small: int, places: int) -> None:
    async with with_gallery() as gallery:
        await gallery.fill({LARGE: large, SMALL: small})
        got = [await gallery.publish(SMALL) for _ in range(places + 2)]

        assert got == [True] * places + [False] * 2
        assert (await gallery.share(LARGE), await gallery.share(SMALL)) == (large - places, small + places)
        assert not await gallery.publish(LARGE)


async def test_emoji_that_nobody_uses_go_first_unless_they_are_new() -> None:
    async with with_gallery() as gallery:
        old = gallery.add("sc_", NOW - timedelta(hours=2))
        new = gallery.add("sc_", NOW)
        await gallery.fill({LARGE: 6, SMALL: 5})

        assert await gallery.publish(SMALL)
        assert (gallery.exists(old), gallery.exists(new)) == (False, True)
        assert (await gallery.share(LARGE), await gallery.share(SMALL)) == (6, 6)
        assert not await gallery.publish(SMALL)
        assert gallery.exists(new)


async def test_pictures_of_the_operators_personas_are_never_replaced() -> None:
    async with with_gallery() as gallery:
        addresses = await gallery.fill({SHARED: 6, LARGE: 2})
        for address in addresses[SHARED]:
            await gallery.use(LARGE, address)

        # Of the eight pictures that the large server uses, two are its own.
        assert await gallery.publish(SMALL)
        assert not await gallery.publish(SMALL)
        assert await gallery.share(LARGE) == 7
        assert all(gallery.exists(address) for address in addresses[SHARED])
        assert await gallery.publish(SHARED)
        assert all(gallery.exists(address) for address in addresses[SHARED])


async def test_a_picture_of_two_servers_is_replaced_last_and_for_both() -> None:
    async with with_gallery() as gallery:
        both = gallery.add("sc_", NOW - timedelta(days=60))
        await gallery.use(LARGE, both)
        await gallery.use(SMALL, both)
        addresses = await gallery.fill({LARGE: 1})

        assert await gallery.publish(SHARED)
        assert (gallery.exists(addresses[LARGE][0]), gallery.exists(both)) == (False, True)
        assert await gallery.publish(SHARED)
        assert not gallery.exists(both)
        assert (await gallery.share(LARGE), await gallery.share(SMALL)) == (0, 0)


async def test_a_picture_that_discord_refuses_deletes_no_other() -> None:
    async with with_gallery() as gallery:
        addresses = await gallery.fill({LARGE: 6})
        # One place is free, so the refusal has another reason.
        del gallery.twin.bot.emojis[max(gallery.twin.bot.emojis)]
        gallery.twin.inject_fault(FaultKind.STATUS, "emojis.create", status=400)

        assert not await gallery.publish(SMALL)
        assert all(gallery.exists(address) for address in addresses[LARGE])
        assert await gallery.publish(SMALL)
