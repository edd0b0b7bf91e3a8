from __future__ import annotations

import asyncio
import json

import pytest

from discord_twin import FaultKind, Twin
from discord_twin.errors import CODES, ApiError, invalid_form
from discord_twin.rate_limits import Admission
from discord_twin.request_log import Record
from discord_twin.rest.responses import banned, error_response, limited, malformed_response, ok_response
from discord_twin.rest.routing import NO_CONTENT, Reply
from twin.api import Api

# Every code of the table that a sender must know (§1.6), with the class of its HTTP status.
NEEDED = {
    10003: 4, 10004: 4, 10008: 4, 10015: 4, 10062: 4, 20016: 4, 20028: 4, 20029: 4, 30007: 4, 30015: 4,
    30046: 4, 30058: 4, 40005: 4, 40060: 4, 40062: 4, 40094: 4, 40333: 4, 50001: 4, 50006: 4, 50007: 4,
    50008: 4, 50013: 4, 50014: 4, 50024: 4, 50027: 4, 50035: 4, 50045: 4, 50068: 4, 50083: 4, 50109: 4,
    110000: 5, 130000: 5, 160002: 4, 160005: 4, 160009: 4, 160010: 4, 160006: 4, 200000: 4, 240000: 4,
}  # fmt: skip


def test_every_code_that_a_sender_handles_is_listed() -> None:
    assert {code: CODES[code][0] // 100 for code in NEEDED} == NEEDED


def test_a_webhook_token_that_is_invalid_is_401() -> None:
    assert (ApiError(50027).status, ApiError(50027).body()["code"]) == (401, 50027)


@pytest.mark.parametrize("code", CODES)
def test_a_refusal_says_what_it_is(code: int) -> None:
    refusal = ApiError(code)

    assert refusal.body() == {"message": refusal.message, "code": code}
    assert str(code) in str(refusal)


def test_a_form_error_names_its_place() -> None:
    refusal = invalid_form("embeds.0.title", "CODE", "sentence")

    assert refusal.body()["errors"] == {
        "embeds": {"0": {"title": {"_errors": [{"code": "CODE", "message": "sentence"}]}}}
    }


# --- Outcomes ---


def record() -> Record:
    return Record(0.0, "POST", "/", (), b"")


def test_what_is_done_is_compact_json_of_any_text() -> None:
    outcome = ok_response(Reply({"a": ["\ud800", 1]}), {"X": "1"})

    assert outcome.body == b'{"a":["\\ud800",1]}'
    assert outcome.headers == {"X": "1", "Via": "1.1 google"}
    assert ok_response(NO_CONTENT, {}).body == b""


def test_a_refused_request_is_logged_with_its_code() -> None:
    logged = record()
    outcome = error_response(logged, ApiError(50013))

    assert (outcome.status, logged.code, logged.scope) == (403, 50013, "")
    assert json.loads(outcome.body)["code"] == 50013


def test_a_write_limit_is_shared_and_says_when_to_come_back() -> None:
    logged = record()
    outcome = error_response(logged, ApiError(20028))

    assert (logged.scope, json.loads(outcome.body)["retry_after"]) == ("shared", 1.0)


def test_a_rate_limited_request_is_logged_with_its_scope() -> None:
    logged = record()
    outcome = limited(logged, Admission({"X": "1"}, 2.5, "global"))

    assert (outcome.status, logged.scope) == (429, "global")
    assert json.loads(outcome.body)["global"] is True


def test_neither_a_ban_nor_a_page_bears_via() -> None:
    logged = record()

    assert "Via" not in banned(logged, 1.5).headers
    assert logged.scope == "cloudflare"
    assert "Via" not in malformed_response(502, html=True).headers
    assert json.loads(malformed_response(503, html=False).body)["code"] == 0


# --- Sending ---


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
    twin.inject_fault(FaultKind.COMMIT_THEN_DROP_ACK, "users.own")

    assert await raw_request(twin, "/users/@me") == b""


async def test_a_cut_answer_promises_more_than_it_brings(twin: Twin) -> None:
    twin.inject_fault(FaultKind.ACK_TRUNCATE, "users.own")
    head, _, body = (await raw_request(twin, "/users/@me")).partition(b"\r\n\r\n")
    (length,) = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]

    assert 0 < len(body) < int(length.split()[1])


async def test_no_content_has_no_body(twin: Twin, api: Api) -> None:
    answer = await api.post(f"/channels/{twin.channel.id}/typing")

    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["X-RateLimit-Bucket"]
