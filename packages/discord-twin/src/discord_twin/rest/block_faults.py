"""Apply the blocks: faults that answer a request instead of handling it, such as a 429 or a server error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ApiError, invalid_form
from ..faults import BLOCKS, FaultKind
from .responses import Outcome, banned, error_response, fake_success, limited, malformed_response

if TYPE_CHECKING:
    from .routing import Call

_SCOPES = {FaultKind.RATE_USER: "user", FaultKind.RATE_GLOBAL: "global", FaultKind.RATE_SHARED: "shared"}


def apply_block(call: Call) -> Outcome | None:
    """Return the response of the block that matches a request, or None if there is none."""
    record, context = call.record, call.context
    triggered = context.faults.trigger(record.route, record.channel_id, BLOCKS)
    if not triggered:
        return None
    # `trigger` returns at most one block.
    (fault,) = triggered
    record.faults.append(fault.kind)
    if fault.kind in _SCOPES:
        major = call.route.major(call.ids)
        return limited(record, context.limits.refuse(record.route, major, fault.seconds, _SCOPES[fault.kind]))
    if fault.kind is FaultKind.CLOUDFLARE_429:
        return banned(record, context.clock.to_client_seconds(fault.seconds))
    if fault.kind is FaultKind.ERROR_CODE:
        found = invalid_form(fault.field, "BASE_TYPE_BAD", "") if fault.field else ApiError(fault.code)
        return error_response(record, found)
    if fault.kind is FaultKind.GO_OFFLINE:
        context.go_offline(fault.seconds)
    # Status 0 closes the connection without a response.
    if fault.kind in {FaultKind.CLOSE_BEFORE_COMMIT, FaultKind.GO_OFFLINE}:
        return Outcome(0, loss=fault)
    is_fake = fault.kind is FaultKind.FAKE_SUCCESS
    html = fault.kind is FaultKind.HTML_STATUS
    return fake_success(fault.body) if is_fake else malformed_response(fault.status, html=html)
