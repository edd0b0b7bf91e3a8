from __future__ import annotations

import pytest
from discord.http import Route

from streamcord import SettingsError
from streamcord._discord.redirect import redirect_discord_py

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
