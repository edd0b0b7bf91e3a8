from __future__ import annotations

import discord
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from streamcord._testing.twin_client import connect_discord_py
from streamcord.twin import Twin


def places() -> tuple[str, str, str]:
    return Route.BASE, str(DiscordWebSocket.DEFAULT_GATEWAY), discord.Asset.BASE


async def test_discord_py_is_pointed_at_the_twin_and_back() -> None:
    before = places()
    async with Twin() as twin:
        with connect_discord_py(twin):
            assert places() == (twin.api_url, twin.gateway_url, twin.cdn_url)

    assert places() == before


async def test_it_is_pointed_back_after_a_failure_too() -> None:
    before = places()
    with pytest.raises(ZeroDivisionError), connect_discord_py(Twin()):
        raise ZeroDivisionError

    assert places() == before
