"""Whatever is sent to the control API, it answers with a line, and pages of other sites reach nothing."""

from __future__ import annotations

import json
import random

import aiohttp
import pytest

from discord_twin.control.app import OPERATIONS
from twin.control.client import Control


@pytest.mark.parametrize(
    ("headers", "data", "status"),
    [
        ({"Origin": "https://evil.example"}, b'{"text": "x"}', 403),
        ({"Origin": "null"}, b'{"text": "x"}', 403),
        ({"Host": "evil.example"}, b'{"text": "x"}', 403),
        ({"Sec-Fetch-Site": "cross-site"}, b'{"text": "x"}', 403),
        ({"Sec-Fetch-Site": "same-site"}, b'{"text": "x"}', 403),
        ({"Content-Type": "text/plain"}, b'{"text": "x"}', 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"text=x", 415),
        ({"Content-Type": "application/json"}, b"{", 400),
        ({"Content-Type": "application/json"}, b"\xff\xfe", 400),
        ({"Content-Type": "application/json"}, b"[1]", 400),
        ({"Content-Type": "application/json"}, b"[" * 100_000, 400),
    ],
)
async def test_a_request_that_is_not_ours_changes_nothing(
    control: Control, headers: dict[str, str], data: bytes, status: int
) -> None:
    headers = {"Content-Type": "application/json", **headers}
    url = f"{control.twin.base_url}/control/say"
    async with control.session.post(url, data=data, headers=headers) as response:
        assert response.status == status
    assert control.twin.channel.texts == []


@pytest.mark.parametrize(("method", "path", "status"), [("POST", "reset", 403), ("GET", "requests", 403)])
async def test_other_sites_reach_nothing_that_needs_no_body(
    control: Control, method: str, path: str, status: int
) -> None:
    await control.post("say", text="kept")
    url = f"{control.twin.base_url}/control/{path}"
    async with control.session.request(method, url, headers={"Sec-Fetch-Site": "cross-site"}) as response:
        assert response.status == status
    assert control.twin.channel.texts == ["kept"]


VALUES: tuple[object, ...] = (
    None, True, -1, 0, 1, 1e308, 10**30, "", "x", "1", "9" * 5000, "\ud800", "#general", "@alice", "message", [], [[]],
    [None], ["x"] * 2000, {}, {"x": {"y": []}}, [{"name": 1, "data": 2}], "0" * 20, "alice",
)  # fmt: skip


async def test_any_values_in_any_field_get_an_answer(control: Control) -> None:
    rng = random.Random(36)
    worst: list[str] = []
    for operation in OPERATIONS:
        if operation.path in {"outage", "gateway"}:
            continue
        fields = [*operation.body, *operation.query, "version", "unknown"]
        for _ in range(12):
            path = operation.path
            for name in [one for one in operation.segments if one.startswith("{")]:
                path = path.replace(name, rng.choice(("1", "x", "general", "9" * 400, "%00")))
            body = {name: rng.choice(VALUES) for name in rng.sample(fields, rng.randint(0, len(fields)))}
            body |= {name: 0.01 for name in ("timeout", "wait") if name in operation.body}
            url = f"{control.twin.base_url}/control/{path}"
            sent = json.dumps(body).encode() if operation.method != "GET" else b""
            headers = {"Content-Type": "application/json"}
            async with control.session.request(operation.method, url, data=sent, headers=headers) as response:
                if response.status >= 500 and response.status != 504:
                    worst.append(f"{operation.method} {path}: {response.status} for {sent[:200]!r}")
    assert worst == []
    assert (await control.get(""))["url"]


async def test_unknown_paths_and_methods_say_what_there_is(control: Control) -> None:
    assert await control.ask("GET", "nothing") == (
        404, {"error": "the control API has no such path; see /control/openapi.json"},
    )  # fmt: skip
    assert (await control.ask("PUT", "say"))[0] == 405
    assert (await control.ask("GET", "requests?colour=1"))[0] == 400


async def test_every_operation_is_documented_once(control: Control) -> None:
    document = await control.get("openapi.json")
    names = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(names) == len(set(names)) == len(OPERATIONS)
    assert isinstance(control.session, aiohttp.ClientSession)
