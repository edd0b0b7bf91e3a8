"""The scenarios P of a provider's stream, by their ids, as a whole turn sees them, on virtual time.

What they ask of the bytes alone is in `providers/test_scenarios_p.py`.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import chain

import pytest
from aiohttp import web

from providers.loopback import DONE, Response, chat, refusing, serving, streaming
from streamcord import (
    Degree,
    Ending,
    Finish,
    FinishReason,
    KeepAlive,
    Overloaded,
    ProviderEvent,
    RequestRejected,
    Settings,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Truncated,
    TurnResult,
    say,
)
from streamcord._providers.http import HttpProvider
from streamcord.providers import tool, user, with_fallbacks, with_tools
from streamcord.testing import ScriptedProvider
from virtual_time import Channel, Model, covers, now, result_of, timeless

PLAIN = Settings(degree=Degree.LIGHT)
FIVE_HUNDRED = "word " * 99 + "last."


async def told(channel: Channel, *cues: float | str | ProviderEvent | Exception) -> TurnResult:
    """What a source says, in a channel without delays."""
    return await say(channel, Model(*cues), settings=PLAIN)


@timeless
async def test_p_04_signs_of_life_are_ignored_and_the_answer_waited_for() -> None:
    channel = Channel()
    signs: list[float | ProviderEvent] = [0.05, KeepAlive()] * 5000

    result = await say(channel, Model(*signs, TextDelta("Here."), Finish()))

    assert channel.texts == ["Here."]
    assert result.ending is Ending.COMPLETED
    gaps = [later - earlier for earlier, later in zip(channel.typed, channel.typed[1:], strict=False)]
    assert min(gaps) >= 8.0 - 1e-6


@timeless
async def test_p_05_signs_of_life_for_ever_are_silence() -> None:
    channel = Channel()
    signs: list[float | ProviderEvent] = [1.0, KeepAlive()] * 5000
    model = Model(*signs)

    result = await say(channel, model)

    assert (result.ending, model.closed_at, channel.messages) == (Ending.TIMEOUT, 300.0, [])


@timeless
async def test_p_06_07_the_tail_of_a_stream_that_broke_off_is_delivered() -> None:
    channel = Channel()

    result = await told(channel, TextDelta("One.\nTwo and"))
    with pytest.raises(Truncated) as caught:
        await told(channel, TextDelta("Three.\nFour and"), Truncated("reset"))

    assert channel.texts == ["One.", "Two and", "Three.", "Four and"]
    assert result.ending is result_of(caught.value).ending is Ending.TRUNCATED


@timeless
async def test_p_11_a_stall_of_ten_minutes_ends_at_the_idle_limit_with_its_tail() -> None:
    channel = Channel()
    model = Model(TextDelta("x" * 300), 600.0, TextDelta("late"), Finish())

    result = await say(channel, model)

    assert channel.texts == ["x" * 300]
    assert (result.ending, model.closed_at) == (Ending.TIMEOUT, 120.0)


async def asked(one: Response, other: Response) -> tuple[Channel, TurnResult, list[int]]:
    """A question to two servers in turn, a key each; how often each was asked."""
    channel = Channel()
    async with serving(one) as first, serving(other) as second, AsyncExitStack() as stack:
        keys = [
            await stack.enter_async_context(
                HttpProvider("custom", base_url=server.url, model="m", key=f"sk-secret-{number}")
            )
            for number, server in enumerate((first, second))
        ]
        result = await say(channel, with_fallbacks(*keys).stream(user("Hi")), settings=PLAIN)
        return channel, result, [len(first.requests), len(second.requests)]


OK = streaming(chat("Fine."), chat(finish="stop"), DONE)


@pytest.mark.parametrize(
    "refusal",
    [
        streaming(b'data: {"error": {"message": "busy", "code": 529}}\n\n'),
        streaming(b'data: {"choices": [], "error": {"message": "busy", "code": 502}}\n\n'),
        streaming(b'{"error": {"message": "busy", "code": 503}}'),
        streaming(b"<html>nothing here</html>"),
        refusing(429, {"error": {"message": "slow"}}, Retry_After="2"),
        refusing(500, {"error": {"message": "oops"}}),
    ],
)
async def test_p_12_15_16_17_an_error_before_the_first_word_goes_to_the_next_key(refusal: Response) -> None:
    channel, result, counts = await asked(refusal, OK)

    assert channel.texts == ["Fine."]
    assert result.ending is Ending.COMPLETED
    assert counts == [1, 1]


@pytest.mark.parametrize(
    "error",
    [
        b'data: {"error": {"message": "busy", "code": 529}}\n\n',
        b'data: {"object": "error", "message": "busy", "code": 500}\n\n',
    ],
)
async def test_p_13_14_an_error_after_the_first_word_restarts_nothing(error: bytes) -> None:
    with pytest.raises(Overloaded) as caught:
        await asked(streaming(chat(FIVE_HUNDRED), error), OK)

    result = result_of(caught.value)
    assert result.text == FIVE_HUNDRED
    assert result.ending is Ending.ERROR


@timeless
async def test_p_17_a_key_that_must_rest_is_used_again_when_it_may() -> None:
    times: list[float] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        times.append(now())
        if len(times) == 1:
            return await refusing(429, {"error": {"message": "slow"}}, Retry_After="2")(request)
        return await OK(request)

    channel = Channel()
    async with serving(answer) as server, HttpProvider("custom", base_url=server.url, model="m") as key:
        await say(channel, with_fallbacks(key).stream(user("Hi")))

    assert channel.texts == ["Fine."]
    assert times[1] - times[0] == pytest.approx(2.0, abs=0.2)


async def test_p_18_wrong_keys_are_asked_once_each_and_never_quoted() -> None:
    requests: list[str] = []

    async def quote(request: web.Request) -> web.StreamResponse:
        requests.append(request.headers["Authorization"])
        return web.json_response({"error": {"message": f"Incorrect API key: {requests[-1]}"}}, status=401)

    with pytest.raises(RequestRejected) as caught:
        await asked(quote, quote)

    assert requests == ["Bearer sk-secret-0", "Bearer sk-secret-1"]
    told = [str(caught.value), caught.value.user_message, *caught.value.__notes__]
    assert not any("sk-secret" in text for text in told)
    assert "Check the key" in caught.value.user_message


@timeless
async def test_p_19_20_31_a_filtered_end_keeps_its_words_and_no_words_are_an_empty_response() -> None:
    channel = Channel()

    filtered = await told(channel, TextDelta("Some"), Finish(FinishReason.FILTERED))
    silent = await told(channel, Finish(FinishReason.FILTERED))
    thought = await told(channel, ThoughtDelta("hm"), Finish(FinishReason.LENGTH))

    assert channel.texts == ["Some"]
    assert filtered.ending is Ending.REFUSED
    assert silent.ending is thought.ending is Ending.EMPTY_RESPONSE
    assert thought.thoughts.raw == "hm"


@pytest.mark.parametrize("text", ["6" * 3000, "| a | b |\n" * 200, "hahaha" * 300])
def test_p_24_honest_repetition_is_shown_in_full(text: str) -> None:
    @timeless
    async def run() -> None:
        channel = Channel()
        pieces = [TextDelta(text[at : at + 10]) for at in range(0, len(text), 10)]

        result = await say(
            channel, Model(*pieces, Finish()), settings=Settings(degree=Degree.NONE, message_cap=0)
        )

        assert "".join("".join(channel.texts).split()) == "".join(text.split())
        assert covers(result, len(text))

    run()


@timeless
async def test_p_25_a_thought_that_never_ends_is_in_the_log() -> None:
    channel = Channel()

    result = await told(channel, "<think>" + "hm " * 7000)

    assert (channel.messages, result.ending) == ([], Ending.EMPTY_RESPONSE)
    assert result.thoughts.raw == ("hm " * 7000).strip()


@timeless
async def test_p_26_a_stray_end_of_a_thought_takes_nothing_back() -> None:
    channel = Channel()
    before = "A line that was said.\n" * 40

    result = await say(channel, Model(before + "More </think>here."), settings=Settings(degree=Degree.NONE))

    assert channel.texts == [before + "More here."]
    assert [dropped.text for dropped in result.dropped] == ["</think>"]


@pytest.mark.parametrize("tag", ["think", "THINK", "mm:think", 'think lang="en"'])
def test_p_27_a_thought_never_leaks_however_it_is_cut(tag: str) -> None:
    @timeless
    async def run() -> None:
        channel = Channel()
        text = f"<{tag}>secret</{tag.partition(' ')[0]}>Shown."

        result = await told(channel, *text)

        assert channel.texts == ["Shown."]
        assert result.thoughts.raw == "secret"

    run()


@timeless
async def test_p_28_a_tag_in_code_is_code() -> None:
    channel = Channel()

    await told(channel, "Write `<think>` or\n```\n<think>x</think>\n```\n")

    assert channel.texts == ["Write `<think>` or", "```\n<think>x</think>\n```"]


@timeless
async def test_p_29_open_details_are_captured() -> None:
    channel = Channel()

    source = Model("Shown.\n<details>kept for later")
    result = await say(channel, source, settings=replace(PLAIN, details="memory"))

    assert channel.texts == ["Shown."]
    assert result.details == ("kept for later",)


@timeless
async def test_p_30_thoughts_between_the_words_change_nothing_about_them() -> None:
    channel = Channel()

    result = await told(
        channel, TextDelta("On"), ThoughtDelta("a"), TextDelta("e."), ThoughtDelta("b"), Finish()
    )

    assert channel.texts == ["One."]
    assert result.thoughts.raw == "ab"


@timeless
async def test_p_32_words_before_a_call_are_sent_before_it_starts() -> None:
    sent: list[list[str]] = []

    @tool
    async def look() -> str:
        sent.append(channel.texts)
        return "ok"

    channel = Channel()
    provider = ScriptedProvider(
        ["Let me look. ", ToolCall("1", "look"), ToolCall("2", "look")], ["Nothing there."]
    )
    await say(channel, with_tools(provider, user("go"), [look]), settings=PLAIN)

    assert sent == [["Let me look."]] * 2
    assert channel.texts == ["Let me look.", "Nothing there."]


@timeless
async def test_p_34_a_call_inside_a_code_block_leaves_every_message_balanced() -> None:
    channel = Channel()

    result = await told(
        channel, TextDelta("```py\na = 1\n"), ToolCall("1", "x"), TextDelta("b = 2\n```\nEnd."), Finish()
    )

    # Differs from the scenario on purpose: after its tool the model begins again, so nothing is reopened.
    assert channel.texts[0] == "```py\na = 1\n```"
    assert all(text.count("```") % 2 == 0 for text in channel.texts)
    assert channel.texts[1:] == ["b = 2", "End."]
    # The closing fence of a block that is closed already goes, and its line break with it.
    assert [dropped.text for dropped in result.dropped] == ["\n"]


@timeless
async def test_p_35_a_hundred_thousand_letters_one_by_one_are_the_same_messages() -> None:
    text = "One line of words that is said.\n" * 3125
    whole, single = Channel(), Channel()
    settings = Settings(degree=Degree.LIGHT, message_cap=0)

    await say(whole, Model(text), settings=settings)
    began = time.process_time()
    await say(single, Model(*text), settings=settings)

    assert time.process_time() - began < 20
    assert single.texts == whole.texts


@timeless
async def test_p_36_one_delta_of_four_megabytes_is_cut_at_the_cap() -> None:
    channel = Channel()

    result = await say(
        channel, Model("word " * 800_000), settings=Settings(degree=Degree.NONE, message_cap=0)
    )

    assert result.ending is Ending.MESSAGE_LIMIT
    assert max(map(len, channel.texts)) <= 1950
    assert covers(result, 4_000_000)


@timeless
async def test_p_37_half_characters_are_joined_or_replaced() -> None:
    channel = Channel()

    await told(channel, "One \ud83d", "\ude00.\n", "Two \ud83d")

    assert channel.texts == ["One 😀.", "Two \ufffd"]
    "".join(channel.texts).encode()


@timeless
async def test_p_38_strange_characters_break_no_limit() -> None:
    channel = Channel()

    result = await say(
        channel, Model("\0a\x1b[31m\u202eb " + "e" + "\u0301" * 10_000), settings=Settings(message_cap=0)
    )

    assert all(1 <= len(text) <= 1950 for text in channel.texts)
    assert result.counts.received == len("\0a\x1b[31m\u202eb ") + 10_001


@timeless
async def test_p_39_only_the_loops_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = Channel()
    hours = chain([0.0], (3600.0 * number * (-1) ** number for number in range(10_000)))
    monkeypatch.setattr(time, "time", lambda: next(hours))

    result = await say(channel, Model(TextDelta("One.\n"), 60.0, TextDelta("Two."), Finish()))

    assert (result.ending, channel.texts) == (Ending.COMPLETED, ["One.", "Two."])


@timeless
async def test_p_40_a_model_faster_than_the_channel_is_read_no_further_than_the_outbox_holds() -> None:
    channel, read = Channel(latency=1.0), 0
    most = 0

    async def source() -> AsyncIterator[str]:
        nonlocal read, most
        for number in range(2000):
            line = f"Line {number} {'x' * 100}\n"
            read += len(line)
            most = max(most, read - sum(map(len, channel.texts)))
            yield line

    result = await say(channel, source(), settings=Settings(degree=Degree.LIGHT, message_cap=0))

    assert len(channel.texts) == 2000
    assert most <= 64 * 1024 + 4096
    assert result.dropped == ()


@timeless
async def test_p_40_a_model_slower_than_typing_is_not_slowed_down_further() -> None:
    channel = Channel()
    cues: list[float | str] = []
    for number in range(5):
        cues += [10.0, f"Line {number}.\n"]

    await say(channel, Model(*cues))

    # A line leaves while the model pauses, at the latest when the next one begins.
    assert all(came <= sent < came + 10.0 for came, sent in zip(range(10, 60, 10), channel.sent, strict=True))
