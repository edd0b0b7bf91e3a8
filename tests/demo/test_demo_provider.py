"""The script answers what it knows, the model everything else, and a missing model is no secret."""

from __future__ import annotations

from streamcord import Finish, FinishReason, Overloaded, ProviderEvent, TextDelta, ToolCall
from streamcord._demo.demo_provider import DemoProvider
from streamcord.providers import Prompt, ToolSpec, assistant, system, tool_result, user
from streamcord.testing import ScriptedProvider

LUNA = system("You are Luna, a cat.")
DICE = Prompt(tools=(ToolSpec("roll_dice"),))


async def answer(provider: DemoProvider, prompt: Prompt) -> list[ProviderEvent]:
    return [event async for event in provider.stream(prompt)]


def text_of(events: list[ProviderEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_cue_is_answered_by_the_script_and_anything_else_by_the_model() -> None:
    model = ScriptedProvider(["purr"])
    provider = DemoProvider(model)

    assert "| the Moon |" in text_of(await answer(provider, LUNA + user("you: Show me a table!")))
    assert text_of(await answer(provider, LUNA + user("you: hello"))) == "purr"
    assert model.opened == model.closed == 1


async def test_the_newest_question_counts() -> None:
    model = ScriptedProvider(["purr"])
    prompt = LUNA + user("you: show me a table") + assistant("...") + user("you: and now?")

    assert text_of(await answer(DemoProvider(model), prompt)) == "purr"


async def test_a_small_model_is_not_told_of_tools() -> None:
    model = ScriptedProvider(["a"], ["b"])

    await answer(DemoProvider(model, small=True), LUNA + DICE + user("hi"))
    await answer(DemoProvider(model), LUNA + DICE + user("hi"))

    assert [len(prompt.tools) for prompt in model.prompts] == [0, 1]


async def test_a_tool_is_called_and_its_result_quoted() -> None:
    provider = DemoProvider()
    prompt = LUNA + DICE + user("you: roll two dice")
    first = await answer(provider, prompt)
    (call,) = (event for event in first if isinstance(event, ToolCall))

    second = await answer(provider, prompt + assistant(call) + tool_result(call, "2d6: 3 + 4 = 7"))

    assert (call.name, first[-1]) == ("roll_dice", Finish(FinishReason.TOOL_CALLS))
    assert "The dice say **7**" in text_of(second)
    assert second[-1] == Finish(FinishReason.STOP)


async def test_without_the_tool_nothing_is_called() -> None:
    events = await answer(DemoProvider(), LUNA + user("roll two dice"))

    assert not any(isinstance(event, ToolCall) for event in events)


async def test_without_a_model_the_persona_says_so_and_why() -> None:
    said = text_of(await answer(DemoProvider(why="no pip"), system("You are Orbit.") + user("hi")))

    assert said.startswith("Orbit (happy): Hi! I am Orbit")
    assert "(no pip)" in said


async def test_a_small_model_reads_its_instructions_in_advance_and_may_fail_at_it() -> None:
    model = ScriptedProvider(["x"], [Overloaded("down")])
    provider = DemoProvider(model, small=True)

    await provider.warm_up("You are Luna.")
    await provider.warm_up("You are Orbit.")
    await DemoProvider(model).warm_up("not small, so it costs money")

    assert [prompt.system for prompt in model.prompts] == ["You are Luna.", "You are Orbit."]


async def test_a_small_model_reads_the_same_beginning_until_it_is_too_long() -> None:
    model = ScriptedProvider(*([["x"]] * 12))
    provider = DemoProvider(model, small=True)
    prompt = LUNA
    for number in range(12):
        prompt += user(f"you: question {number}")
        await answer(provider, prompt)
        prompt += assistant("an answer of some length " * 4)

    begins = [asked.messages[0] for asked in model.prompts]
    lengths = [sum(len(str(one)) for one in asked.messages) for asked in model.prompts]
    assert begins[0] == begins[1] == begins[2]
    assert 1 < len({repr(first) for first in begins}) < 6
    assert max(lengths) < 2000
    assert all(
        asked.messages[-1] == user(f"you: question {at}").messages[0]
        for at, asked in enumerate(model.prompts)
    )
