"""`/stop`; who may stop whom is in the scenarios S."""

from __future__ import annotations

import asyncio

from bot.commands.answers import answer_to
from bot.models import Model
from bot.stage import on_stage


async def test_whoever_waits_stops_waiting() -> None:
    model = Model(["One.\nT", asyncio.Event()])
    async with on_stage(model) as stage:
        twin = stage.twin
        bob = twin.add_user("bob")
        stage.ask("first")
        await stage.texts(1)
        stage.ask("second", user=bob)
        await stage.settled()
        assert (await answer_to(twin, twin.slash("stop", twin.channel, bob))).content == "Stopped."
        assert (await answer_to(twin, twin.slash("stop"))).content == "Stopped."
        await stage.quiet()

    assert len(model.prompts) == 1


async def test_it_answers_in_the_language_of_its_user() -> None:
    async with on_stage(Model([])) as stage:
        stage.twin.user.locale = "ja"
        assert (await answer_to(stage.twin, stage.twin.slash("stop"))).content == "止めるものがありません。"
