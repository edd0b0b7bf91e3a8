"""Runs the bot until Ctrl-C or SIGTERM: opens everything that it needs, and closes it again."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import aiohttp
import discord

from streamcord import StoreError, StreamcordError
from streamcord._shared.safety.log_lines import LogLines
from streamcord.discord import share_requests
from streamcord.store import open_store

from ..answer.metrics import serve_metrics
from ..client import Bot
from ..cluster.rest_proxy import redirect_requests
from ..config import BotConfig, open_providers
from ..config.sections import LogConfig
from ..durability.continuity import open_bot_journal
from ..persona.server_personas import seed_personas
from .health import describe_health
from .reaching import DiscordClock, set_clock, wait_for_discord

if TYPE_CHECKING:
    from streamcord.cluster import Role

    from ..cluster.bot_cluster import BotCluster

__all__ = ["run", "run_bot", "set_up_logs"]

JOIN_PAUSE = 2.0
WRONG = 2
"""The exit status of what no further try could mend: whoever starts the bot again should not."""
_log = logging.getLogger("streamcord.bot")


def run(config: BotConfig, role: Role = "all") -> int:
    """Run the bot and return the exit status; errors are printed in one line."""
    set_up_logs(config.log, config.secrets)
    # It has no voice, so nobody needs to know what voice would need.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    try:
        begin_anew = asyncio.run(run_bot(config, role))
        while begin_anew:
            begin_anew = _run_again(config, role)
    except discord.LoginFailure:
        return _fail(f"Discord refused the token in {config.discord.token_name}: copy it again", WRONG)
    except discord.PrivilegedIntentsRequired:
        return _fail("turn on the Message Content intent of the bot on discord.com/developers", WRONG)
    except (StreamcordError, discord.DiscordException, aiohttp.ClientError, OSError) as error:
        return _fail(f"{error}; `streamcord check` says more")
    except KeyboardInterrupt:
        return 130
    return 0


def _run_again(config: BotConfig, role: Role) -> bool:
    """Begin anew after others took this process for dead; a database that is still away is waited for."""
    try:
        return asyncio.run(run_bot(config, role))
    except StoreError as error:
        _log.warning("the cluster cannot be joined, trying again in %g s: %s", JOIN_PAUSE, error)
        time.sleep(JOIN_PAUSE)
        return True


async def run_bot(config: BotConfig, role: Role = "all") -> bool:
    """Open everything, run the bot until it is told to end, close everything; whether it must begin anew."""
    async with AsyncExitStack() as stack:
        clock, server = DiscordClock(), config.discord.rest or config.discord.server
        clock.ask = partial(set_clock, server, clock)
        cluster = await _open_cluster(config, role, clock)
        if cluster is not None:
            stack.push_async_callback(cluster.close)
        providers = await stack.enter_async_context(open_providers(config))
        store = await (open_store(config.store, clock=clock) if cluster is None else cluster.open_store())
        stack.push_async_callback(store.close)
        await seed_personas(config, store)
        journal = await open_bot_journal(config, clock) if cluster is None else None
        if journal is not None:
            stack.push_async_callback(journal.close)
        if config.discord.server or config.discord.rest:
            stack.enter_context(redirect_requests(config.discord.server, config.discord.rest))
        bot = Bot(config, providers, store, journal=journal, cluster=cluster, clock=clock)
        if config.discord.rest:
            # A proxy counts for everybody.
            share_requests(bot, None, lambda *_: None)
        if config.log.metrics_port:
            await stack.enter_async_context(_metrics_of(bot, config.log))
        # Entered, so that it can be closed even before it has ever connected.
        await stack.enter_async_context(bot)
        stack.enter_context(_on_signals(lambda: asyncio.ensure_future(bot.close())))
        if cluster is not None:
            stack.enter_context(cluster.guard_waking(bot))
        if await wait_for_discord(server, bot.ending, clock):
            await bot.start(config.token)
        # Who is told to end does not begin anew.
        return cluster is not None and cluster.was_fenced and not bot.ending.is_set()


@asynccontextmanager
async def _metrics_of(bot: Bot, log: LogConfig) -> AsyncIterator[None]:
    """Serve the metrics and the health of a bot, for as long as the block runs."""
    health = partial(describe_health, bot)
    async with AsyncExitStack() as stack:
        try:
            serving = serve_metrics(bot.services.metrics, log.metrics_port, log.metrics_host, health)
            port = await stack.enter_async_context(serving)
        except OSError as error:
            where, why = f"{log.metrics_host}:{log.metrics_port}", os.strerror(error.errno or 0)
            raise StreamcordError(f"cannot listen on {where} for metrics: {why}") from None
        _log.info("metrics at http://%s:%d/metrics, and /health", log.metrics_host, port)
        yield


async def _open_cluster(config: BotConfig, role: Role, clock: DiscordClock) -> BotCluster | None:
    if not config.cluster.url:
        return None
    from ..cluster.bot_cluster import open_cluster  # noqa: PLC0415  (needs an extra)

    return await open_cluster(config, role, clock)


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


def _fail(message: str, status: int = 1) -> int:
    sys.stderr.write(f"streamcord: {message}\n")
    return status


_TALKATIVE = ("discord", "aiohttp", "asyncio")


def set_up_logs(config: LogConfig, secrets: Iterable[str] = ()) -> None:
    """Log to standard error, from the configured level on, in lines that anybody may read."""
    level = logging.getLevelNamesMapping()[config.level.upper()]
    lines = logging.StreamHandler()
    lines.setFormatter(LogLines(secrets, text=config.text))
    logging.basicConfig(level=level, handlers=[lines], force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.INFO))
