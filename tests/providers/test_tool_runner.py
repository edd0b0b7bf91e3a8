from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import AsyncIterator

import pytest

from streamcord import Degree, Ending, Settings, Stop, StopMode, say
from streamcord._events import Finish, Message, ProviderEvent, ThoughtDelta, ToolCall, Usage
from streamcord._exceptions import ProviderError, SettingsError, ToolError
from streamcord._providers.apis.registry import (
    Anthropic,
    ApiAdapter,
    Google,
    GoogleInteractions,
    OpenAIChat,
    OpenAIResponses,
)
from streamcord._testing.fakes import Cue
from streamcord.providers import (
    AssistantMessage,
    Image,
    Options,
    Post,
    Prompt,
    Text,
    Tool,
    ToolLimits,
    ToolResult,
    tool,
    user,
    with_tools,
)
from streamcord.testing import FakeChannel, ScriptedProvider
from virtual_time import Channel, now, result_of, timeless


@tool
async def roll_dice() -> str:
    """Roll a die."""
    return "6"


@tool
async def wait(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return f"waited {seconds:g}"


@tool
async def fail() -> str:
    raise ValueError("no such thing")


def call(name: str, identity: str = "1", **arguments: object) -> ToolCall:
    return ToolCall(identity, name, arguments)


def results(provider: ScriptedProvider, round_: int = 1) -> list[ToolResult]:
    return [said for said in provider.prompts[round_].messages if isinstance(said, ToolResult)]


async def told(*calls: ToolCall, tools: list[Tool], limits: ToolLimits | None = None) -> list[ToolResult]:
    """What the model is told when it makes these calls."""
    provider = ScriptedProvider(calls, ["Done."])
    async for _ in with_tools(provider, user("go"), tools, limits=limits):
        pass
    return results(provider)


def text(result: ToolResult) -> str:
    return "".join(part.text for part in result.parts if isinstance(part, Text))


async def test_luna_rolls_a_six() -> None:
    model = ScriptedProvider(["Let me see...\n", call("roll_dice")], ["A six", "!"])
    channel = FakeChannel()

    result = await say(channel, with_tools(model, user("roll!"), [roll_dice]))

    assert channel.texts == ["Let me see...", "A six!"]
    assert result.ending is Ending.COMPLETED
    assert [called.name for called in result.tool_calls] == ["roll_dice"]


async def test_a_plain_function_is_a_tool_too() -> None:
    async def roll() -> str:
        """Roll a die."""
        return "5"

    model = ScriptedProvider([call("roll")], ["It is a 5."])
    channel = FakeChannel()
    await say(channel, with_tools(model, user("Roll!"), [roll]))

    assert channel.texts == ["It is a 5."]


async def test_what_was_said_goes_back_to_the_model_with_its_signatures() -> None:
    calls = (ToolCall("1", "roll_dice", signature="s1"), ToolCall("2", "roll_dice"))
    provider = ScriptedProvider(
        [ThoughtDelta("hm"), ThoughtDelta("", signature="t"), ThoughtDelta(""), "Let me ", "see. ", *calls],
        ["Done."],
    )

    async for _ in with_tools(provider, user("go"), [roll_dice]):
        pass

    first, second = provider.prompts
    assert first.tools == second.tools == (roll_dice.spec,)
    assert second.messages[1:] == (
        AssistantMessage((ThoughtDelta("hm", signature="t"), Text("Let me see. "), *calls)),
        ToolResult("1", "roll_dice", (Text("6"),)),
        ToolResult("2", "roll_dice", (Text("6"),)),
    )


async def test_pictures_go_to_the_model() -> None:
    @tool
    async def look() -> list[str | Image]:
        return ["a cat", Image(b"png")]

    (result,) = await told(call("look"), tools=[look])

    assert result.parts == (Text("a cat"), Image(b"png"))


@timeless
async def test_calls_of_one_answer_run_side_by_side_and_keep_their_order() -> None:
    found = await told(call("wait", "a", seconds=9), call("wait", "b", seconds=3), tools=[wait])

    assert now() == 9.0
    assert [(result.id, text(result)) for result in found] == [("a", "waited 9"), ("b", "waited 3")]


@timeless
async def test_words_before_a_call_are_in_the_channel_while_it_runs() -> None:
    channel = Channel()
    provider = ScriptedProvider(["Just a moment.", call("wait", seconds=60)], ["There."])

    await say(channel, with_tools(provider, user("go"), [wait]))

    assert channel.sent == [0.0, 60.0]


@timeless
async def test_a_slow_tool_is_no_silence() -> None:
    channel = Channel()
    provider = ScriptedProvider([call("wait", seconds=290)], [call("wait", seconds=290)], ["There."])

    result = await say(channel, with_tools(provider, user("go"), [wait]))

    assert (channel.texts, result.ending, now()) == (["There."], Ending.COMPLETED, 580.0)


@timeless
async def test_a_tool_that_hangs_is_given_up_and_the_model_told() -> None:
    (result,) = await told(call("wait", seconds=10_000), tools=[wait])

    assert now() == 300.0
    assert result.failed
    assert "longer than 300 seconds" in text(result)


@timeless
async def test_a_tool_that_does_not_let_go_holds_nobody() -> None:
    @tool
    async def cling() -> str:
        while now() < 100:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                continue
        return "finally"

    (result,) = await told(call("cling"), tools=[cling], limits=ToolLimits(timeout=5))

    assert result.failed
    assert now() == 5.0
    await asyncio.sleep(2000)


@pytest.mark.parametrize(
    ("made", "complaint"),
    [
        (call("dance"), "There is no tool 'dance'; there are: roll_dice, wait, fail"),
        (call("fail"), "ValueError: no such thing"),
        (call("wait", __invalid__='{"seconds": '), "not a JSON object"),
        (call("wait"), "'seconds' is missing"),
        (call("wait", seconds="two"), "'seconds' must be number"),
    ],
)
async def test_whatever_goes_wrong_is_told_to_the_model(made: ToolCall, complaint: str) -> None:
    (result,) = await told(made, tools=[roll_dice, wait, fail])

    assert result.failed
    assert complaint in text(result)


async def test_a_tool_may_say_itself_what_is_wrong_or_be_cancelled() -> None:
    @tool
    async def refuse() -> str:
        raise ToolError("not today")

    @tool
    async def vanish() -> str:
        raise asyncio.CancelledError

    found = await told(call("refuse"), call("vanish", "2"), tools=[refuse, vanish])

    assert [text(result) for result in found] == ["Error: not today", "Error: The tool was cancelled."]


async def test_a_plain_function_runs_in_a_thread() -> None:
    @tool
    def where() -> str:
        return threading.current_thread().name

    (result,) = await told(call("where"), tools=[where])

    assert text(result) != threading.main_thread().name


async def test_five_failures_in_a_row_end_the_answer_after_its_words() -> None:
    channel = FakeChannel()
    again: list[Cue] = ["Again. ", call("fail")]
    provider = ScriptedProvider(*[again] * 9)

    with pytest.raises(ProviderError, match="5 times in a row") as caught:
        await say(channel, with_tools(provider, user("go"), [fail]))

    assert provider.opened == provider.closed == 5
    assert result_of(caught.value).ending is Ending.ERROR
    assert channel.texts == ["Again."] * 5


async def test_a_success_forgives_failures() -> None:
    provider = ScriptedProvider(*[[call("fail")]] * 4, [call("roll_dice")], *[[call("fail")]] * 4, ["Ok."])

    events = [event async for event in with_tools(provider, user("go"), [fail, roll_dice])]

    assert isinstance(events[-1], Finish)
    assert provider.opened == 10


async def test_a_model_that_never_ends_is_ended() -> None:
    provider = ScriptedProvider(*[[call("roll_dice")]] * 200)

    with pytest.raises(ProviderError, match="100 times"):
        async for _ in with_tools(provider, user("go"), [roll_dice]):
            pass

    assert provider.opened == 100


async def test_usage_is_counted_over_all_rounds() -> None:
    provider = ScriptedProvider([call("roll_dice"), Usage(10, 1)], [Usage(1, 1), Usage(20, 2), "Ok."])

    result = await say(FakeChannel(), with_tools(provider, user("go"), [roll_dice]))

    assert result.usage == Usage(30, 3)


async def test_of_too_many_calls_at_once_the_first_are_made_and_the_model_is_told() -> None:
    calls = [call("roll_dice", str(number)) for number in range(20)]
    found = await told(*calls, tools=[roll_dice], limits=ToolLimits(calls=3))

    assert [one.id for one in found] == [str(number) for number in range(20)]
    texts = [part.text for one in found for part in one.parts if isinstance(part, Text)]
    assert texts[:3] == ["6", "6", "6"]
    assert all("at most 3 calls" in text for text in texts[3:])
    assert not any(one.failed for one in found)


@timeless
async def test_a_tool_posts_in_its_place_between_the_words() -> None:
    @tool
    async def show(post: Post) -> str:
        post("First picture.")
        await asyncio.sleep(30)
        post("Second picture.")
        return "shown"

    channel = Channel()
    provider = ScriptedProvider(["Look.\n", "here. ", call("show")], ["Nice?"])

    result = await say(
        channel, with_tools(provider, user("go"), [show]), settings=Settings(degree=Degree.LIGHT)
    )

    assert channel.texts == ["Look.", "here.", "First picture.", "Second picture.", "Nice?"]
    assert channel.sent[2:4] == [0.0, 30.0]
    assert result.ending is Ending.COMPLETED


@timeless
async def test_a_stop_ends_the_tools_too() -> None:
    ended: list[float] = []

    @tool
    async def dig() -> str:
        try:
            await asyncio.sleep(200)
        finally:
            ended.append(now())
        return "gold"

    channel, stop = Channel(), Stop()
    asyncio.get_running_loop().call_later(7.0, stop.ask, StopMode.INTERRUPT)
    provider = ScriptedProvider(["Digging. ", call("dig")], ["There."])

    result = await say(channel, with_tools(provider, user("go"), [dig]), stop=stop)

    assert ended == [7.0]
    assert channel.texts == ["Digging."]
    assert result.ending is Ending.FOLLOW_UP_INTERRUPT


async def test_options_reach_the_provider() -> None:
    asked: list[Options | None] = []

    class Noting(ScriptedProvider):
        def stream(self, prompt: Prompt, options: Options | None = None, /) -> AsyncIterator[ProviderEvent]:
            asked.append(options)
            return super().stream(prompt, options)

    options = Options(temperature=1)
    events: list[ProviderEvent | Message] = []
    async for event in with_tools(Noting(["Hi."]), user("go"), [], options=options):
        events.append(event)

    assert asked == [options]


@pytest.mark.parametrize("field", ["timeout", "rounds", "errors", "calls"])
def test_limits_are_more_than_nothing(field: str) -> None:
    with pytest.raises(SettingsError):
        ToolLimits(**{field: 0})


@pytest.mark.parametrize("signed", [True, False])
async def test_endless_reasoning_ends_the_answer_instead_of_filling_memory(*, signed: bool) -> None:
    piece = "x" * 10_000
    thought = ThoughtDelta("", "raw", piece) if signed else ThoughtDelta(piece)
    provider = ScriptedProvider([*[thought] * 1000, "never"])
    seen = 0
    with pytest.raises(ProviderError, match="reasoning is longer than"):
        async for _ in with_tools(provider, user("think"), [roll_dice]):
            seen += 1

    assert seen == 104


async def test_follow_ups_reach_the_next_request_once_after_the_results() -> None:
    waiting = [user("also check the tests"), Prompt()]
    provider = ScriptedProvider([call("roll_dice")], [call("roll_dice", "2")], ["Done."])

    async def steering() -> Prompt:
        # Not called at the end of the answer: what was fetched then would be lost.
        return waiting.pop(0)

    async for _ in with_tools(provider, user("go"), [roll_dice], steering=steering):
        pass

    kinds = [[type(one).__name__ for one in prompt.messages] for prompt in provider.prompts]
    round_ = ["AssistantMessage", "ToolResult"]
    assert kinds == [
        ["UserMessage"],
        ["UserMessage", *round_, "UserMessage"],
        ["UserMessage", *round_, "UserMessage", *round_],
    ]
    assert waiting == []


async def test_follow_ups_are_not_fetched_for_a_request_that_is_not_made() -> None:
    provider = ScriptedProvider(*[[call("roll_dice")]] * 3)
    fetched: list[Prompt] = []

    async def steering() -> Prompt:
        fetched.append(user("hurry"))
        return fetched[-1]

    with pytest.raises(ProviderError):
        async for _ in with_tools(
            provider, user("go"), [roll_dice], limits=ToolLimits(rounds=2), steering=steering
        ):
            pass
    assert (len(fetched), len(provider.prompts)) == (1, 2)


@pytest.mark.parametrize("adapter", [Anthropic, Google, GoogleInteractions, OpenAIChat, OpenAIResponses])
def test_every_api_takes_words_after_the_results_of_tools(adapter: type[ApiAdapter]) -> None:
    called = AssistantMessage((ToolCall("1", "roll", {}),))
    result = ToolResult("1", "roll", (Text("six"),))
    prompt = user("go") + Prompt((called, result)) + user("be brief")
    body = adapter().encode(prompt, Options(model="m")).body
    said = list(body.get("messages") or body.get("contents") or body["input"])

    assert json.dumps(said).index("six") < json.dumps(said).index("be brief")
    # Two messages of one role in a row are refused by some servers; a result of a tool has no role there.
    roles = [one.get("role") for one in said]
    assert all(one != then or one is None for one, then in itertools.pairwise(roles))
