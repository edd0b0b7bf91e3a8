"""Run a bot until Ctrl-C, SIGTERM or SIGHUP: open what it needs, connect it, and close everything in order."""

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

from streamcord import SettingsError, StoreError, StreamcordError
from streamcord.discord import on_token_refused, share_requests
from streamcord.store import open_store
from streamcord.utils import TEXT_LOGGER, LogLines

from .app import BotApp, build_bot
from .client import Bot
from .config import BotConfig, LogConfig, open_providers
from .coordination.base import Coordinator
from .coordination.journal import open_bot_journal
from .coordination.rest_proxy import redirect_requests
from .coordination.single_process import SingleProcess
from .ops.connectivity import DiscordClock, set_clock, wait_for_discord
from .ops.garbage_collection import collect_when_idle, short_collections
from .ops.health import describe_health
from .ops.json_log import JsonLogLines
from .ops.metrics import serve_metrics
from .ops.resource_limits import find_shortages, raise_descriptor_limit, read_resources
from .personas.server_personas import seed_personas

if TYPE_CHECKING:
    from .coordination.cluster import Role
    from .coordination.cluster.coordinator import Cluster

REJOIN_PAUSE_S = 2.0
"""Pause before the cluster is joined again after an eviction, if its database is still away."""
CONFIG_ERROR_STATUS = 2
"""Exit status of errors that a restart cannot fix; a supervisor should not restart the bot then."""
_VERBOSE_LOGGERS = ("discord", "aiohttp", "asyncio")
_log = logging.getLogger(__name__)


def run(config: BotConfig, role: Role = "all") -> int:
    """Run the bot and return the exit status; errors are printed in one line."""
    set_up_logs(config.log, config.secrets)
    # The bot does not use voice channels: silence discord.py's warnings about missing voice libraries.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    raise_descriptor_limit()
    for line in find_shortages(read_resources(config.store)):
        _log.warning("this machine is short of something: %s", line)
    try:
        restart = asyncio.run(run_bot(config, role))
        while restart:
            restart = _run_again(config, role)
    except discord.LoginFailure:
        return _fail(
            f"Discord refused the token in {config.discord.token_name}: copy it again", CONFIG_ERROR_STATUS
        )
    except discord.PrivilegedIntentsRequired:
        return _fail(
            "turn on the Message Content intent of the bot on discord.com/developers", CONFIG_ERROR_STATUS
        )
    except (StreamcordError, discord.DiscordException, aiohttp.ClientError, OSError) as error:
        # A damaged database or a wrong setting is the same after a restart.
        permanent = isinstance(error, SettingsError) or not getattr(error, "retryable", True)
        words = str(error).removesuffix(".")
        return _fail(f"{words}; `streamcord-bot check` says more", CONFIG_ERROR_STATUS if permanent else 1)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        # An error of a program, here or in a library. Python would print its message, which may quote anything.
        _log.critical("the bot ends after an unexpected error", exc_info=error)
        return 1
    return 0


def _run_again(config: BotConfig, role: Role) -> bool:
    """Run the bot again after an eviction; false if it must not be restarted once more."""
    try:
        return asyncio.run(run_bot(config, role))
    except StoreError as error:
        _log.warning("joining the cluster failed, retrying in %g s: %s", REJOIN_PAUSE_S, error)
        time.sleep(REJOIN_PAUSE_S)
        return True


async def run_bot(config: BotConfig, role: Role = "all") -> bool:
    """Open everything, run the bot until it is asked to end, and close everything.

    Returns:
        Whether the bot must be started again, because the cluster evicted it.

    """
    async with AsyncExitStack() as stack:
        clock, server = DiscordClock(), config.discord.rest or config.discord.server
        # Discord's clock decides how old a message is, so ours is compared with it now and then.
        clock.ask = partial(set_clock, server, clock)
        cluster = await _open_cluster(config, role, clock)
        if cluster is not None:
            stack.push_async_callback(cluster.close)
        # The stack closes everything in reverse order, also if a later step fails.
        providers = await stack.enter_async_context(open_providers(config))
        store = await (open_store(config.store, clock=clock) if cluster is None else cluster.open_store())
        stack.push_async_callback(store.close)
        await seed_personas(config, store)
        coordinator: Coordinator
        if cluster is None:
            journal = await open_bot_journal(config, clock)
            stack.push_async_callback(journal.close)
            coordinator = SingleProcess(journal, config.store)
        else:
            coordinator = cluster
        if config.discord.server or config.discord.rest:
            stack.enter_context(redirect_requests(config.discord.server, config.discord.rest))
        app = build_bot(config, providers, store, coordinator=coordinator, clock=clock)
        bot = app.bot
        if config.discord.rest:
            # A proxy keeps the rate limits of all processes.
            share_requests(bot, None, lambda *_: None)
        if config.log.metrics_port:
            await stack.enter_async_context(_metrics_of(app, config.log))
        # Entered, so that it can be closed even before it has ever connected.
        await stack.enter_async_context(bot)
        stack.enter_context(_on_signals(lambda: asyncio.ensure_future(bot.close())))
        if cluster is not None:
            stack.enter_context(cluster.guard_wake_up(bot))
        token_refused = end_on_refused_token(bot)
        stack.enter_context(short_collections())
        app.state.run_later(collect_when_idle(lambda: app.dispatcher.is_idle))
        if await wait_for_discord(server, bot.ending, clock):
            await bot.start(config.token)
        if token_refused.is_set():
            raise discord.LoginFailure("the token was revoked while the bot was running")
        # A bot that was asked to end is not started again.
        return cluster is not None and cluster.was_evicted and not bot.ending.is_set()


def end_on_refused_token(bot: Bot) -> asyncio.Event:
    """Close a bot whose token Discord refuses while it runs; returns an event that is set then."""
    refused = asyncio.Event()
    # The task that closes the bot: asyncio itself holds tasks only weakly.
    closing: list[asyncio.Future[None]] = []

    def end() -> None:
        if not refused.is_set():
            refused.set()
            closing.append(asyncio.ensure_future(bot.close()))

    on_token_refused(bot, end)
    return refused


@asynccontextmanager
async def _metrics_of(app: BotApp, log: LogConfig) -> AsyncIterator[None]:
    """Serve the metrics and the health of a bot, for as long as the block runs."""

    def health() -> tuple[bool, str]:
        return describe_health(app.bot, app.config.models, app.budget.paused_models)

    async with AsyncExitStack() as stack:
        try:
            serving = serve_metrics(app.metrics, log.metrics_port, log.metrics_host, health)
            port = await stack.enter_async_context(serving)
        except OSError as error:
            where, why = f"{log.metrics_host}:{log.metrics_port}", os.strerror(error.errno or 0)
            raise StreamcordError(f"cannot listen on {where} for metrics: {why}") from None
        _log.info("metrics at http://%s:%d/metrics, and /health", log.metrics_host, port)
        yield


async def _open_cluster(config: BotConfig, role: Role, clock: DiscordClock) -> Cluster | None:
    if not config.cluster.url:
        return None
    from .coordination.cluster.coordinator import open_cluster  # noqa: PLC0415  (needs an extra)

    return await open_cluster(config, role, clock)


@contextmanager
def _on_signals(act: Callable[[], object]) -> Iterator[None]:
    """Log and call `act` on SIGINT, SIGTERM and SIGHUP, which a closed terminal sends.

    Where event loops have no signals, Ctrl-C raises as usual.
    """
    loop = asyncio.get_running_loop()
    caught = []

    def end(received: signal.Signals) -> None:
        _log.info("shutting down: received %s", received.name)
        act()

    for one in (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])):
        with suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(one, end, one)
            caught.append(one)
    try:
        yield
    finally:
        for one in caught:
            loop.remove_signal_handler(one)


def _fail(message: str, status: int = 1) -> int:
    sys.stderr.write(f"streamcord-bot: {message}\n")
    return status


def set_up_logs(config: LogConfig, secrets: Iterable[str] = ()) -> None:
    """Log to standard error from the configured level on, redacted, as text or JSON."""
    level = logging.getLevelNamesMapping()[config.level.upper()]
    formatter = JsonLogLines if config.format == "json" else LogLines
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(secrets, text=config.text))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # If standard error cannot be written, `logging` would print the raw record.
    logging.raiseExceptions = False
    # The debug lines of the library hold words only if the operator allows it.
    logging.getLogger(TEXT_LOGGER).setLevel(logging.DEBUG if config.text else logging.INFO)
    for name in _VERBOSE_LOGGERS:
        # These libraries log every request at DEBUG, including tokens in URLs.
        logging.getLogger(name).setLevel(max(level, logging.INFO))
