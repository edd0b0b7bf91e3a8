"""Logging and operation: scenarios L that need the bot."""

from __future__ import annotations

import asyncio
import logging

import pytest

from bot.models import Model, Round
from bot.stage import make_config, on_stage
from streamcord import Overloaded
from streamcord.bot.running import set_up_logs
from streamcord.store import Place
from streamcord.testing import ScriptedProvider
from streamcord.twin import FaultKind, Twin
from twin.conftest import FREE

SECRET = "the secret word is xyzzy"


async def test_l01_l02_logs_have_turn_ids_and_neither_words_nor_secrets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    config = make_config(personas={"Luna": {"alter": True, "prompt": SECRET}})
    async with Twin(FREE) as twin:
        async with on_stage(
            Model([f"{SECRET}!\n", "More."], [Overloaded("down")]), config=config, twin=twin
        ) as stage:
            with caplog.at_level(logging.DEBUG):
                set_up_logs("debug")
                stage.ask(SECRET)
                await stage.texts(2)
                twin.slash("help")
                twin.slash("stop")
                twin.fail(FaultKind.WEBHOOK_DELETE, "webhooks.execute")
                stage.ask("again")
                await stage.quiet()
        tokens = [twin.token, *(hook.token for hook in twin.state.webhooks.values())]
        tokens += [one.token for one in twin.state.interactions.values()]

    log = "\n".join(record.getMessage() + str(record.exc_info or "") for record in caplog.records)
    assert "turn " in log
    assert "ended: completed, 2 messages" in log
    assert "xyzzy" not in log
    assert [token for token in tokens if token in log] == []


async def test_l05_settings_that_change_in_mid_answer_change_the_next_one() -> None:
    go_on = asyncio.Event()
    model = Model(["One.\nT", go_on, "wo.\nThree."], ["One.\nTwo."])
    async with on_stage(model) as stage:
        stage.ask("count")
        assert await stage.texts(1) == ["One."]
        await stage.store.change_settings(Place(stage.twin.guild.id), {"degree": 0})
        go_on.set()
        assert await stage.texts(2) == ["Two.", "Three."]
        await stage.quiet()
        stage.ask("again")
        assert await stage.texts(1) == ["One.\nTwo."]


@pytest.mark.parametrize("ending", ["done", "failed", "stopped"])
async def test_l06_nobody_types_once_an_answer_is_over(ending: str) -> None:
    wait = asyncio.Event()
    rounds: dict[str, Round] = {
        "done": ["Done."],
        "failed": ["Oh", Overloaded("x")],
        "stopped": ["One.\nT", wait],
    }
    async with on_stage(Model(rounds[ending])) as stage:
        stage.ask("hi")
        await stage.twin.next_message()
        stage.twin.slash("stop")
        await stage.quiet()
        typed = len(stage.twin.log.typing)
        await stage.settled()

        assert typed >= 1
        assert len(stage.twin.log.typing) == typed


async def test_typing_fails_and_the_answer_comes_anyway() -> None:
    async with on_stage(ScriptedProvider(["Here."])) as stage:
        stage.twin.fail(FaultKind.ERROR_CODE, "channels.typing", status=403, code=50013)
        stage.ask("hi")
        assert await stage.texts(1) == ["Here."]


async def test_a_change_of_sprite_is_shown_kept_and_told_to_the_model() -> None:
    sprites = [{"name": "mad", "picture": "https://cdn.example/mad.png"}]
    config = make_config(personas={"Luna": {"sprites": sprites}})
    model = ScriptedProvider(["Hello.\nLuna (mad): Hmph!\nStill mad."], ["What?"])
    async with on_stage(model, config=config) as stage:
        stage.ask("hi")
        plain, mad, still = [await stage.twin.next_message() for _ in range(3)]
        await stage.quiet()
        stage.ask("why?")
        await stage.texts(1)

    assert plain.webhook is None
    assert [mad.content, mad.draft.avatar_url] == ["Hmph!", "https://cdn.example/mad.png"]
    assert mad.webhook is not None
    assert still.shown_name == mad.shown_name
    assert "Hello.\nLuna (mad): Hmph!\nStill mad." in str(model.prompts[1]).replace("\\n", "\n")
    assert "Your looks: mad." in model.prompts[0].system
