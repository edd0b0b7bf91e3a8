from __future__ import annotations

import asyncio

import pytest

from streamcord import Finish, FinishReason, ProviderEvent, TextDelta, ThoughtDelta, ToolCall
from streamcord.testing import ScriptedProvider


async def play(provider: ScriptedProvider) -> list[ProviderEvent]:
    return [event async for event in provider]


async def test_texts_become_deltas_and_the_end_is_told() -> None:
    provider = ScriptedProvider(["Hel", ThoughtDelta("hm"), "lo"])

    assert await play(provider) == [TextDelta("Hel"), ThoughtDelta("hm"), TextDelta("lo"), Finish()]


async def test_every_iteration_plays_the_next_round() -> None:
    call = ToolCall("1", "roll_dice")
    provider = ScriptedProvider(["Let me see", call], ["A six!"])

    assert await play(provider) == [TextDelta("Let me see"), call, Finish(FinishReason.TOOL_CALLS)]
    assert await play(provider) == [TextDelta("A six!"), Finish()]


async def test_asking_for_a_round_too_many_is_an_error_of_the_test() -> None:
    provider = ScriptedProvider(["only this"])
    await play(provider)

    with pytest.raises(AssertionError, match="1 round"):
        await play(provider)


async def test_a_finish_of_its_own_is_not_doubled() -> None:
    provider = ScriptedProvider(["cut", Finish(FinishReason.LENGTH)])

    assert await play(provider) == [TextDelta("cut"), Finish(FinishReason.LENGTH)]


async def test_truncated_breaks_off_without_a_finish() -> None:
    provider = ScriptedProvider(["half a sen"], truncated=True)

    assert await play(provider) == [TextDelta("half a sen")]


async def test_an_exception_is_raised_where_it_stands() -> None:
    provider = ScriptedProvider(["one", OSError("gone"), "never"])
    heard: list[ProviderEvent] = []

    with pytest.raises(OSError, match="gone"):
        async for event in provider:
            heard.append(event)

    assert heard == [TextDelta("one")]
    assert provider.closed == 1


async def test_it_notices_its_closing_even_if_nothing_was_read() -> None:
    provider = ScriptedProvider(["never read"])
    stream = aiter(provider)

    await stream.aclose()  # type: ignore[attr-defined]

    assert (provider.opened, provider.closed) == (1, 1)
    assert [event async for event in stream] == []


async def test_others_run_between_its_events() -> None:
    provider = ScriptedProvider(["a", "b"])
    seen: list[str] = []

    async def listen() -> None:
        async for event in provider:
            seen.append(type(event).__name__)

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    seen.append("other")
    await listener

    assert seen.index("other") < len(seen) - 1
