"""The whole demo in this process, without pauses, with the script in the model's place."""

from __future__ import annotations

import argparse
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from streamcord_bot.config import ModelConfig
from streamcord_bot.demo.guild import small_model
from streamcord_bot.demo.provider import DemoProvider
from streamcord_bot.demo.runner import Demo
from streamcord_bot.demo.screen import Screen
from streamcord_bot.demo.session import DemoSession
from streamcord_bot.demo.user import DemoUser


def options(**changes: Any) -> argparse.Namespace:
    given = {
        "provider": None,
        "model": None,
        "base_url": None,
        "scripted": True,
        "no_install": True,
        "fast": True,
        "script": None,
    }
    return argparse.Namespace(**{**given, **changes})


@dataclass
class Sitting:
    demo: Demo
    session: DemoSession
    out: io.StringIO

    @property
    def person(self) -> DemoUser:
        return self.session.person

    async def follow(self, *lines: str) -> str:
        """Do these lines and return what was printed meanwhile."""
        start = len(self.out.getvalue())
        for line in lines:
            await self.session.follow(line)
        await self.session.wait_for_answer()
        return self.out.getvalue()[start:]


class SmallDemo(Demo):
    """The demo with its small model, which is served elsewhere."""

    def __init__(self, address: str, console: Console, **changes: Any) -> None:
        super().__init__(options(**changes), console)
        self._address = address

    async def _find_model(self) -> tuple[ModelConfig, DemoProvider]:
        model = small_model(self._address, "m")
        return model, DemoProvider(await self._open_provider(model), small=True)


@asynccontextmanager
async def sitting(small_at: str = "", **changes: Any) -> AsyncIterator[Sitting]:
    out = io.StringIO()
    console = Console(file=out, width=100, color_system=None)
    made = SmallDemo(small_at, console, **changes) if small_at else Demo(options(**changes), console)
    async with made as demo:
        person = DemoUser(demo.twin, Screen(console), lambda: demo.app.dispatcher.is_idle)
        session = DemoSession(person, f"{demo.twin.base_url}/")
        try:
            yield Sitting(demo, session, out)
        finally:
            await session.close()
