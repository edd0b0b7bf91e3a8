"""One request to Discord: what discord.py knows and does not show, what a request is made of, and its answer.

The client, its HTTP side and the state of a rate limit are private names of discord.py 2.x, so the code that
asks for them may find nothing. Then we count rate limits for ourselves and do without the gateway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import discord
from discord.http import Route

GLOBAL_LOCK_RELEASE_S = 5.0
"""Seconds after which the global lock is released; longer than most global rate limits."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A rate limit as the last headers said: requests used, their limit, and seconds until it is reset."""

    used: int
    limit: int
    seconds: float


def find_http(place: object) -> Any | None:  # noqa: ANN401 - discord.http.HTTPClient
    """The HTTP side of the client that a channel, message or interaction belongs to."""
    return getattr(getattr(place, "_state", None), "http", None)


def reopen(http: object) -> None:
    """Let discord.py send again, after a request of ours was cancelled.

    While it waits out a global limit, discord.py holds back all requests; one that is cancelled in that wait
    never lets them go, and the whole bot is silent for ever (`HTTPClient.request` of 2.7.1).
    """
    gate = getattr(http, "_global_over", None)
    if isinstance(gate, asyncio.Event) and not gate.is_set():
        asyncio.get_running_loop().call_later(GLOBAL_LOCK_RELEASE_S, gate.set)


@contextmanager
def releasing_global_lock(http: object) -> Iterator[None]:
    """Guard a request that may be cancelled, so that it does not block all later ones."""
    try:
        yield
    except asyncio.CancelledError:
        reopen(http)
        raise


def find_client(place: object) -> discord.Client | None:
    """The client that a channel, message or interaction belongs to."""
    ask = getattr(getattr(place, "_state", None), "_get_client", None)
    client = ask() if callable(ask) else None
    return client if isinstance(client, discord.Client) else None


def register_view(client: discord.Client, view: discord.ui.View, message_id: int) -> None:
    """Let the client call a view for the buttons of a message that was not sent with discord.py."""
    store = getattr(getattr(client, "_connection", None), "store_view", None)
    if callable(store) and not view.is_finished():
        store(view, message_id)


def find_bucket(http: Any, channel_id: int, now: float) -> Bucket | None:  # noqa: ANN401
    """The rate limit of new messages in a channel; `None` if it is unknown or makes no sense."""
    route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel_id)
    hashes, buckets = getattr(http, "_bucket_hashes", {}), getattr(http, "_buckets", {})
    known = buckets.get(f"{hashes.get(route.key)}:{route.major_parameters}")
    limit, left = getattr(known, "limit", 0), getattr(known, "remaining", 0)
    if limit < 2 or not 0 <= left <= limit:
        return None
    expires = getattr(known, "expires", None)
    if expires is None or expires <= now:
        return Bucket(0, limit, 0.0)
    return Bucket(limit - left, limit, expires - now)


ATTEMPT_TIMEOUT_S = 90.0
"""Seconds to wait for a response; discord.py waits for rate limits within this time."""
GRACE_S = 0.25
"""Seconds to wait for the response once the gateway has shown the message."""
_LEFT: set[asyncio.Future[Any]] = set()
"""Abandoned requests; discord.py may hold them until their rate limit has drained."""


async def send_and_confirm(
    request: Coroutine[Any, Any, discord.Message], channel: object, nonce: str
) -> discord.Message:
    """The message that was sent, from the answer to its request or from the gateway, whichever is first."""
    answer = asyncio.ensure_future(request)
    shown = _wait_for_gateway(find_client(channel), nonce)
    try:
        async with asyncio.timeout(ATTEMPT_TIMEOUT_S):
            await asyncio.wait({answer, shown}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                # A gateway that went away has shown nothing: then only the answer counts.
                await asyncio.wait({answer}, timeout=None if _has_failed(shown) else GRACE_S)
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
