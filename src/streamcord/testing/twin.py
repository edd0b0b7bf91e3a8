"""Point an unchanged discord.py at a twin."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamcord.twin import Twin

__all__ = ["connect_discord_py"]


@contextmanager
def connect_discord_py(twin: Twin) -> Iterator[None]:
    """Let every discord.py client in this process talk to `twin` instead of Discord, until the block ends.

    Three class attributes decide where discord.py goes; they are put back afterwards. Pass
    `guild_ready_timeout=0.05` to the client, or it waits two seconds for further guilds.
    """
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE
    Route.BASE = twin.api_url
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(twin.gateway_url)
    discord.Asset.BASE = twin.cdn_url
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE = before
