"""Personas on the twin: appearances, names, and who answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.models import Model
from bot.stage import make_config, on_stage

LUNA: dict[str, Any] = {
    "alter": True,
    "picture": "https://cdn.example/luna.png",
    "sprites": [
        {"name": "mad", "picture": "https://cdn.example/mad.png"},
        {"name": "happy", "picture": "https://cdn.example/happy.png"},
    ],
}


@pytest.mark.parametrize("second", ["Luna (happy): Yay!", "Calm."])
async def test_queued_answer_is_not_grouped_with_another_appearance(second: str) -> None:
    go_on = asyncio.Event()
    model = Model(["Luna (mad): Hmph!", go_on], [second])
    async with on_stage(model, config=make_config(personas={"Luna": LUNA})) as stage:
        bob = stage.twin.add_user("bob")
        stage.ask("hi")
        await model.called()
        stage.ask("me, too", user=bob)
        await stage.settled()
        go_on.set()
        mad, other = [await stage.twin.next_message() for _ in range(2)]
        await stage.quiet()

    assert mad.draft.avatar_url != other.draft.avatar_url
    assert mad.shown_name == "Luna"
    assert other.shown_name != "Luna"


async def test_answer_after_a_new_question_has_the_plain_name() -> None:
    async with on_stage(
        Model(["Luna (mad): Hmph!"], ["Luna (happy): Yay!"]), config=make_config(personas={"Luna": LUNA})
    ) as stage:
        stage.ask("hi")
        await stage.texts(1)
        await stage.quiet()
        stage.ask("again")
        assert (await stage.twin.next_message()).shown_name == "Luna"
