from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from random import Random

import pytest

from streamcord import Ending, say
from streamcord._events import (
    Finish,
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
    SettingsError,
    Truncated,
)
from streamcord._testing.fakes import Cue
from streamcord.providers import (
    Fallback,
    Options,
    Prompt,
    RetryPolicy,
    rotate_keys,
    system,
    tool,
    user,
    with_fallbacks,
    with_tools,
)
from streamcord.testing import FakeChannel, ScriptedProvider
from virtual_time import now, timeless


class Key(ScriptedProvider):
    """A scripted provider that remembers when it was asked, and for what."""

    def __init__(self, *rounds: Sequence[Cue]) -> None:
        super().__init__(*rounds)
        self.asked: list[float] = []
        self.options: list[Options] = []
        self.received: list[Prompt] = []

    def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        self.asked.append(now())
        self.options.append(options or Options())
        self.received.append(prompt)
        return super().stream(prompt, options)


async def answer(provider: Fallback, options: Options | None = None) -> list[ProviderEvent]:
    return [event async for event in provider.stream(user("Hi"), options)]


def spoken(events: list[ProviderEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@timeless
async def test_the_first_that_answers_is_the_only_one_asked() -> None:
    one, other = Key(["One."]), Key(["Other."])

    assert spoken(await answer(with_fallbacks(one, other))) == "One."
    assert other.asked == []


@pytest.mark.parametrize(
    "error", [Overloaded("busy"), RateLimited("slow"), Truncated("cut"), RequestRejected("bad key")]
)
def test_a_failure_before_the_first_word_goes_to_the_next(error: ProviderError) -> None:
    @timeless
    async def run() -> None:
        one, other = Key([ThoughtDelta("hm"), " \n", error]), Key([ThoughtDelta("ha"), "Other."])

        events = await answer(with_fallbacks(one, other))

        assert spoken(events) == "Other."
        assert "".join(event.text for event in events if isinstance(event, ThoughtDelta)) == "ha"
        assert now() == 0.0
        assert one.closed == 1

    run()


@timeless
async def test_after_the_first_word_nobody_else_is_asked() -> None:
    one, other = Key(["One is", Overloaded("busy")]), Key(["Other."])

    with pytest.raises(Overloaded):
        await answer(with_fallbacks(one, other))

    assert other.asked == []


@timeless
async def test_a_call_is_as_good_as_a_word() -> None:
    one, other = Key([ToolCall("1", "x"), Overloaded("busy")]), Key(["Other."])

    with pytest.raises(Overloaded):
        await answer(with_fallbacks(one, other))

    assert other.asked == []


@timeless
async def test_a_blocked_question_is_asked_once() -> None:
    one, other = Key([ContentBlocked("no")]), Key(["Other."])

    with pytest.raises(ContentBlocked):
        await answer(with_fallbacks(one, other))

    assert other.asked == []


@timeless
async def test_models_come_first_and_keys_within_them() -> None:
    one = Key([Overloaded("1")], [Overloaded("3")])
    other = Key([Overloaded("2")], ["Fine."])

    await answer(with_fallbacks(one, other, models=["big", "small"]))

    assert [options.model for options in one.options + other.options] == ["big", "small", "big", "small"]


@timeless
async def test_pauses_grow_until_patience_ends() -> None:
    key = Key(*[[Overloaded("busy")]] * 3)

    with pytest.raises(Overloaded):
        await answer(with_fallbacks(key, random=Random(1)))

    first, second, third = key.asked
    assert 0.75 <= second - first <= 1.25
    assert 1.5 <= third - second <= 2.5


@timeless
async def test_pauses_are_spread_by_chance_so_that_bots_do_not_ask_in_step() -> None:
    waits = set()
    for seed in range(20):
        key = Key(*[[Overloaded("busy")]] * 2)
        with pytest.raises(Overloaded):
            await answer(with_fallbacks(key, random=Random(seed), retry=RetryPolicy(max_attempts=2)))
        waits.add(round(key.asked[1] - key.asked[0], 6))

    assert len(waits) == 20
    assert min(waits) < 0.9
    assert max(waits) > 1.1


@pytest.mark.parametrize("kind", [RateLimited, Overloaded])
def test_a_pause_that_was_asked_for_is_kept_and_shows_signs_of_life(kind: type[ProviderError]) -> None:
    @timeless
    async def run() -> None:
        key = Key([kind("slow", retry_after=40.0)], ["Fine."])

        events = await answer(with_fallbacks(key))

        assert key.asked == [0.0, 40.0]
        assert events.count(KeepAlive()) >= 3

    run()


@timeless
async def test_a_key_that_rests_is_passed_over_in_the_next_turn_too() -> None:
    one = Key([RateLimited("slow", retry_after=30.0)], ["One."])
    other = Key(["Other."], ["Other."])
    provider = with_fallbacks(one, other)

    await answer(provider)
    await answer(provider)

    assert (len(one.asked), len(other.asked), now()) == (1, 2, 0.0)


@timeless
async def test_a_pause_longer_than_our_patience_is_not_waited_for() -> None:
    provider = with_fallbacks(Key([RateLimited("slow", retry_after=3600.0)]))

    with pytest.raises(RateLimited):
        await answer(provider)
    with pytest.raises(RateLimited, match="All keys are rate-limited"):
        await answer(provider)

    assert now() == 0.0


@timeless
async def test_what_can_never_succeed_is_asked_once_each_and_all_of_it_is_told() -> None:
    keys = [Key([RequestRejected(f"bad key {number}")]) for number in range(3)]

    with pytest.raises(RequestRejected, match="bad key 2") as caught:
        await answer(with_fallbacks(*keys))

    assert [len(key.asked) for key in keys] == [1, 1, 1]
    assert caught.value.__notes__ == [
        f"before that: RequestRejected: bad key {number}" for number in range(2)
    ]


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
        key = Key([RequestRejected(message)], ["Fine."], ["Fine."])
        provider = with_fallbacks(key)

        assert spoken(await answer(provider, options)) == "Fine."
        await answer(provider, options)

        assert key.options == [options, left, left]
        assert now() == 0.0

    run()


@pytest.mark.parametrize("words", ["BADINPUT max_tokens temperature", "Max-Tokens? TEMPERATURE!"])
def test_words_of_the_prompt_in_an_error_take_no_parameter_from_later_requests(words: str) -> None:
    @timeless
    async def run() -> None:
        key = Key([RequestRejected(f"bad input: {words}".replace("-", "_"))], ["Fine."], ["Fine."])
        provider = with_fallbacks(key)
        options = Options(max_tokens=5, temperature=0.5)

        async for _ in provider.stream(user(words), options):
            pass
        await answer(provider, options)

        assert key.options == [options, Options(max_tokens=5), options]

    run()


@pytest.mark.parametrize(
    "parameter", ["max_tokens", "generationConfig.maxOutputTokens", "max_completion_tokens"]
)
def test_a_parameter_in_a_field_of_its_own_is_left_out_for_an_hour(parameter: str) -> None:
    @timeless
    async def run() -> None:
        key = Key([rejected(parameter)], ["Fine."], ["Fine."], ["Fine."])
        provider = with_fallbacks(key)
        options = Options(max_tokens=5)

        async for _ in provider.stream(user("What is max_tokens?"), options):
            pass
        await answer(provider, options)
        await asyncio.sleep(3601)
        await answer(provider, options)

        assert key.options == [options, Options(), Options(), options]

    run()


@timeless
async def test_a_field_that_is_no_parameter_of_ours_is_final_whatever_the_words() -> None:
    key = Key([rejected("messages[0].content")], ["Fine."])

    with pytest.raises(RequestRejected):
        await answer(with_fallbacks(key), Options(temperature=1))

    assert len(key.options) == 1


@pytest.mark.parametrize("parameter", ["", "messages.3", "messages"])
def test_refused_prefill_is_sent_again(parameter: str) -> None:
    @timeless
    async def run() -> None:
        error = rejected(parameter)
        error.args = ("This model does not support assistant message prefill.",)
        key = Key([error], ["Fine."], ["Fine."], ["Fine."])
        provider = with_fallbacks(key)
        prompt = system("Be kind.") + user("Hi") + Prompt(prefill="Dear Ann,")
        for _ in range(2):
            assert spoken([event async for event in provider.stream(prompt)]) == "Fine."
        assert [one.prefill for one in key.received] == ["Dear Ann,", "", ""]
        assert key.received[1].system.startswith("Be kind.")
        assert key.received[1].system.endswith("Dear Ann,")
        await asyncio.sleep(3601)
        async for _ in provider.stream(prompt):
            pass

        assert key.received[3].prefill == "Dear Ann,"

    run()


def rejected(parameter: str) -> RequestRejected:
    error = RequestRejected("temperature and max_tokens are refused")
    error.parameter = parameter
    return error


@timeless
async def test_an_answer_without_words_is_an_answer() -> None:
    events = await answer(with_fallbacks(Key([ThoughtDelta("hm"), Usage(1, 2)]), Key(["Other."])))

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
        await answer(with_fallbacks(Key([thought, thought, Overloaded("busy")]), Key(["Other."])))


async def test_with_tools_every_round_may_fall_back() -> None:
    @tool
    async def roll() -> str:
        return "6"

    one = ScriptedProvider(["Rolling. ", ToolCall("1", "roll")], [Overloaded("busy")])
    other = ScriptedProvider(["A six."])
    channel = FakeChannel()

    result = await say(channel, with_tools(with_fallbacks(one, other), user("go"), [roll]))

    assert channel.texts == ["Rolling.", "A six."]
    assert result.ending is Ending.COMPLETED


def test_somebody_must_be_asked_and_patience_is_more_than_nothing() -> None:
    with pytest.raises(SettingsError):
        with_fallbacks()
    with pytest.raises(SettingsError):
        RetryPolicy(max_attempts=0)


# --- Several keys of one model ---


def refused() -> RequestRejected:
    error = RequestRejected("401: no such key")
    error.refuses_key = True
    return error


def attempts_in(events: list[ProviderEvent]) -> list[str]:
    return [event.attempt for event in events if isinstance(event, KeepAlive) and event.attempt]


@timeless
async def test_keys_are_used_in_turn() -> None:
    keys = [Key(*[["Hi."]] * 4) for _ in range(3)]
    provider = with_fallbacks(rotate_keys(*keys))

    for _ in range(7):
        assert attempts_in(await answer(provider)) == []
        await asyncio.sleep(1)

    assert [key.asked for key in keys] == [[0, 3, 6], [1, 4], [2, 5]]


@timeless
async def test_key_that_is_rate_limited_or_refused_rests_and_the_others_answer() -> None:
    limited = Key([RateLimited("slow", retry_after=30.0)], ["A."], ["A."])
    dead = Key([refused()], [refused()])
    good = Key(*[["C."]] * 9)
    provider = with_fallbacks(rotate_keys(limited, dead, good, names=("main, key 1", "main, key 2")))

    events = await answer(provider)
    assert spoken(events) == "C."
    assert attempts_in(events) == [
        "main, key 1: RateLimited",
        "main, key 2: RequestRejected",
        "provider 3: answered",
    ]
    for _ in range(8):
        await asyncio.sleep(5)
        assert spoken(await answer(provider)) in {"A.", "C."}

    assert limited.asked[1:] == [30.0, 40.0]
    assert dead.asked == [0.0]


@timeless
async def test_request_that_no_key_can_make_is_not_tried_with_every_key() -> None:
    keys = [Key([RequestRejected("400: no such model")]) for _ in range(3)]

    with pytest.raises(RequestRejected):
        await answer(with_fallbacks(rotate_keys(*keys)))

    assert [len(key.asked) for key in keys] == [1, 0, 0]


@timeless
async def test_every_key_that_fails_is_tried_once_each_and_then_the_next_model() -> None:
    keys = [Key([refused()]) for _ in range(3)]
    spare = Key(["Spare."])
    provider = with_fallbacks(
        rotate_keys(*keys, names=("a", "b", "c")), spare, names=("main", "spare"), retry=RetryPolicy()
    )

    events = await answer(provider)

    assert spoken(events) == "Spare."
    assert attempts_in(events) == [
        "a: RequestRejected",
        "b: RequestRejected",
        "c: RequestRejected",
        "spare: answered",
    ]
    assert [len(key.asked) for key in keys] == [1, 1, 1]
    failed = [event for event in events if isinstance(event, KeepAlive) and event.failed_attempt]
    assert len(failed) == 3


@timeless
async def test_keys_that_all_rest_are_not_asked() -> None:
    keys = [Key([RateLimited("slow", retry_after=3600.0)]) for _ in range(2)]
    provider = with_fallbacks(rotate_keys(*keys))

    with pytest.raises(RateLimited):
        await answer(provider)
    with pytest.raises(RateLimited) as raised:
        await answer(provider)

    assert raised.value.retry_after == pytest.approx(3600.0)
    assert ([len(key.asked) for key in keys], now()) == ([1, 1], 0.0)


def test_rotation_needs_a_key() -> None:
    with pytest.raises(SettingsError):
        rotate_keys()
