"""Points an unchanged discord.py at another server: a local Discord for tests and demos, or a proxy."""

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

__all__ = ["redirect_discord_py"]


@contextmanager
def redirect_discord_py(
    api_url: str, gateway_url: str, cdn_url: str, *, allow_http: bool = False
) -> Iterator[None]:
    """Let every discord.py client in this process talk to this server, until the block ends.

    Three class attributes decide where discord.py goes (REST, webhooks and interactions; the gateway;
    pictures); they are put back afterwards. The bot's token travels there, so an address that is neither
    encrypted nor on this machine is refused unless `allow_http` says otherwise.
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
