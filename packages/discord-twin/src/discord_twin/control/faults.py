"""Operations that make Discord fail: faults of single requests, the gateway, outages."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from ..faults import Fault, FaultKind
from ..routes.table import ALL_ROUTES
from ..state.permissions import Permission
from .body_schema import array, boolean, integer, number, text
from .lookup import find_channel
from .operations import ControlError, OperationList
from .views import fault_view

if TYPE_CHECKING:
    from ..state.models import Json
    from .operations import ControlCall

operations = OperationList()
_KINDS = tuple(one.name for one in FaultKind)
_PERMISSIONS = {one.name: one for one in Permission if one.name}
# Interactions are answered at the address of a webhook, but their faults are named apart.
ROUTE_NAMES = tuple(
    sorted({*(one.name for one in ALL_ROUTES), "interactions.followup", "interactions.message"})
)
FAULT_FIELDS: Json = {
    "kind": text("What happens; GET /control/faults explains each.", choices=_KINDS),
    "routes": array(
        text("Such as messages.create.", choices=ROUTE_NAMES),
        "Requests that trigger it: those that create messages if left out, all if empty.",
    ),
    "after": integer("Such requests that pass before it.", maximum=1_000_000),
    "channel": text("Id or name: only requests about this channel.", max_chars=100),
    "times": integer("How many requests it hits; 1 if left out.", 1, 1_000_000),
    "status": integer("Of the answer; the close code of GATEWAY_DROP.", 100, 4999),
    "code": integer("The code of ERROR_CODE."),
    "field": text("For ERROR_CODE 50035: the field at fault.", max_chars=200),
    "seconds": number("Delay, retry_after, or the duration of an outage.", maximum=86_400.0),
    "body": text("Of FAKE_SUCCESS and ACK_GARBLED."),
    "permission": text("What PERM_REVOKE takes away.", choices=tuple(_PERMISSIONS)),
    "resumable": boolean("For GATEWAY_INVALID."),
}
_OUTAGE_SECONDS = number("How long; 5 if left out.", 0.01, 3600.0)
_PLAIN = frozenset({one.name for one in fields(Fault)} - {"kind", "routes", "channel_id", "permission"})


def make_fault(call: ControlCall, given: Json) -> Fault:
    """Return the fault that a body describes."""
    chosen = {name: value for name, value in given.items() if name in _PLAIN}
    if "routes" in given:
        chosen["routes"] = tuple(given["routes"])
    if "channel" in given:
        chosen["channel_id"] = find_channel(call.twin, given["channel"]).id
    if "permission" in given:
        chosen["permission"] = int(_PERMISSIONS[given["permission"]])
    return Fault(FaultKind[given["kind"]], **chosen)


@operations.add("GET", "faults", returns="Faults")
async def _list_faults(call: ControlCall) -> Json:
    """List pending faults, those that happened, and all kinds."""
    faults = call.twin.faults
    return {
        "pending": [fault_view(one) for one in faults.pending],
        "fired": {kind.name: count for kind, count in faults.fired.items()},
        "kinds": {kind.name: kind.value for kind in FaultKind},
    }


@operations.add("POST", "faults", FAULT_FIELDS, required=("kind",), returns="Fault")
async def _add_fault(call: ControlCall) -> Json:
    """Let a later request fail, or change the server just before it."""
    fault = make_fault(call, call.body)
    if not 100 <= fault.status <= 599 and fault.kind is not FaultKind.GATEWAY_DROP:
        raise ControlError(400, "body.status: not between 100 and 599")
    call.twin.faults.add(fault)
    return fault_view(fault)


@operations.add("DELETE", "faults")
async def _clear_faults(call: ControlCall) -> None:
    """Forget all pending faults."""
    call.twin.faults.clear()


@operations.add(
    "POST",
    "gateway",
    {
        "do": text(
            "Close with a code, break, ask for a reconnect (op 7), or invalidate (op 9).",
            choices=("drop", "abort", "reconnect", "invalidate"),
        ),
        "code": integer("The close code of drop; 4000 if left out.", 1000, 4999),
        "resumable": boolean("For invalidate."),
    },
    required=("do",),
    returns="Disturbed",
)
async def _disturb_gateway(call: ControlCall) -> Json:
    """Disturb all gateway connections."""
    gateway, body = call.twin.gateway, call.body
    count = len(gateway.connections)
    match body["do"]:
        case "drop":
            gateway.drop(body.get("code", 4000))
        case "abort":
            gateway.abort()
        case "reconnect":
            gateway.ask_reconnect()
        case _:
            gateway.invalidate(resumable=body.get("resumable", False))
    return {"connections": count}


@operations.add("POST", "outage", {"seconds": _OUTAGE_SECONDS}, returns="Outage")
async def _go_offline(call: ControlCall) -> Json:
    """Refuse all connections for a while, also those to this API."""
    seconds = call.body.get("seconds", 5.0)
    # The answer to this request leaves first.
    call.twin.context.go_offline(seconds)
    return {"seconds": seconds}
