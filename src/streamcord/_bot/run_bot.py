"""Runs the bot until Ctrl-C or SIGTERM."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress

import discord

from streamcord import StreamcordError
from streamcord.discord import redirect_discord_py
from streamcord.store import open_store

from .answer.metrics import serve_metrics
from .client import Bot
from .config.config import BotConfig, open_providers
from .config.sections import LogConfig
from .persona.avatar_emoji import seed_personas

__all__ = ["run", "run_bot", "seed_personas", "set_up_logs"]

_log = logging.getLogger("streamcord.bot")


def run(config: BotConfig) -> int:
    """Run the bot and return the exit status; errors are printed in one line."""
    set_up_logs(config.log)
    try:
        asyncio.run(run_bot(config))
    except discord.LoginFailure:
        return _fail(f"Discord refused the token in {config.discord.token_name}: copy it again")
    except discord.PrivilegedIntentsRequired:
        return _fail("turn on the Message Content intent of the bot on discord.com/developers")
    except (StreamcordError, discord.DiscordException, OSError) as error:
        return _fail(f"{error}; `streamcord check` says more")
    except KeyboardInterrupt:
        return 130
    return 0


async def run_bot(config: BotConfig) -> None:
    """Open everything, run the bot until it is told to end, close everything."""
    async with AsyncExitStack() as stack:
        providers = await stack.enter_async_context(open_providers(config))
        store = await open_store(config.store)
        stack.push_async_callback(store.close)
        await seed_personas(config, store)
        if config.discord.server:
            stack.enter_context(_redirected(config.discord.server))
        bot = Bot(config, providers, store)
        if config.log.metrics_port:
            port = await stack.enter_async_context(
                serve_metrics(bot.services.metrics, config.log.metrics_port)
            )
            _log.info("metrics at http://127.0.0.1:%d/metrics", port)
        stack.push_async_callback(bot.close)
        stack.enter_context(_on_signals(lambda: asyncio.ensure_future(bot.close())))
        await bot.start(config.token)


def _redirected(server: str) -> AbstractContextManager[None]:
    """Use a local Discord in the place of the real one."""
    base = server.rstrip("/")
    gateway = base.replace("http", "ws", 1) + "/gateway"
    return redirect_discord_py(f"{base}/api/v10", gateway, f"{base}/cdn")


@contextmanager
def _on_signals(act: Callable[[], object]) -> Iterator[None]:
    """Call `act` on SIGINT and SIGTERM; where event loops have no signals, Ctrl-C raises as usual."""
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


def _fail(message: str) -> int:
    sys.stderr.write(f"streamcord: {message}\n")
    return 1


FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_TALKATIVE = ("discord", "aiohttp", "asyncio")


def set_up_logs(config: LogConfig) -> None:
    """Log to standard error, from the configured level on."""
    level = logging.getLevelNamesMapping()[config.level.upper()]
    logging.basicConfig(level=level, format=FORMAT, force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.INFO))
