"""How an answer leaves: whole, late, cut, byte by byte, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from ..faults import FaultKind

if TYPE_CHECKING:
    from ..log import Record
    from ..world import World
    from .outcomes import Outcome

__all__ = ["send"]

_HUNG_UP = frozenset({FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.CLOSE_BEFORE_COMMIT, FaultKind.GO_DARK})
_DRIPPED = frozenset({FaultKind.ACK_TRUNCATE, FaultKind.ACK_SLOW})


async def send(
    world: World, request: web.BaseRequest, record: Record, outcome: Outcome
) -> web.StreamResponse:
    """Send an answer, as its fault says."""
    kind = outcome.loss.kind if outcome.loss else None
    late = outcome.loss.seconds if outcome.loss and kind is FaultKind.ACK_DELAY else 0.0
    if world.switches.ack_delay + late:
        await world.clock.sleep(world.switches.ack_delay + late)
    if kind in _HUNG_UP:
        return _hang_up(request)
    record.status = outcome.status
    headers = {**outcome.headers, "Content-Type": outcome.content_type}
    if kind in _DRIPPED:
        return await _drip(world, request, outcome, headers)
    if outcome.status == 204:
        return web.Response(status=204, headers=outcome.headers)
    return web.Response(status=outcome.status, body=outcome.body, headers=headers)


def _hang_up(request: web.BaseRequest) -> web.Response:
    if request.transport is not None:
        request.transport.close()
    return web.Response()


async def _drip(
    world: World, request: web.BaseRequest, outcome: Outcome, headers: dict[str, str]
) -> web.StreamResponse:
    response = web.StreamResponse(status=outcome.status, headers=headers)
    response.content_length = len(outcome.body)
    await response.prepare(request)
    if outcome.loss is not None and outcome.loss.kind is FaultKind.ACK_TRUNCATE:
        await response.write(outcome.body[: len(outcome.body) // 2])
        _hang_up(request)
        return response
    for at in range(len(outcome.body)):
        await world.clock.sleep(outcome.loss.seconds if outcome.loss else 0.0)
        await response.write(outcome.body[at : at + 1])
    return response
