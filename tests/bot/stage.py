"""The real bot on a twin, with a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from discord_twin import Channel, Message, Twin, TwinOptions, User
from discord_twin.discord_py import connect_discord_py
from streamcord.providers import Provider
from streamcord.store import Place, Store, open_store
from streamcord_bot.app import BotApp, build_bot
from streamcord_bot.client import Bot
from streamcord_bot.config import BotConfig, read_config
from twin.conftest import FREE

HANDLER_TASKS = (
    "discord.py: on_message",
    "discord.py: on_raw_",
    "discord.py: on_interaction",
    "CommandTree-invoker",
    "discord-ui-dynamic-item",
    "discord-ui-modal-dispatch",
)
"""How the names of tasks begin in which discord.py runs the bot's handlers."""


class QuickBot(Bot):
    """A bot that does not wait five seconds before it identifies again."""

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        pass


QUICK: dict[str, Any] = {
    "answer": {"debounce": 0.0, "buttons": False},
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
    app: BotApp
    store: Store

    @property
    def bot(self) -> Bot:
        """The bot's client."""
        return self.app.bot

    def ask(
        self, text: str, channel: Channel | None = None, user: User | None = None, **more: Any
    ) -> Message:
        """Mention the bot."""
        where, who = channel or self.twin.channel, user or self.twin.user
        return self.twin.say(where, who, f"<@{self.twin.bot.id}> {text}", **more)

    async def texts(self, count: int, channel: Channel | None = None) -> list[str]:
        """The next messages of the bot."""
        return [(await self.twin.next_message(channel, 30.0)).content for _ in range(count)]

    def said(self, channel: Channel | None = None) -> list[Message]:
        """All messages of the bot that everybody sees, and that are no answers to commands."""
        messages = (channel or self.twin.channel).messages.values()
        return [one for one in messages if one.by_machine and one.interaction is None]

    @property
    def pinged(self) -> set[int]:
        """Everybody whom a message of the bot notified."""
        people: set[int] = set()
        for ping in self.twin.log.pings:
            message = self.twin.state.channels[ping.channel_id].messages.get(ping.message_id)
            if message is None or message.by_machine:
                people |= ping.user_ids
        return people

    async def settled(self) -> None:
        """Wait until the bot has heard of everything that happened so far, and is through with it."""
        elsewhere = self.twin.add_channel("elsewhere")
        mark = self.twin.say(elsewhere, self.twin.user, "a mark that calls nobody")
        await self.bot.wait_for("message", check=lambda message: message.id == mark.id, timeout=10)
        self.twin.delete(mark)
        await self.bot.wait_for(
            "raw_message_delete", check=lambda event: event.message_id == mark.id, timeout=10
        )
        await self._handled()
        await self.store.settings(Place())

    async def quiet(self) -> None:
        """Wait until no one speaks and everything is kept."""
        async with asyncio.timeout(10):
            # A handler that still reads the store has not queued its question yet.
            await self._handled()
            await self.app.dispatcher.wait_idle()

    async def _handled(self) -> None:
        """Wait until the handlers of all events that the bot received have ended."""
        handlers = {task for task in asyncio.all_tasks() if task.get_name().startswith(HANDLER_TASKS)}
        if handlers - {asyncio.current_task()}:
            await asyncio.wait(handlers - {asyncio.current_task()}, timeout=10)


@asynccontextmanager
async def on_stage(
    provider: Provider | Mapping[str, Provider],
    *,
    config: BotConfig | None = None,
    switches: TwinOptions = FREE,
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
            app = build_bot(
                config or make_config(), provider, kept, bot_type=QuickBot, guild_ready_timeout=0.05, **bot
            )
            running = app.bot
            task = asyncio.create_task(running.start(playing.token))
            ready = asyncio.create_task(running.wait_until_ready())
            await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED, timeout=10)
            if task.done():
                await task
            await ready
            try:
                yield Stage(playing, app, kept)
            finally:
                await running.close()
                await asyncio.gather(task, return_exceptions=True)
    finally:
        if own is not None:
            await own.stop()
        if store is None:
            await kept.close()
