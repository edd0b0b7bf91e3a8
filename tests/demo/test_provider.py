from __future__ import annotations

import pytest

from streamcord import (
    AnswerContext,
    Captured,
    Finish,
    FinishReason,
    Message,
    Overloaded,
    Persona,
    Pipeline,
    ProviderEvent,
    Settings,
    Sprite,
    Table,
    TextDelta,
    ToolCall,
)
from streamcord.providers import Prompt, ToolSpec, assistant, system, tool_result, user
from streamcord.testing import ScriptedProvider
from streamcord_bot.demo.provider import SCRIPTS, DemoProvider, find_script
from streamcord_bot.demo.tour import STEPS

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


async def test_a_small_model_is_told_who_it_is_and_nothing_that_it_would_only_say_again() -> None:
    model = ScriptedProvider(["a"], ["b"], ["c"])
    told = system("You are Luna, a cat.\n\nTo change your look, begin a line with `Luna (look): `.") + user(
        "hi"
    )

    await answer(DemoProvider(model, small=True), told)
    await DemoProvider(model, small=True).warm_up(told.system)
    await answer(DemoProvider(model), told)

    assert [prompt.system for prompt in model.prompts] == ["You are Luna, a cat."] * 2 + [told.system]


LONG = "I am Luna: a cat. " * 7


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Hello there! I am a cat who", "Hello there! "),
        ("Hello there! I am a cat.", "Hello there! I am a cat."),
        ("I never come to an end", "I never come to an end…"),
        ("Nobody made that up: a tool", "Nobody made that up: a tool…"),
        ("1. one\n2. two", "1. one\n"),
        (LONG + "More. And more.", LONG),
    ],
)
@pytest.mark.parametrize("piece", [1, 3, 1000])
async def test_a_small_model_ends_with_a_sentence(said: str, shown: str, piece: int) -> None:
    model = ScriptedProvider([said[at : at + piece] for at in range(0, len(said), piece)])

    events = await answer(DemoProvider(model, small=True), LUNA + user("you: hello"))

    assert text_of(events) == (said if piece > len(LONG) and said.endswith("more.") else shown)
    assert events[-1] == Finish(FinishReason.STOP)
    assert model.opened == model.closed == 1


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


LUNA_of_scripted_lines = Persona("Luna", sprites=(Sprite("happy"), Sprite("mad"), Sprite("sleepy")))


def events_of(cue: str, **settings: object) -> list[object]:
    script = find_script(cue, "Luna")
    assert script is not None
    context = AnswerContext(persona=LUNA_of_scripted_lines)
    pipeline = Pipeline(Settings.from_mapping({"details": "memory", **settings}), context=context)
    text = (script.text + script.then).replace("%name%", "Luna")
    return [*pipeline.feed(text), *pipeline.flush()]


def messages_of(cue: str, **settings: object) -> list[Message]:
    return [event for event in events_of(cue, **settings) if isinstance(event, Message)]


def test_the_table_is_a_table() -> None:
    assert sum(isinstance(file, Table) for one in messages_of("show me a table") for file in one.files) == 1


def test_the_code_is_one_block_and_its_braces_stay() -> None:
    (code,) = (one.content for one in messages_of("show me some code") if "```" in one.content)

    assert '{name}!")' in code


def test_the_story_is_one_text_at_degree_0_and_many_at_degree_3() -> None:
    assert len(messages_of("tell me a long story", degree=0)) == 1
    assert len(messages_of("tell me a long story", degree=3)) > 15


def test_the_faces_wear_each_look_and_none_at_last() -> None:
    labels = [one.speaker.label if one.speaker else "" for one in messages_of("show me your sprites")]

    assert labels == ["Luna (happy): ", "Luna (mad): ", "Luna (sleepy): ", ""]


def test_what_is_thought_does_not_show() -> None:
    kinds = [event.kind for event in events_of("do you think?") if isinstance(event, Captured)]

    assert kinds == ["think", "details"]
    assert not any("keep this part" in one.content for one in messages_of("do you think?"))


def test_a_robot_has_its_own_faces() -> None:
    robot, cat = find_script("show me your sprites", "Orbit"), find_script("show me your sprites", "Luna")

    assert robot is not None
    assert "(thinking)" in robot.text
    assert robot != cat
    assert find_script("hello", "Luna") is None


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.lines[-1])
def test_whatever_the_tour_asks_for_is_in_the_script_or_in_any_model(step: object) -> None:
    said = [line for line in step.lines if line[0] not in ":/#"]  # type: ignore[attr-defined]

    assert all(line == "hello!" or find_script(line, "Luna") for line in said)


def test_no_cue_hides_another() -> None:
    for script in SCRIPTS:
        assert find_script(f"please {script.cue.upper()} now", script.persona or "Luna") is script
