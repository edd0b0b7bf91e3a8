"""What a developer may do wrong on the wire: Discord's code, and a line of the log that says what it was."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import zlib

import aiohttp
import pytest
from yarl import URL

from discord_twin import Twin
from discord_twin.routes.table import ALL_ROUTES
from twin.api import Api
from twin.wire import ALL_INTENTS, open_wire


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "discord_twin")
    return caplog


@pytest.mark.parametrize(
    ("kind", "body", "code", "said"),
    [
        ("application/json", b'{"content": ', 50109, "invalid JSON"),
        ("application/json", b"\xff\xfe", 50109, "invalid JSON"),
        ("application/json", zlib.compress(b'{"content": "x"}'), 50109, "invalid JSON"),
        ("application/json", b'"text"', 50035, "DICT_TYPE_CONVERT"),
        ("text/plain", b'{"content": "x"}', 50035, "CONTENT_TYPE_INVALID"),
        ("", b'{"content": "x"}', 50035, "CONTENT_TYPE_INVALID"),
        ("multipart/form-data", b"x", 50035, "CONTENT_TYPE_INVALID"),
        ("multipart/form-data; boundary=b", b"no delimiter", 50006, "empty message"),
        ("multipart/form-data; boundary=b", b"--b\r\nname=payload_json\r\n{}\r\n--b--", 50006, "empty"),
        ("application/x-www-form-urlencoded", b"payload_json=%7B", 50109, "invalid JSON"),
        ("application/x-www-form-urlencoded", b"a=1&b", 50006, "empty message"),
    ],
)
async def test_a_body_that_cannot_be_read(
    api: Api, log: pytest.LogCaptureFixture, kind: str, body: bytes, code: int, said: str
) -> None:
    path = f"/channels/{api.twin.channel.id}/messages"
    answer = await api.call("POST", path, data=body, headers={"Content-Type": kind})

    assert answer.outcome == (400, code)
    assert said in log.text
    assert api.twin.log.requests[-1].why in log.text
    assert api.twin.channel.texts == []


async def test_py_cord_answers_interactions_in_a_form(twin: Twin, api: Api) -> None:
    await api.post(f"/applications/{twin.bot.id}/commands", {"name": "ask", "description": "d"})
    asked = twin.slash("ask")
    data = {"payload_json": '{"type": 4, "data": {"content": "a + b"}}'}
    answer = await api.call("POST", f"/interactions/{asked.id}/{asked.token}/callback", data=data)

    assert answer.status == 204
    assert twin.channel.texts == ["a + b"]
    assert twin.log.requests[-1].json["data"] == {"content": "a + b"}


async def test_a_gigabyte_that_is_only_announced_is_refused_at_once(twin: Twin) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", twin.port)
    head = f"POST /api/v10/channels/{twin.channel.id}/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {1 << 30}\r\n\r\n{{".encode())
    status = await asyncio.wait_for(reader.readline(), 5)
    writer.close()

    assert b" 413 " in status
    assert "larger than" in twin.log.requests[-1].why


async def test_a_slow_client_does_not_block_others(twin: Twin, api: Api) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", twin.port)
    writer.write(
        b"POST /api/v10/users/@me/channels HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\n{"
    )
    await writer.drain()

    assert (await api.send("others go on")).status == 200
    writer.close()


@pytest.mark.parametrize("token", ["", "Bot ", "Bot wrong", "Bearer {token}", "{token}", "Bot {token}x"])
async def test_a_wrong_token_is_401(twin: Twin, api: Api, log: pytest.LogCaptureFixture, token: str) -> None:
    answer = await api.get("/users/@me", headers={"Authorization": token.format(token=twin.token)})

    assert answer.outcome == (401, 0)
    assert "401" in log.text
    assert twin.token not in log.text


async def test_the_token_of_another_bot_opens_its_own_things_only(twin: Twin, api: Api) -> None:
    made = (await api.send("mine")).json["id"]
    other = twin.state.add_application("other", twin.user)
    api.token = other.token

    assert (await api.get(f"/applications/{twin.bot.id}/commands")).outcome == (403, 50001)
    assert (await api.edit(made, content="yours")).outcome == (403, 50001)
    twin.state.add_member(twin.guild, other.user)
    assert (await api.edit(made, content="yours")).outcome == (403, 50005)


@pytest.mark.parametrize(
    ("frame", "code", "said"),
    [
        ("no json", 4002, "no JSON object"),
        ("[]", 4002, "no JSON object"),
        ('{"op": "x"}', 4002, "no JSON object"),
        ('{"op": 99, "d": {}}', 4003, "before IDENTIFY"),
        ('{"op": 3, "d": {}}', 4003, "before IDENTIFY"),
        ('{"op": 2, "d": {"token": "wrong"}}', 4004, "no bot here"),
        ('{"op": 2, "d": []}', 4002, "no JSON object"),
    ],
)
async def test_gateway_garbage(
    api: Api, log: pytest.LogCaptureFixture, frame: str, code: int, said: str
) -> None:
    async with open_wire(api) as wire:
        await wire.socket.send_str(frame)
        assert await wire.close_code() == code
    assert said in log.text


async def test_wrong_sequence_numbers_and_second_identifies(
    twin: Twin, api: Api, log: pytest.LogCaptureFixture
) -> None:
    async with open_wire(api) as wire:
        ready = await wire.identify()
        await wire.send(2, {"token": twin.token, "intents": ALL_INTENTS, "properties": {}})
        assert await wire.close_code() == 4005
    async with open_wire(api) as wire:
        await wire.resume(ready["session_id"], 99)
        assert await wire.close_code() == 4007
    assert "RESUME names sequence 99" in log.text


async def test_other_versions_and_encodings_of_the_gateway(
    twin: Twin, api: Api, log: pytest.LogCaptureFixture
) -> None:
    async with api.session.ws_connect(twin.gateway_url + "?v=6") as socket:
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == 4012
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await api.session.ws_connect(twin.gateway_url + "?v=10&encoding=etf")
    assert "speaks JSON only" in log.text


async def test_an_acknowledgement_never_comes_at_once(twin: Twin, api: Api) -> None:
    async with open_wire(api) as wire:
        began = asyncio.get_running_loop().time()
        await wire.send(1, None)
        await wire.op(11)

    assert asyncio.get_running_loop().time() - began >= 0.9 * twin.options.heartbeat_ack_s > 0


async def test_random_bytes_on_any_route_get_an_error_and_the_twin_lives(twin: Twin, api: Api) -> None:
    rng = random.Random(36)
    kinds = (
        "application/json",
        "multipart/form-data; boundary=x",
        "text/plain",
        "application/x-www-form-urlencoded",
    )
    wrong: list[str] = []
    for route in ALL_ROUTES:
        path = re.sub(
            r"\{\w+\}", lambda _: rng.choice(("1", "%ff", "x" * 300, str(twin.channel.id))), route.path
        )
        for body in (rng.randbytes(40), b"{" * 2000, b'{"content": "\\ud800"}', b"null"):
            headers = {"Authorization": f"Bot {twin.token}", "Content-Type": rng.choice(kinds)}
            url = URL(f"{twin.api_url}{path}", encoded=True)
            async with api.session.request(route.method, url, data=body, headers=headers) as response:
                await response.read()
                # The one 500 of Discord's own is a text that is too long for Components V2.
                if response.status >= 500 and response.status != 501:
                    wrong.append(f"{route.method} {path[:80]} {response.status} for {body[:30]!r}")
    assert wrong == []
    assert (await api.get("/users/@me")).status == 200


async def test_sessions_that_nobody_resumes_are_kept_within_bounds(twin: Twin, api: Api) -> None:
    """The long form with a thousand sessions is in bench/twin_load.py."""
    for _ in range(130):
        async with api.session.ws_connect(twin.gateway_url) as socket:
            await socket.receive()
            await socket.send_json({"op": 2, "d": {"token": twin.token, "intents": 1, "properties": {}}})
            await socket.receive()
            # Without a close code: each could be resumed.
            socket._response.close()
    await twin.until(lambda: not twin.gateway.connections)
    assert 0 < len(twin.gateway.sessions) <= 101


async def test_gateway_frames_out_of_order_close_with_discords_codes(twin: Twin, api: Api) -> None:
    rng = random.Random(36)
    codes: set[object] = set()
    for _ in range(60):
        async with api.session.ws_connect(twin.gateway_url) as socket:
            await socket.receive()
            for _ in range(4):
                payload: object = rng.choice(
                    ({}, None, 7, {"token": twin.token, "intents": 1}, {"guild_id": "x"}, [], "s")
                )
                await socket.send_json({"op": rng.randrange(-2, 33), "d": payload})
            while not socket.closed:
                message = await socket.receive()
                if message.type in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}:
                    codes.add(message.data or socket.close_code)
                    break
                if json.loads(message.data)["op"] in {0, 9, 11}:
                    break
    assert codes <= {4001, 4002, 4003, 4004, 4005, 4007, None}
    assert (await api.get("/users/@me")).status == 200
