"""A model that cannot call tools offers choices as text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from discord_py.test_asks import seat
from streamcord import Finish, FinishReason, Settings, TextDelta, ToolCall, say
from streamcord.providers import Prompt, TextChoices, make_choices, user, with_tools
from streamcord.records import StreamPosition
from streamcord.testing import ScriptedProvider
from virtual_time import timeless

ANSWER = "What would you like?\n\n<choices>\nWhich tea?\n- green\n- black\n</choices>"
TOOL = make_choices().spec


async def events_of(*script: Any) -> list[Any]:
    model = TextChoices(ScriptedProvider([*script]))
    return [event async for event in model.stream(user("tea") + Prompt(tools=(TOOL,)))]


async def test_block_becomes_a_call_and_never_text() -> None:
    events = await events_of(*ANSWER)
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text.strip() == "What would you like?"
    call, finish = events[-2:]
    assert isinstance(call, ToolCall)
    assert call.name == "offer_choices"
    assert call.arguments == {"question": "Which tea?", "choices": ["green", "black"]}
    assert finish.reason is FinishReason.TOOL_CALLS


async def test_answer_that_was_cut_off_offers_nothing() -> None:
    events = await events_of("<choices>\nWhich?\n- a\n- b and ha", Finish(FinishReason.LENGTH))
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text == "Which?\n- a\n- b and ha\n"
    assert not any(isinstance(event, ToolCall) for event in events)
    assert events[-1].reason is FinishReason.LENGTH


async def test_stream_cannot_be_taken_up_again_within_a_block() -> None:
    places = [StreamPosition("a", "1"), StreamPosition("a", "2"), StreamPosition("a", "3")]
    events = await events_of(
        "Hi.\n", places[0], "<choices>\nWhich?\n", places[1], "- a\n</choices>", places[2]
    )
    assert [event for event in events if isinstance(event, StreamPosition)] == [places[0]]


@timeless
@pytest.mark.parametrize("delivery", ["messages", "live"])
async def test_press_of_a_written_choice_reaches_a_model_without_tools(delivery: Any) -> None:
    async with seat() as one:
        model = ScriptedProvider([*ANSWER], ["Black tea it is."])
        answer = with_tools(TextChoices(model), user("tea"), [make_choices()], ask=one.asks.ask)
        turn = asyncio.create_task(say(one.stage.channel(), answer, settings=Settings(delivery=delivery)))
        await one.twin.until(lambda: [m for m in one.stage.sent if m.draft.components] or None)
        await one.press(one.stage.sent[-1], 1)
        await turn
        assert "choices>" not in str(one.stage.texts)
        assert one.stage.texts[-1] == "Black tea it is."
        first, second = model.prompts
        assert (first.tools, second.tools) == ((), ())
        assert "<choices>" in first.system
        assert "[The person chose: black]" in str(second.messages[-1])
        assert "- green" in str(second.messages[-2])
