"""An answer that breaks off goes on: with the same model, then with the fallbacks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from providers import continuation_styles
from providers.continuation_styles import try_new_cut
from providers.cut_models import CUT, STYLES, TEXTS, TRIMMED, CutModel, said_before, try_cut, words_of
from streamcord import Ending, Settings, TurnResult, say
from streamcord._events import Finish, KeepAlive, ProviderEvent, TextDelta, ToolCall, Usage
from streamcord._exceptions import (
    ContentBlocked,
    Overloaded,
    ProviderError,
    RequestRejected,
    SettingsError,
    Truncated,
)
from streamcord._providers.echo_checks import Written
from streamcord._providers.fallback_answer import MAX_BREAKS
from streamcord._providers.lead_ins import find_lead_in
from streamcord._testing.fakes import Cue
from streamcord.providers import (
    AfterFailure,
    Fallback,
    Options,
    Prompt,
    RetryPolicy,
    UserMessage,
    tool,
    user,
    with_fallbacks,
    with_tools,
)
from streamcord.records import Seam
from streamcord.testing import FakeChannel, ScriptedProvider
from virtual_time import now, timeless

TEXT = TEXTS[0]


async def result_of(provider: Fallback, options: Options | None = None) -> TurnResult:
    return await say(
        FakeChannel(), provider.stream(user("Tell me a story."), options), settings=Settings(degree=0)
    )


ANOTHER = ("starts over in other words", "ignores it")


@timeless
async def test_every_style_of_going_on_loses_and_doubles_no_word() -> None:
    """Fifteen cuts of each style; a thousand are in tools/cut_streams.py."""
    refused = 0
    for seed in range(15 * len(STYLES)):
        trial = await try_cut(seed)
        if trial.style in ANOTHER:
            refused += trial.by == "third"
        elif trial.style not in TRIMMED:
            assert (trial.lost, trial.doubled, trial.by) == (0, 0, "fallback"), (trial.style, trial.seam)
        assert words_of(trial.shown)[:3] == words_of(trial.text)[:3]
    # At the end of a sentence another answer may look like the next one.
    assert refused >= 0.85 * 15 * len(ANOTHER)


@timeless
async def test_texts_and_styles_that_no_rule_was_written_for_lose_no_word() -> None:
    """Ten cuts of each style; a thousand are in tools/cut_streams.py."""
    wrong: list[tuple[str, str]] = []
    uncertain: list[tuple[str, str]] = []
    refused = 0
    trials = [await try_new_cut(seed) for seed in range(10 * len(continuation_styles.STYLES))]
    for trial in trials:
        if trial.style not in continuation_styles.NOT_CONTINUED:
            found = uncertain if trial.style in continuation_styles.UNCERTAIN else wrong
            found += [(trial.style, trial.seam)] if trial.lost or trial.doubled else []
            refused += trial.by != "fallback"
    assert wrong == []
    assert len(uncertain) <= len(trials) / 50, uncertain
    assert refused <= len(trials) / 50


@timeless
async def test_continued_prefill_is_joined_exactly_at_every_character() -> None:
    for length in range(12, len(TEXT) - 3, 2):
        model = CutModel(TEXT, breaks=[length], continues=True, error=Overloaded("busy"))
        result = await result_of(with_fallbacks(model, after_failure="continue"))

        assert (result.text, result.counts.received) == (TEXT, len(TEXT))
        # The word that was cut is written again.
        at = TEXT.replace("\n", " ").rindex(" ", 0, length) + 1
        assert [(seam.how, seam.at, seam.reason) for seam in result.seams] == [
            ("continued", at, "Overloaded")
        ]


def _then(first: CutModel, second: CutModel) -> Callable[..., AsyncIterator[ProviderEvent]]:
    """The first request goes to one model, the others to another."""
    ask = first.stream

    def stream(prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        return second.stream(prompt, options) if first.prompts else ask(prompt, options)

    return stream


@timeless
async def test_cut_word_is_shown_if_no_one_writes_it_again() -> None:
    choices: tuple[AfterFailure, ...] = ("stop", "continue", "restart")
    for after_failure in choices:
        channel = FakeChannel()
        provider = with_fallbacks(
            CutModel(TEXT, breaks=[50, 0, 0]),
            retry=RetryPolicy(max_attempts=2, pause=0.001),
            after_failure=after_failure,
        )
        with pytest.raises(Truncated) as raised:
            await say(channel, provider.stream(user("Hi")), settings=Settings(degree=0))
        assert raised.value.result is not None
        assert raised.value.result.text == TEXT[:50]


@timeless
async def test_call_of_a_tool_comes_after_the_last_word() -> None:
    model = ScriptedProvider(["Let me se", "e", ToolCall("1", "look"), Finish()])
    provider = with_fallbacks(model, after_failure="continue")
    said = [event async for event in provider.stream(user("Hi")) if isinstance(event, TextDelta | ToolCall)]
    assert said == [TextDelta("Let me "), TextDelta("see"), ToolCall("1", "look")]


@timeless
async def test_name_after_a_cut_is_asked_for_once_more_and_then_believed() -> None:
    """A capital in mid-sentence may begin another answer; if a second attempt begins so, it is a name."""
    text = (
        "W Krakowie stoi kamienica z jednym oknem za dużo. Liczył je listonosz, liczył inspektor, liczyły dzieci: z "
        "zewnątrz dwadzieścia trzy, od środka dwadzieścia dwa. Pani Zofia mówi, że ono jest na jutro, a kiedy "
        "przyjdzie, będzie miało którędy wejść."
    )
    model = CutModel(text, breaks=[text.index("Zofia")])
    result = await result_of(with_fallbacks(model, after_failure="continue"))
    assert result.text == text
    assert len(model.prompts) == 3


@timeless
async def test_same_model_is_asked_first_and_then_the_fallbacks() -> None:
    first, second = CutModel(TEXT, breaks=[44, 80]), CutModel()

    result = await result_of(
        with_fallbacks(first, second, names=["first", "second"], after_failure="continue")
    )

    assert words_of(result.text) == words_of(TEXT)
    assert [(seam.by, seam.at) for seam in result.seams] == [("first", 44), ("second", result.seams[1].at)]
    assert (len(first.prompts), len(second.prompts)) == (2, 1)
    assert result.attempts == ("first: Truncated", "first: Truncated", "second: answered")
    assert result.ending is Ending.COMPLETED
    assert now() == 0.0


@timeless
async def test_prefill_where_it_is_continued_and_an_instruction_elsewhere() -> None:
    first, second = CutModel(TEXT, breaks=[50], continues=True), CutModel(TEXT, breaks=[50])
    await result_of(with_fallbacks(first, after_failure="continue"))
    await result_of(with_fallbacks(second, after_failure="continue"))

    assert first.prompts[1].prefill == TEXT[:44]
    assert len(first.prompts[1].messages) == 1
    asked = second.prompts[1]
    assert asked.prefill == ""
    assert said_before(asked) == TEXT[:44]
    assert isinstance(asked.messages[-1], UserMessage)


@timeless
async def test_refused_prefill_is_asked_for_in_words() -> None:
    class Refusing(CutModel):
        async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
            if prompt.prefill:
                self.prompts.append(prompt)
                raise RequestRejected("no")
            async for event in super().stream(prompt):
                yield event

    provider = Refusing(breaks=[50], continues=True)
    result = await result_of(with_fallbacks(provider, after_failure="continue"))

    assert words_of(result.text) == words_of(TEXT)
    assert [bool(prompt.prefill) for prompt in provider.prompts] == [False, True, False]


@timeless
async def test_another_answer_is_not_shown_and_the_next_model_is_asked() -> None:
    other = "The cat is wonderful. It sleeps all day, hunts at night and needs nobody, so people love it."
    again = "The old lighthouse stood there since the war, and nobody knew who had built it or why it was so tall."
    for text in (other, again):
        first = CutModel(TEXT, breaks=[70], error=Overloaded("busy"))
        ignoring, second = CutModel(TEXT, lambda *_, text=text: text), CutModel()
        first.stream = _then(first, ignoring)  # type: ignore[method-assign]
        result = await result_of(
            with_fallbacks(first, second, names=["one", "two"], after_failure="continue")
        )

        assert words_of(result.text) == words_of(TEXT)
        assert [seam.by for seam in result.seams] == ["two"]


@timeless
async def test_answer_that_nobody_continues_ends_with_its_own_error() -> None:
    ignoring = CutModel(TEXT, lambda *_: "The cat is a wonderful animal that sleeps all day.", breaks=[70])
    with pytest.raises(Truncated, match="connection closed") as raised:
        await result_of(with_fallbacks(ignoring, retry=RetryPolicy(max_attempts=2), after_failure="continue"))

    result = raised.value.result
    assert result is not None
    assert TEXT.startswith(result.text)
    assert any("something else" in note for note in raised.value.__notes__)


@timeless
async def test_stop_raises_and_restart_begins_a_new_message() -> None:
    with pytest.raises(Truncated):
        await result_of(with_fallbacks(CutModel(TEXT, breaks=[50])))
    with pytest.raises(Truncated):
        await result_of(
            with_fallbacks(CutModel(TEXT, breaks=[50]), after_failure="continue"),
            Options(after_failure="stop"),
        )

    provider = with_fallbacks(CutModel(TEXT, breaks=[77]), after_failure="restart")
    channel = FakeChannel()
    result = await say(channel, provider.stream(user("Hi")), settings=Settings(degree=0))

    assert [seam.how for seam in result.seams] == ["restarted"]
    assert channel.texts == [TEXT[:77].strip(), TEXT]


@timeless
async def test_restart_does_not_show_the_first_word_of_an_attempt_that_showed_nothing() -> None:
    result = await result_of(with_fallbacks(CutModel(TEXT, breaks=[3]), after_failure="restart"))

    assert result.text == TEXT


def test_code_that_begins_lines_with_backticks_announces_no_fence() -> None:
    found = find_lead_in("```py\nx", Written("```ls``` lists the files\n"))

    assert found is not None
    assert not found.is_certain


@timeless
async def test_silence_and_a_missing_end_break_off_an_answer() -> None:
    class Silent(CutModel):
        async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
            self.prompts.append(prompt)
            yield TextDelta(TEXT[:40])
            await asyncio.sleep(1000)

    class Endless(CutModel):
        async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
            self.prompts.append(prompt)
            yield TextDelta(TEXT[:40])

    for provider in (Silent(), Endless()):
        other = CutModel()
        provider.stream = _then(provider, other)  # type: ignore[method-assign]
        result = await result_of(with_fallbacks(provider, after_failure="continue", idle=30))
        assert words_of(result.text) == words_of(TEXT)
    assert now() == 30.0


@timeless
async def test_calls_that_came_are_made_once_and_the_model_goes_on_with_their_results() -> None:
    made: list[int] = []

    @tool
    def roll() -> str:
        """Roll."""
        made.append(1)
        return "6"

    first = ScriptedProvider(
        ["Let me ", "see.", ToolCall("1", "roll"), CUT], ["It is a ", CUT], ["It is a six!"]
    )
    provider = with_fallbacks(first, after_failure="continue")
    result = await say(FakeChannel(), with_tools(provider, user("Roll"), [roll]), settings=Settings(degree=0))

    assert made == [1]
    assert result.text.split() == ["Let", "me", "see.", "It", "is", "a", "six!"]
    # The attempt that went on knows the call and its result.
    assert len(first.prompts[2].messages) == 1 + 2 + 2


@timeless
async def test_usage_and_failed_attempts_of_all_requests_are_told() -> None:
    script = ScriptedProvider([Usage(10, 1), "One is ", CUT], ["One is two.", Usage(20, 5)])
    events = [event async for event in with_fallbacks(script, after_failure="continue").stream(user("Hi"))]

    assert [event for event in events if isinstance(event, Usage)] == [Usage(10, 1), Usage(30, 6)]
    assert [event for event in events if isinstance(event, KeepAlive) and event.failed_attempt] == [
        KeepAlive(failed_attempt=True, was_started=True, attempt="provider 1: Truncated")
    ]
    assert [event for event in events if isinstance(event, Seam)] == [
        Seam("continued", "Truncated", "provider 1", len("One is"))
    ]


@timeless
async def test_blocked_questions_and_finished_answers_are_not_asked_for_again() -> None:
    rounds: list[tuple[list[Cue], type[ProviderError]]] = [
        (["One", ContentBlocked("no")], ContentBlocked),
        (["One", Finish(), CUT], Truncated),
    ]
    for script, error in rounds:
        with pytest.raises(error):
            await result_of(with_fallbacks(ScriptedProvider(script), after_failure="continue"))


@timeless
async def test_answer_that_breaks_off_again_and_again_is_given_up() -> None:
    provider = CutModel(TEXT, breaks=[30] + [8] * 100)
    with pytest.raises(Truncated):
        await result_of(with_fallbacks(provider, CutModel(TEXT, breaks=[8] * 100), after_failure="continue"))
    assert len(provider.prompts) <= MAX_BREAKS + 1


@timeless
async def test_model_that_repeats_a_part_and_stops_adds_nothing() -> None:
    done = "It is done."
    script = ScriptedProvider([done, CUT], [done])
    assert (await result_of(with_fallbacks(script, after_failure="continue"))).text == done


def test_unknown_choice_is_refused() -> None:
    with pytest.raises(SettingsError):
        with_fallbacks(CutModel(), after_failure="maybe")  # type: ignore[arg-type]
    with pytest.raises(SettingsError):
        Options(after_failure="maybe")  # type: ignore[arg-type]
