"""Sources that pause, that take too long, and what they do at their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

import pytest

from delivery.stage import on_stage
from streamcord import Degree, Ending, Flush, Settings, StopMode, TextDelta, Turn, say
from streamcord.testing import FakeChannel
from virtual_time import Channel, Model, now, timeless

UNPACED = Settings(typing="off")


# --- Pauses ---


@pytest.mark.parametrize(
    "text", ["Let me look.", "Let me look.\n\n", "Let me look, one moment!\n", "好的，我看看。"]
)
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_finished_text_leaves_while_the_source_pauses(text: str, degree: Literal[1, 2, 3]) -> None:
    @timeless
    async def scene() -> None:
        channel = Channel()
        settings = Settings(typing="off", degree=degree, humanize=False)
        await say(channel, Model(text, 30.0, "Done."), settings=settings)

        assert channel.sent == [1.0, 30.0]

    scene()


@pytest.mark.parametrize(
    "text",
    [
        "Let me loo",
        "See Dr.",
        "**Bold and",
        "- one\n",
        "# Title\n",
        "Sources:\n",
        "```py\nx\n",
        "| a | b |\n",
    ],
)
@timeless
async def test_unfinished_text_waits_while_the_source_pauses(text: str) -> None:
    channel = Channel()
    await say(channel, Model(text, 30.0, "\n\nDone."), settings=UNPACED)

    assert channel.sent[0] == 30.0


@timeless
async def test_one_text_as_a_whole_is_not_cut_at_a_pause() -> None:
    channel = Channel()
    await say(channel, Model("Let me look.\n", 30.0, "Done."), settings=Settings(degree=0))

    assert channel.texts == ["Let me look.\nDone."]


@timeless
async def test_idle_flush_can_be_turned_off() -> None:
    channel = Channel()
    settings = Settings(typing="off", idle_flush=0, merge="off")
    await say(channel, Model("Let me look.", 30.0, " Done."), settings=settings)

    assert channel.texts == ["Let me look. Done."]


@timeless
async def test_slow_model_is_not_cut_at_every_sentence() -> None:
    channel = Channel()
    script: list[str | float] = []
    for word in ["One", "is", "here.", "Two", "is", "there.", "Three", "is", "gone.", "Four", "is", "back."]:
        script += [f"{word} ", 1.5]
    await say(channel, Model("It is so: ", 1.5, *script), settings=UNPACED)

    assert channel.texts == ["It is so: One is here. Two is there. Three is gone. Four is back."]


LIVE = Settings(delivery="live")


@timeless
async def test_live_answer_shows_finished_text_while_the_source_pauses() -> None:
    async with on_stage() as stage:
        began = now()
        turn = asyncio.create_task(say(stage.find(), Model("Let me look.\n\n", 30.0, "Done."), settings=LIVE))
        await stage.twin.until(lambda: stage.texts == ["Let me look."])

        assert now() - began < 2
        await turn
        assert stage.texts == ["Let me look.", "Done."]


@timeless
async def test_live_message_that_people_see_stays_one_message_over_a_pause() -> None:
    long = "This is a sentence that is long enough to be shown while it grows.\n"
    async with on_stage() as stage:
        await say(stage.find(), Model(long, long, 5.0, long), settings=LIVE)

        assert stage.texts == [(long * 3).strip()]


@pytest.mark.parametrize("degree", list(Degree))
def test_flush_sends_what_was_said_before_it(degree: Degree) -> None:
    @timeless
    async def scene() -> None:
        channel = Channel()
        settings = Settings(degree=degree, typing="off", idle_flush=0, humanize=False)
        await say(channel, Model("Let me look", Flush(), 30.0, "Done."), settings=settings)

        assert (channel.texts, channel.sent) == (["Let me look", "Done."], [0.0, 30.0])

    scene()


# --- A limit for the whole turn ---


@timeless
async def test_turn_that_takes_too_long_ends_with_what_was_received() -> None:
    channel = Channel()
    script: list[str | float] = []
    for _ in range(100):
        script += ["A line of text.\n", 2.0]
    result = await say(channel, Model(*script), settings=Settings(turn_timeout=9.0))

    assert result.ending is Ending.TIMEOUT
    assert result.text.count("A line of text.") == 5
    # Nothing is paced after the limit.
    assert now() < 9.5


# --- The end of a source ---


def releasing(log: list[str]) -> AsyncIterator[str]:
    async def source() -> AsyncIterator[str]:
        try:
            yield "Hello."
            await asyncio.sleep(100)
        finally:
            log.append("starts")
            await asyncio.sleep(0.5)
            log.append("done")

    return source()


@timeless
async def test_finally_of_a_source_completes_after_a_timeout() -> None:
    log: list[str] = []
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(5):
            await say(FakeChannel(), releasing(log))

    assert log == ["starts", "done"]


@timeless
async def test_finally_of_a_source_completes_after_a_cancellation() -> None:
    log: list[str] = []
    task = asyncio.create_task(say(FakeChannel(), releasing(log)))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert log == ["starts", "done"]


@pytest.mark.parametrize("mode", list(StopMode))
def test_finally_of_a_source_completes_after_a_stop(mode: StopMode) -> None:
    @timeless
    async def scene() -> None:
        log: list[str] = []
        async with Turn(FakeChannel(), releasing(log)) as turn:
            await asyncio.sleep(1)
            turn.stop.ask(mode)

        assert log == ["starts", "done"]

    scene()


# --- Observers ---


async def test_async_observer_is_awaited_in_order() -> None:
    seen: list[object] = []

    async def observe(event: object) -> None:
        await asyncio.sleep(0)
        seen.append(event)

    source = Model(TextDelta("Hello "), TextDelta("there."))
    result = await say(FakeChannel(), source, observe=observe)

    assert seen[:2] == [TextDelta("Hello "), TextDelta("there.")]
    assert seen[-1] is result.receipts[-1]


@pytest.mark.parametrize("is_async", [False, True])
async def test_observer_that_raises_is_logged_once(is_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: object) -> None:
        raise KeyError("mine")

    async def also_broken(event: object) -> None:
        broken(event)

    observe = also_broken if is_async else broken
    result = await say(FakeChannel(), Model(*["word "] * 50), observe=observe)

    assert result.ending is Ending.COMPLETED
    assert caplog.text.count("Traceback") == 1
    assert "broken raised an exception; the turn continues" in caplog.text
    assert "exceptions in this turn" in caplog.text
