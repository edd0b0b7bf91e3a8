"""Requests through a proxy."""

from __future__ import annotations

import discord
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.stage import make_config
from streamcord import SettingsError
from streamcord_bot.coordination.rest_proxy import allows_plain_http, redirect_requests


def test_a_proxy_gets_the_requests_and_discord_keeps_the_gateway() -> None:
    before = Route.BASE, str(DiscordWebSocket.DEFAULT_GATEWAY), discord.Asset.BASE
    with redirect_requests("", "http://nirn:8080/"):
        assert Route.BASE == "http://nirn:8080/api/v10"
        assert (str(DiscordWebSocket.DEFAULT_GATEWAY), discord.Asset.BASE) == before[1:]
    assert before[0] == Route.BASE


def test_a_local_discord_gets_everything() -> None:
    with redirect_requests("http://127.0.0.1:7000", ""):
        assert Route.BASE == "http://127.0.0.1:7000/api/v10"
        assert str(DiscordWebSocket.DEFAULT_GATEWAY) == "ws://127.0.0.1:7000/gateway"


@pytest.mark.parametrize(
    ("address", "near"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://10.0.0.7:8080", True),
        ("http://nirn:8080", True),
        ("http://proxy.example.com", False),
        ("http://8.8.8.8", False),
        ("", False),
    ],
)
def test_a_token_travels_in_the_open_only_nearby(address: str, near: bool) -> None:
    assert allows_plain_http(address) is near


def test_a_far_proxy_without_encryption_is_refused() -> None:
    with pytest.raises(SettingsError, match="encrypted"), redirect_requests("", "http://proxy.example.com"):
        pass


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"discord\.rest"):
        make_config(discord={"rest": "nirn:8080"})
