from __future__ import annotations

import pytest

from bot.models import Model
from bot.stage import on_stage
from streamcord import Ending, Finish, FinishReason, TurnResult
from streamcord.records import Dropped
from streamcord_bot.answering.answer_ending import ending_notice_key


@pytest.mark.parametrize(
    ("reason", "lore_section"),
    [
        (FinishReason.LENGTH, "The answer ends here because it reached the model's maximum length."),
        (FinishReason.FILTERED, "The model's provider cut this answer off because of its content."),
        (FinishReason.STOP, ""),
    ],
)
async def test_truncated_answer_gets_a_notice(reason: FinishReason, lore_section: str) -> None:
    async with on_stage(Model(["Once upon a time", Finish(reason)])) as stage:
        stage.ask("a story")
        assert await stage.texts(1) == ["Once upon a time"]
        await stage.quiet()
        _, *notices = stage.said()

    words = [one.draft.embeds[0]["description"] for one in notices]
    assert len(words) == bool(lore_section)
    assert all(text.startswith(lore_section) for text in words)


def test_uncertain_delivery_gets_a_notice() -> None:
    lost = TurnResult(Ending.COMPLETED, dropped=(Dropped("two", "uncertain", ((0, 3),)),))
    other = TurnResult(Ending.COMPLETED, dropped=(Dropped("two", "empty", ((0, 3),)),))

    assert ending_notice_key(lost) == "part_lost"
    assert ending_notice_key(other) == ""
