"""Apply the losses: faults that lose, damage or delay the response of a request that was carried out.

The message exists, but its sender does not know: the case in which a careless retry sends it twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from ..faults import CREATES, LOSSES, Fault, FaultKind
from .responses import malformed_response

if TYPE_CHECKING:
    from ..context import Context
    from ..request_log import Record
    from .responses import Outcome

_INVALID_HEADERS = {
    "X-RateLimit-Reset": "-1",
    "X-RateLimit-Reset-After": "-4.5",
    "X-RateLimit-Remaining": "-3",
}
_CLOSES_CONNECTION = frozenset(
    {FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.CLOSE_BEFORE_COMMIT, FaultKind.GO_OFFLINE}
)
_SENT_IN_PIECES = frozenset({FaultKind.ACK_TRUNCATE, FaultKind.ACK_SLOW})


def damage_response(context: Context, outcome: Outcome, record: Record) -> None:
    """Change the response of a request by the fault that matches it, or that the options draw by chance."""
    triggered = context.faults.trigger(record.route, record.channel_id, LOSSES)
    # Scheduled faults come before those that the options draw by chance.
    fault = triggered[0] if triggered else _draw_fault(context, record.route)
    if fault is None:
        return
    record.faults.append(fault.kind)
    outcome.loss = fault
    if fault.kind is FaultKind.COMMIT_THEN_STATUS:
        malformed = malformed_response(fault.status, html=fault.status not in {500, 503})
        outcome.status, outcome.body, outcome.content_type = (
            malformed.status,
            malformed.body,
            malformed.content_type,
        )
    elif fault.kind is FaultKind.ACK_GARBLED:
        # Without a body of its own: valid JSON without the fields of a message.
        outcome.body = fault.body.encode() or b'{"type": 0}'
    elif fault.kind is FaultKind.OMIT_HEADERS:
        outcome.headers = {}
    elif fault.kind is FaultKind.WRONG_HEADERS:
        outcome.headers = {**outcome.headers, **_INVALID_HEADERS}


def _draw_fault(context: Context, route: str) -> Fault | None:
    options = context.options
    if route not in CREATES:
        return None
    fault = None
    if context.chance(options.commit_then_drop_ack_chance):
        fault = Fault(FaultKind.COMMIT_THEN_DROP_ACK)
    elif context.chance(options.commit_then_status_chance):
        fault = Fault(FaultKind.COMMIT_THEN_STATUS, status=options.commit_then_status)
    if fault is not None:
        context.faults.fired[fault.kind] += 1
    return fault


async def send(
    context: Context, request: web.BaseRequest, record: Record, outcome: Outcome
) -> web.StreamResponse:
    """Send a response with the fault injected into it."""
    kind = outcome.loss.kind if outcome.loss else None
    late = outcome.loss.seconds if outcome.loss and kind is FaultKind.ACK_DELAY else 0.0
    # The request is carried out already: a client that gives up now does not know that.
    if context.options.ack_delay + late:
        await context.clock.sleep(context.options.ack_delay + late)
    # `record.status` stays 0: the client got no response.
    if kind in _CLOSES_CONNECTION:
        return _close_connection(request)
    record.status = outcome.status
    headers = {**outcome.headers, "Content-Type": outcome.content_type}
    if kind in _SENT_IN_PIECES:
        return await _send_in_pieces(context, request, outcome, headers)
    if outcome.status == 204:
        return web.Response(status=204, headers=outcome.headers)
    return web.Response(status=outcome.status, body=outcome.body, headers=headers)


def _close_connection(request: web.BaseRequest) -> web.Response:
    """Close the connection of a request without a response."""
    if request.transport is not None:
        request.transport.close()
    return web.Response()


async def _send_in_pieces(
    context: Context, request: web.BaseRequest, outcome: Outcome, headers: dict[str, str]
) -> web.StreamResponse:
    """Send a body cut off in the middle, or one byte after another."""
    response = web.StreamResponse(status=outcome.status, headers=headers)
    # The full length is announced, so that a client can notice a truncated body.
    response.content_length = len(outcome.body)
    await response.prepare(request)
    if outcome.loss is not None and outcome.loss.kind is FaultKind.ACK_TRUNCATE:
        await response.write(outcome.body[: len(outcome.body) // 2])
        _close_connection(request)
        return response
    for at in range(len(outcome.body)):
        await context.clock.sleep(outcome.loss.seconds if outcome.loss else 0.0)
        await response.write(outcome.body[at : at + 1])
    return response
