"""Wait until Discord can be reached, disconnect quickly, and take the time from Discord.

A bot may start before its network does. At the end, discord.py gives each gateway 30 s to close, which is longer than
most supervisors wait. The age of answers and missed questions is measured with Discord's clock, since the clock of this
machine may be wrong or be set while the bot runs.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import aiohttp
import discord

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between two attempts; the last value repeats."""
REQUEST_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 1.0
"""Time for the gateways to close."""
BAN_PAUSE_S = 60.0
"""Pause after a 429 without `Retry-After`."""
MAX_BAN_PAUSE_S = 3600.0
"""A longer pause is not believed."""
# A larger error of the machine's clock is logged.
MAX_CLOCK_ERROR_S = 60.0
CLOCK_CHECK_INTERVAL_S = 60.0
"""Discord is asked for the time at most once in this interval."""
_REAL = "https://discord.com"

_log = logging.getLogger(__name__)


async def wait_for_discord(
    server: str,
    ending: asyncio.Event,
    clock: DiscordClock | None = None,
    *,
    pauses: tuple[float, ...] = PAUSES,
    timeout_s: float = REQUEST_TIMEOUT_S,
) -> bool:
    """Ask until Discord answers, log each failure, and set `clock`; return false if `ending` was set first."""
    clock = clock or DiscordClock()
    attempts = 0
    while trouble := await _find_trouble(server, timeout_s, clock):
        pause = max(pauses[min(attempts, len(pauses) - 1)], trouble.pause)
        attempts += 1
        _log.warning(
            "Discord cannot be reached (%s): trying again in %g s; is the network up?", trouble.reason, pause
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), pause)
        if ending.is_set():
            return False
    if attempts:
        _log.info("Discord can be reached after %d attempts", attempts + 1)
    return not ending.is_set()


async def set_clock(server: str, clock: DiscordClock) -> None:
    """Set a clock by Discord's time; leave it unchanged if Discord does not answer."""
    await _find_trouble(server, REQUEST_TIMEOUT_S, clock)


async def leave_discord(http: discord.http.HTTPClient, close: Coroutine[Any, Any, None]) -> None:
    """Close a client; gateways that do not close in time are dropped."""
    closing = asyncio.ensure_future(close)
    await asyncio.wait({closing}, timeout=CLOSE_TIMEOUT_S)
    if not closing.done():
        # The HTTP client owns all sockets, so closing it ends every task that waits for one.
        await http.close()
    await closing


class _Trouble(NamedTuple):
    """Why Discord does not answer, and how many seconds to wait before the next attempt."""

    reason: str
    pause: float = 0.0


async def _find_trouble(server: str, timeout_s: float, clock: DiscordClock) -> _Trouble | None:
    """Return why Discord does not answer, or `None` if it does. The token is not sent."""
    address = f"{(server or _REAL).rstrip('/')}/api/v10/gateway"
    timeout = aiohttp.ClientTimeout(total=timeout_s)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(address, allow_redirects=False) as response,
        ):
            answered = _Trouble(f"it answered {response.status}")
            if response.status == 429:
                # Further requests would make the ban longer, and so would restarts by a supervisor.
                delay = response.headers.get("Retry-After", "")
                pause = min(float(delay), MAX_BAN_PAUSE_S) if delay.isdecimal() else BAN_PAUSE_S
                return answered._replace(pause=pause)
            if response.status >= 500:
                return answered
            # Any other answer comes from Discord itself; discord.py handles it.
            clock.set_by(response.headers.get("Date", ""))
            return None
    except TimeoutError:
        return _Trouble(f"no answer in {timeout_s:g} s")
    except (aiohttp.ClientError, OSError) as error:
        return _Trouble(type(error).__name__)


# --- Discord's time -----------------------------------------------------------------------------------------


def _monotonic_with_suspend() -> float:
    """Return monotonic seconds, including the time that the machine was suspended where the system knows it."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if kind is None else time.clock_gettime(kind)


class DiscordClock:
    """Seconds since 1970: those of this machine until Discord has said what time it is, then Discord's."""

    def __init__(
        self, wall: Callable[[], float] = time.time, monotonic: Callable[[], float] = _monotonic_with_suspend
    ) -> None:
        self.ask: Callable[[], Awaitable[object]] | None = None
        """Asks Discord, which tells it by `set_by`."""
        self._wall = wall
        self._monotonic_with_suspend = monotonic
        self._began: float | None = None
        """When the monotonic seconds began, by Discord's clock."""
        self._set_at = 0.0

    def __call__(self) -> float:
        """Return the time in seconds since 1970."""
        return self._wall() if self._began is None else self._began + self._monotonic_with_suspend()

    def set_by(self, date: str) -> None:
        """Take the time from the header `Date` of a response; ignore an invalid one."""
        try:
            server_time = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError, OSError):
            return
        self._set_at = self._monotonic_with_suspend()
        self._began = server_time - self._set_at
        ahead = self._wall() - server_time
        if abs(ahead) > MAX_CLOCK_ERROR_S:
            how = f"{abs(ahead) / 60:.0f} minutes {'ahead' if ahead > 0 else 'behind'}"
            _log.warning("the clock of this machine is %s: using Discord's time; correct the clock", how)

    async def check(self) -> None:
        """Ask Discord for the time again, unless that was just done: the machine may have been suspended."""
        if self.ask is not None and self._monotonic_with_suspend() - self._set_at > CLOCK_CHECK_INTERVAL_S:
            await self.ask()
