"""Logging and operation: scenarios L that need the bot."""

from __future__ import annotations

import asyncio
import io
import logging
import re
from collections.abc import Iterator

import pytest

from bot.models import Model, Round
from bot.stage import make_config, on_stage
from discord_twin import FaultKind, Twin
from streamcord import Overloaded
from streamcord.store import Place
from streamcord.testing import ScriptedProvider
from streamcord_bot.config import LogConfig
from streamcord_bot.run import set_up_logs
from twin.conftest import FREE

TALKATIVE = ("discord", "aiohttp", "asyncio")
SECRET = "the secret word is xyzzy"


@pytest.fixture
def operator_log() -> Iterator[io.StringIO]:
    """What an operator reads who wants to know everything."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, {name: logging.getLogger(name).level for name in TALKATIVE}
    set_up_logs(LogConfig(level="debug"))
    written = io.StringIO()
    root.handlers[:] = [logging.StreamHandler(written)]
    yield written
    root.handlers[:], root.level = before[:2]
    for name, level in before[2].items():
        logging.getLogger(name).setLevel(level)


async def test_l01_l02_logs_have_turn_ids_and_neither_words_nor_secrets(operator_log: io.StringIO) -> None:
    config = make_config(personas={"Luna": {"alter": True, "prompt": SECRET}})
    model = Model([f"{SECRET}!\n", "More."], [Overloaded("down")])
    async with Twin(FREE) as twin:
        async with on_stage(model, config=config, twin=twin) as stage:
            stage.ask(SECRET)
            await stage.texts(2)
            await stage.quiet()
            twin.slash("help")
            twin.slash("stop")
            twin.inject_fault(FaultKind.WEBHOOK_DELETE, "webhooks.execute")
            stage.ask("again")
            await model.called(2)
            await stage.quiet()
        tokens = [twin.token, *(hook.token for hook in twin.state.webhooks.values())]
        tokens += [one.token for one in twin.state.interactions.values()]

    log = operator_log.getvalue()
    assert "ended: completed, messages 2" in log
    assert re.search(r"persona 'Luna', model '', tokens \d{2,}, cost \$0.00, took \d+\.\d\d s", log)
    assert "Overloaded" in log
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
        stage.twin.inject_fault(FaultKind.ERROR_CODE, "channels.typing", status=403, code=50013)
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
