"""Check the lease immediately before a request is written.

aiohttp calls the trace when it has a connection, and again when it writes the body, which is sent together with the
request line. If the process is suspended between that check and the first byte and continues too late, SIGCONT
arrives before its next step and the handler shuts the sockets. If a whole machine is suspended just there, the
process that resumes the answer finds the message in the channel.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, SimpleNamespace
from typing import Any

import aiohttp

_READ_METHODS = frozenset({"GET", "HEAD"})


class LeaseExpiredError(aiohttp.ConnectionTimeoutError):
    """The request was not sent because the lease may have expired."""


def guard_requests(may_send: Callable[[], bool]) -> aiohttp.TraceConfig:
    """Return a trace that refuses requests which change something while `may_send` returns false."""
    trace = aiohttp.TraceConfig()

    async def start(
        _session: object, context: SimpleNamespace, params: aiohttp.TraceRequestStartParams
    ) -> None:
        context.method = params.method
        check(context)

    async def check_again(_session: object, context: SimpleNamespace, _params: Any) -> None:  # noqa: ANN401
        check(context)

    def check(context: SimpleNamespace) -> None:
        if context.method not in _READ_METHODS and not may_send():
            raise LeaseExpiredError("the lease of this process may have expired: request not sent")

    trace.on_request_start.append(start)
    trace.on_connection_reuseconn.append(check_again)
    trace.on_connection_create_end.append(check_again)
    trace.on_request_chunk_sent.append(check_again)
    return trace


@contextmanager
def close_sockets_on_wake(may_send: Callable[[], bool], connector: Callable[[], object]) -> Iterator[None]:
    """Shut the sockets of all running requests when the process continues and `may_send` returns false."""

    def on_continue(_signal: int, _frame: FrameType | None) -> None:
        if not may_send():
            for open_socket in _request_sockets(connector()):
                # Not through asyncio, which may be in the middle of a write.
                with suppress(OSError):
                    open_socket.shutdown(socket.SHUT_WR)

    try:
        before = signal.signal(signal.SIGCONT, on_continue)
    except (AttributeError, ValueError):
        # The platform has no SIGCONT, or this is not the main thread.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, before)


def _request_sockets(connector: object) -> list[Any]:
    """Return the sockets of running requests, without gateway connections."""
    found = []
    for one in list(getattr(connector, "_acquired", ())):
        transport = getattr(one, "transport", None)
        if transport is not None and not getattr(one, "upgraded", False):
            found.append(transport.get_extra_info("socket"))
    return [one for one in found if one is not None]
