"""Operations on the whole twin: what it is, its options, its time, its state, and starting over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..clock import AdjustableClock, DrivenClock
from ..dated_changes import CHANGES
from ..options import TwinOptions
from .body_schema import number
from .operations import ControlError, OperationList
from .snapshot import SnapshotError, is_option_value, load_state, save_state, simple_options
from .views import application_view, channel_view, user_view

if TYPE_CHECKING:
    from ..state.models import Json
    from .operations import ControlCall


operations = OperationList()


@operations.add("GET", "", returns="Twin")
async def _describe(call: ControlCall) -> Json:
    """Describe the twin: addresses, bots with their tokens, first guild and user."""
    twin = call.twin
    return {
        "url": twin.base_url,
        "api": twin.api_url,
        "gateway": twin.gateway_url,
        "as_of": twin.options.as_of,
        "guild_id": str(twin.guild.id),
        "channel": channel_view(twin.channel),
        "user": user_view(twin.user),
        "bots": [application_view(one) for one in twin.state.applications.values()],
        "connected": sum(1 for one in twin.gateway.sessions.values() if one.connection),
        "unknown_routes": dict(twin.log.unknown),
        "conformance": _conformance(call),
    }


def _conformance(call: ControlCall) -> Json | None:
    check = call.twin.context.conformance
    if check is None:
        return None
    return {"checked": check.checked, "violations": [str(one) for one in check.violations[-100:]]}


@operations.add("POST", "reset")
async def _reset(call: ControlCall) -> None:
    """Start over: messages and everything added go; bots stay connected."""
    call.baseline.restore(call.twin)
    call.baseline.load(call.twin)


# Options


@operations.add("GET", "options", returns="Options")
async def _read_options(call: ControlCall) -> Json:
    """List the options that are numbers, texts or truth values."""
    return simple_options(call.twin.options)


@operations.add("PATCH", "options", is_any_body=True, returns="Options")
async def _change_options(call: ControlCall) -> Json:
    """Change options, by the names of TwinOptions."""
    known = simple_options(TwinOptions())
    for name, value in call.body.items():
        if name not in known:
            raise ControlError(400, f"there is no option {name[:100]!r} that can be set here")
        if not is_option_value(value, known[name]):
            raise ControlError(400, f"the option {name} is a {type(known[name]).__name__}")
    # On another day, what Discord changed has the value of that day again.
    dated = {one.option: known[one.option] for one in CHANGES} if "as_of" in call.body else {}
    try:
        call.twin.configure(**{**dated, **call.body})
    except ValueError as error:
        raise ControlError(400, str(error)) from None
    return simple_options(call.twin.options)


# Time


@operations.add("GET", "clock", returns="Clock")
async def _read_clock(call: ControlCall) -> Json:
    """Read the twin's time."""
    clock = call.twin.clock
    speed = clock.speed if isinstance(clock, AdjustableClock) else None
    return {"now": clock.now(), "speed": speed, "advanced": getattr(clock, "advanced", 0.0)}


@operations.add(
    "POST",
    "clock",
    {"advance": number("Seconds.", 0.0, 1e12), "speed": number("Twin seconds in a real second.", 0.001, 1e4)},
    returns="Clock",
)
async def _change_clock(call: ControlCall) -> Json:
    """Move time forward, or make it run faster."""
    clock, body = call.twin.clock, call.body
    try:
        if isinstance(clock, AdjustableClock):
            if "speed" in body:
                clock.set_speed(body["speed"])
            clock.advance(body.get("advance", 0.0))
        elif isinstance(clock, DrivenClock) and "speed" not in body:
            await clock.advance(body.get("advance", 0.0))
        else:
            raise ControlError(409, "the clock of this twin cannot be changed so")
    except ValueError as error:
        raise ControlError(400, str(error)) from None
    return await _read_clock(call)


# The state as one document


@operations.add("GET", "state", returns="State")
async def _save(call: ControlCall) -> Json:
    """Save channels, users, roles, messages, options and faults as one document."""
    return save_state(call.twin)


@operations.add("PUT", "state", is_any_body=True, returns="Loaded")
async def _load(call: ControlCall) -> Json:
    """Start over with such a document."""
    call.baseline.restore(call.twin)
    try:
        return load_state(call.twin, call.body)
    except SnapshotError as error:
        # Half a state is none: start over.
        call.baseline.restore(call.twin)
        raise ControlError(400, str(error)) from None
