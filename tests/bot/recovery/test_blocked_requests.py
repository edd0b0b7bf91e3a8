"""Discord accepts no requests for a while, or refuses one: nothing is lost, and `/health` says why."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.models import Model, asked
from bot.recovery.again import life
from bot.stage import Stage, on_stage
from delivery.stage import FREE
from discord_twin import FaultKind, Twin
from streamcord._discord import errors
from streamcord.testing import ScriptedProvider
from streamcord_bot.ops.health import describe_health
from streamcord_bot.recovery import resume_answers
from streamcord_bot.run import end_on_refused_token

PAUSE_S = 1.5
ANSWER = "One.\nTwo.\nThree."


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "_CLOUDFLARE_PAUSE_S", PAUSE_S)
    monkeypatch.setattr(resume_answers, "SCAN_INTERVAL_S", 0.2)


def answers(stage: Stage) -> list[str]:
    return [one.content for one in stage.said()]


async def until(stage: Stage, texts: list[str]) -> None:
    async with asyncio.timeout(15):
        while sorted(answers(stage)) != sorted(texts):  # noqa: ASYNC110 - the twin tells no one
            await asyncio.sleep(0.05)


async def test_cloudflare_ban_keeps_running_and_new_answers(tmp_path: Path) -> None:
    async with Twin(FREE) as twin:
        # A resumed answer may ask the model again: it repeats its answer, and the echo is removed.
        model = Model(lambda prompt: ["Four.\nFive."] if "second" in asked(prompt) else [ANSWER])
        settings = {"typing": "off", "degree": 1, "delivery_timeout": 1.0}
        async with life(twin, tmp_path / "bot.db", model, settings=settings) as stage:
            twin.inject_fault(FaultKind.CLOUDFLARE_429, after=1)
            stage.ask("first")
            await until(stage, ["One."])
            async with asyncio.timeout(5):
                while describe_health(stage.bot)[0]:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            assert "Discord accepts no requests for" in describe_health(stage.bot)[1]
            requests = len(twin.log.requests)
            stage.ask("second")
            await asyncio.sleep(PAUSE_S / 3)
            assert len(twin.log.requests) == requests
            await until(stage, ["One.", "Two.", "Three.", "Four.", "Five."])
            said = answers(stage)
            assert said.index("Two.") < said.index("Three.")
            assert said.index("Four.") < said.index("Five.")
            assert describe_health(stage.bot) == (True, "ok: 1 server")


@pytest.mark.parametrize("after", [0, 1])
async def test_stray_401_does_not_silence_the_bot(after: int) -> None:
    async with on_stage(ScriptedProvider(ANSWER, "Four.")) as stage:
        stage.twin.inject_fault(FaultKind.ERROR_CODE, after=after, code=40001)
        stage.ask("first")
        await stage.texts(3)
        stage.ask("second")
        await stage.texts(1)

        assert answers(stage) == ["One.", "Two.", "Three.", "Four."]
        assert stage.twin.log.count("users.own") <= 2
        assert describe_health(stage.bot)[0]


async def test_refused_token_ends_the_bot() -> None:
    async with on_stage(ScriptedProvider(ANSWER)) as stage:
        refused = end_on_refused_token(stage.bot)
        for route in ("messages.create", "users.own"):
            stage.twin.inject_fault(FaultKind.ERROR_CODE, route, code=40001)
        stage.ask("first")
        async with asyncio.timeout(10):
            await refused.wait()
            while not stage.bot.is_closed():  # noqa: ASYNC110 - no one tells
                await asyncio.sleep(0.01)

        assert answers(stage) == []


async def test_health_says_that_the_token_was_refused() -> None:
    async with on_stage(ScriptedProvider(ANSWER)) as stage:
        for route in ("messages.create", "users.own"):
            stage.twin.inject_fault(FaultKind.ERROR_CODE, route, code=40001)
        stage.ask("first")
        async with asyncio.timeout(10):
            while describe_health(stage.bot)[0]:  # noqa: ASYNC110 - no one tells
                await asyncio.sleep(0.01)

        words = describe_health(stage.bot)[1]
        assert "Discord accepts no requests: not allowed here (401" in words
