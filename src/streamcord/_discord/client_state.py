"""What discord.py knows and does not show: its client, its HTTP side, the state of a rate limit.

These are private names of discord.py 2.x, so everything here may find nothing. Then we count rate limits for
ourselves and do without the gateway.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import discord
from discord.http import Route

__all__ = ["Bucket", "find_bucket", "find_client", "find_http", "reopen", "reopening"]


GATE_PAUSE = 5.0
"""How long a gate that nobody would open stays shut: longer than most global limits."""


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
        asyncio.get_running_loop().call_later(GATE_PAUSE, gate.set)


@contextmanager
def reopening(http: object) -> Iterator[None]:
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
