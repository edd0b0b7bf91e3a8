"""REST v10: every request passes the same gates, in the order in which Discord closes them.

Deciding is one synchronous step, so a request is carried out wholly or not at all; only then is the answer
sent, late, spoilt or never, as the faults say.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ..faults import ACTS, BLOCKS, CREATES, LOSSES, Fault, FaultKind, carry_out
from ..log import Record
from ..routes import ALL_ROUTES
from .refusals import (
    Outcome,
    Refusal,
    banned,
    broken,
    describe_refusal,
    done,
    invalid_form,
    limited,
    refused,
    send,
)
from .routing import Call, RouteTable, describe_unknown, template_of

if TYPE_CHECKING:
    from aiohttp import web

    from ..state.model import Application, Channel
    from ..switches import Switches
    from ..world import World
    from .rate_limits import Admission

__all__ = ["Rest"]

_LOGGER = logging.getLogger(__name__)
_PATIENCE = 30.0
"""Real seconds that a body may take to arrive."""
_HOPELESS = 4
"""A body that is announced so many times too large is not read at all."""
_SCOPES = {FaultKind.RATE_USER: "user", FaultKind.RATE_GLOBAL: "global", FaultKind.RATE_SHARED: "shared"}
_NONSENSE = {"X-RateLimit-Reset": "-1", "X-RateLimit-Reset-After": "-4.5", "X-RateLimit-Remaining": "-3"}
# Interactions are answered at the address of a webhook, but they are something else.
_OF_INTERACTIONS = {"webhooks.execute": "interactions.followup", "webhooks.message": "interactions.message"}


class Rest:
    """Answers requests below `/api`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._table = RouteTable(ALL_ROUTES)

    async def answer(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        """Answer one request; `path` is what comes after `/api/v10/`."""
        world = self._world
        body = await _read_body(request, world.switches.request_limit)
        peer = request.transport.get_extra_info("peername") if request.transport else None
        connection = peer[1] if peer else 0
        record = Record(
            world.clock.now(), request.method, request.raw_path, request.raw_headers, body or b"", connection
        )
        world.log.add(record)
        world.on_change()
        outcome = _unread(record, world.switches) if body is None else self._decide(request, record, path)
        world.limits.count_invalid(outcome.status, record.scope)
        try:
            return await send(world, request, record, outcome)
        finally:
            world.on_answer(record)

    def _decide(self, request: web.BaseRequest, record: Record, path: str) -> Outcome:
        found = self._table.find(request.method, path)
        if found is None:
            return refused(record, self._unknown(record, request.method, path))
        route, ids = found
        application = self._find_caller(request)
        kind = request.headers.get("Content-Type", "")
        call = Call(self._world, route, ids, request.query, kind, record, application)
        channel = self._channel_of(call)
        record.route, record.channel_id = self._name(call), channel.id if channel else None
        self._act(call, channel)
        outcome = self._ban(call) or self._block(call) or self._pass(call, request)
        if 200 <= outcome.status < 300:
            self._lose(outcome, record)
        return outcome

    def _unknown(self, record: Record, method: str, path: str) -> Refusal:
        route = f"{method} /{template_of(path)}"
        self._world.log.unknown[route] += 1
        record.why = said = describe_unknown(method, path)
        _LOGGER.warning("%s", said)
        return Refusal(0, status=501, message=said) if self._world.switches.strict else Refusal(0)

    # Who and where

    def _find_caller(self, request: web.BaseRequest) -> Application | None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        return self._world.state.find_application(token) if kind == "Bot" else None

    def _is_interaction(self, call: Call) -> bool:
        return _number(call.ids.get("webhook_id")) in self._world.state.applications

    def _name(self, call: Call) -> str:
        name = call.route.name
        return _OF_INTERACTIONS.get(name, name) if self._is_interaction(call) else name

    def _channel_of(self, call: Call) -> Channel | None:
        state, ids = self._world.state, call.ids
        interaction = state.interactions.get(ids.get("token") or ids.get("webhook_token") or "")
        webhook = state.webhooks.get(_number(ids.get("webhook_id")))
        place = _number(ids.get("channel_id")) or _number(call.query.get("thread_id"))
        place = (
            place or (webhook.channel_id if webhook else 0) or (interaction.channel_id if interaction else 0)
        )
        return state.channels.get(place)

    # Faults before anything is carried out

    def _act(self, call: Call, channel: Channel | None) -> None:
        for fault in self._world.faults.strike(call.record.route, call.record.channel_id, ACTS):
            call.record.faults.append(fault.kind)
            carry_out(self._world, fault, channel, call.application)

    def _ban(self, call: Call) -> Outcome | None:
        switches, limits = self._world.switches, self._world.limits
        dead_calls = self._world.state.dead_webhooks.get(_number(call.ids.get("webhook_id")), 0)
        penalty = 0 < switches.webhook_404_penalty <= dead_calls
        if switches.cloudflare_429_html or limits.is_banned or penalty:
            return banned(call.record, limits.ban_left or 60.0)
        return None

    def _block(self, call: Call) -> Outcome | None:
        record, world = call.record, self._world
        struck = world.faults.strike(record.route, record.channel_id, BLOCKS)
        if not struck:
            return None
        (fault,) = struck
        record.faults.append(fault.kind)
        if fault.kind in _SCOPES:
            major = call.route.major(call.ids)
            return limited(
                record, world.limits.refuse(record.route, major, fault.seconds, _SCOPES[fault.kind])
            )
        if fault.kind is FaultKind.CLOUDFLARE_429:
            return banned(record, world.clock.told(fault.seconds))
        if fault.kind is FaultKind.ERROR_CODE:
            found = invalid_form(fault.field, "BASE_TYPE_BAD", "") if fault.field else Refusal(fault.code)
            return refused(record, found)
        if fault.kind is FaultKind.GO_DARK:
            world.go_dark(fault.seconds)
        if fault.kind in {FaultKind.CLOSE_BEFORE_COMMIT, FaultKind.GO_DARK}:
            return Outcome(0, loss=fault)
        return broken(fault.status, html=fault.kind is FaultKind.HTML_STATUS)

    # Token, limits, route

    def _pass(self, call: Call, request: web.BaseRequest) -> Outcome:
        headers: dict[str, str] = {}
        try:
            if not call.route.open:
                self._check_caller(call, request)
            if call.route.counted:
                admission = self._admit(call)
                headers = admission.headers
                if admission.is_refused:
                    return limited(call.record, admission)
            return done(call.route.answer(call), headers)
        except Refusal as refusal:
            call.record.why = describe_refusal(refusal)
            _LOGGER.info("%s was refused: %s", call.record.route, call.record.why)
            return refused(call.record, refusal, headers)
        except (AttributeError, KeyError, TypeError, ValueError):
            # A body of the wrong shape; the log tells whether it was the twin's own fault.
            _LOGGER.warning("%s could not read its body", call.record.route, exc_info=True)
            return refused(call.record, Refusal(50035), headers)

    def _check_caller(self, call: Call, request: web.BaseRequest) -> None:
        if call.application is None:
            raise Refusal(0, status=401, message="401: Unauthorized")
        agent = request.headers.get("User-Agent", "")
        if self._world.switches.user_agent_required and not agent.startswith("DiscordBot ("):
            raise Refusal(40333)

    def _admit(self, call: Call) -> Admission:
        if self._is_interaction(call):
            caller, place = "", None  # interactions are exempt from the global limit
        else:
            webhook = self._world.state.webhooks.get(_number(call.ids.get("webhook_id")))
            place = webhook.channel_id if webhook else _number(call.ids.get("channel_id")) or None
            caller = f"bot {call.application.id}" if call.application else "address"
        return self._world.limits.admit(call.record.route, call.route.major(call.ids), caller, place)

    # Faults after it was carried out

    def _lose(self, outcome: Outcome, record: Record) -> None:
        struck = self._world.faults.strike(record.route, record.channel_id, LOSSES)
        fault = struck[0] if struck else self._draw_loss(record.route)
        if fault is None:
            return
        record.faults.append(fault.kind)
        outcome.loss = fault
        if fault.kind is FaultKind.COMMIT_THEN_STATUS:
            spoilt = broken(fault.status, html=fault.status not in {500, 503})
            outcome.status, outcome.body, outcome.content_type = (
                spoilt.status,
                spoilt.body,
                spoilt.content_type,
            )
        elif fault.kind is FaultKind.ACK_GARBLED:
            outcome.body = b'{"type": 0}'
        elif fault.kind is FaultKind.OMIT_HEADERS:
            outcome.headers = {}
        elif fault.kind is FaultKind.WRONG_HEADERS:
            outcome.headers = {**outcome.headers, **_NONSENSE}

    def _draw_loss(self, route: str) -> Fault | None:
        switches, world = self._world.switches, self._world
        if route not in CREATES:
            return None
        fault = None
        if world.chance(switches.commit_then_drop_ack_chance):
            fault = Fault(FaultKind.COMMIT_THEN_DROP_ACK)
        elif world.chance(switches.commit_then_status_chance):
            fault = Fault(FaultKind.COMMIT_THEN_STATUS, status=switches.commit_then_status)
        if fault is not None:
            world.faults.fired[fault.kind] += 1
        return fault


def _unread(record: Record, switches: Switches) -> Outcome:
    record.why = f"the body is larger than {switches.request_limit} bytes, or came too slowly"
    _LOGGER.info("%s was refused: %s", record.method, record.why)
    outcome = refused(record, Refusal(40005))
    outcome.headers["Connection"] = "close"
    return outcome


async def _read_body(request: web.BaseRequest, limit: int) -> bytes | None:
    """The body, or nothing if it is too large or does not come."""
    if not request.body_exists:
        return b""
    if (request.content_length or 0) > _HOPELESS * limit:
        return None
    try:
        async with asyncio.timeout(_PATIENCE):
            return await _collect(request, limit)
    except TimeoutError:
        return None


async def _collect(request: web.BaseRequest, limit: int) -> bytes | None:
    body, size = bytearray(), 0
    async for chunk in request.content.iter_any():
        size += len(chunk)
        if size <= limit:
            body += chunk
    # What is too long is read to its end all the same: a client that is still writing may miss the answer.
    return bytes(body) if size <= limit else None


def _number(raw: str | None) -> int:
    return int(raw) if raw and raw.isascii() and raw.isdecimal() else 0
