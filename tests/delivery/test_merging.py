"""Rate-aware pacing, end to end: a fast model, Discord's limits, and how few messages stay how true."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from delivery.stage import Stage, on_stage
from discord_twin import FaultKind, TwinOptions
from streamcord import (
    AnswerContext,
    Attachment,
    Degree,
    Message,
    Person,
    Persona,
    Settings,
    Sprite,
    Stop,
    StopMode,
    TurnResult,
    say,
)
from virtual_time import Model, covers, now, timeless

FAST = Settings(degree=Degree.LIGHT, message_cap=0)


def lines(count: int) -> list[str]:
    """Lines of many kinds, each a message of its own."""
    return [f"Line **{number}** with `code` and ||secrets||." for number in range(count)]


async def model(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


def is_true(stage: Stage, result: TurnResult, text: str) -> bool:
    """Every character is there once and in order, and the books agree."""
    return (
        "\n".join(stage.texts) == text
        and covers(result, len(text))
        and [receipt.id for receipt in result.receipts] == [message.id for message in stage.sent]
        and [receipt.message.content for receipt in result.receipts] == stage.texts
        and stage.twin.log.count(status=429) == 0
    )


@pytest.mark.parametrize("leaky", [True, False])
def test_a_burst_is_a_few_messages_and_over_within_one_window(leaky: bool) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(TwinOptions(leaky=leaky)) as stage:
            text = "\n".join(lines(60))
            result = await say(stage.channel(), model(text), settings=FAST)

            assert is_true(stage, result, text)
            assert now() <= 5.5
            assert len(stage.texts) <= 7
            assert stage.texts[:4] == lines(4)
            assert max(map(len, stage.texts)) <= FAST.message_length
            assert all("merged" in receipt.changes for receipt in result.receipts[4:])

    scenario()


@pytest.mark.parametrize("leaky", [True, False])
@pytest.mark.parametrize("count", [6, 12, 39])
def test_typing_leaves_time_for_the_rate_limit(count: int, leaky: bool) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(TwinOptions(leaky=leaky)) as stage:
            text = " ".join(f"Here is sentence number {number} of a story." for number in range(count))
            await say(stage.channel(), model(text), settings=Settings.persona())

            assert now() <= Settings().max_typing_lag

    scenario()


@pytest.mark.parametrize("leaky", [True, False])
def test_a_model_faster_than_discord_is_never_a_window_ahead(leaky: bool) -> None:
    @timeless
    async def scenario() -> None:
        async with on_stage(TwinOptions(leaky=leaky)) as stage:
            wanted = lines(100)
            source = Model(*(cue for line in wanted[:-1] for cue in (0.1, line + "\n")), wanted[-1])
            result = await say(stage.channel(), source, settings=FAST)

            assert is_true(stage, result, "\n".join(wanted))
            ended = source.closed_at
            assert ended is not None
            assert now() - ended <= 5.5

    scenario()


@timeless
async def test_with_merge_off_every_message_stays_what_it_was() -> None:
    async with on_stage(TwinOptions()) as stage:
        result = await say(
            stage.channel(),
            model("\n".join(lines(12))),
            settings=Settings(degree=Degree.LIGHT, merge="off"),
        )

        assert stage.texts == lines(12)
        assert [receipt.changes for receipt in result.receipts] == [()] * 12
        assert stage.twin.log.count(status=429) == 0


@timeless
async def test_without_limits_nothing_is_joined() -> None:
    async with on_stage() as stage:
        await say(stage.channel(), model("\n".join(lines(30))), settings=FAST)

        assert stage.texts == lines(30)


@timeless
async def test_speakers_and_files_are_not_merged() -> None:
    settings = Settings(degree=Degree.LIGHT)
    context = AnswerContext(persona=Persona("Luna", sprites=(Sprite("mad", "https://a.b/c.png"),)))
    said = ["One.", "Two.", "Three.", "Four.", "Five.", "Luna (mad): Six.", "Seven.", "Luna: Eight.", "Nine."]
    async with on_stage(TwinOptions()) as stage:

        async def source() -> AsyncIterator[str | Message]:
            yield "\n".join(said) + "\n"
            yield Message("a file", files=(Attachment("a.txt", b"a"),))
            yield "Ten.\nEleven."

        await say(stage.channel(), source(), settings=settings, context=context)

        assert stage.texts == [
            "One.", "Two.", "Three.", "Four.", "Five.", "**Luna (mad):** Six.\nSeven.", "Eight.\nNine.",
            "a file", "Ten.\nEleven.",
        ]  # fmt: skip


@timeless
async def test_merged_message_may_ping_whom_its_parts_may() -> None:
    async with on_stage(TwinOptions()) as stage:
        user = stage.twin.user
        settings = Settings(degree=Degree.LIGHT)
        context = AnswerContext(people=(Person(user.id, "alice"),))
        await say(
            stage.channel(),
            model("\n".join([*"abcdef", "hi @alice", "@everyone"])),
            settings=settings,
            context=context,
        )

        assert stage.texts[-1] == f"e\nf\nhi <@{user.id}>\n@everyone"
        assert stage.twin.log.pinged == {user.id}
        assert [ping.kind for ping in stage.twin.log.pings] == ["user"]


@timeless
async def test_a_stop_ends_the_wait_for_discord_at_once() -> None:
    async with on_stage(TwinOptions()) as stage:
        stop = Stop()
        asyncio.get_running_loop().call_later(0.4, stop.ask, StopMode.NOW)
        settings = Settings(degree=Degree.LIGHT, merge="off")
        result = await say(stage.channel(), model("\n".join(lines(20))), settings=settings, stop=stop)

        assert now() < 0.6
        assert len(stage.texts) == 4
        assert covers(result, len("\n".join(lines(20))))


@timeless
async def test_what_a_long_429_made_late_is_joined() -> None:
    async with on_stage() as stage:
        stage.twin.inject_fault(FaultKind.RATE_USER, seconds=30.0, after=1)
        source = Model("One.\nTwo.\nTh", 10.0, "ree.\nFour.\nFive.")
        await say(stage.channel(), source, settings=FAST)

        assert stage.texts == ["One.", "Two.", "Three.\nFour.\nFive."]
