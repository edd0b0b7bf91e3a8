from __future__ import annotations

import asyncio
import json

import aiohttp
import pytest

from discord_twin import BLOCKS, LOSSES, DrivenClock, FaultKind, Limit, Twin
from twin.api import Api


def by_name(kinds: frozenset[FaultKind]) -> list[FaultKind]:
    return sorted(kinds, key=lambda kind: kind.name)


SERVER_ERRORS = (500, 502, 503, 504, 524)


async def attempt(api: Api) -> int:
    """Send; the status, or 0 if the answer was lost."""
    try:
        return (await api.send("x")).status
    except aiohttp.ClientError:
        return 0


@pytest.mark.parametrize("kind", by_name(BLOCKS - {FaultKind.GO_OFFLINE}))
async def test_a_block_prevents_the_request_and_is_triggered_once(
    twin: Twin, api: Api, kind: FaultKind
) -> None:
    twin.inject_fault(kind)
    status = await attempt(api)

    assert status == 0 or status >= 400 or kind is FaultKind.FAKE_SUCCESS
    assert twin.channel.texts == []
    assert twin.log.requests[0].faults == [kind]
    assert await attempt(api) == 200


@pytest.mark.parametrize("kind", by_name(LOSSES - {FaultKind.ACK_DELAY, FaultKind.ACK_SLOW}))
async def test_a_loss_carries_out_and_spoils_the_answer(twin: Twin, api: Api, kind: FaultKind) -> None:
    twin.inject_fault(kind)
    await attempt(api)
    (record,) = twin.log.requests

    assert twin.channel.texts == ["x"]
    assert (record.created, record.faults) == (True, [kind])
    assert twin.faults.fired == {kind: 1}


@pytest.mark.parametrize("status", SERVER_ERRORS)
async def test_a_server_error_may_come_before_or_after_the_commit(twin: Twin, api: Api, status: int) -> None:
    twin.inject_fault(FaultKind.STATUS, status=status)
    twin.inject_fault(FaultKind.COMMIT_THEN_STATUS, status=status)

    assert [await attempt(api), await attempt(api), await attempt(api)] == [status, status, 200]
    assert twin.channel.texts == ["x", "x"]


async def test_a_connection_closes_before_or_after_the_commit(twin: Twin, api: Api) -> None:
    for kind, texts in ((FaultKind.CLOSE_BEFORE_COMMIT, []), (FaultKind.COMMIT_THEN_DROP_ACK, ["x"])):
        twin.inject_fault(kind)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await api.send("x")
        assert twin.channel.texts == texts
    assert [record.status for record in twin.log.requests] == [0, 0]
    assert len({record.connection for record in twin.log.requests}) == 2


async def test_it_may_be_dark_for_a_while(twin: Twin, api: Api, clock: DrivenClock) -> None:
    twin.inject_fault(FaultKind.GO_OFFLINE, seconds=60.0)
    assert await attempt(api) == 0
    async with aiohttp.ClientSession() as fresh:
        with pytest.raises(aiohttp.ClientConnectorError):
            await Api(twin, fresh).send("x")
    await clock.advance(60.0)
    await twin.until(lambda: twin.is_listening)

    assert await attempt(api) == 200
    assert twin.channel.texts == ["x"]


async def test_an_answer_may_end_in_the_middle(twin: Twin, api: Api) -> None:
    twin.inject_fault(FaultKind.ACK_TRUNCATE)
    with pytest.raises(aiohttp.ClientPayloadError):
        await api.send("x")


async def test_an_answer_may_be_something_else(twin: Twin, api: Api) -> None:
    twin.inject_fault(FaultKind.ACK_GARBLED)
    answer = await api.send("x")

    assert answer.status == 200
    assert "id" not in answer.json


async def test_an_answer_may_come_late(twin: Twin, api: Api, clock: DrivenClock) -> None:
    twin.inject_fault(FaultKind.ACK_DELAY, seconds=30.0)
    sending = asyncio.create_task(api.send("x"))
    await twin.until(lambda: twin.channel.messages)
    assert not sending.done()
    await clock.advance(30.0)

    assert (await sending).status == 200


async def test_an_answer_may_drip(twin: Twin, api: Api, clock: DrivenClock) -> None:
    twin.inject_fault(FaultKind.ACK_SLOW, seconds=1.0)
    sending = asyncio.create_task(api.send("x"))
    await twin.until(lambda: twin.channel.messages)
    while not sending.done():
        await clock.advance(100.0)
        await asyncio.sleep(0)

    assert (await sending).json["content"] == "x"
    assert clock.now() > 1_700_000_100


async def test_headers_may_be_missing_or_wrong(twin: Twin, api: Api) -> None:
    twin.inject_fault(FaultKind.OMIT_HEADERS)
    assert "X-RateLimit-Remaining" not in (await api.send()).headers
    twin.inject_fault(FaultKind.WRONG_HEADERS)
    assert (await api.send()).headers["X-RateLimit-Reset-After"] == "-4.5"


@pytest.mark.parametrize(
    ("kind", "scope"),
    [(FaultKind.RATE_USER, "user"), (FaultKind.RATE_GLOBAL, "global"), (FaultKind.RATE_SHARED, "shared")],
)
async def test_a_429_on_demand(twin: Twin, api: Api, kind: FaultKind, scope: str) -> None:
    twin.inject_fault(kind, seconds=12.5)
    refused = await api.send()

    assert (refused.status, refused.json["retry_after"], refused.json["global"]) == (
        429,
        12.5,
        scope == "global",
    )
    assert refused.headers["X-RateLimit-Scope"] == scope
    assert refused.headers["Via"]
    assert [record.scope for record in twin.log.requests] == [scope]


async def test_a_loss_waits_for_a_request_that_was_carried_out(twin: Twin, api: Api) -> None:
    twin.inject_fault(FaultKind.COMMIT_THEN_STATUS, status=500)
    assert (await api.send(None)).status == 400
    assert (await api.send("x")).status == 500


async def test_faults_are_for_creates_unless_they_say_otherwise(twin: Twin, api: Api) -> None:
    twin.inject_fault(FaultKind.STATUS)
    twin.inject_fault(FaultKind.STATUS, "messages.list", status=503)

    assert (await api.get("/users/@me")).status == 200
    assert (await api.get(f"/channels/{twin.channel.id}/messages")).status == 503
    assert (await api.send()).status == 502


async def test_random_faults_affect_creates_only(twin: Twin, api: Api) -> None:
    twin.configure(commit_then_status_chance=1.0, commit_then_status=504)
    assert [(await api.send("x")).status, (await api.get("/users/@me")).status] == [504, 200]
    twin.configure(commit_then_drop_ack_chance=1.0)
    assert await attempt(api) == 0
    assert twin.channel.texts == ["x", "x"]
    assert set(twin.faults.fired) == {FaultKind.COMMIT_THEN_STATUS, FaultKind.COMMIT_THEN_DROP_ACK}
    twin.configure(commit_then_drop_ack_chance=0.0, commit_then_status_chance=0.0)
    assert await attempt(api) == 200


async def test_every_answer_may_be_delayed(twin: Twin, api: Api, clock: DrivenClock) -> None:
    twin.configure(ack_delay=2.0)
    sending = asyncio.create_task(api.get("/users/@me"))
    await twin.until(lambda: twin.log.requests)
    await clock.advance(2.0)

    assert (await sending).status == 200


async def test_the_log_holds_every_byte(twin: Twin, api: Api) -> None:
    body = '{ "content":  "ä\\ud83d\\ude00" }'.encode()
    path = f"/channels/{twin.channel.id}/messages?x=%20y"
    headers = {"Content-Type": "application/json", "X-Odd": "a  b"}
    await api.call("POST", path, data=body, headers=headers)
    (record,) = twin.log.requests

    assert record.body == body
    assert record.path == f"/api/v10{path}"
    assert record.header("x-odd") == "a  b"
    assert record.json == json.loads(body)


async def test_a_request_that_is_too_large_is_refused(twin: Twin, api: Api) -> None:
    twin.configure(request_limit=1000)
    assert (await api.send("x" * 1001)).outcome == (413, 40005)
    assert (await api.send("x" * 900)).status == 200


@pytest.mark.parametrize(
    "body",
    [
        {"content": {"a": 1}},
        {"embeds": "x"},
        {"embeds": [1]},
        {"components": [1]},
        {"flags": "x"},
        {"message_reference": {"message_id": "x"}},
        {"message_reference": 5},
        {"allowed_mentions": []},
        {"attachments": 5},
        {"nonce": {}},
        [],
        "text",
        None,
    ],
)
async def test_a_body_of_the_wrong_shape_is_refused_with_400(twin: Twin, api: Api, body: object) -> None:
    path = f"/channels/{twin.channel.id}/messages"
    headers = {"Content-Type": "application/json"}
    answer = await api.call("POST", path, data=json.dumps(body).encode(), headers=headers)

    assert answer.status in {200, 400}
    assert (await api.send()).status == 200


async def test_a_ban_answers_everything_until_it_ends(twin: Twin, api: Api, clock: DrivenClock) -> None:
    twin.configure(invalid_request_ban=Limit(1, 600.0))
    twin.inject_fault(FaultKind.ERROR_CODE, code=50013)
    assert (await api.send()).status == 403
    banned = await api.get("/users/@me")
    assert (banned.status, int(banned.headers["Retry-After"])) == (429, 601)
    clock.jump(600)
    assert (await api.get("/users/@me")).status == 200


async def test_other_versions_and_unversioned_paths_are_the_same_api(twin: Twin, api: Api) -> None:
    for prefix in ("/api", "/api/v9", "/api/v10"):
        headers = {"Authorization": f"Bot {twin.token}"}
        async with api.session.get(f"{twin.base_url}{prefix}/users/@me", headers=headers) as response:
            assert response.status == 200
