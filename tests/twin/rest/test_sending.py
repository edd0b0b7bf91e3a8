from __future__ import annotations

import asyncio

from streamcord.twin import FaultKind, Twin
from twin.api import Api


async def raw_request(twin: Twin, path: str) -> bytes:
    """All bytes that come back for a GET, read until the twin closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", twin.port)
    lines = [
        f"GET /api/v10{path} HTTP/1.1",
        f"Host: 127.0.0.1:{twin.port}",
        f"Authorization: Bot {twin.token}",
        "Connection: close",
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    received = await reader.read()
    writer.close()
    await writer.wait_closed()
    return received


async def test_a_whole_answer_has_its_length(twin: Twin) -> None:
    head, _, body = (await raw_request(twin, "/users/@me")).partition(b"\r\n\r\n")

    assert f"Content-Length: {len(body)}".encode() in head
    assert b"\r\nContent-Type: application/json\r\n" in head + b"\r\n"


async def test_a_connection_that_is_hung_up_brings_nothing(twin: Twin) -> None:
    twin.fail(FaultKind.COMMIT_THEN_DROP_ACK, "users.own")

    assert await raw_request(twin, "/users/@me") == b""


async def test_a_cut_answer_promises_more_than_it_brings(twin: Twin) -> None:
    twin.fail(FaultKind.ACK_TRUNCATE, "users.own")
    head, _, body = (await raw_request(twin, "/users/@me")).partition(b"\r\n\r\n")
    (length,) = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]

    assert 0 < len(body) < int(length.split()[1])


async def test_no_content_has_no_body(twin: Twin, api: Api) -> None:
    answer = await api.post(f"/channels/{twin.channel.id}/typing")

    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["X-RateLimit-Bucket"]
