"""Answers that grow where it is hard: crowds, rights that are missing, ends in every phase, awkward texts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from delivery.live.test_sender import LINES, LIVE, LONG, Watched, routes, stream, text_of
from delivery.stage import FREE, Stage, on_stage
from discord_twin import Fault, FaultKind, Permission, TwinOptions
from journal.lives import Paper
from streamcord import AnswerContext, Ending, NotAllowed, Persona, Stop, StopMode, TurnResult, say
from streamcord._discord.webhooks.sender import Webhooks
from streamcord.store import TurnJournal
from virtual_time import covers, now, timeless

LIMITED = TwinOptions()
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
        await asyncio.gather(
            *(say(stage.channel(one), stream(LINES, 400.0, 20), settings=LIVE) for one in stage.others)
        )

        for channel in stage.others:
            assert [one.content for one in channel.messages.values()] == [LINES.strip()]
        assert [one.status for one in stage.twin.log.requests if one.status == 429] == []


class Phases:
    """Lets something happen in each channel at another moment: before its n-th change is acknowledged."""

    def __init__(self, stage: Stage) -> None:
        self.seen: dict[int, list[str]] = {one.id: [] for one in stage.others}
        self._acts: dict[int, tuple[int, Callable[[], object]]] = {}
        stage.twin.state.observe(self._note)

    def at(self, channel: int, number: int, act: Callable[[], object]) -> None:
        """Act at the n-th change of a channel; 0 is before the first."""
        if number:
            self._acts[channel] = (number, act)
        else:
            act()

    def _note(self, event: Any) -> None:
        if event.message is None or event.name not in {"MESSAGE_CREATE", "MESSAGE_UPDATE"}:
            return
        changes = self.seen.setdefault(event.channel.id, [])
        changes.append(text_of(event.message))
        number, act = self._acts.get(event.channel.id, (0, None))
        if act is not None and len(changes) == number:
            act()


QUICK = (800.0, 20)
"""Characters in a second, and in one piece."""
MOMENTS = 8
"""Changes of an answer that is created, grows, becomes one of Components V2, is sealed, rolls on and ends."""


@pytest.mark.parametrize("limit", [2000, 4000], ids=["rolls", "becomes V2"])
@pytest.mark.parametrize("mode", [StopMode.NOW, StopMode.AFTER_THIS])
def test_a_stop_or_a_follow_up_at_every_moment_leaves_what_was_said(mode: StopMode, limit: int) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage(channels=MOMENTS) as stage:
            phases, settings = Phases(stage), replace(LIVE, live_limit=limit)
            stops = [Stop() for _ in stage.others]
            for number, (channel, stop) in enumerate(zip(stage.others, stops, strict=True)):
                phases.at(channel.id, number, partial(stop.ask, mode))
            pairs = zip(stage.others, stops, strict=True)
            turns = (
                say(stage.channel(one), stream(LONG, *QUICK), settings=settings, stop=stop)
                for one, stop in pairs
            )
            results = await asyncio.gather(*turns)
            for channel, result in zip(stage.others, results, strict=True):
                shown = [text_of(one) for one in channel.messages.values()]
                assert [one.message.content for one in result.receipts] == shown
                assert bare(LONG).startswith(bare("".join(shown)))
                assert all(bare(text) in bare(LONG) for text in phases.seen[channel.id])
                assert covers(result, result.counts.received)
            ended = {StopMode.NOW: Ending.STOPPED_BY_USER, StopMode.AFTER_THIS: Ending.STOPPED_BY_USER}
            assert {one.ending for one in results[:4]} == {ended[mode]}
            assert max(map(len, phases.seen.values())) >= 4

    scene()


@pytest.mark.parametrize("limit", [2000, 4000], ids=["rolls", "becomes V2"])
def test_a_source_that_breaks_at_every_moment_leaves_all_it_said(limit: int) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage(channels=MOMENTS) as stage:
            phases, gone, heard = Phases(stage), set[int](), dict.fromkeys(range(MOMENTS), "")

            async def broken(number: int) -> AsyncIterator[str]:
                async for piece in stream(LONG, *QUICK):
                    if number in gone:
                        raise ConnectionError("gone")
                    heard[number] += piece
                    yield piece

            for number, channel in enumerate(stage.others):
                phases.at(channel.id, number, partial(gone.add, number))
            turns = (
                say(stage.channel(one), broken(number), settings=replace(LIVE, live_limit=limit))
                for number, one in enumerate(stage.others)
            )
            ends = await asyncio.gather(*turns, return_exceptions=True)
            for number, channel in enumerate(stage.others):
                shown = [text_of(one) for one in channel.messages.values()]
                assert bare("".join(shown)) == bare(heard[number])
                assert all(bare(text) in bare(LONG) for text in phases.seen[channel.id])
            assert sum(isinstance(end, ConnectionError) for end in ends) >= 4

    scene()


@timeless
async def test_missing_write_permission_ends_the_turn_and_reports_the_rest() -> None:
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


@pytest.mark.parametrize("lost", ["its webhook", "the right to edit", "the message"])
def test_what_another_process_began_and_nobody_can_edit_is_not_said_again(lost: str) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            settings = LIVE
            context = AnswerContext(persona=Persona("Luna", alter=True) if lost == "its webhook" else None)
            voices = Webhooks(stage.client)
            paper = Paper()
            dying = paper.open()
            journal = TurnJournal(dying, clock=now)
            channel = stage.channel(webhooks=voices)
            life = asyncio.create_task(
                say(channel, stream(LINES), settings=settings, context=context, journal=journal)
            )
            await asyncio.sleep(1.5)
            dying.dead = True
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)
            (begun,) = stage.sent
            if lost == "the right to edit":
                stage.twin.faults.add(Fault(FaultKind.ERROR_CODE, ("messages.edit",), times=99, code=50005))
            elif lost == "the message":
                stage.twin.delete(begun)
            stage.twin.state.webhooks.clear()
            (turn,) = paper.saved(paper.open())
            rest = stream(LINES[len(turn.text) :])
            await say(stage.channel(webhooks=Webhooks(stage.client)), rest, journal=turn)

            words = said(stage)
            if lost == "the message":
                # Someone did not want its words: only what was new since its row is said.
                assert bare(LINES).endswith(words)
                assert "Line0of" not in words
            else:
                assert words == bare(LINES)

    scene()


@pytest.mark.parametrize("tables", ["picture", "card"])
def test_without_the_right_to_embed_or_attach_nothing_is_lost(tables: Any) -> None:
    @timeless
    async def scene() -> None:
        async with on_stage() as stage:
            withheld = Permission.EMBED_LINKS | Permission.ATTACH_FILES
            stage.twin.faults.add(Fault(FaultKind.PERM_REVOKE, permission=int(withheld)))
            text = f"{LINES}\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThat is all, https://example.com says so."
            result = await say(stage.channel(), stream(text, *QUICK), settings=replace(LIVE, tables=tables))

            assert result.dropped == ()
            assert said(stage).startswith(bare(LINES))
            assert "a│b" in said(stage)
            assert said(stage).endswith(bare("That is all, https://example.com says so."))
            assert not any(one.attachments for one in stage.sent)

    scene()


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
            result = await say(stage.channel(), stream(text, 5000.0, 250), settings=settings)

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
        watched = Watched(stage)
        await say(stage.channel(), stream(text, 1.0, 1), settings=replace(LIVE, live_message_max_age=0.0))

        assert said(stage) == bare(text)
        assert len(stage.sent) == 1
        # Equal words are never sent, however long they are the newest ones.
        assert routes(stage).count("messages.edit") == len(set(watched.texts)) - 1 < 6


@timeless
async def test_five_thousand_characters_at_once_are_a_few_requests() -> None:
    async with on_stage(LIMITED) as stage:
        text = LONG * 2
        await say(stage.channel(), stream(text, 1e9, len(text)), settings=replace(LIVE, live_limit=4000))

        assert said(stage) == bare(text)
        assert len(routes(stage)) <= 4
