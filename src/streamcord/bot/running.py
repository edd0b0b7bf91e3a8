"""Runs the bot of a configuration until somebody ends it: by Ctrl-C, or by the signal that services send."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from streamcord.store import open_store

from .client import Bot
from .config import BotConfig
from .models import open_providers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["run_bot"]

_log = logging.getLogger("streamcord.bot")


async def run_bot(config: BotConfig) -> None:
    """Open everything, speak until told to end, close everything; running answers are finished first."""
    async with AsyncExitStack() as stack:
        providers = await stack.enter_async_context(open_providers(config))
        store = await open_store(config.store)
        stack.push_async_callback(store.close)
        bot = Bot(config, providers, store)
        stack.push_async_callback(bot.close)
        with _on_signals(lambda: asyncio.ensure_future(bot.close())):
            await bot.start(config.token)


@contextmanager
def _on_signals(act: Callable[[], object]) -> Iterator[None]:
    """Act when the process is asked to end; where loops have no signals, Ctrl-C raises as usual."""
    loop = asyncio.get_running_loop()
    caught = []
    for one in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(one, act)
            caught.append(one)
    try:
        yield
    finally:
        for one in caught:
            loop.remove_signal_handler(one)
