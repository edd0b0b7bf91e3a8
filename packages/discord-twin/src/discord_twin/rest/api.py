"""REST v10: every request passes the same checks, in the order in which Discord applies them.

A request is handled in one synchronous step, so it takes effect completely or not at all. Only the response is
sent asynchronously; an injected fault may delay, corrupt or drop it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import ApiError, describe_error
from ..faults import ACTS
from ..request_log import Record
from .act_faults import apply_act
from .block_faults import apply_block
from .loss_faults import damage_response, send
from .responses import Outcome, banned, error_response, limited, ok_response
from .routing import Call, Route, RouteTable, describe_unknown, template_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aiohttp import web

    from ..context import Context
    from ..options import TwinOptions
    from ..rate_limits import Admission
    from ..state.models import Application, Channel

_log = logging.getLogger(__name__)
_BODY_TIMEOUT_S = 30.0
"""Real seconds that a body may take to arrive."""
_MAX_BODY_FACTOR = 4
"""A body whose Content-Length exceeds the limit by this factor is not read at all."""
# Interactions are answered at the address of a webhook, but they are something else.
_OF_INTERACTIONS = {"webhooks.execute": "interactions.followup", "webhooks.message": "interactions.message"}


class Rest:
    """Handle requests below `/api`."""

    def __init__(self, context: Context, routes: Iterable[Route]) -> None:
        self._context = context
        self._table = RouteTable(routes)

    async def answer(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        """Answer one request; `path` is what comes after `/api/v10/`."""
        context = self._context
        # The body is read before any decision, so that every request is logged completely.
        body = await _read_body(request, context.options.request_limit)
        peer = request.transport.get_extra_info("peername") if request.transport else None
        connection = peer[1] if peer else 0
        record = Record(
            context.clock.now(),
            request.method,
            request.raw_path,
            request.raw_headers,
            body or b"",
            connection,
        )
        context.log.add(record)
        context.on_change()
        outcome = _unread(record, context.options) if body is None else self._decide(request, record, path)
        context.limits.count_invalid(outcome.status, record.scope)
        try:
            return await send(context, request, record, outcome)
        finally:
            context.on_answer(record)

    def _decide(self, request: web.BaseRequest, record: Record, path: str) -> Outcome:
        found = self._table.find(request.method, path)
        if found is None:
            return error_response(record, self._unknown(record, request.method, path))
        route, ids = found
        application = self._find_caller(request)
        kind = request.headers.get("Content-Type", "")
        call = Call(self._context, route, ids, request.query, kind, record, application)
        channel = self._channel_of(call)
        record.route, record.channel_id = self._name(call), channel.id if channel else None
        # Acts change the state first: the request meets a world that has changed.
        self._apply_acts(call, channel)
        outcome = self._check_ban(call) or apply_block(call)
        if outcome is None:
            outcome = self._handle(call, request)
            self._check_conformance(call, outcome, path)
        # A loss needs a request that took effect.
        if 200 <= outcome.status < 300:
            damage_response(self._context, outcome, record)
        return outcome

    def _unknown(self, record: Record, method: str, path: str) -> ApiError:
        route = f"{method} /{template_of(path)}"
        self._context.log.unknown[route] += 1
        record.why = said = describe_unknown(method, path)
        _log.warning("unknown route: %s", said)
        return ApiError(0, status=501, message=said) if self._context.options.strict else ApiError(0)

    # Who and where

    def _find_caller(self, request: web.BaseRequest) -> Application | None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        return self._context.state.find_application(token) if kind == "Bot" else None

    def _is_interaction(self, call: Call) -> bool:
        return _number(call.ids.get("webhook_id")) in self._context.state.applications

    def _name(self, call: Call) -> str:
        name = call.route.name
        return _OF_INTERACTIONS.get(name, name) if self._is_interaction(call) else name

    def _channel_of(self, call: Call) -> Channel | None:
        state, ids = self._context.state, call.ids
        interaction = state.interactions.get(ids.get("token") or ids.get("webhook_token") or "")
        webhook = state.webhooks.get(_number(ids.get("webhook_id")))
        channel_id = _number(ids.get("channel_id")) or _number(call.query.get("thread_id"))
        channel_id = (
            channel_id
            or (webhook.channel_id if webhook else 0)
            or (interaction.channel_id if interaction else 0)
        )
        return state.channels.get(channel_id)

    # Faults before anything is handled

    def _apply_acts(self, call: Call, channel: Channel | None) -> None:
        for fault in self._context.faults.trigger(call.record.route, call.record.channel_id, ACTS):
            call.record.faults.append(fault.kind)
            apply_act(self._context, fault, channel, call.application)

    def _check_ban(self, call: Call) -> Outcome | None:
        options, limits = self._context.options, self._context.limits
        dead_calls = self._context.state.dead_webhooks.get(_number(call.ids.get("webhook_id")), 0)
        # Cloudflare blocks clients that keep calling deleted webhooks.
        penalty = 0 < options.webhook_404_penalty <= dead_calls
        if options.cloudflare_429_html or limits.is_banned or penalty:
            return banned(call.record, limits.ban_left or 60.0)
        return None

    # Token, limits, route

    def _handle(self, call: Call, request: web.BaseRequest) -> Outcome:
        headers: dict[str, str] = {}
        try:
            # Open routes carry a secret in their path instead of a token.
            if not call.route.open:
                self._check_caller(call, request)
            if call.route.counted:
                admission = self._admit(call)
                headers = admission.headers
                if admission.is_refused:
                    return limited(call.record, admission)
            return ok_response(call.route.answer(call), headers)
        except ApiError as error:
            call.record.why = describe_error(error)
            _log.info("%s was refused: %s", call.record.route, call.record.why)
            return error_response(call.record, error, headers)
        except (AttributeError, KeyError, TypeError, ValueError):
            # A body of the wrong shape; the log tells whether it was the twin's own fault.
            _log.warning("%s: the body has the wrong shape, answering 400", call.record.route, exc_info=True)
            return error_response(call.record, ApiError(50035), headers)

    def _check_conformance(self, call: Call, outcome: Outcome, path: str) -> None:
        if self._context.conformance is None:
            return
        payload = None
        if call.record.body and outcome.status < 300:
            # A route that reads no body takes any bytes; then there is nothing to compare.
            with suppress(ApiError):
                payload = call.form.payload
        self._context.conformance.check_exchange(
            call.record.method, path.partition("?")[0], outcome.status, payload, outcome.body
        )

    def _check_caller(self, call: Call, request: web.BaseRequest) -> None:
        if call.application is None:
            raise ApiError(0, status=401, message="401: Unauthorized")
        agent = request.headers.get("User-Agent", "")
        if self._context.options.user_agent_required and not agent.startswith("DiscordBot ("):
            raise ApiError(40333)

    def _admit(self, call: Call) -> Admission:
        if self._is_interaction(call):
            caller, channel_id = "", None  # interactions are exempt from the global limit
        else:
            webhook = self._context.state.webhooks.get(_number(call.ids.get("webhook_id")))
            channel_id = webhook.channel_id if webhook else _number(call.ids.get("channel_id")) or None
            caller = f"bot {call.application.id}" if call.application else "address"
        return self._context.limits.admit(call.record.route, call.route.major(call.ids), caller, channel_id)

    # Faults after it was handled


def _unread(record: Record, options: TwinOptions) -> Outcome:
    record.why = f"the body is larger than {options.request_limit} bytes, or came too slowly"
    _log.info("could not read the body of %s %s: %s", record.method, record.path, record.why)
    outcome = error_response(record, ApiError(40005))
    # The rest of the body is still on its way and must not be read as the next request.
    outcome.headers["Connection"] = "close"
    return outcome


async def _read_body(request: web.BaseRequest, limit: int) -> bytes | None:
    """Return the body, or nothing if it is too large or does not come."""
    if not request.body_exists:
        return b""
    if (request.content_length or 0) > _MAX_BODY_FACTOR * limit:
        return None
    try:
        async with asyncio.timeout(_BODY_TIMEOUT_S):
            return await _collect(request, limit)
    except TimeoutError:
        return None


async def _collect(request: web.BaseRequest, limit: int) -> bytes | None:
    body, size = bytearray(), 0
    async for chunk in request.content.iter_any():
        size += len(chunk)
        if size <= limit:
            body += chunk
    # A body that is too long is still read to its end: a client that is writing may miss the response.
    return bytes(body) if size <= limit else None


def _number(raw: str | None) -> int:
    return int(raw) if raw and raw.isascii() and raw.isdecimal() else 0
