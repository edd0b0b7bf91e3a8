from __future__ import annotations

import logging
from pathlib import Path

import pytest

from streamcord._twin.rest.unknown_routes import describe_unknown, documented_routes, template_of
from streamcord._twin.routes import ALL_ROUTES, missing_routes, print_routes
from streamcord.twin import Twin
from twin.api import Api

PAGE = Path(__file__).parents[3] / "docs" / "twin-routes.md"


async def test_a_missing_route_says_so_and_is_counted(
    twin: Twin, api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "streamcord"):
        await api.post("/guilds/1/prune")
        answer = await api.post("/guilds/2/prune")
    await api.get("/nothing/here")

    assert answer.outcome == (501, 0)
    assert answer.json["message"] == "the twin does not have POST /guilds/{id}/prune yet, Discord does"
    assert answer.json["message"] in caplog.text
    assert twin.log.unknown == {"POST /guilds/{id}/prune": 2, "GET /nothing/here": 1}


def test_a_route_of_nobody_is_told_apart() -> None:
    assert describe_unknown("GET", "guild/1").startswith("neither")


def test_secrets_in_a_path_are_not_written_down() -> None:
    assert template_of(f"webhooks/1/{'s' * 68}/slack") == "webhooks/{id}/{id}/slack"


def test_what_common_bots_use_is_there() -> None:
    used = {"/channels/{channel_id}/pins", "/guilds/{guild_id}/roles", "/soundboard-default-sounds"}

    assert used <= {route.path for route in ALL_ROUTES}
    assert len(missing_routes()) <= 80 < len(documented_routes())
    assert PAGE.read_text(encoding="utf-8").endswith("\n".join(print_routes()) + "\n")
