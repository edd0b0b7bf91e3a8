"""Point an unchanged discord.py at a twin, and run one there."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable
    from contextlib import AbstractContextManager

    from ..twin import Twin

__all__ = ["Bot", "RunBot", "connect_discord_py", "running"]


class Bot(Protocol):
    """What is asked of a client: `discord.Client` and everything derived from it has it."""

    async def start(self, token: str) -> None:
        """Log in and stay until closed."""

    async def wait_until_ready(self) -> None:
        """Return once the guilds are known."""

    async def close(self) -> None:
        """Leave."""


_Bot = TypeVar("_Bot", bound=Bot)


class RunBot(Protocol):
    """Logs a bot in on the twin and returns it when it is ready: the fixture `run_bot`."""

    def __call__(self, bot: _Bot, /) -> Awaitable[_Bot]:
        """Run it until the test is over."""


def connect_discord_py(twin: Twin) -> AbstractContextManager[None]:
    """Let every discord.py client in this process talk to `twin` instead of Discord, until the block ends.

    Pass `guild_ready_timeout=0` to the client, or it waits two seconds for further guilds.
    """
    from .._discord.redirect import redirect_discord_py  # noqa: PLC0415 - discord.py is an extra

    return redirect_discord_py(twin.api_url, twin.gateway_url, twin.cdn_url)


@asynccontextmanager
async def running(twin: Twin, bot: _Bot) -> AsyncIterator[_Bot]:
    """Run a bot on a twin: it is logged in and ready inside the block, and closed after it.

    What makes it fail before that is raised here.
    """
    with connect_discord_py(twin):
        life = asyncio.create_task(bot.start(twin.token))
        ready = asyncio.create_task(_until_ready(twin, bot))
        try:
            await asyncio.wait({life, ready}, return_when=asyncio.FIRST_COMPLETED)
            if life.done():
                await life
                raise RuntimeError("the bot was closed before it was ready")
            await ready
            yield bot
        finally:
            ready.cancel()
            await bot.close()
            await asyncio.gather(life, ready, return_exceptions=True)


async def _until_ready(twin: Twin, bot: Bot) -> None:
    # A client that has not logged in yet cannot be waited for.
    await twin.ready()
    await bot.wait_until_ready()
