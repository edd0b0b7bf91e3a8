"""Points an unchanged discord.py at another server: the twin in tests and demos, a proxy in production."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["redirect_discord_py"]


@contextmanager
def redirect_discord_py(api_url: str, gateway_url: str, cdn_url: str) -> Iterator[None]:
    """Let every discord.py client in this process talk to this server, until the block ends.

    Three class attributes decide where discord.py goes (REST, webhooks and interactions; the gateway;
    pictures); they are put back afterwards.
    """
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = api_url, yarl.URL(gateway_url)
    discord.Asset.BASE = cdn_url
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE = before
