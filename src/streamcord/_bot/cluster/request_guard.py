"""The last look before a request is written: whether this process still holds what it speaks for.

aiohttp asks here when it has a connection, and again when it writes the body, with which the first line goes
out. Nothing lies between that look and the first byte but a few steps of this process; what is stopped just
there is found in the channel by whoever goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import aiohttp

__all__ = ["FencedRequest", "guard_requests"]

_READING = frozenset({"GET", "HEAD"})


class FencedRequest(aiohttp.ConnectionTimeoutError):
    """Nothing was sent: the process is not sure that it may."""


def guard_requests(may_send: Callable[[], bool]) -> aiohttp.TraceConfig:
    """Refuse requests that change something while `may_send` says no."""
    trace = aiohttp.TraceConfig()

    async def note(
        _session: object, context: SimpleNamespace, params: aiohttp.TraceRequestStartParams
    ) -> None:
        context.method = params.method
        _look(context)

    async def look(_session: object, context: SimpleNamespace, _params: Any) -> None:  # noqa: ANN401
        _look(context)

    def _look(context: SimpleNamespace) -> None:
        if context.method not in _READING and not may_send():
            raise FencedRequest("this process is not sure that it still holds its lease")

    trace.on_request_start.append(note)
    trace.on_connection_reuseconn.append(look)
    trace.on_connection_create_end.append(look)
    trace.on_request_chunk_sent.append(look)
    return trace
