"""Waits until Discord can be reached, so that a bot may start before its network does; and leaves it.

discord.py gives each of its gateways 30 s to say goodbye, even while the process is asked to end. With the first answer
comes Discord's time: how old an answer is, and which questions came while the bot was away, must not depend on the
clock of this machine, which may be wrong, or be set while the bot runs.
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

__all__ = ["PAUSES", "DiscordClock", "leave_discord", "set_clock", "wait_for_discord"]

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between two tries; the last one again and again."""
REQUEST_TIMEOUT_S = 10.0
GOODBYE = 1.0
"""Seconds that Discord's gateways have to say goodbye."""
BAN_PAUSE = 60.0
"""Seconds after a refusal for too many requests that does not say how long it lasts."""
# A larger error of the machine's clock is logged.
MAX_CLOCK_ERROR_S = 60.0
OFTEN = 60.0
"""Seconds in which Discord is not asked again what time it is."""
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
    """Ask until Discord answers, and say so each time that it does not; false if `ending` came first.

    The `clock` is set by what it answers.
    """
    clock = clock or DiscordClock()
    tries = 0
    while trouble := await _find_trouble(server, timeout_s, clock):
        pause = max(pauses[min(tries, len(pauses) - 1)], trouble.pause)
        tries += 1
        _log.warning(
            "Discord cannot be reached (%s): trying again in %g s; is the network up?", trouble.reason, pause
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), pause)
        if ending.is_set():
            return False
    if tries:
        _log.info("Discord can be reached after %d tries", tries + 1)
    return not ending.is_set()


async def set_clock(server: str, clock: DiscordClock) -> None:
    """Ask Discord what time it is; if it does not answer, nothing changes."""
    await _find_trouble(server, REQUEST_TIMEOUT_S, clock)


async def leave_discord(http: discord.http.HTTPClient, close: Coroutine[Any, Any, None]) -> None:
    """Close a client; gateways that do not say goodbye in time are left without."""
    closing = asyncio.ensure_future(close)
    await asyncio.wait({closing}, timeout=GOODBYE)
    if not closing.done():
        # All sockets are its own: every task that waits for one of them ends.
        await http.close()
    await closing


class _Trouble(NamedTuple):
    """Why Discord does not answer, and how many seconds it wants to be left alone."""

    reason: str
    pause: float = 0.0


async def _find_trouble(server: str, timeout_s: float, clock: DiscordClock) -> _Trouble | None:
    """What keeps Discord from answering, if anything does. The token is not sent."""
    address = f"{(server or _REAL).rstrip('/')}/api/v10/gateway"
    timeout = aiohttp.ClientTimeout(total=timeout_s)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(address, allow_redirects=False) as response,
        ):
            answered = _Trouble(f"it answered {response.status}")
            if response.status == 429:
                # Asking on makes a ban longer, and so would a supervisor that restarts the bot again and again.
                delay = response.headers.get("Retry-After", "")
                return answered._replace(pause=float(delay) if delay.isdecimal() else BAN_PAUSE)
            if response.status >= 500:
                return answered
            # Any other answer is Discord's own, which discord.py knows best what to do about.
            clock.set_by(response.headers.get("Date", ""))
            return None
    except TimeoutError:
        return _Trouble(f"no answer in {timeout_s:g} s")
    except (aiohttp.ClientError, OSError) as error:
        return _Trouble(type(error).__name__)


# --- What time it is ----------------------------------------------------------------------------------------


def _monotonic_with_suspend() -> float:
    """Return monotonic seconds, including the time that the machine was suspended where the system knows it."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if kind is None else time.clock_gettime(kind)


class DiscordClock:
    """Seconds since 1970: those of this machine until Discord has said what time it is, then Discord's."""

    def __init__(
        self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = _monotonic_with_suspend
    ) -> None:
        self.ask: Callable[[], Awaitable[object]] | None = None
        """Asks Discord, which tells it by `set_by`."""
        self._wall = wall
        self._monotonic_with_suspend = steady
        self._began: float | None = None
        """When the steady seconds began, by Discord's clock."""
        self._set_at = 0.0

    def __call__(self) -> float:
        """What time it is."""
        return self._wall() if self._began is None else self._began + self._monotonic_with_suspend()

    def set_by(self, date: str) -> None:
        """Take the time from the header `Date` of an answer; what is none is passed over."""
        try:
            server_time = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError, OSError):
            return
        self._set_at = self._monotonic_with_suspend()
        self._began = server_time - self._set_at
        ahead = self._wall() - server_time
        if abs(ahead) > MAX_CLOCK_ERROR_S:
            how = f"{abs(ahead) / 60:.0f} minutes {'ahead' if ahead > 0 else 'behind'}"
            _log.warning("the clock of this machine is %s: answers go by Discord's; set it right", how)

    async def check(self) -> None:
        """Ask Discord again, if that was not done just now: a machine may have been suspended, or moved."""
        if self.ask is not None and self._monotonic_with_suspend() - self._set_at > OFTEN:
            await self.ask()
