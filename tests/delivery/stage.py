"""A twin with a real discord.py client on it, and what a test asks of both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord

from discord_twin import Channel, Clock, Limit, Message, RealClock, Twin, TwinOptions
from discord_twin.discord_py import connect_discord_py
from streamcord.discord import DiscordChannel

FREE = TwinOptions(
    buckets={}, other_bucket=Limit(1_000_000, 1.0), global_rps=0, hidden_webhook_channel_limit=None
)
"""No rate limits, for tests that are about something else."""


class Client(discord.Client):
    """A client that does not wait five seconds before it identifies again."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        pass


@dataclass
class Stage:
    """A twin and the client that lives on it."""

    twin: Twin
    client: discord.Client
    others: list[Channel]

    @property
    def sent(self) -> list[Message]:
        """What the bot and its webhooks wrote in the first channel."""
        return [one for one in self.twin.channel.messages.values() if one.author.bot]

    @property
    def texts(self) -> list[str]:
        return [one.content for one in self.sent]

    def find(self, channel: Channel | None = None) -> Any:
        """The client's view of a channel."""
        found = self.client.get_channel((channel or self.twin.channel).id)
        assert found is not None
        return found

    def channel(self, channel: Channel | None = None, **options: Any) -> DiscordChannel:
        return DiscordChannel(self.find(channel), **options)

    async def hear(self, text: str, channel: Channel | None = None) -> discord.Message:
        """Let the person say something, and wait until the client has heard it."""
        heard = asyncio.create_task(self.client.wait_for("message", timeout=5))
        await asyncio.sleep(0)
        self.twin.say(channel or self.twin.channel, self.twin.user, text)
        message: discord.Message = await heard
        return message


@asynccontextmanager
async def on_stage(
    switches: TwinOptions = FREE,
    *,
    clock: Clock | None = None,
    deaf: bool = False,
    members: bool = False,
    content: bool = True,
    channels: int = 0,
    connector: aiohttp.BaseConnector | None = None,
) -> AsyncIterator[Stage]:
    """A client that is ready, on a twin without rate limits unless told otherwise; time is the loop's.

    A deaf client hears of no messages by the gateway; `members` and `content` are the privileged intents.
    `channels` are more than the first one.
    """
    clock = clock or RealClock(asyncio.get_running_loop().time)
    async with Twin(switches, clock=clock) as twin:
        others = [twin.add_channel(f"other-{number}") for number in range(channels)]
        intents = discord.Intents.default()
        intents.message_content = content
        intents.members = members
        intents.messages = not deaf
        client = Client(intents=intents, guild_ready_timeout=0.01, connector=connector)
        with connect_discord_py(twin):
            async with client:
                running = asyncio.create_task(client.start(twin.token))
                try:
                    await twin.ready()
                    await client.wait_until_ready()
                    yield Stage(twin, client, others)
                finally:
                    await client.close()
                    await asyncio.gather(running, return_exceptions=True)
