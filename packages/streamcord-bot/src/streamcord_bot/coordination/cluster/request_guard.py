"""The last look before a request is written: whether this process still holds what it speaks for.

aiohttp asks here when it has a connection, and again when it writes the body, with which the first line goes
out. A process that is stopped in the few steps between that look and the first byte, and wakes too late,
finds its lines shut: the signal that wakes it comes before its next step. What is stopped just there by other
means (a whole machine, say) is found in the channel by whoever goes on.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, SimpleNamespace
from typing import Any

import aiohttp

__all__ = ["LeaseExpiredError", "guard_requests", "shut_when_woken"]

_READING = frozenset({"GET", "HEAD"})


class LeaseExpiredError(aiohttp.ConnectionTimeoutError):
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
            raise LeaseExpiredError("this process is not sure that it still holds its lease")

    trace.on_request_start.append(note)
    trace.on_connection_reuseconn.append(look)
    trace.on_connection_create_end.append(look)
    trace.on_request_chunk_sent.append(look)
    return trace


@contextmanager
def shut_when_woken(may_send: Callable[[], bool], connector: Callable[[], object]) -> Iterator[None]:
    """Shut the lines of all requests under way when this process is woken, unless `may_send` says yes."""

    def wake(_signal: int, _frame: FrameType | None) -> None:
        if not may_send():
            for line in _lines(connector()):
                # Not by asyncio, which may be about to write in this very moment.
                with suppress(OSError):
                    line.shutdown(socket.SHUT_WR)

    try:
        before = signal.signal(signal.SIGCONT, wake)
    except (AttributeError, ValueError):
        # Nobody is stopped by signals here, or another thread hears of them.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, before)


def _lines(connector: object) -> list[Any]:
    """The sockets of requests; gateways are not among them."""
    found = []
    for one in list(getattr(connector, "_acquired", ())):
        transport = getattr(one, "transport", None)
        if transport is not None and not getattr(one, "upgraded", False):
            found.append(transport.get_extra_info("socket"))
    return [line for line in found if line is not None]
