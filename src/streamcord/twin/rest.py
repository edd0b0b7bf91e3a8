"""REST v10: every request passes the same gates, in the order in which Discord closes them.

Deciding is one synchronous step, so a request is carried out wholly or not at all; only then is the answer
sent, late, spoilt or never, as the faults say.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import web

from .acts import carry_out
from .faults import ACTS, BLOCKS, CREATES, LOSSES, Fault, FaultKind
from .log import Record
from .refusals import CODES, Refusal
from .routes import ALL_ROUTES
from .routing import Call, Reply, RouteTable

if TYPE_CHECKING:
    from .limits import Admission
    from .model import Application, Channel
    from .world import World

__all__ = ["Rest"]

_LOGGER = logging.getLogger(__name__)
_JSON = "application/json"  # exactly: with a charset, discord.py hands the text to its parsers undecoded
_HTML = "text/html; charset=UTF-8"
_VIA = {"Via": "1.1 google"}
_PAGE = b"<!DOCTYPE html><title>%d</title><h1>The web server reported an error</h1>"
_BANNED = b"<!DOCTYPE html><title>Access denied</title><h1>Error 1015</h1><p>You are being rate limited.</p>"


@dataclass(slots=True)
class Outcome:
    """An answer before it is sent."""

    status: int
    body: bytes = b""
    content_type: str = _JSON
    headers: dict[str, str] = field(default_factory=dict)
    loss: Fault | None = None


class Rest:
    """Answers requests below `/api`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._table = RouteTable(ALL_ROUTES)

    async def answer(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        """Answer one request; `path` is what comes after `/api/v10/`."""
        body = await _read_body(request, self._world.switches.request_limit)
        record = Record(
            self._world.clock.now(),
            request.method,
            request.raw_path,
            request.raw_headers,
            body or b"",
            id(request.protocol),
        )
        self._world.log.requests.append(record)
        self._world.on_change()
        outcome = _refused(record, Refusal(40005)) if body is None else self._decide(request, record, path)
        self._world.limits.count_invalid(outcome.status, record.scope)
        return await self._send(request, record, outcome)

    # Deciding

    def _decide(self, request: web.BaseRequest, record: Record, path: str) -> Outcome:
        found = self._table.find(request.method, path)
        if found is None:
            return _refused(record, Refusal(0))
        route, ids = found
        application = self._find_caller(request)
        call = Call(
            self._world,
            route,
            ids,
            request.query,
            request.headers.get("Content-Type", ""),
            record,
            application,
        )
        channel = self._channel_of(call)
        record.route, record.channel_id = route.name, channel.id if channel else None
        self._act(call, channel)
        outcome = self._blocked(call, record) or self._gated(call, request, record)
        if outcome.status < 300:
            self._lose(outcome, record)
        return outcome

    def _find_caller(self, request: web.BaseRequest) -> Application | None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        return self._world.state.find_application(token) if kind == "Bot" else None

    def _channel_of(self, call: Call) -> Channel | None:
        state, ids = self._world.state, call.ids
        interaction = state.interactions.get(ids.get("token") or ids.get("webhook_token") or "")
        webhook = state.webhooks.get(_number(ids.get("webhook_id")))
        place = _number(ids.get("channel_id")) or _number(call.query.get("thread_id"))
        place = (
            place or (webhook.channel_id if webhook else 0) or (interaction.channel_id if interaction else 0)
        )
        return state.channels.get(place)

    def _act(self, call: Call, channel: Channel | None) -> None:
        for fault in self._world.faults.strike(call.route.name, call.record.channel_id, ACTS):
            call.record.faults.append(fault.kind)
            carry_out(self._world, fault, channel, call.application)

    def _blocked(self, call: Call, record: Record) -> Outcome | None:
        switches, limits = self._world.switches, self._world.limits
        dead_calls = self._world.state.dead_webhooks.get(_number(call.ids.get("webhook_id")), 0)
        penalty = 0 < switches.webhook_404_penalty <= dead_calls
        if switches.cloudflare_429_html or limits.is_banned or penalty:
            return _cloudflare(record, limits.ban_left or 60.0)
        for fault in self._world.faults.strike(call.route.name, record.channel_id, BLOCKS):
            record.faults.append(fault.kind)
            return self._block(call, record, fault)
        return None

    def _block(self, call: Call, record: Record, fault: Fault) -> Outcome:
        scopes = {
            FaultKind.RATE_USER: "user",
            FaultKind.RATE_GLOBAL: "global",
            FaultKind.RATE_SHARED: "shared",
        }
        if fault.kind in scopes:
            limits, major = self._world.limits, call.route.major(call.ids)
            return _limited(record, limits.refuse(call.route.name, major, fault.seconds, scopes[fault.kind]))
        if fault.kind is FaultKind.CLOUDFLARE_429:
            return _cloudflare(record, self._world.clock.told(fault.seconds))
        if fault.kind is FaultKind.ERROR_CODE:
            return _refused(record, Refusal(fault.code))
        if fault.kind is FaultKind.CLOSE_BEFORE_COMMIT:
            return Outcome(0, loss=fault)
        return _server_error(fault.status, html=fault.kind is FaultKind.HTML_STATUS)

    def _gated(self, call: Call, request: web.BaseRequest, record: Record) -> Outcome:
        headers: dict[str, str] = {}
        try:
            if not call.route.open:
                self._check_caller(call, request)
            if call.route.counted:
                admission = self._admit(call)
                headers = admission.headers
                if admission.is_refused:
                    return _limited(record, admission)
            return _outcome(call.route.answer(call), headers)
        except Refusal as refusal:
            return _refused(record, refusal, headers)
        except (KeyError, TypeError, ValueError, AttributeError):
            # A body of the wrong shape; the log tells whether it was the twin's own fault.
            _LOGGER.warning("%s could not read its body", call.route.name, exc_info=True)
            return _refused(record, Refusal(50035), headers)

    def _check_caller(self, call: Call, request: web.BaseRequest) -> None:
        if call.application is None:
            raise Refusal(0, status=401, message="401: Unauthorized")
        agent = request.headers.get("User-Agent", "")
        if self._world.switches.user_agent_required and not agent.startswith("DiscordBot ("):
            raise Refusal(40333)

    def _admit(self, call: Call) -> Admission:
        state, ids = self._world.state, call.ids
        webhook_id = _number(ids.get("webhook_id"))
        if webhook_id in state.applications:
            caller, hidden = "", None  # interactions are exempt from the global limit
        else:
            webhook = state.webhooks.get(webhook_id)
            hidden = webhook.channel_id if webhook else _number(ids.get("channel_id")) or None
            caller = f"bot {call.application.id}" if call.application else "address"
        return self._world.limits.admit(call.route.name, call.route.major(ids), caller, hidden)

    def _lose(self, outcome: Outcome, record: Record) -> None:
        struck = self._world.faults.strike(record.route, record.channel_id, LOSSES)
        fault = struck[0] if struck else self._chance_loss(record.route)
        if fault is None:
            return
        record.faults.append(fault.kind)
        outcome.loss = fault
        if fault.kind is FaultKind.COMMIT_THEN_STATUS:
            spoilt = _server_error(fault.status, html=fault.status not in {500, 503})
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
            wrong = {
                "X-RateLimit-Reset": "-1",
                "X-RateLimit-Reset-After": "-4.5",
                "X-RateLimit-Remaining": "-3",
            }
            outcome.headers = {**outcome.headers, **wrong}

    def _chance_loss(self, route: str) -> Fault | None:
        switches = self._world.switches
        if route not in CREATES:
            return None
        if self._world.chance(switches.commit_then_drop_ack_chance):
            return Fault(FaultKind.COMMIT_THEN_DROP_ACK)
        if self._world.chance(switches.commit_then_status_chance):
            return Fault(FaultKind.COMMIT_THEN_STATUS, status=switches.commit_then_status)
        return None

    # Sending

    async def _send(self, request: web.BaseRequest, record: Record, outcome: Outcome) -> web.StreamResponse:
        kind = outcome.loss.kind if outcome.loss else None
        wait = self._world.switches.ack_delay + (
            outcome.loss.seconds if outcome.loss and kind is FaultKind.ACK_DELAY else 0.0
        )
        if wait:
            await self._world.clock.sleep(wait)
        if kind in {FaultKind.COMMIT_THEN_DROP_ACK, FaultKind.CLOSE_BEFORE_COMMIT}:
            return _hang_up(request)
        record.status = outcome.status
        headers = {**outcome.headers, "Content-Type": outcome.content_type}
        if kind is FaultKind.ACK_TRUNCATE or kind is FaultKind.ACK_SLOW:
            return await self._drip(request, outcome, headers)
        if outcome.status == 204:
            return web.Response(status=204, headers=outcome.headers)
        return web.Response(status=outcome.status, body=outcome.body, headers=headers)

    async def _drip(
        self, request: web.BaseRequest, outcome: Outcome, headers: dict[str, str]
    ) -> web.StreamResponse:
        response = web.StreamResponse(status=outcome.status, headers=headers)
        response.content_length = len(outcome.body)
        await response.prepare(request)
        if outcome.loss is not None and outcome.loss.kind is FaultKind.ACK_TRUNCATE:
            await response.write(outcome.body[: len(outcome.body) // 2])
            _hang_up(request)
            return response
        for at in range(len(outcome.body)):
            await self._world.clock.sleep(outcome.loss.seconds if outcome.loss else 0.0)
            await response.write(outcome.body[at : at + 1])
        return response
