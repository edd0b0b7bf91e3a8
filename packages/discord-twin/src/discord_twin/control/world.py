"""Operations on the whole twin: what it is, its options, its time, its state, and starting over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..clock import AdjustableClock, DrivenClock
from ..eras import CHANGES
from ..options import TwinOptions
from .body import number
from .operations import ControlError, Operation
from .snapshot import SnapshotError, is_option_value, load_state, save_state, simple_options
from .views import application_view, channel_view, user_view

if TYPE_CHECKING:
    from ..state.models import Json
    from .operations import ControlCall


async def _describe(call: ControlCall) -> Json:
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


async def _reset(call: ControlCall) -> None:
    call.baseline.restore(call.twin)
    call.baseline.load(call.twin)


# Options


async def _read_options(call: ControlCall) -> Json:
    return simple_options(call.twin.options)


async def _change_options(call: ControlCall) -> Json:
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


async def _read_clock(call: ControlCall) -> Json:
    clock = call.twin.clock
    speed = clock.speed if isinstance(clock, AdjustableClock) else None
    return {"now": clock.now(), "speed": speed, "advanced": getattr(clock, "advanced", 0.0)}


async def _change_clock(call: ControlCall) -> Json:
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


async def _save(call: ControlCall) -> Json:
    return save_state(call.twin)


async def _load(call: ControlCall) -> Json:
    call.baseline.restore(call.twin)
    try:
        return load_state(call.twin, call.body)
    except SnapshotError as error:
        # Half a state is none: start over.
        call.baseline.restore(call.twin)
        raise ControlError(400, str(error)) from None


OPERATIONS = (
    Operation(
        "GET",
        "",
        "Describe the twin: addresses, bots with their tokens, first guild and user",
        _describe,
        returns="Twin",
    ),
    Operation("POST", "reset", "Start over: messages and everything added go; bots stay connected", _reset),
    Operation(
        "GET",
        "options",
        "List the options that are numbers, texts or truth values",
        _read_options,
        returns="Options",
    ),
    Operation(
        "PATCH",
        "options",
        "Change options, by the names of TwinOptions",
        _change_options,
        is_any_body=True,
        returns="Options",
    ),
    Operation("GET", "clock", "Read the twin's time", _read_clock, returns="Clock"),
    Operation(
        "POST",
        "clock",
        "Move time forward, or make it run faster",
        _change_clock,
        {
            "advance": number("Seconds.", 0.0, 1e12),
            "speed": number("Twin seconds in a real second.", 0.001, 1e4),
        },
        returns="Clock",
    ),
    Operation(
        "GET",
        "state",
        "Save channels, users, roles, messages, options and faults as one document",
        _save,
        returns="State",
    ),
    Operation("PUT", "state", "Start over with such a document", _load, is_any_body=True, returns="Loaded"),
)
