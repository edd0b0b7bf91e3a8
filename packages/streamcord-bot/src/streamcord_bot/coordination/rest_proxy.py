"""Send requests to Discord, to a local Discord, or through a proxy that keeps rate limits for all processes.

A proxy such as https://github.com/germanoeich/nirn-proxy keeps the rate limits of a token by itself, so ours are off.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from ipaddress import ip_address
from urllib.parse import urlsplit

import discord
from discord.gateway import DiscordWebSocket

from streamcord.discord import redirect_discord_py

API = "/api/v10"


def redirect_requests(server: str, rest: str) -> AbstractContextManager[None]:
    """Return a context in which discord.py uses another server, or a proxy for everything but the gateway."""
    base = server.rstrip("/")
    gateway = base.replace("http", "ws", 1) + "/gateway" if base else str(DiscordWebSocket.DEFAULT_GATEWAY)
    cdn = f"{base}/cdn" if base else discord.Asset.BASE
    return redirect_discord_py(
        f"{rest.rstrip('/') or base}{API}", gateway, cdn, allow_http=allows_plain_http(rest)
    )


def allows_plain_http(address: str) -> bool:
    """Return whether the token may be sent there without encryption: this machine, or a private network."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        # Names of containers on the same network contain no dot.
        return bool(host) and "." not in host
