from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from random import Random
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from providers.loopback import DONE, chat, refusing, serving, streaming, text_of
from providers.streams import share
from streamcord import AnswerContext, Ending, Person, Settings, TurnResult, say
from streamcord._events import (
    Finish,
    KeepAlive,
    Message,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from streamcord._exceptions import (
    ProviderError,
)
from streamcord._providers.http import HttpProvider
from streamcord._providers.stop_sequences import StopSequenceFilter
from streamcord.providers import (
    Options,
    stop_at,
    user,
    with_fallbacks,
)
from streamcord.testing import FakeChannel

Said = str | ProviderEvent | Message


def cut(strings: Sequence[str], pieces: Sequence[str]) -> tuple[list[str], bool]:
    cutter = StopSequenceFilter(strings)
    said = [cutter.feed(piece) for piece in pieces]
    return [*said, cutter.flush()], bool(cutter.found)


def expected(text: str, strings: Sequence[str]) -> str:
    """The slow way: the text up to the stop string that is complete first."""
    for end in range(len(text) + 1):
        if hits := [stop for stop in strings if text[:end].endswith(stop)]:
            return text[: end - max(map(len, hits))]
    return text


class Source:
    def __init__(self, *events: Said | Exception) -> None:
        self.events = events
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[Said]:
        try:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.closed = True


async def ended(source: Source, *strings: str) -> list[Said]:
    return [event async for event in stop_at(source, strings)]


# --- The cutter ----------------------------------------------------------------------------------------


def test_text_passes_at_once_unless_a_stop_string_may_begin_in_it() -> None:
    assert cut(["\nUser:"], ["Hello\n", "U", "nder\n", "User", ": hi", "more"]) == (
        ["Hello", "", "\nUnder", "", "", "", ""],
        True,
    )


def test_what_was_held_comes_at_the_end() -> None:
    assert cut(["###"], ["a##"]) == (["a", "##"], False)


def test_the_stop_string_that_is_complete_first_counts() -> None:
    assert cut(["abcde", "c"], ["ab", "cd", "e"]) == (["", "ab", "", ""], True)
    assert cut(["bcd", "cd"], ["abcd"]) == (["a", ""], True)


@given(
    st.lists(st.text("ab\n", min_size=1, max_size=4), min_size=1, max_size=4),
    st.lists(st.text("ab\nc", max_size=5), max_size=8),
)
@share(2)
def test_however_it_is_sliced_the_text_ends_at_the_same_place(strings: list[str], pieces: list[str]) -> None:
    said, found = cut(strings, pieces)

    text = "".join(pieces)
    assert "".join(said) == expected(text, strings)
    assert found == any(stop in text for stop in strings)


def test_forty_strings_of_two_hundred_characters_cost_little_and_hold_no_more_than_their_length() -> None:
    strings = ["x" * 199 + chr(0x4E00 + number) for number in range(40)]
    cutter = StopSequenceFilter(strings)

    said = sum(len(cutter.feed("x")) for _ in range(2000))

    assert said == 2000 - 199


# --- The wrapper ---------------------------------------------------------------------------------------


async def test_a_source_of_events_ends_with_a_finish_and_is_closed() -> None:
    source = Source(TextDelta("Hi"), TextDelta(" #"), TextDelta("## no"), TextDelta("never"), Finish())

    assert await ended(source, "###") == [TextDelta("Hi"), TextDelta(" "), Finish(stop_sequence="###")]
    assert source.closed


async def test_plain_text_stays_plain() -> None:
    assert await ended(Source("one ", "two#"), "##") == ["one ", "two", "#"]
    assert await ended(Source("one #", "# two"), "##") == ["one "]


async def test_calls_and_messages_keep_their_place_while_signs_of_life_may_overtake() -> None:
    call, post = ToolCall("1", "roll"), Message("a post")
    source = Source(
        TextDelta("a#"), KeepAlive(), Usage(1, 2), ThoughtDelta("##"), call, TextDelta("b#"), post, Finish()
    )

    assert await ended(source, "##") == [
        TextDelta("a"),
        KeepAlive(),
        Usage(1, 2),
        ThoughtDelta("##"),
        TextDelta("#"),
        call,
        TextDelta("b"),
        TextDelta("#"),
        post,
        Finish(),
    ]


async def test_words_that_were_held_come_before_the_failure() -> None:
    said: list[Said] = []
    with pytest.raises(ProviderError, match="gone"):
        async for event in stop_at(Source(TextDelta("a#"), ProviderError("gone")), ("##",)):
            said.append(event)

    assert said == [TextDelta("a"), TextDelta("#")]


# --- Through a real server -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "key", "taken"),
    [
        ("openai", "stop", 4),
        ("openai-responses", "stop", 0),
        ("anthropic", "stop_sequences", 40),
        ("google", "generationConfig", 5),
        ("zai", "stop", 1),
        ("deepseek", "stop", 16),
        ("ollama", "stop", 40),
        ("novelai", "stop", 44),
    ],
)
async def test_a_server_gets_the_first_stop_strings_that_it_takes(preset: str, key: str, taken: int) -> None:
    strings = tuple(f"<{number}>" for number in range(40))
    async with serving(refusing(400, {})) as server, HttpProvider(preset, base_url=server.url) as provider:
        with pytest.raises(ProviderError):
            await anext(provider.stream(user("Hi"), Options(model="m", stop=strings)))

    sent = server.bodies[0].get(key, {"stopSequences": []} if key == "generationConfig" else [])
    sent = sent["stopSequences"] if key == "generationConfig" else sent
    assert len(sent) == taken
    assert [text for text in sent if text in strings] == list(strings[:taken])


async def test_the_answer_also_ends_at_a_stop_string_that_the_server_did_not_take() -> None:
    answer = streaming(chat("One. "), chat("Two. E"), chat("ND Three."), chat(finish="stop"), DONE)
    stops = ("a", "b", "c", "d", "END")
    async with serving(answer) as server, HttpProvider("openai", base_url=server.url) as provider:
        events = [event async for event in provider.stream(user("Hi"), Options(model="m", stop=stops))]

    assert server.bodies[0]["stop"] == ["a", "b", "c", "d"]
    assert text_of(events) == "One. Two. "
    assert events[-1] == Finish(stop_sequence="END")


async def test_a_key_that_refuses_stop_strings_is_held_to_them_all_the_same() -> None:
    refusal = {"error": {"message": "Unsupported parameter: 'stop' is not supported with this model."}}

    answers = [refusing(400, refusal), streaming(chat("One. END Two."), chat(finish="stop"), DONE)]

    async def answer(request: web.Request) -> web.StreamResponse:
        return await answers.pop(0)(request)

    async with (
        serving(answer) as server,
        HttpProvider("openai", base_url=server.url) as provider,
    ):
        keys = with_fallbacks(provider, random=Random(0))
        events = [event async for event in keys.stream(user("Hi"), Options(model="m", stop=("END",)))]

    assert "stop" not in server.bodies[1]
    assert text_of(events) == "One. "


# --- Settings ------------------------------------------------------------------------------------------


async def test_a_turn_ends_any_source_at_the_stop_strings_of_its_settings() -> None:
    channel = FakeChannel()
    source = Source("Hello.\n", "Us", "er: and me?")

    result = await say(channel, source, settings=Settings(stop_strings=("\nUser:",)))

    assert channel.texts == ["Hello."]
    assert result.ending is Ending.COMPLETED
    assert source.closed


YAML = "Here is the file:\n```yaml\nUser: root\nalice: admin\n```\nDone."
GUARDED = Settings(speaker_guard="known")
PEOPLE = AnswerContext(people=(Person(1, "alice"),))


def stopped(**why: str) -> bytes:
    """The last chunk of a server that says which stop string it found."""
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", **why}
    return b"data: " + json.dumps({"id": "c", "choices": [choice]}).encode() + b"\n\n"


async def answered_by(
    preset: str, *pieces: bytes, options: Options
) -> tuple[list[str], TurnResult, dict[str, Any]]:
    """What a guarded turn shows of an answer over HTTP, its result, and the body of its request."""
    channel = FakeChannel()
    async with serving(streaming(*pieces)) as server, HttpProvider(preset, base_url=server.url) as provider:
        source = provider.stream(user("Hi"), options)
        result = await say(channel, source, settings=GUARDED, context=PEOPLE)
    return channel.texts, result, server.bodies[0]


async def test_names_in_a_code_example_do_not_end_an_answer_over_http() -> None:
    pieces = [chat(YAML), chat(finish="stop"), DONE]

    texts, result, body = await answered_by("custom", *pieces, options=Options(stop=GUARDED.stop_strings))

    assert texts == ["Here is the file:", "```yaml\nUser: root\nalice: admin\n```", "Done."]
    assert result.ending is Ending.COMPLETED
    assert "stop" not in body


async def test_a_guarded_turn_over_http_names_who_ended_it() -> None:
    pieces = [chat("Hello.\n"), chat("alice: hi\nmore"), chat(finish="stop"), DONE]

    texts, result, _ = await answered_by("custom", *pieces, options=Options())

    assert texts == ["Hello."]
    assert (result.ending, result.other_speaker) == (Ending.SPEAKER_GUARD, "alice")


@pytest.mark.parametrize(
    "pieces",
    [
        [chat("Hello.\nalice: hi"), chat(finish="stop"), DONE],
        [chat("Hello."), stopped(stop_reason="\nalice:"), DONE],
        [chat("Hello."), stopped(matched_stop="\nalice:"), DONE],
    ],
    ids=["ended here", "ended by vLLM", "ended by SGLang"],
)
async def test_a_name_as_stop_string_is_reported_as_the_guard(pieces: list[bytes]) -> None:
    texts, result, _ = await answered_by("custom", *pieces, options=Options(stop=("\nalice:",)))

    assert texts == ["Hello."]
    assert result.stop_sequence == "\nalice:"
    assert (result.ending, result.other_speaker) == (Ending.SPEAKER_GUARD, "alice")


async def test_the_result_names_the_stop_string_that_ended_plain_text() -> None:
    settings = Settings(stop_strings=("###",))

    result = await say(FakeChannel(), Source("One.", "##", "# Two."), settings=settings)

    assert (result.ending, result.stop_sequence) == (Ending.COMPLETED, "###")
