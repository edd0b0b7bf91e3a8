from __future__ import annotations

import logging
from pathlib import Path

import pytest

from discord_twin import ApiDescription, Twin
from discord_twin.clock import DrivenClock
from discord_twin.context import Context
from discord_twin.errors import ApiError
from discord_twin.request_log import Record
from discord_twin.rest.routing import (
    NO_CONTENT,
    Call,
    Route,
    RouteTable,
    describe_unknown,
    described_routes,
    documented_routes,
    is_documented,
    is_true,
    template_of,
)
from discord_twin.routes.table import (
    ALL_ROUTES,
    missing_routes,
    print_routes,
    undescribed_routes,
    undocumented_routes,
)
from twin.api import Api

# --- Routing ---

ME = Route("me", "GET", "/users/@me", lambda _: NO_CONTENT)
USER = Route("user", "GET", "/users/{user_id}", lambda _: NO_CONTENT)
HOOK = Route("hook", "POST", "/webhooks/{webhook_id}/{webhook_token}", lambda _: NO_CONTENT)
TABLE = RouteTable([ME, USER, HOOK])


def make_call(body: bytes = b"", **ids: str) -> Call:
    record = Record(0.0, "POST", "/", (), body)
    return Call(Context(DrivenClock()), USER, ids, {}, "application/json", record)


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("GET", "users/@me", (ME, {})),
        ("GET", "users/5", (USER, {"user_id": "5"})),
        ("POST", "webhooks/1/t", (HOOK, {"webhook_id": "1", "webhook_token": "t"})),
        ("POST", "users/5", None),
        ("GET", "users", None),
        ("GET", "people/5", None),
        ("GET", "", None),
    ],
)
def test_a_request_finds_its_route(method: str, path: str, found: object) -> None:
    assert TABLE.find(method, path) == found


def test_the_major_parameter_is_the_channel_the_guild_or_the_webhook_with_its_token() -> None:
    assert HOOK.major({"webhook_id": "1", "webhook_token": "t"}) == "1/t"
    assert HOOK.major({"channel_id": "2", "message_id": "3"}) == "2"
    assert HOOK.major({"guild_id": "4", "user_id": "3"}) == "4"
    assert HOOK.major({"user_id": "3"}) == ""


def test_no_two_routes_are_the_same() -> None:
    keys = [(route.method, route.path) for route in ALL_ROUTES]

    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("value", "true"), [("1", True), ("true", True), ("True", True), ("0", False), (None, False)]
)
def test_flags_are_read_as_clients_write_them(value: str | None, true: bool) -> None:
    assert is_true(value) is true


@pytest.mark.parametrize("raw", ["x", "", "-1", "１２", "1.5"])
def test_an_id_that_is_no_number_is_unknown(raw: str) -> None:
    with pytest.raises(ApiError) as refused:
        make_call(channel_id=raw).channel()

    assert refused.value.code == 10003


def test_a_payload_is_an_object() -> None:
    assert make_call(b'{"a": 1}').payload == {"a": 1}
    with pytest.raises(ApiError):
        _ = make_call(b"[1]").payload


def test_a_request_without_a_token_is_unauthorized() -> None:
    with pytest.raises(ApiError) as refused:
        _ = make_call().bot

    assert refused.value.status == 401


# --- Unknown routes ---

PAGE = Path(__file__).parents[3] / "docs" / "twin-routes.md"
DOCUMENT = Path(__file__).parents[4] / "shared" / "discord" / "openapi.json"


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


def test_an_undocumented_route_is_reported_differently() -> None:
    assert describe_unknown("GET", "guild/1").startswith("neither")


def test_secrets_in_a_path_are_not_written_down() -> None:
    assert template_of(f"webhooks/1/{'s' * 68}/slack") == "webhooks/{id}/{id}/slack"


def test_what_common_bots_use_is_there() -> None:
    used = {"/channels/{channel_id}/pins", "/guilds/{guild_id}/roles", "/soundboard-default-sounds"}

    assert used <= {route.path for route in ALL_ROUTES}
    assert len(missing_routes()) <= 80 < len(documented_routes())
    assert PAGE.read_text(encoding="utf-8").endswith("\n".join(print_routes()) + "\n")


@pytest.mark.skipif(not DOCUMENT.exists(), reason="needs Discord's openapi.json beside the checkout")
def test_the_list_of_described_routes_is_that_of_the_document() -> None:
    operations = ApiDescription.read(DOCUMENT).operations
    assert sorted(described_routes()) == sorted((one.method, one.path) for one in operations)


def test_what_is_served_but_not_described_is_documented() -> None:
    undescribed = undescribed_routes()
    assert len(undescribed) < 5
    assert [one for one in undescribed if not is_documented(*one.split(" ", 1))] == []
    assert set(undocumented_routes()).isdisjoint(missing_routes())
