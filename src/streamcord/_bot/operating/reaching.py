"""Waits until Discord can be reached, so that a bot may start before its network does."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import aiohttp

__all__ = ["PAUSES", "wait_for_discord"]

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between two tries; the last one again and again."""
PATIENCE = 10.0
_REAL = "https://discord.com"

_log = logging.getLogger("streamcord.bot")


async def wait_for_discord(
    server: str, ending: asyncio.Event, *, pauses: tuple[float, ...] = PAUSES, patience: float = PATIENCE
) -> bool:
    """Ask until Discord answers, and say so each time that it does not; false if `ending` came first."""
    address = f"{(server or _REAL).rstrip('/')}/api/v10/gateway"
    tries = 0
    while trouble := await _find_trouble(address, patience):
        pause = pauses[min(tries, len(pauses) - 1)]
        tries += 1
        _log.warning(
            "Discord cannot be reached (%s): trying again in %g s; is the network up?", trouble, pause
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), pause)
        if ending.is_set():
            return False
    if tries:
        _log.info("Discord can be reached after %d tries", tries + 1)
    return not ending.is_set()


async def _find_trouble(address: str, patience: float) -> str:
    """Why Discord does not answer, in a word; nothing if it does. The token is not sent."""
    timeout = aiohttp.ClientTimeout(total=patience)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=True) as session,
            session.get(address, allow_redirects=False) as response,
        ):
            # Any other answer is Discord's own, which discord.py knows best what to do about.
            return f"it answered {response.status}" if response.status >= 500 else ""
    except TimeoutError:
        return f"no answer in {patience:g} s"
    except (aiohttp.ClientError, OSError) as error:
        return type(error).__name__
