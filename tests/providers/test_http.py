from __future__ import annotations

import asyncio
import gzip
import logging
import socket
import traceback
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from providers.loopback import (
    DONE,
    HEAD,
    Response,
    asked,
    chat,
    collect,
    now,
    refusing,
    serving,
    streaming,
    text_of,
    timeless,
    wired,
)
from streamcord._events import Finish, TextDelta
from streamcord._exceptions import (
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
    SettingsError,
    Truncated,
)
from streamcord._providers.http import HttpProvider
from streamcord._providers.response_reader import Timeouts
from streamcord.providers import Options, Provider, assistant, user

KEY = "sk-canary-0123456789"
HELLO = streaming(chat("Hello"), chat("", "stop"), DONE)


async def test_a_question_is_posted_and_its_answer_read() -> None:
    async with serving(HELLO) as server:
        events, error = await asked(server.url, "openai", key=KEY, headers={"X-Title": "Luna bot"})

    assert (events, error) == ([TextDelta("Hello"), Finish()], None)
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["X-Title"] == "Luna bot"
    assert request.headers["Accept-Encoding"] == "identity"
    assert request.content_type == "application/json"
    assert server.bodies[0]["model"] == "m"
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("preset", "path", "header"),
    [
        ("anthropic", "/v1/messages", "x-api-key"),
        ("google", "/v1/models/m:streamGenerateContent", "x-goog-api-key"),
        ("openai-responses", "/v1/responses", "Authorization"),
        ("novelai", "/v1/completions", "Authorization"),
    ],
)
async def test_each_dialect_carries_the_key_in_its_header_and_never_in_the_address(
    preset: str, path: str, header: str
) -> None:
    async with serving(HELLO) as server:
        await asked(server.url, preset, key=KEY)

    request = server.requests[0]
    assert request.path == path
    assert KEY in request.headers[header]
    assert KEY not in str(request.rel_url)


async def test_the_options_may_name_another_model() -> None:
    async with serving(HELLO) as server, HttpProvider("custom", base_url=server.url, model="m") as provider:
        await collect(provider, options=Options(model="other", temperature=0.5))

    assert server.bodies[0]["model"] == "other"
    assert server.bodies[0]["temperature"] == 0.5


async def test_a_local_server_is_asked_without_a_key() -> None:
    async with serving(HELLO) as server:
        await asked(server.url)

    assert "Authorization" not in server.requests[0].headers


async def test_a_text_is_no_prompt() -> None:
    async with HttpProvider("openai", model="m", base_url="http://127.0.0.1:9/v1") as provider:
        with pytest.raises(TypeError, match=r"write provider\.stream\(user\(text\)\)"):
            provider.stream("hi")  # type: ignore[arg-type]


async def test_half_a_surrogate_pair_in_the_prompt_does_not_break_the_request() -> None:
    async with serving(HELLO) as server, HttpProvider("custom", base_url=server.url) as provider:
        await collect(provider, user("a\ud83d") + assistant("\ude00 \ud83d\ude00 é"))

    assert [message["content"] for message in server.bodies[0]["messages"]] == ["a\ufffd", "\ufffd 😀 é"]


@pytest.mark.parametrize("extra", [{"x": object()}, {"x": float("nan")}, {"x": {1, 2}}])
async def test_options_that_json_cannot_say_are_refused(extra: Any) -> None:
    async with HttpProvider("custom", base_url="http://127.0.0.1:9") as provider:
        _, error = await collect(provider, options=Options(extra=extra))

    assert isinstance(error, RequestRejected)
    assert "extra options" in error.user_message


# --- Refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"error": {"message": "bad", "type": "invalid_request_error"}}, RequestRejected),
        (401, {"error": {"message": f"Incorrect key {KEY}"}}, RequestRejected),
        (402, {"error": {"message": "Insufficient Balance"}}, RequestRejected),
        (403, "Forbidden", RequestRejected),
        (404, {"error": {"code": "model_not_found"}}, RequestRejected),
        (408, "", Overloaded),
        (422, {"detail": [{"loc": ["body"], "msg": KEY}]}, RequestRejected),
        (429, {"error": {"code": "insufficient_quota"}}, RequestRejected),
        (429, b"<html>1015</html>", RateLimited),
        (500, KEY, Overloaded),
        (502, b"<html>" + b"x" * 200_000, Overloaded),
        (503, {"error": {"status": "UNAVAILABLE"}}, Overloaded),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, Overloaded),
        (200, {"error": {"message": f"bad key {KEY}", "code": 401}}, RequestRejected),
        (200, "<html>login</html>", RequestRejected),
        (204, None, ProviderError),
    ],
)
async def test_every_refusal_has_its_error_and_none_quotes_the_key(
    status: int, body: Any, kind: type
) -> None:
    async with serving(refusing(status, body)) as server:
        events, error = await asked(server.url, key=KEY)

    assert events == []
    assert type(error) is kind
    assert error is not None
    assert KEY not in str(error) + error.user_message + repr(error)


@pytest.mark.parametrize(
    ("headers", "pause"),
    [({"Retry_After": "2"}, 2.0), ({"retry_after_ms": "1500"}, 1.5), ({}, None)],
)
async def test_p_17_a_rate_limit_says_how_long(headers: dict[str, str], pause: float | None) -> None:
    async with serving(refusing(429, {"error": {"message": "slow"}}, **headers)) as server:
        _, error = await asked(server.url)

    assert isinstance(error, RateLimited)
    assert error.retryable
    assert error.retry_after == pause


async def test_a_pause_may_be_a_date() -> None:
    async with serving(refusing(503, "", Retry_After="Fri, 01 Jan 2100 00:00:00 GMT")) as server:
        _, error = await asked(server.url)

    assert isinstance(error, Overloaded)
    assert error.retry_after is not None
    assert error.retry_after > 3600


async def test_m_18_a_redirect_is_not_followed() -> None:
    async with serving(HELLO) as other:
        async with serving(refusing(307, "", Location=f"{other.url}/?{KEY}")) as server:
            _, error = await asked(server.url, key=KEY)

        assert isinstance(error, RequestRejected)
        assert other.requests == []


async def test_m_18_cookies_are_forgotten() -> None:
    async with serving(streaming(DONE, headers={"Set-Cookie": "a=b"})) as server:
        named = server.url.replace("127.0.0.1", "localhost")  # aiohttp keeps no cookies of bare addresses
        async with HttpProvider("custom", base_url=named) as provider:
            await collect(provider)
            await collect(provider)

    assert "Cookie" not in server.requests[1].headers


async def test_m_18_a_compressed_stream_is_refused_unread() -> None:
    bomb = gzip.compress(b"data: " + b"x" * 10_000_000)

    async with serving(streaming(bomb, headers={"Content-Encoding": "gzip"})) as server:
        events, error = await asked(server.url)

    assert events == []
    assert "compressed" in str(error)


async def test_m_18_endless_headers_are_an_error() -> None:
    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(20_000):
            writer.write(f"X-{number}: {'x' * 500}\r\n".encode())
            await writer.drain()

    async with wired(wire) as server:
        events, error = await asked(server.url)

    assert events == []
    assert isinstance(error, ProviderError)


# --- Connections -------------------------------------------------------------------------------------------


async def test_nobody_there_is_worth_another_try() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        _, error = await asked(f"http://127.0.0.1:{taken.getsockname()[1]}")

    assert isinstance(error, Overloaded)
    assert "Is the server running?" in error.user_message


async def test_a_server_that_hangs_up_first_is_worth_another_try() -> None:
    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with wired(wire) as server:
        _, error = await asked(server.url)

    assert isinstance(error, Overloaded)


async def test_a_server_that_does_not_speak_http_is_an_error() -> None:
    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")

    async with wired(wire) as server:
        _, error = await asked(server.url)

    assert isinstance(error, ProviderError)
    assert "not HTTP" in str(error)


async def test_a_server_without_a_certificate_is_not_worth_another_try() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    listener = await asyncio.start_server(greet, "127.0.0.1", 0)
    _, error = await asked(f"https://127.0.0.1:{listener.sockets[0].getsockname()[1]}")
    listener.close()

    assert isinstance(error, RequestRejected)
    assert "certificate" in error.user_message


@timeless
async def test_a_server_that_never_answers_is_left_after_the_idle_time() -> None:
    async def wire(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with wired(wire) as server:
        began = now()
        events, error = await asked(server.url, timeouts=Timeouts(idle=60))
        took = now() - began

    assert events == []
    assert isinstance(error, Overloaded)
    assert took == pytest.approx(60, abs=1)


async def test_a_proxy_is_asked_in_the_servers_place_and_its_password_is_kept() -> None:
    async with serving(HELLO) as proxy:
        address = proxy.url.replace("http://", "http://me:hunter2222@").removesuffix("/v1")
        events, error = await asked("http://llm.example/v1", proxy=address, allow_http=True, key=KEY)

    assert error is None
    assert text_of(events) == "Hello"
    assert proxy.requests[0].headers["Host"] == "llm.example"


async def test_a_proxy_that_is_not_there_is_named_without_its_password() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        _, error = await asked("https://llm.example/v1", proxy=f"http://me:hunter2222@127.0.0.1:{port}")

    assert isinstance(error, Overloaded)
    assert "proxy" in error.user_message
    assert "hunter2222" not in str(error)


# --- Closing -----------------------------------------------------------------------------------------------


class Watcher:
    """A server that says one word and then waits for the socket to close."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chat("Hello"))
        await writer.drain()
        with suppress(ConnectionError):
            await reader.read()
        self.closed.set()


async def test_closing_the_stream_closes_the_socket() -> None:
    watcher = Watcher()
    async with wired(watcher) as server, HttpProvider("custom", base_url=server.url) as provider:
        stream = provider.stream(user("Hi"))
        assert await anext(stream) == TextDelta("Hello")
        await stream.aclose()

        async with asyncio.timeout(5):
            await watcher.closed.wait()


@pytest.mark.parametrize("words", [0, 1])
async def test_cancellation_closes_the_socket(words: int) -> None:
    watcher = Watcher()
    heard = asyncio.Event()

    async def listen(provider: HttpProvider) -> None:
        async for _ in provider.stream(user("Hi")):
            heard.set()

    async with wired(watcher) as server, HttpProvider("custom", base_url=server.url) as provider:
        task = asyncio.create_task(listen(provider))
        if words:
            await heard.wait()
        else:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        if words:
            async with asyncio.timeout(5):
                await watcher.closed.wait()


async def test_an_error_of_the_listener_closes_the_socket_and_passes_through() -> None:
    watcher = Watcher()
    async with wired(watcher) as server, HttpProvider("custom", base_url=server.url) as provider:
        stream = provider.stream(user("Hi"))
        await anext(stream)
        with pytest.raises(ZeroDivisionError):
            await stream.athrow(ZeroDivisionError())

        async with asyncio.timeout(5):
            await watcher.closed.wait()


async def test_a_given_session_stays_open_and_an_own_one_is_reused_and_closed() -> None:
    async with serving(HELLO) as server:
        async with aiohttp.ClientSession(raise_for_status=True) as session:
            async with HttpProvider("custom", base_url=server.url, session=session) as provider:
                events, _ = await collect(provider)
            assert not session.closed
        async with HttpProvider("custom", base_url=server.url) as provider:
            await collect(provider)
            await collect(provider)

    assert text_of(events) == "Hello"
    assert server.requests[1].transport is server.requests[2].transport


async def test_a_closed_provider_can_be_asked_again() -> None:
    async with serving(HELLO) as server:
        provider = HttpProvider("custom", base_url=server.url)
        await provider.aclose()
        await collect(provider)
        await provider.aclose()
        events, _ = await collect(provider)
        await provider.aclose()

    assert text_of(events) == "Hello"


async def test_many_streams_do_not_queue_for_connections() -> None:
    gate = asyncio.Event()
    arrived = 0

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal arrived
        arrived += 1
        if arrived == 150:
            gate.set()
        await gate.wait()
        return await HELLO(request)

    async with serving(answer) as server, HttpProvider("custom", base_url=server.url) as provider:
        async with asyncio.timeout(30):
            answers = await asyncio.gather(*(collect(provider) for _ in range(150)))

    assert all(text_of(events) == "Hello" for events, _ in answers)


# --- Secrets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        refusing(401, {"error": {"message": f"bad {KEY}"}}),
        refusing(500, KEY),
        refusing(307, "", Location=f"http://127.0.0.1/{KEY}"),
        streaming(
            b'data: {"error": {"message": "' + KEY.encode() + b'", "code": "' + KEY.encode() + b'"}}\n\n'
        ),
        streaming(chat("Hello")),
        streaming(b"data: " + KEY.encode() + b"\n\n"),
    ],
)
async def test_l_01_the_key_is_in_no_log_error_traceback_or_representation(
    answer: Response, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(answer) as server:
        provider = HttpProvider("custom", base_url=server.url, key=KEY)
        _, error = await collect(provider)
        await provider.aclose()

    assert error is not None
    everything = [
        caplog.text,
        repr(provider),
        str(error),
        repr(error.__dict__),
        error.user_message,
        repr(error.__context__),
        *traceback.TracebackException.from_exception(error, capture_locals=True).format(),
    ]
    assert KEY not in "\n".join(everything)


async def test_l_02_the_key_is_in_no_error_about_connections() -> None:
    _, error = await asked("http://127.0.0.1:9", key=KEY)

    assert error is not None
    lines = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    assert KEY not in "".join(lines)
    assert error.__context__ is None


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"base_url": "http://llm.example/v1"}, "base_url"),
        ({"base_url": "ftp://llm.example"}, "base_url"),
        ({"key": "sk canary"}, "key"),
        ({"key": "sk-canary\n"}, "key"),
        ({"proxy": "socks5://127.0.0.1"}, "proxy"),
        ({"headers": {"X": "a\r\nY: b"}}, "X"),
        ({"headers": {"X Y": "a"}}, "headers"),
    ],
)
def test_settings_are_checked_at_once_and_not_quoted(settings: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingsError, match=name) as caught:
        HttpProvider("openai", **settings)
    assert "canary" not in str(caught.value)


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="openrouter"):
        HttpProvider("opanai")


def test_a_custom_server_needs_an_address() -> None:
    with pytest.raises(SettingsError, match="base_url"):
        HttpProvider("custom")


def test_it_is_a_provider() -> None:
    assert isinstance(HttpProvider("openai"), Provider)


async def test_a_stream_cut_by_the_server_is_truncated() -> None:
    async with serving(streaming(chat("Hello"))) as server:
        events, error = await asked(server.url)

    assert events == [TextDelta("Hello")]
    assert isinstance(error, Truncated)
    assert error.__cause__ is None


async def test_a_kept_connection_that_the_server_hangs_up_on_is_replaced_by_a_fresh_one() -> None:
    body = chat("Hello", "stop") + DONE
    keeping = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body)
    connections = 0

    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        writer.write(keeping + body)
        await reader.read(1)  # the next request on it: hang up

    async with wired(wire) as server, HttpProvider("custom", base_url=server.url, model="m") as provider:
        answers = [await collect(provider) for _ in range(3)]

    assert [(text_of(events), error) for events, error in answers] == [("Hello", None)] * 3
    assert connections == 3


async def test_a_fresh_connection_that_the_server_hangs_up_on_is_not_tried_again() -> None:
    connections = 0

    async def wire(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1

    async with wired(wire) as server:
        _, error = await asked(server.url)

    assert isinstance(error, Overloaded)
    assert connections == 1


async def test_a_server_that_cannot_count_is_asked_without_that_and_not_asked_again() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if (await request.json()).get("stream_options"):
            return web.json_response({"error": {"message": "unknown field stream_options"}}, status=400)
        return await HELLO(request)

    async with serving(answer) as server, HttpProvider("custom", base_url=server.url, model="m") as provider:
        for _ in range(2):
            events, _ = await collect(provider)
            assert text_of(events) == "Hello"

    assert ["stream_options" in body for body in server.bodies] == [True, False, False]


async def test_another_refusal_is_not_asked_again() -> None:
    async with serving(refusing(400, {"error": {"message": "bad stream"}})) as server:
        _, error = await asked(server.url, "custom")

    assert isinstance(error, RequestRejected)
    assert len(server.requests) == 1


async def test_stream_of_a_provider_that_was_not_entered_closes_its_session() -> None:
    async with serving(HELLO) as server:
        provider = HttpProvider("openai", model="m", base_url=server.url, allow_http=True)
        for _ in range(2):
            await collect(provider)
            assert provider._own is None


async def test_session_of_an_entered_provider_is_kept_for_the_next_stream() -> None:
    async with (
        serving(HELLO) as server,
        HttpProvider("openai", model="m", base_url=server.url, allow_http=True) as provider,
    ):
        await collect(provider)
        assert provider._own is not None


async def test_error_names_status_and_request_id() -> None:
    async def refuse(_: web.Request) -> web.StreamResponse:
        return web.json_response(
            {"error": {"message": "busy"}}, status=429, headers={"x-request-id": "req_7"}
        )

    async with serving(refuse) as server:
        _, error = await asked(server.url, "openai")

    assert isinstance(error, RateLimited)
    assert (error.status, error.request_id) == (429, "req_7")


async def test_closed_session_is_named() -> None:
    session = aiohttp.ClientSession()
    await session.close()
    provider = HttpProvider("custom", base_url="http://127.0.0.1:9", model="m", session=session)

    with pytest.raises(RuntimeError, match="session of this HttpProvider is closed"):
        await anext(aiter(provider.stream(user("Hello?"))))
