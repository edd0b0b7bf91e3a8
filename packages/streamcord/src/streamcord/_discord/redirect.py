"""Point an unchanged discord.py at another server: a local Discord for tests and demos, or a proxy."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from .._common.hosts import is_local_host
from .._exceptions import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def redirect_discord_py(
    api_url: str, gateway_url: str, cdn_url: str, *, allow_http: bool = False
) -> Iterator[None]:
    """Redirect every discord.py client in this process to another server while the block runs.

    Three class attributes of discord.py contain its addresses: REST (with webhooks and interactions), the
    gateway, and the CDN. They are restored afterwards.

    Args:
        api_url: the REST API.
        gateway_url: the gateway.
        cdn_url: images.
        allow_http: whether to accept unencrypted URLs of other machines; the bot's token is sent there.

    Raises:
        SettingsError: a URL is neither encrypted nor on this machine.

    Example:
        with redirect_discord_py(twin.api_url, twin.gateway_url, twin.cdn_url):
            await client.start(twin.token)

    """
    if not allow_http:
        for name, url in (("api_url", api_url), ("gateway_url", gateway_url)):
            _check(name, yarl.URL(url))
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = api_url, yarl.URL(gateway_url)
    discord.Asset.BASE = cdn_url
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE = before


def _check(name: str, url: yarl.URL) -> None:
    if url.scheme not in {"https", "wss"} and not is_local_host(url.host or ""):
        where = f"{url.scheme}://{url.host}"
        raise SettingsError(name, "encrypted, or on this machine, or allowed by allow_http", where)
