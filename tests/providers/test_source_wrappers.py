from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from random import Random

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from providers.loopback import DONE, chat, refusing, serving, streaming, text_of
from providers.streams import share
from streamcord import Ending, Person, Settings, say, stop_strings
from streamcord._errors import (
    ContentBlocked,
    Overloaded,
    ProviderError,
    RateLimited,
    Rejected,
    SettingsError,
    Truncated,
)
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
from streamcord._providers.http import HttpProvider
from streamcord._providers.source_wrappers import StopCutter
from streamcord._testing.fakes import Cue
from streamcord.providers import (
    Fallback,
    Options,
    Patience,
    Prompt,
    end_at,
    first_that_answers,
    tool,
    user,
    with_tools,
)
from streamcord.testing import FakeChannel, ScriptedProvider
from virtual import now, timeless

Said = str | ProviderEvent | Message


def cut(strings: Sequence[str], pieces: Sequence[str]) -> tuple[list[str], bool]:
    cutter = StopCutter(strings)
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
    return [event async for event in end_at(source, strings)]


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
    cutter = StopCutter(strings)

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
        async for event in end_at(Source(TextDelta("a#"), ProviderError("gone")), ("##",)):
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
        keys = first_that_answers(provider, random=Random(0))
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
    settings = Settings(stop_strings=("###", "\nuser1:"), speaker_guard="known", people=people)

    strings = stop_strings(settings)

    assert strings[:4] == ("###", "\nuser1:", "\nuser2:", "\nuser3:")
    assert len(strings) == 40
    assert Options(stop=strings).stop == strings


async def test_a_label_without_room_in_the_request_still_ends_the_answer_by_the_guard() -> None:
    people = tuple(Person(number, f"user{number}") for number in range(1, 100))
    settings = Settings(speaker_guard="known", people=people)
    model = ScriptedProvider(["Hello.\n", "user99: hi\n", "more\n"])
    options = Options(stop=stop_strings(settings))
    channel = FakeChannel()

    result = await say(channel, model.stream(Prompt(), options), settings=settings)

    assert "\nuser99:" not in options.stop
    assert channel.texts == ["Hello."]
    assert result.ending is Ending.SPEAKER_GUARD


# --- Several providers behind one ----------------------------------------------------------------------


class Key(ScriptedProvider):
    """A scripted provider that remembers when it was asked, and for what."""

    def __init__(self, *rounds: Sequence[Cue]) -> None:
        super().__init__(*rounds)
        self.asked: list[float] = []
        self.options: list[Options] = []

    def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        self.asked.append(now())
        self.options.append(options or Options())
        return super().stream(prompt, options)


async def answer(provider: Fallback, options: Options | None = None) -> list[ProviderEvent]:
    return [event async for event in provider.stream(user("Hi"), options)]


def spoken(events: list[ProviderEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@timeless
async def test_the_first_that_answers_is_the_only_one_asked() -> None:
    one, other = Key(["One."]), Key(["Other."])

    assert spoken(await answer(first_that_answers(one, other))) == "One."
    assert other.asked == []


@pytest.mark.parametrize(
    "error", [Overloaded("busy"), RateLimited("slow"), Truncated("cut"), Rejected("bad key")]
)
def test_a_failure_before_the_first_word_goes_to_the_next(error: ProviderError) -> None:
    @timeless
    async def run() -> None:
        one, other = Key([ThoughtDelta("hm"), " \n", error]), Key([ThoughtDelta("ha"), "Other."])

        events = await answer(first_that_answers(one, other))

        assert spoken(events) == "Other."
        assert "".join(event.text for event in events if isinstance(event, ThoughtDelta)) == "ha"
        assert now() == 0.0
        assert one.closed == 1

    run()


@timeless
async def test_after_the_first_word_nobody_else_is_asked() -> None:
    one, other = Key(["One is", Overloaded("busy")]), Key(["Other."])

    with pytest.raises(Overloaded):
        await answer(first_that_answers(one, other))

    assert other.asked == []


@timeless
async def test_a_call_is_as_good_as_a_word() -> None:
    one, other = Key([ToolCall("1", "x"), Overloaded("busy")]), Key(["Other."])

    with pytest.raises(Overloaded):
        await answer(first_that_answers(one, other))

    assert other.asked == []


@timeless
async def test_a_blocked_question_is_asked_once() -> None:
    one, other = Key([ContentBlocked("no")]), Key(["Other."])

    with pytest.raises(ContentBlocked):
        await answer(first_that_answers(one, other))

    assert other.asked == []


@timeless
async def test_models_come_first_and_keys_within_them() -> None:
    one = Key([Overloaded("1")], [Overloaded("3")])
    other = Key([Overloaded("2")], ["Fine."])

    await answer(first_that_answers(one, other, models=["big", "small"]))

    assert [options.model for options in one.options + other.options] == ["big", "small", "big", "small"]


@timeless
async def test_pauses_grow_until_patience_ends() -> None:
    key = Key(*[[Overloaded("busy")]] * 3)

    with pytest.raises(Overloaded):
        await answer(first_that_answers(key, random=Random(1)))

    first, second, third = key.asked
    assert 0.75 <= second - first <= 1.25
    assert 1.5 <= third - second <= 2.5


@timeless
async def test_pauses_are_spread_by_chance_so_that_bots_do_not_ask_in_step() -> None:
    waits = set()
    for seed in range(20):
        key = Key(*[[Overloaded("busy")]] * 2)
        with pytest.raises(Overloaded):
            await answer(first_that_answers(key, random=Random(seed), patience=Patience(tries=2)))
        waits.add(round(key.asked[1] - key.asked[0], 6))

    assert len(waits) == 20
    assert min(waits) < 0.9
    assert max(waits) > 1.1


@pytest.mark.parametrize("kind", [RateLimited, Overloaded])
def test_a_pause_that_was_asked_for_is_kept_and_shows_signs_of_life(kind: type[ProviderError]) -> None:
    @timeless
    async def run() -> None:
        key = Key([kind("slow", retry_after=40.0)], ["Fine."])

        events = await answer(first_that_answers(key))

        assert key.asked == [0.0, 40.0]
        assert events.count(KeepAlive()) >= 3

    run()


@timeless
async def test_a_key_that_rests_is_passed_over_in_the_next_turn_too() -> None:
    one = Key([RateLimited("slow", retry_after=30.0)], ["One."])
    other = Key(["Other."], ["Other."])
    provider = first_that_answers(one, other)

    await answer(provider)
    await answer(provider)

    assert (len(one.asked), len(other.asked), now()) == (1, 2, 0.0)


@timeless
async def test_a_pause_longer_than_our_patience_is_not_waited_for() -> None:
    provider = first_that_answers(Key([RateLimited("slow", retry_after=3600.0)]))

    with pytest.raises(RateLimited):
        await answer(provider)
    with pytest.raises(RateLimited, match="Every key"):
        await answer(provider)

    assert now() == 0.0


@timeless
async def test_what_can_never_succeed_is_asked_once_each_and_all_of_it_is_told() -> None:
    keys = [Key([Rejected(f"bad key {number}")]) for number in range(3)]

    with pytest.raises(Rejected, match="bad key 2") as caught:
        await answer(first_that_answers(*keys))

    assert [len(key.asked) for key in keys] == [1, 1, 1]
    assert caught.value.__notes__ == [f"before that: Rejected: bad key {number}" for number in range(2)]


@pytest.mark.parametrize(
    ("message", "options", "left"),
    [
        ("Unsupported value: 'temperature' does not support 0.2", Options(temperature=0.2), Options()),
        (
            "temperature and top_p cannot both be set",
            Options(temperature=1, top_p=0.5),
            Options(temperature=1),
        ),
        ("Unsupported parameter: max_tokens", Options(max_tokens=5), Options()),
        ("unknown field maxOutputTokens", Options(max_tokens=5), Options()),
        ("reasoning_effort is not supported", Options(reasoning="low"), Options()),
        ("Unsupported parameter: 'stop'", Options(stop=("x",)), Options()),
        ("tool_choice must be auto", Options(tool_choice="required"), Options()),
        ("extra fields: top_k", Options(extra={"top_k": 3, "seed": 1}), Options(extra={"seed": 1})),
    ],
)
def test_a_parameter_that_is_refused_is_left_out(message: str, options: Options, left: Options) -> None:
    @timeless
    async def run() -> None:
        key = Key([Rejected(message)], ["Fine."], ["Fine."])
        provider = first_that_answers(key)

        assert spoken(await answer(provider, options)) == "Fine."
        await answer(provider, options)

        assert key.options == [options, left, left]
        assert now() == 0.0

    run()


@timeless
async def test_an_answer_without_words_is_an_answer() -> None:
    events = await answer(first_that_answers(Key([ThoughtDelta("hm"), Usage(1, 2)]), Key(["Other."])))

    assert [event for event in events if not isinstance(event, KeepAlive)] == [
        ThoughtDelta(""),
        ThoughtDelta("hm"),
        Usage(1, 2),
        Finish(),
    ]


@timeless
async def test_endless_thoughts_are_not_held_for_ever() -> None:
    thought = ThoughtDelta("x" * 600_000)

    with pytest.raises(Overloaded):
        await answer(first_that_answers(Key([thought, thought, Overloaded("busy")]), Key(["Other."])))


async def test_with_tools_every_round_may_fall_back() -> None:
    @tool
    async def roll() -> str:
        return "6"

    one = ScriptedProvider(["Rolling. ", ToolCall("1", "roll")], [Overloaded("busy")])
    other = ScriptedProvider(["A six."])
    channel = FakeChannel()

    result = await say(channel, with_tools(first_that_answers(one, other), user("go"), [roll]))

    assert channel.texts == ["Rolling.", "A six."]
    assert result.ending is Ending.COMPLETED


def test_somebody_must_be_asked_and_patience_is_more_than_nothing() -> None:
    with pytest.raises(SettingsError):
        first_that_answers()
    with pytest.raises(SettingsError):
        Patience(tries=0)
