"""The scenarios P of a provider's stream, by their ids, over real sockets; time is virtual where it matters.

What a scenario asks of the text core, the tools, the fallback or the turn is tested there.
"""

from __future__ import annotations

import asyncio
import json
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from providers.loopback import (
    DONE,
    HEAD,
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
from providers.streams import bytewise, slices
from streamcord._events import (
    Finish,
    FinishReason,
    KeepAlive,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from streamcord._exceptions import (
    ContentBlocked,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
    Truncated,
)
from streamcord._providers.apis.registry import OpenAIChat
from streamcord._providers.http import HttpProvider
from streamcord._providers.response_reader import ResponseReader
from streamcord.providers import PRESETS, Preset, user

FIXTURES = Path(__file__).parent / "fixtures"


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.sse").read_bytes()


async def replayed(name: str, **settings: Any) -> tuple[list[ProviderEvent], ProviderError | None]:
    """A fixture, as a server would send it."""
    preset = name.partition("/")[0]
    async with serving(streaming(fixture(name))) as server:
        return await asked(server.url, preset, **settings)


def spoken(events: list[ProviderEvent]) -> list[ProviderEvent]:
    """What was said; words that follow each other are one event, since how they are sliced means nothing."""
    said: list[ProviderEvent] = []
    for event in events:
        if isinstance(event, TextDelta) and said and isinstance(said[-1], TextDelta):
            said[-1] = TextDelta(said[-1].text + event.text)
        elif not isinstance(event, KeepAlive):
            said.append(event)
    return said


@pytest.mark.parametrize("preset", ["anthropic", "google", "novelai", "openai", "openai-responses"])
async def test_p_01_one_byte_writes_change_nothing_with_any_provider(preset: str) -> None:
    whole, _ = await replayed(f"{preset}/text")

    async with serving(streaming(*bytewise(fixture(f"{preset}/text")))) as server:
        events, error = await asked(server.url, preset)

    assert error is None
    assert spoken(events) == spoken(whole)
    assert text_of(events)


async def test_p_02_writes_that_cut_characters_and_line_ends_change_nothing() -> None:
    text = "é友😀👨‍👩‍👧"
    content = json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False).encode()
    stream = b"data: " + content + b"\r\n\r\n" + DONE.replace(b"\n", b"\r\n")

    for seed in range(5):
        async with serving(streaming(*slices(seed, 3)(stream))) as server:
            events, _ = await asked(server.url)
        assert text_of(events) == text


async def test_p_03_separators_inside_the_text_are_text() -> None:
    text = "a\u2028b\u2029c\u0085d\u000be\u000cf"
    content = json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False).encode()

    async with serving(streaming(b"data: " + content + b"\n\n", DONE)) as server:
        events, _ = await asked(server.url)

    assert text_of(events) == text


@timeless
async def test_p_04_five_thousand_comments_are_waited_for() -> None:
    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for _number in range(5000):
            writer.write(b": keep-alive\n\n")
            await asyncio.sleep(0.05)
        writer.write(chat("At last.", "stop") + DONE)

    async with wired(wire) as server:
        events, error = await asked(server.url)

    assert error is None
    assert spoken(events) == [TextDelta("At last."), Finish()]
    assert KeepAlive() in events


@timeless
async def test_p_05_comments_alone_for_300_seconds_are_silence() -> None:
    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chat("So"))
        while True:
            writer.write(b": keep-alive\n\n")
            await writer.drain()
            await asyncio.sleep(10)

    async with wired(wire) as server:
        began = now()
        events, error = await asked(server.url)
        took = now() - began

    assert spoken(events) == [TextDelta("So")]
    assert isinstance(error, Truncated)
    assert isinstance(error.__cause__, TimeoutError)
    assert took == pytest.approx(300, abs=10)


@timeless
async def test_p_05_pings_are_no_progress_either_but_tool_arguments_are() -> None:
    start = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t", "name": "n"},
    }
    piece = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": " "},
    }

    def event(payload: Any) -> bytes:
        return b"data: " + json.dumps(payload).encode() + b"\n\n"

    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + event(start))
        for _number in range(50):
            await asyncio.sleep(10)
            writer.write(event(piece))
        while True:
            await asyncio.sleep(10)
            writer.write(event({"type": "ping"}))

    async with wired(wire) as server:
        began = now()
        _, error = await asked(server.url, "anthropic")
        took = now() - began

    assert isinstance(error, Truncated)
    assert took == pytest.approx(800, abs=10)


async def test_p_06_an_end_in_the_middle_is_truncated_and_what_came_is_kept() -> None:
    events, error = await replayed("openai/truncated")

    assert spoken(events) == [TextDelta("The end is")]
    assert isinstance(error, Truncated)
    assert error.retryable


@pytest.mark.parametrize("chunked", [False, True])
async def test_p_07_a_reset_in_an_event_is_truncated_and_the_half_event_is_not_shown(chunked: bool) -> None:
    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = chat("Hello") + chat("half")[:40]
        head = HEAD.replace(b"Connection: close", b"Transfer-Encoding: chunked") if chunked else HEAD
        writer.write(head + (f"{len(body):x}\r\n".encode() + body if chunked else body))
        await writer.drain()
        await received.wait()
        linger = struct.pack("ii", 1, 0)  # close with a reset
        writer.get_extra_info("socket").setsockopt(1, 13, linger)
        writer.transport.abort()

    received = asyncio.Event()
    events = []
    async with wired(wire) as server, HttpProvider("custom", base_url=server.url) as provider:
        with pytest.raises(Truncated):
            async for event in provider.stream(user("Hi")):
                events.append(event)
                received.set()

    assert events == [TextDelta("Hello")]


async def test_p_07_a_body_shorter_than_promised_is_truncated() -> None:
    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD.replace(b"Connection: close", b"Content-Length: 9999") + chat("Hello"))

    async with wired(wire) as server:
        events, error = await asked(server.url)

    assert events == [TextDelta("Hello")]
    assert isinstance(error, Truncated)


async def test_p_08_a_last_event_without_its_blank_line_is_accepted() -> None:
    events, error = await replayed("openai/no_blank_line")

    assert error is None
    assert spoken(events) == [TextDelta("All of it."), Finish()]


async def test_p_09_a_finish_reason_is_an_end_without_done() -> None:
    events, error = await replayed("openai/no_done")

    assert error is None
    assert spoken(events) == [TextDelta("Bye."), Finish()]


@timeless
async def test_p_09_an_open_socket_after_the_finish_reason_is_left_soon() -> None:
    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chat("Bye.", "stop"))
        await reader.read()

    async with wired(wire) as server:
        began = now()
        events, error = await asked(server.url)
        took = now() - began

    assert (events, error) == ([TextDelta("Bye."), Finish()], None)
    assert took == pytest.approx(5, abs=1)


@timeless
async def test_p_10_done_is_the_end_though_the_socket_stays_open() -> None:
    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chat("Bye.", "stop") + DONE + chat("Not this."))
        await reader.read()

    async with wired(wire) as server:
        began = now()
        events, error = await asked(server.url)
        took = now() - began

    assert (events, error) == ([TextDelta("Bye."), Finish()], None)
    assert took < 0.1


@timeless
async def test_p_11_a_stalled_read_is_cancelled_at_the_idle_limit() -> None:
    closed = asyncio.Event()

    async def wire(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chat("x" * 300))
        await reader.read()
        closed.set()

    async with wired(wire) as server:
        began = now()
        events, error = await asked(server.url)
        took = now() - began
        await closed.wait()

    assert text_of(events) == "x" * 300
    assert isinstance(error, Truncated)
    assert isinstance(error.__cause__, TimeoutError)
    assert took == pytest.approx(120, abs=1)


@timeless
async def test_p_39_a_clock_that_jumps_while_nobody_reads_is_no_silence() -> None:
    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + chat("One."))
        await asyncio.sleep(1000)
        writer.write(b": ok\n\n")
        await asyncio.sleep(50)
        writer.write(chat("Two.", "stop") + DONE)

    async with wired(wire) as server, HttpProvider("custom", base_url=server.url) as provider:
        stream = provider.stream(user("Hi"))
        assert await anext(stream) == TextDelta("One.")
        await asyncio.sleep(990)
        rest = [event async for event in stream]

    assert spoken(rest) == [TextDelta("Two."), Finish()]


@pytest.mark.parametrize(
    ("name", "said", "kind"),
    [
        ("anthropic/overloaded", "", Overloaded),  # P-12: before any text
        ("anthropic/overloaded_midway", "So far", Overloaded),  # P-13: after some
        ("openai/error_midstream", "Once upon a", Overloaded),  # P-14
        ("openai/vllm_error", "So", RequestRejected),
        ("openai/openrouter_error_first", "", RateLimited),  # P-15
        ("openai/openrouter_error", "Well, so", Overloaded),
        ("openai/openrouter_choice_error", "Well", RateLimited),
        ("openai-responses/failed", "Oh", Overloaded),
        ("openai-responses/error", "", RateLimited),
        ("google/error", "We", RateLimited),
    ],
)
async def test_p_12_13_14_15_an_error_in_the_stream_comes_after_the_words_before_it(
    name: str, said: str, kind: type[ProviderError]
) -> None:
    events, error = await replayed(name)

    assert text_of(events) == said
    assert type(error) is kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "No endpoints found", "code": 404}}, RequestRejected),
        ({"error": {"message": "busy", "type": "overloaded_error"}}, Overloaded),
        ("<!DOCTYPE html><html>Sign in</html>", RequestRejected),
    ],
)
async def test_p_16_a_page_with_status_200_is_an_error_before_the_first_word(
    body: Any, kind: type[ProviderError]
) -> None:
    async with serving(refusing(200, body)) as server:
        events, error = await asked(server.url)

    assert events == []
    assert type(error) is kind


async def test_p_18_a_wrong_key_is_refused_once_and_not_quoted() -> None:
    async with serving(refusing(401, {"error": {"message": "Incorrect API key: sk-canary-1"}})) as server:
        _, error = await asked(server.url, key="sk-canary-1")

    assert isinstance(error, RequestRejected)
    assert not error.retryable
    assert len(server.requests) == 1
    assert "Check the key" in error.user_message
    assert "canary" not in str(error)


async def test_p_19_the_words_of_the_chunk_that_ends_for_safety_are_said() -> None:
    events, error = await replayed("google/safety_with_text")

    assert error is None
    assert text_of(events) == "Then he took"
    assert events[-1] == Finish(FinishReason.FILTERED)


@pytest.mark.parametrize("name", ["google/finish_without_parts", "google/max_tokens_no_words"])
async def test_p_20_a_chunk_without_parts_breaks_nothing(name: str) -> None:
    events, error = await replayed(name)

    assert error is None
    assert isinstance(events[-1], Finish)


async def test_p_20_a_blocked_prompt_is_said_so() -> None:
    events, error = await replayed("google/blocked_prompt")

    assert text_of(events) == ""
    assert isinstance(error, ContentBlocked)
    assert not error.retryable


async def test_p_21_usage_frames_null_deltas_and_unknown_events_break_nothing() -> None:
    odd = [
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
        {"choices": [{"index": 0, "delta": None}]},
        {"object": "something.new", "choices": None, "extra": [1]},
        {"choices": [{"index": 0, "delta": {"content": "Hi", "new": {}}, "extra": 1}], "usage": None},
    ]
    pieces = [b"event: unknown\ndata: " + json.dumps(payload).encode() + b"\n\n" for payload in odd]

    async with serving(streaming(*pieces, chat("", "stop"), DONE)) as server:
        events, error = await asked(server.url)

    assert error is None
    assert spoken(events) == [Usage(3, 4), TextDelta("Hi"), Finish()]


async def test_p_22_a_text_that_is_repeated_when_done_is_said_once() -> None:
    events, _ = await replayed("openai-responses/text")

    assert text_of(events) == "Hi there."


async def test_p_23_a_cumulative_sender_says_only_what_is_new_and_a_rewind_ends_it() -> None:
    preset = Preset("dashscope", OpenAIChat(cumulative=True))
    said = []
    for name in ("openai/cumulative", "openai/cumulative_rewind"):
        stream = streaming(fixture(name))
        async with serving(stream) as server, HttpProvider(preset, base_url=server.url) as provider:
            said.append(await collect(provider))

    (whole, fine), (rewound, error) = said
    assert "".join(event.text for event in whole if isinstance(event, TextDelta)) == "Humming bird"
    assert "".join(event.text for event in whole if isinstance(event, ThoughtDelta)) == "Thinking"
    assert fine is None
    assert text_of(rewound) == "Humming"
    assert isinstance(error, Truncated)


@pytest.mark.parametrize("piece", ["6666666666", "| same | row |\n", "hahahaha"])
async def test_p_24_honest_repetition_is_said_in_full(piece: str) -> None:
    async with serving(streaming(*[chat(piece)] * 200, chat("", "stop"), DONE)) as server:
        events, _ = await asked(server.url)

    assert text_of(events) == piece * 200


@pytest.mark.parametrize(
    ("name", "thoughts", "words"),
    [
        ("openai/vllm_reasoning", "Nine is bigger.", "9.8"),
        ("openai/deepseek_reasoning", "A tide turns.", "Moon."),
        ("openai/openrouter_reasoning", "First this.", "Done."),
        ("anthropic/thinking", "27 times 453.", "12231"),
        ("google/thoughts_and_calls", "**Plan**\n", "Rolling."),
        ("openai-responses/reasoning", "Weigh it.\n\nThen decide.raw", "Yes."),
    ],
)
async def test_p_30_thoughts_are_never_words_whatever_their_name(
    name: str, thoughts: str, words: str
) -> None:
    events, error = await replayed(name)

    assert error is None
    assert "".join(event.text for event in events if isinstance(event, ThoughtDelta)) == thoughts
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == words


async def test_p_31_thoughts_alone_until_the_limit_are_an_answer_without_words() -> None:
    async with serving(streaming(chat(reasoning="Hm."), chat("", "length"), DONE)) as server:
        events, error = await asked(server.url)

    assert error is None
    assert spoken(events) == [ThoughtDelta("Hm."), Finish(FinishReason.LENGTH)]


@pytest.mark.parametrize(
    "name", ["tools_without_index", "tools_all_zero", "tools_from_one", "tools_late_id", "parallel_tools"]
)
async def test_p_32_tool_calls_are_put_together_however_they_are_numbered(name: str) -> None:
    events, error = await replayed(f"openai/{name}")

    calls = [event for event in events if isinstance(event, ToolCall)]
    assert error is None
    assert calls
    assert all("__invalid__" not in call.arguments and call.id and call.name for call in calls)
    assert events[-1] == Finish(FinishReason.TOOL_CALLS)


async def test_p_33_endless_arguments_are_an_error() -> None:
    piece = chat(tool_calls=[{"index": 0, "function": {"name": "n", "arguments": "x" * 10_000}}])

    async with serving(streaming(*[piece] * 120)) as server:
        events, error = await asked(server.url)

    assert spoken(events) == []
    assert error is not None
    assert "arguments" in str(error)


def test_p_35_a_hundred_thousand_deltas_of_one_letter_cost_in_proportion() -> None:
    def cost(number: int) -> float:
        answer = ResponseReader(PRESETS["openai"].api.decoder())
        pieces = [chat("x")] * number
        began = time.process_time()
        letters = sum(len(answer.feed(piece)) for piece in pieces)
        assert letters == number
        return time.process_time() - began

    small = min(cost(10_000) for _ in range(3))

    assert cost(100_000) < 25 * small  # 10 for a line, 100 for a square


async def test_p_36_one_delta_of_four_megabytes_is_read() -> None:
    text = "word " * 800_000

    async with serving(streaming(chat(text), chat("", "stop"), DONE)) as server:
        events, error = await asked(server.url)

    assert error is None
    assert text_of(events) == text


async def test_p_37_half_surrogates_pass_as_they_are() -> None:
    events, error = await replayed("openai/surrogates")

    assert error is None
    assert spoken(events) == [TextDelta("\ud83d" + "\ude00!"), Finish()]


async def test_p_40_a_slow_listener_stops_the_reading_and_loses_nothing() -> None:
    written = 0
    total = 20_000
    piece = chat("x" * 1000)

    async def wire(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(HEAD)
        for _number in range(total):
            writer.write(piece)
            await writer.drain()
            written += 1
        writer.write(chat("", "stop") + DONE)

    async with wired(wire) as server, HttpProvider("custom", base_url=server.url) as provider:
        stream = provider.stream(user("Hi"))
        first = text_of([await anext(stream)])
        assert first == "x" * len(first)
        before = -1
        while written != before:  # until the socket's buffers are full
            before = written
            for _ in range(50):
                await asyncio.sleep(0)
        assert written * len(piece) < 12_000_000
        rest = [event async for event in stream]

    assert len(first) + len(text_of(rest)) == total * 1000
    assert rest[-1] == Finish()
