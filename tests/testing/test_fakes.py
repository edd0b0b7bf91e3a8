from __future__ import annotations

import asyncio

import pytest

from streamcord import (
    Finish,
    FinishReason,
    Message,
    ProviderEvent,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Transport,
)
from streamcord.testing import FakeChannel, ScriptedProvider

# --- Fake channel ---


def accepts_transport(transport: Transport) -> Transport:
    """For mypy: the fake has the shape that `say` wants."""
    return transport


async def test_it_keeps_what_it_is_sent_in_order() -> None:
    channel = FakeChannel()
    transport = accepts_transport(channel)

    await transport.send(Message("one"))
    await transport.send(Message("two", delay=1.0))

    assert channel.texts == ["one", "two"]
    assert channel.messages == [Message("one"), Message("two", delay=1.0)]


async def test_receipts_count_from_one_and_link_to_their_message() -> None:
    channel = FakeChannel()

    first = await channel.send(Message("one"))
    second = await channel.send(Message("two"))

    assert (first.id, second.id) == (1, 2)
    assert first.message == Message("one")
    assert first.url.endswith("/1")
    assert first.url != second.url


async def test_waits_are_noted_and_not_waited_for() -> None:
    channel = FakeChannel()

    await channel.sleep(3600.0)
    await channel.sleep(0.5)
    receipt = await channel.send(Message("late"))
    again = await channel.send(Message("at once"))

    assert channel.waits == [3600.0, 0.5]
    assert channel.now == 3600.5
    assert (receipt.waited, again.waited) == (3600.5, 0.0)


async def test_typing_is_counted() -> None:
    channel = FakeChannel()

    await channel.typing()
    await channel.typing()

    assert channel.typing_calls == 2


# --- Scripted provider ---


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
