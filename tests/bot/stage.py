"""The real bot on a twin, with a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from streamcord.bot.client import Bot
from streamcord.bot.config import BotConfig, read_config
from streamcord.providers import Provider
from streamcord.store import Store, open_store
from streamcord.testing.twin import connect_discord_py
from streamcord.twin import Channel, Message, Switches, Twin, User
from twin.conftest import FREE


class QuickBot(Bot):
    """A bot that does not wait five seconds before it identifies again."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        pass


QUICK: dict[str, Any] = {
    "answer": {"gather": 0.02, "buttons": False},
    "settings": {"typing": "off"},
    "personas": {"Luna": {"prompt": "You are Luna, a cat."}},
}
"""A configuration for tests: nothing waits for the sake of looks."""


def make_config(**tables: Any) -> BotConfig:
    """The quick configuration with some tables changed."""
    merged = {**QUICK}
    for name, values in tables.items():
        base = merged.get(name)
        merged[name] = {**base, **values} if isinstance(base, dict) and name != "personas" else values
    return read_config(merged, {})


@dataclass(slots=True)
class Stage:
    """A twin with a running bot."""

    twin: Twin
    bot: Bot
    store: Store
    said: list[Message] = field(default_factory=list)

    def ask(
        self, text: str, channel: Channel | None = None, user: User | None = None, **more: Any
    ) -> Message:
        """Mention the bot."""
        where, who = channel or self.twin.channel, user or self.twin.user
        return self.twin.say(where, who, f"<@{self.twin.bot.id}> {text}", **more)

    async def texts(self, count: int, channel: Channel | None = None) -> list[str]:
        """The next messages of the bot."""
        return [(await self.twin.next_message(channel)).content for _ in range(count)]

    async def quiet(self) -> None:
        """Wait until nobody speaks and everything is kept."""
        await self.twin.until(lambda: self.bot.services.desk.is_quiet)


@asynccontextmanager
async def on_stage(
    provider: Provider | Mapping[str, Provider],
    *,
    config: BotConfig | None = None,
    switches: Switches = FREE,
    twin: Twin | None = None,
    store: Store | None = None,
    **bot: Any,
) -> AsyncIterator[Stage]:
    """A bot that is ready, on a twin of its own or on this one."""
    kept = store or await open_store(":memory:")
    own = None if twin else Twin(switches)
    playing = twin or own
    assert playing is not None
    if own is not None:
        await own.start()
    try:
        with connect_discord_py(playing):
            running = QuickBot(config or make_config(), provider, kept, guild_ready_timeout=0.05, **bot)
            task = asyncio.create_task(running.start(playing.token))
            ready = asyncio.create_task(running.wait_until_ready())
            await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED, timeout=10)
            if task.done():
                await task
            await ready
            try:
                yield Stage(playing, running, kept)
            finally:
                await running.close()
                await asyncio.gather(task, return_exceptions=True)
    finally:
        if own is not None:
            await own.stop()
        if store is None:
            await kept.close()
