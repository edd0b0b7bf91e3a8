"""Where requests go: to Discord, to a local Discord, or through a proxy that counts them for all processes.

A proxy (https://github.com/germanoeich/nirn-proxy and its like) keeps the rate limits of a token by itself,
so ours are off then.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from ipaddress import ip_address
from urllib.parse import urlsplit

import discord
from discord.gateway import DiscordWebSocket

from streamcord.discord import redirect_discord_py

__all__ = ["is_near", "redirect_requests"]

API = "/api/v10"


def redirect_requests(server: str, rest: str) -> AbstractContextManager[None]:
    """Use a local Discord in the place of the real one, or a proxy for all that is not the gateway."""
    base = server.rstrip("/")
    gateway = base.replace("http", "ws", 1) + "/gateway" if base else str(DiscordWebSocket.DEFAULT_GATEWAY)
    cdn = f"{base}/cdn" if base else discord.Asset.BASE
    return redirect_discord_py(f"{rest.rstrip('/') or base}{API}", gateway, cdn, allow_http=is_near(rest))


def is_near(address: str) -> bool:
    """Whether a token may travel there without encryption: this machine, or a private network."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        # The names that containers have for each other hold no dot.
        return bool(host) and "." not in host
