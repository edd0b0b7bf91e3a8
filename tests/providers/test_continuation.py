"""An answer that breaks off goes on: with the same model, then with the fallbacks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from streamcord import Ending, Seam, Settings, TurnResult, say
from streamcord._events import Finish, KeepAlive, ProviderEvent, TextDelta, ToolCall, Usage
from streamcord._exceptions import (
    ContentBlocked,
    Overloaded,
    ProviderError,
    Rejected,
    SettingsError,
    Truncated,
)
from streamcord._providers.fallback import MAX_BREAKS
from streamcord._testing.fakes import Cue
from streamcord.providers import (
    AssistantMessage,
    Fallback,
    Options,
    Prompt,
    RetryPolicy,
    Text,
    UserMessage,
    tool,
    user,
    with_fallbacks,
    with_tools,
)
from streamcord.testing import FakeChannel, ScriptedProvider
from virtual_time import now, timeless

CUT = Truncated("the connection closed")
TEXT = (
    "The old lighthouse stood at the edge of the world, or so the villagers said. Every evening, Mara climbed its "
    '312 steps and lit the lamp. "Why do you stay?" asked the boy.\n\n- First, the ships need her.\n- Second, she '
    "likes the silence.\n\nIn the end the boy stayed, too."
)


class Reader(ScriptedProvider):
    """A model that writes `TEXT` and goes on where its prompt ends, in a style of its own; it breaks off as told."""

    def __init__(
        self,
        style: Callable[[str, str], str] = lambda _, rest: rest,
        *,
        breaks: Sequence[int | None] = (),
        continues: bool = False,
        error: Exception = CUT,
        text: str = TEXT,
    ) -> None:
        super().__init__()
        self.continues = continues
        self.text = text
        self._style = style
        self._breaks = list(breaks)
        self._error = error

    async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        self.prompts.append(prompt)
        before = prompt.prefill or said_before(prompt)
        words = self._style(before, self.text[len(before) :]) if before else self.text
        length = self._breaks.pop(0) if self._breaks else None
        for at in range(0, len(words[:length]), 7):
            yield TextDelta(words[:length][at : at + 7])
        if length is not None:
            raise self._error
        yield Usage(10, 5)
        yield Finish()


def said_before(prompt: Prompt) -> str:
    """The model's last message, if it was asked to go on with it."""
    answers = [one for one in prompt.messages if isinstance(one, AssistantMessage)]
    return "".join(part.text for part in answers[-1].parts if isinstance(part, Text)) if answers else ""


def last_sentence(text: str) -> int:
    return max((found.end() for found in re.finditer(r"[.!?]\s+|\n+", text.rstrip())), default=0)


STYLES: dict[str, Callable[[str, str], str]] = {
    "goes on": lambda _, rest: rest,
    "without the space": lambda _, rest: rest.lstrip(),
    "repeats the last words": lambda before, rest: before[-30:] + rest,
    "repeats its last sentence": lambda before, rest: before[last_sentence(before) :] + rest,
    "starts over": lambda before, rest: before + rest,
    "announces it": lambda _, rest: f"Sure, here is the rest:\n\n{rest.lstrip()}",
    "announces and repeats": lambda before, rest: f"Of course! Continuing:\n\n{before[-40:]}{rest}",
    "begins with dots": lambda _, rest: "..." + rest.lstrip(),
}


TRIMMED = ("without the space", "announces it", "begins with dots")


async def result_of(provider: Fallback, options: Options | None = None) -> TurnResult:
    return await say(
        FakeChannel(), provider.stream(user("Tell me a story."), options), settings=Settings(degree=0)
    )


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("continues", [False, True])
def test_every_style_of_going_on_loses_and_doubles_no_word(style: str, continues: bool) -> None:
    """Cut at every third character; a model that continues a prefill does so exactly, or starts over."""
    if continues and style not in {"goes on", "starts over"}:
        return

    @timeless
    async def run() -> None:
        for length in range(20, len(TEXT) - 5, 3):
            first = Reader(breaks=[length], error=Overloaded("busy"), continues=continues)
            second = Reader(STYLES[style], continues=continues)
            first.stream = _then(first, second)  # type: ignore[method-assign]
            result = await result_of(with_fallbacks(first, after_failure="continue"))

            if style in TRIMMED:
                # Nobody can tell whether "the" and "lamp" are one word, so here only no character may be lost.
                assert "".join(words(result.text)) == "".join(words(TEXT)), (length, result.text)
            else:
                assert words(result.text) == words(TEXT), (length, result.text)
            assert [seam.how for seam in result.seams] == ["continued"]
            assert (seam := result.seams[0]).at == length
            assert seam.reason == "Overloaded"

    run()


def _then(first: Reader, second: Reader) -> Callable[..., AsyncIterator[ProviderEvent]]:
    """The first request goes to one model, the others to another."""
    ask = first.stream

    def stream(prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
        return second.stream(prompt, options) if first.prompts else ask(prompt, options)

    return stream


@timeless
async def test_same_model_is_asked_first_and_then_the_fallbacks() -> None:
    first, second = Reader(breaks=[50, 80]), Reader()

    result = await result_of(
        with_fallbacks(first, second, names=["first", "second"], after_failure="continue")
    )

    assert words(result.text) == words(TEXT)
    assert [(seam.by, seam.at) for seam in result.seams] == [("first", 50), ("second", result.seams[1].at)]
    assert (len(first.prompts), len(second.prompts)) == (2, 1)
    assert result.attempts == ("first: Truncated", "first: Truncated", "second: answered")
    assert result.ending is Ending.COMPLETED
    assert now() == 0.0


@timeless
async def test_prefill_where_it_is_continued_and_an_instruction_elsewhere() -> None:
    first, second = Reader(breaks=[50], continues=True), Reader(breaks=[50])
    await result_of(with_fallbacks(first, after_failure="continue"))
    await result_of(with_fallbacks(second, after_failure="continue"))

    assert first.prompts[1].prefill == TEXT[:50]
    assert len(first.prompts[1].messages) == 1
    asked = second.prompts[1]
    assert asked.prefill == ""
    assert said_before(asked) == TEXT[:50]
    assert isinstance(asked.messages[-1], UserMessage)


@timeless
async def test_refused_prefill_is_asked_for_in_words() -> None:
    class Refusing(Reader):
        async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
            if prompt.prefill:
                self.prompts.append(prompt)
                raise Rejected("no")
            async for event in super().stream(prompt):
                yield event

    provider = Refusing(breaks=[50], continues=True)
    result = await result_of(with_fallbacks(provider, after_failure="continue"))

    assert words(result.text) == words(TEXT)
    assert [bool(prompt.prefill) for prompt in provider.prompts] == [False, True, False]


@timeless
async def test_another_answer_is_not_shown_and_the_next_model_is_asked() -> None:
    other = "Cats are wonderful. They sleep all day, hunt at night and need nobody, which is why people love them."
    again = "The old lighthouse stood there since the war, and nobody knew who had built it or why it was so tall."
    for text in (other, again):
        first = Reader(breaks=[70], error=Overloaded("busy"))
        ignoring, second = Reader(lambda *_, text=text: text), Reader()
        first.stream = _then(first, ignoring)  # type: ignore[method-assign]
        result = await result_of(
            with_fallbacks(first, second, names=["one", "two"], after_failure="continue")
        )

        assert words(result.text) == words(TEXT)
        assert [seam.by for seam in result.seams] == ["two"]


@timeless
async def test_answer_that_nobody_continues_ends_with_its_own_error() -> None:
    ignoring = Reader(lambda *_: "Cats are wonderful animals that sleep all day.", breaks=[70])
    with pytest.raises(Truncated, match="connection closed") as raised:
        await result_of(with_fallbacks(ignoring, retry=RetryPolicy(max_attempts=2), after_failure="continue"))

    result = raised.value.result
    assert result is not None
    assert TEXT.startswith(result.text)
    assert any("something else" in note for note in raised.value.__notes__)


@timeless
async def test_stop_raises_and_restart_begins_a_new_message() -> None:
    with pytest.raises(Truncated):
        await result_of(with_fallbacks(Reader(breaks=[50])))
    with pytest.raises(Truncated):
        await result_of(
            with_fallbacks(Reader(breaks=[50]), after_failure="continue"), Options(after_failure="stop")
        )

    provider = with_fallbacks(Reader(breaks=[77]), after_failure="restart")
    channel = FakeChannel()
    result = await say(channel, provider.stream(user("Hi")), settings=Settings(degree=0))

    assert [seam.how for seam in result.seams] == ["restarted"]
    assert channel.texts == [TEXT[:77].strip(), TEXT]


@timeless
async def test_silence_and_a_missing_end_break_off_an_answer() -> None:
    class Silent(Reader):
        async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
            self.prompts.append(prompt)
            yield TextDelta(TEXT[:40])
            await asyncio.sleep(1000)

    class Endless(Reader):
        async def stream(self, prompt: Prompt, _: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
            self.prompts.append(prompt)
            yield TextDelta(TEXT[:40])

    for provider in (Silent(), Endless()):
        other = Reader()
        provider.stream = _then(provider, other)  # type: ignore[method-assign]
        result = await result_of(with_fallbacks(provider, after_failure="continue", idle=30))
        assert words(result.text) == words(TEXT)
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
    script = ScriptedProvider([Usage(10, 1), "One is", CUT], ["One is two.", Usage(20, 5)])
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
    provider = Reader(breaks=[30] + [8] * 100)
    with pytest.raises(Truncated):
        await result_of(with_fallbacks(provider, Reader(breaks=[8] * 100), after_failure="continue"))
    assert len(provider.prompts) <= MAX_BREAKS + 1


@timeless
async def test_model_that_repeats_a_part_and_stops_adds_nothing() -> None:
    done = "It is done."
    script = ScriptedProvider([done, CUT], [done])
    assert (await result_of(with_fallbacks(script, after_failure="continue"))).text == done


def test_unknown_choice_is_refused() -> None:
    with pytest.raises(SettingsError):
        with_fallbacks(Reader(), after_failure="maybe")  # type: ignore[arg-type]
    with pytest.raises(SettingsError):
        Options(after_failure="maybe")  # type: ignore[arg-type]
