from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from random import Random

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from providers.loopback import DONE, chat, refusing, serving, streaming, text_of
from providers.streams import share
from streamcord import AnswerContext, Ending, Person, Settings, say, stop_strings
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
    Prompt,
    stop_at,
    user,
    with_fallbacks,
)
from streamcord.testing import FakeChannel, ScriptedProvider

Said = str | ProviderEvent | Message


def cut(strings: Sequence[str], pieces: Sequence[str]) -> tuple[list[str], bool]:
    cutter = StopSequenceFilter(strings)
    said = [cutter.feed(piece) for piece in pieces]
    return [*said, cutter.flush()], cutter.found


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

    assert await ended(source, "###") == [TextDelta("Hi"), TextDelta(" "), Finish()]
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
    assert events[-1] == Finish()


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


def test_the_request_gets_the_settings_own_strings_then_the_guards_labels_and_forty_at_most() -> None:
    people = tuple(Person(number, f"user{number}") for number in range(1, 100))
    settings = Settings(stop_strings=("###", "\nuser1:"), speaker_guard="known")
    context = AnswerContext(people=people)

    strings = stop_strings(settings, context)

    assert strings[:4] == ("###", "\nuser1:", "\nuser2:", "\nuser3:")
    assert len(strings) == 40
    assert Options(stop=strings).stop == strings


async def test_a_label_without_room_in_the_request_still_ends_the_answer_by_the_guard() -> None:
    people = tuple(Person(number, f"user{number}") for number in range(1, 100))
    settings = Settings(speaker_guard="known")
    context = AnswerContext(people=people)
    model = ScriptedProvider(["Hello.\n", "user99: hi\n", "more\n"])
    options = Options(stop=stop_strings(settings, context))
    channel = FakeChannel()

    result = await say(channel, model.stream(Prompt(), options), settings=settings, context=context)

    assert "\nuser99:" not in options.stop
    assert channel.texts == ["Hello."]
    assert result.ending is Ending.SPEAKER_GUARD
