"""Run an unchanged discord.py bot on a local Discord."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Protocol, TypeVar

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

if TYPE_CHECKING:
    from .server import Twin

__all__ = ["Client", "RunBot", "RunnableBot", "connect_discord_py", "make_client", "running"]


# --- A client for a local Discord ------------------------------------------------------------------


class Client(discord.Client):
    """A discord.py client for a local Discord: it does not wait before it identifies again.

    The arguments are those of `discord.Client`; `make_client` fills them in.

    Example:
        class Echo(Client):
            async def on_message(self, message):
                if message.author != self.user:
                    await message.reply(message.content)

    """

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Identify at once: the five seconds between two identifies are Discord's, not the twin's."""


def make_client() -> Client:
    """Return a client that reads message contents and is ready at once.

    Example:
        async with Twin() as twin, running(twin, make_client()) as client:
            await client.get_channel(twin.channel.id).send("hello")

    """
    intents = discord.Intents.default()
    intents.message_content = True
    # The twin sends all guilds at once, so there is no need to wait for more of them.
    return Client(intents=intents, guild_ready_timeout=0.0)


# --- A client that runs on a local Discord ---------------------------------------------------------


class RunnableBot(Protocol):
    """What a bot needs to be run here; `discord.Client` and everything derived from it has it."""

    async def start(self, token: str) -> None:
        """Log in and stay until closed."""

    async def wait_until_ready(self) -> None:
        """Return once the guilds are known."""

    async def close(self) -> None:
        """Log out."""


_Bot = TypeVar("_Bot", bound=RunnableBot)


class RunBot(Protocol):
    """Logs a bot in on the twin and returns it when it is ready: the type of the fixture `run_on_twin`.

    Example:
        async def test_greeting(twin: Twin, run_on_twin: RunBot) -> None:
            await run_on_twin(make_client())
            twin.say(twin.channel, twin.user, "hello")

    """

    def __call__(self, bot: _Bot, /) -> Awaitable[_Bot]:
        """Run it until the test is over."""


@contextmanager
def connect_discord_py(twin: Twin) -> Iterator[None]:
    """Let every discord.py client in this process talk to `twin` instead of Discord, until the block ends.

    Pass `guild_ready_timeout=0` to the client, or it waits two seconds for further guilds.

    Args:
        twin: The twin, which must have been started.

    Example:
        with connect_discord_py(twin):
            await my_bot.start(twin.token)

    """
    # Three class attributes decide where discord.py connects to: REST, the gateway and the CDN.
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = twin.api_url, yarl.URL(twin.gateway_url)
    discord.Asset.BASE = twin.cdn_url
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE = before


# --- Errors of the bot ------------------------------------------------------------------------------


# The twin on which the bot of the current task runs; tasks that a bot starts inherit it.
_twin: ContextVar[Twin] = ContextVar("twin")

_UNHANDLED = ("Ignoring exception in", "Unhandled exception in")
"""How discord.py logs what a bot did not handle: in events, commands, views, modals and background tasks."""


class _ErrorHandler(logging.Handler):
    """Reports to the twin what discord.py only logs; a bot with an `on_error` of its own logs nothing."""

    def emit(self, record: logging.LogRecord) -> None:
        twin, error = _twin.get(None), record.exc_info[1] if record.exc_info else None
        if twin is None or error is None or not str(record.msg).startswith(_UNHANDLED):
            return
        # A command wraps what it raised. Its other errors are about what a user did, such as a missing permission.
        cause = getattr(error, "original", None)
        if isinstance(cause, Exception):
            twin.report_error(cause, record.getMessage())
        elif not _is_of_user(error):
            twin.report_error(error, record.getMessage())


def _is_of_user(error: BaseException) -> bool:
    """Whether it is a refusal of a command: unknown, not allowed, or with wrong arguments."""
    return any(kind.__name__ in {"CommandError", "AppCommandError"} for kind in type(error).__mro__)


@contextmanager
def _reporting_errors() -> Iterator[None]:
    handler, logger = _ErrorHandler(logging.ERROR), logging.getLogger("discord")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@asynccontextmanager
async def running(twin: Twin, bot: _Bot) -> AsyncIterator[_Bot]:
    """Run a bot on a twin: it is logged in and ready inside the block, and closed after it.

    Exceptions that the bot does not handle are in `Twin.bot_errors`, and end a wait of the test.

    Args:
        twin: The twin, which must have been started.
        bot: A `discord.Client`, or anything with `start`, `wait_until_ready` and `close`.

    Yields:
        The bot.

    Raises:
        RuntimeError: The bot was closed before it was ready.
        Exception: Any error that stopped the bot before it was ready.

    Example:
        async with Twin() as twin, running(twin, make_client()) as client:
            assert client.user.id == twin.bot.user.id

    """
    context = copy_context()
    context.run(_twin.set, twin)
    with connect_discord_py(twin), _reporting_errors():
        # `start` returns when the bot is closed, or raises what made it fail.
        running_bot = asyncio.create_task(bot.start(twin.token), context=context)
        ready = asyncio.create_task(_until_ready(twin, bot))
        try:
            await asyncio.wait({running_bot, ready}, return_when=asyncio.FIRST_COMPLETED)
            # The bot failed or was closed before it became ready.
            if running_bot.done():
                await running_bot
                raise RuntimeError("the bot was closed before it was ready")
            await ready
            yield bot
        finally:
            ready.cancel()
            await bot.close()
            await asyncio.gather(running_bot, ready, return_exceptions=True)


async def _until_ready(twin: Twin, bot: RunnableBot) -> None:
    # A client that has not logged in yet cannot be waited for.
    await twin.ready()
    await bot.wait_until_ready()
