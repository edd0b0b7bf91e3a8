from __future__ import annotations

import asyncio

import discord
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from discord_twin import Twin
from discord_twin.discord_py import RunBot, connect_discord_py, make_client
from streamcord import SettingsError
from streamcord.discord import redirect_discord_py

# --- Redirect ---

SAFE = "https://discord.example/api", "wss://discord.example", "https://cdn.example"


@pytest.mark.parametrize(
    "urls",
    [
        SAFE,
        ("http://127.0.0.1:1/api", "ws://127.0.0.1:1", "http://127.0.0.1:1"),
        ("http://localhost/api", "ws://[::1]", "http://localhost"),
    ],
)
def test_a_client_may_go_where_its_token_is_safe(urls: tuple[str, str, str]) -> None:
    before = Route.BASE
    with redirect_discord_py(*urls):
        assert urls[0] == Route.BASE
    assert before == Route.BASE


@pytest.mark.parametrize(
    ("api_url", "gateway_url", "field"),
    [
        ("http://discord.example/api", SAFE[1], "api_url"),
        (SAFE[0], "ws://10.0.0.1", "gateway_url"),
        ("http://127.0.0.1.evil.example/api", SAFE[1], "api_url"),
        ("discord.example/api", SAFE[1], "api_url"),
    ],
)
def test_elsewhere_it_is_sent_only_on_demand(api_url: str, gateway_url: str, field: str) -> None:
    before = Route.BASE
    with pytest.raises(SettingsError, match=field), redirect_discord_py(api_url, gateway_url, SAFE[2]):
        pass
    assert before == Route.BASE
    with redirect_discord_py(api_url, gateway_url, SAFE[2], allow_http=True):
        assert api_url == Route.BASE


# --- Local client ---


async def test_it_knows_the_guild_when_it_is_ready_and_reads_what_is_said(
    twin: Twin, run_on_twin: RunBot
) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    client = make_client()

    @client.event
    async def on_message(message: object) -> None:
        heard.put_nowait(getattr(message, "content", ""))

    await run_on_twin(client)
    twin.say(twin.channel, twin.user, "hello")

    assert [guild.name for guild in client.guilds] == ["Twin"]
    assert await heard.get() == "hello"


async def test_it_identifies_again_at_once(twin: Twin, run_on_twin: RunBot) -> None:
    await run_on_twin(make_client())
    twin.gateway.invalidate(resumable=False)
    await twin.until(lambda: twin.gateway.identifies == 2)

    assert twin.gateway.resumes == 0


# --- Twin client ---


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
