from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from bot.models import Model
from bot.stage import on_stage
from streamcord import Dropped, Ending, Finish, FinishReason, TextDelta, ThoughtDelta, TurnResult
from streamcord._bot.answer.answering import _find_ending_notice, delay_words
from streamcord.testing import ScriptedProvider
from virtual import now, timeless


@timeless
async def test_words_wait_and_thoughts_do_not() -> None:
    model = ScriptedProvider([ThoughtDelta("hm"), "a", "b"])
    start, seen = now(), []
    async for event in delay_words(aiter(model), now() + 2):
        seen.append((type(event), now() - start))

    assert seen == [(ThoughtDelta, 0), (TextDelta, 2), (TextDelta, 2), (Finish, 2)]
    assert model.closed == 1


@timeless
async def test_who_leaves_early_closes_the_source() -> None:
    model = ScriptedProvider(["a"])

    async def read() -> None:
        async with aclosing(delay_words(aiter(model), now() + 100)) as events:
            await anext(events)

    reading = asyncio.create_task(read())
    await asyncio.sleep(1)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert model.closed == 1


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (FinishReason.LENGTH, "The answer is cut here: it reached the model's longest length."),
        (FinishReason.FILTERED, "The model's provider cut this answer off for its content."),
        (FinishReason.STOP, ""),
    ],
)
async def test_an_answer_that_the_server_cut_is_told_to_be_so(reason: FinishReason, told: str) -> None:
    async with on_stage(Model(["Once upon a time", Finish(reason)])) as stage:
        stage.ask("a story")
        assert await stage.texts(1) == ["Once upon a time"]
        await stage.quiet()
        _, *notices = stage.said()

    words = [one.draft.embeds[0]["description"] for one in notices]
    assert len(words) == bool(told)
    assert all(text.startswith(told) for text in words)


def test_a_part_that_may_be_missing_is_told_of() -> None:
    lost = TurnResult(Ending.COMPLETED, dropped=(Dropped("two", "uncertain", ((0, 3),)),))
    other = TurnResult(Ending.COMPLETED, dropped=(Dropped("two", "empty", ((0, 3),)),))

    assert _find_ending_notice(lost) == "part_lost"
    assert _find_ending_notice(other) == ""
