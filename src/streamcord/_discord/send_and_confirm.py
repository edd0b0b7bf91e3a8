"""Sends a message through discord.py and believes whoever shows it first: the answer, or the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import discord

from .client_state import find_client, find_http, reopen

__all__ = ["send_and_confirm"]


ATTEMPT_TIMEOUT = 90.0
"""An answer that takes longer is lost; discord.py waits for rate limits within this time."""
GRACE = 0.25
"""What an answer may take once the gateway has shown the message."""
_LEFT: set[asyncio.Future[Any]] = set()
"""Requests that nobody waits for any more; discord.py may hold them until their bucket has drained."""


async def send_and_confirm(
    request: Coroutine[Any, Any, discord.Message], channel: object, nonce: str
) -> discord.Message:
    """The message that was sent, from the answer to its request or from the gateway, whichever is first."""
    answer = asyncio.ensure_future(request)
    shown = _wait_for_gateway(find_client(channel), nonce)
    try:
        async with asyncio.timeout(ATTEMPT_TIMEOUT):
            await asyncio.wait({answer, shown}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                # A gateway that went away has shown nothing: then only the answer counts.
                await asyncio.wait({answer}, timeout=None if _has_failed(shown) else GRACE)
        use_answer = (answer.done() and not _has_failed(answer)) or not shown.done() or _has_failed(shown)
        return answer.result() if use_answer else shown.result()
    finally:
        shown.cancel()
        _abandon(answer, find_http(channel))


def _wait_for_gateway(client: discord.Client | None, nonce: str) -> asyncio.Future[discord.Message]:
    """The message with this nonce once the gateway shows it, which may be never."""
    if client is None or client.is_closed():
        return asyncio.get_running_loop().create_future()
    return asyncio.ensure_future(client.wait_for("message", check=lambda seen: str(seen.nonce) == nonce))


def _has_failed(future: asyncio.Future[discord.Message]) -> bool:
    return future.cancelled() or future.exception() is not None


def _abandon(request: asyncio.Future[discord.Message], http: object) -> None:
    """Cancel a request that is still under way; discord.py may take its time to notice."""
    if request.done():
        return
    request.cancel()
    _LEFT.add(request)
    request.add_done_callback(_forget)
    request.add_done_callback(lambda _: reopen(http))


def _forget(request: asyncio.Future[Any]) -> None:
    _LEFT.discard(request)
    if not request.cancelled():
        request.exception()
