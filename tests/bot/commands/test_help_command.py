from __future__ import annotations

import pytest

from bot.commands.answers import answer_to
from bot.stage import on_stage
from streamcord.testing import ScriptedProvider


@pytest.mark.parametrize(
    ("locale", "word"), [("en-US", "answers when"), ("de", "antwortet"), ("xx", "answers")]
)
async def test_help_speaks_the_language_of_whoever_asks(locale: str, word: str) -> None:
    async with on_stage(ScriptedProvider()) as stage:
        stage.twin.user.locale = locale
        answer = await answer_to(stage.twin, stage.twin.slash("help"))

    assert word in answer.content
    assert "**Luna**" in answer.content
    assert "`/stop`" in answer.content
    assert "Luna" in answer.content.splitlines()[-1]
