"""Answers that grow where it is hard: crowds, rights that are missing, ends in every phase, awkward texts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from delivery.live.test_live_courier import LINES, LIVE, LONG, Watched, routes, stream, text_of
from delivery.stage import FREE, Stage, on_stage
from streamcord import Ending, NotAllowed, Stop, StopMode, TurnResult, say
from streamcord.twin import Fault, FaultKind, Permission, Switches
from virtual import timeless

LIMITED = Switches()
"""Discord's own rate limits."""


def bare(text: str) -> str:
    return "".join(text.split())


def said(stage: Stage) -> str:
    return bare("".join(text_of(one) for one in stage.sent))


def is_prefix_of_all(stage: Stage, watched: Watched, whole: str) -> bool:
    """Whether every frame is a piece of the answer, so that nothing was ever shown that is not in it."""
    return all(bare(text) in bare(whole) for text in watched.texts)


@timeless
async def test_fifty_channels_at_once_stay_below_all_limits_and_lose_nothing() -> None:
    async with on_stage(LIMITED, channels=50) as stage:
        await asyncio.gather(*(say(stage.channel(one), stream(LINES), settings=LIVE) for one in stage.others))

        for channel in stage.others:
            assert [one.content for one in channel.messages.values()] == [LINES.strip()]
        assert [one.status for one in stage.twin.log.requests if one.status == 429] == []


@pytest.mark.parametrize("after", [0.0, 0.2, 0.8, 1.4, 2.6, 4.1, 4.6])
@pytest.mark.parametrize("mode", [StopMode.NOW, StopMode.AFTER_THIS, StopMode.FLUSH])
def test_a_stop_in_every_phase_leaves_what_was_said_and_counts_the_rest(mode: StopMode, after: float) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            stop, watched = Stop(), Watched(stage)
            task = asyncio.create_task(say(stage.channel(), stream(LINES), settings=LIVE, stop=stop))
            await asyncio.sleep(after)
            stop.ask(mode)
            result = await task

            assert is_prefix_of_all(stage, watched, LINES)
            assert bare(LINES).startswith(said(stage))
            assert [one.message.content for one in result.receipts] == [text_of(one) for one in stage.sent]

    scene()


@pytest.mark.parametrize("characters", [0, 5, 29, 31, 200, 700, len(LINES) - 1])
def test_a_source_that_breaks_in_every_phase_leaves_all_it_said(characters: int) -> None:
    async def broken() -> AsyncIterator[str]:
        async for piece in stream(LINES[:characters]):
            yield piece
        raise ConnectionError("gone")

    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            with pytest.raises(ConnectionError):
                await say(stage.channel(), broken(), settings=LIVE)

            assert said(stage) == bare(LINES[:characters])

    scene()


@timeless
async def test_without_the_right_to_write_the_turn_ends_and_tells_the_rest() -> None:
    async with on_stage() as stage:
        stage.twin.faults.add(
            Fault(FaultKind.PERM_REVOKE, ("messages.edit",), after=1, permission=int(Permission.VIEW_CHANNEL))
        )
        with pytest.raises(NotAllowed) as caught:
            await say(stage.channel(), stream(LONG), settings=LIVE)

        result: Any = caught.value.result
        assert isinstance(result, TurnResult)
        assert bare(LONG).startswith(said(stage))
        dropped = bare("".join(one.text for one in result.dropped))
        assert bare(LONG).startswith(said(stage) + dropped)


@timeless
async def test_where_no_edit_is_allowed_it_goes_on_in_new_messages() -> None:
    async with on_stage() as stage:
        stage.twin.faults.add(Fault(FaultKind.ERROR_CODE, ("messages.edit",), times=99, code=50005))
        await say(stage.channel(), stream(LINES), settings=LIVE)

        assert said(stage) == bare(LINES)


@timeless
async def test_slow_mode_slows_people_and_not_the_bot() -> None:
    async with on_stage(LIMITED) as stage:
        stage.twin.faults.add(Fault(FaultKind.ERROR_CODE, ("messages.create",), after=1, times=2, code=20016))
        await say(stage.channel(), stream(LONG), settings=LIVE)

        assert said(stage) == bare(LONG)


_NO_SIGNS = re.compile(r"(?:```(?:py)?|[^0-9a-zA-Z=:`]|`)")
TEXTS = {
    "one line of 100 000 characters": "word " * 20_000,
    "one giant table": "| a | b |\n|---|---|\n" + "".join(f"| {n} | row {n} |\n" for n in range(400)),
    "a fence that is never closed": "Look:\n```py\n" + "".join(f"x{n} = {n}\n" for n in range(600)),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("limit", [2000, 4000])
def test_awkward_answers_are_whole_and_every_frame_is(text: str, limit: int) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage(FREE) as stage:
            watched = Watched(stage)
            settings = replace(LIVE, live_limit=limit, message_cap=0, tables="code")
            result = await say(stage.channel(), stream(text, 5000.0, 50), settings=settings)

            assert result.ending is Ending.COMPLETED
            assert all(frame.count("```") % 2 == 0 for frame in watched.texts)
            assert all(len(text_of(one)) <= limit for one in stage.sent)
            assert result.counts.received == len(text)
            assert result.dropped == ()
            whole = "".join(text_of(one) for one in stage.sent)
            # A table has its columns aligned: its words are the same.
            assert _NO_SIGNS.sub("", whole) == _NO_SIGNS.sub("", text)

    scene()


@timeless
async def test_a_model_that_writes_a_character_a_second_is_edited_at_its_own_pace() -> None:
    async with on_stage(LIMITED) as stage:
        text = "One two three four five six.\nSeven eight nine ten eleven twelve.\nThirteen."
        await say(stage.channel(), stream(text, 1.0, 1), settings=replace(LIVE, fresh_after=0.0))

        assert said(stage) == bare(text)
        assert len(stage.sent) == 1
        assert routes(stage).count("messages.edit") <= len(text)


@timeless
async def test_five_thousand_characters_at_once_are_a_few_requests() -> None:
    async with on_stage(LIMITED) as stage:
        text = LONG * 2
        await say(stage.channel(), stream(text, 1e9, len(text)), settings=replace(LIVE, live_limit=4000))

        assert said(stage) == bare(text)
        assert len(routes(stage)) <= 4
