"""Serve the control API of a twin below `/control`.

A page of another site must not reach it, although it listens on this machine: the twin refuses a foreign `Host` or
`Origin`, and this module refuses what a browser marks as coming from another site, and bodies that are not declared as
JSON, which a form or a `no-cors` request cannot send.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from aiohttp import web

from ..users.fake_user import ActionUnavailable
from . import faults, inspection, options_and_time, setup, user_actions
from .body_schema import InvalidBody, check, record
from .openapi import describe_api
from .operations import ControlCall, ControlError, OperationTable
from .reset import Baseline

if TYPE_CHECKING:
    from ..server import Twin
    from ..state.models import Json
    from .operations import Operation

_log = logging.getLogger(__name__)
_MAX_BODY_BYTES = 64 << 20
_MAX_WAITING = 200
"""Requests that may be under way at once; most of them wait for something."""
_OWN_SITE = {None, "none", "same-origin"}
OPERATIONS = (
    *options_and_time.operations,
    *setup.operations,
    *user_actions.operations,
    *inspection.operations,
    *faults.operations,
)


class ControlApi:
    """The HTTP control API of one twin, at `/control`; the document is at `/control/openapi.json`.

    Args:
        twin: The twin.
        state: What it begins with, as `GET /control/state` returns it. `POST /control/reset` brings the twin back to
            how it was when this object was created, and loads this state.

    Raises:
        SnapshotError: The state is wrong.

    Example:
        async with Twin() as twin:
            ControlApi(twin)
            print("documented at", f"{twin.base_url}/control/openapi.json")

    """

    def __init__(self, twin: Twin, state: Json | None = None) -> None:
        self._twin = twin
        self._baseline = Baseline(twin, state)
        self._baseline.load(twin)
        self._table = OperationTable(OPERATIONS)
        self._under_way = 0
        twin.mount("control", self._answer)

    async def _answer(self, request: web.BaseRequest, rest: str) -> web.StreamResponse:
        if request.headers.get("Sec-Fetch-Site") not in _OWN_SITE:
            return _refused(403, "the control API answers no page of another site")
        if self._under_way >= _MAX_WAITING:
            return _refused(503, f"{_MAX_WAITING} requests to the control API are under way already")
        self._under_way += 1
        try:
            return await self._carry_out(request, rest)
        except ControlError as error:
            return _refused(error.status, str(error))
        except (ActionUnavailable, InvalidBody) as error:
            return _refused(409 if isinstance(error, ActionUnavailable) else 400, str(error))
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            # A value that no schema can describe, such as an option of a command of the wrong type.
            _log.warning("%s /control/%s failed", request.method, rest[:100], exc_info=True)
            return _refused(400, f"{type(error).__name__}: {str(error)[:200]}")
        finally:
            self._under_way -= 1

    async def _carry_out(self, request: web.BaseRequest, rest: str) -> web.StreamResponse:
        if rest == "openapi.json" and request.method == "GET":
            return _json(describe_api(self._table.operations))
        operation, ids = self._table.find(request.method, rest)
        call = ControlCall(
            self._twin,
            self._baseline,
            ids,
            await _read_body(request, operation),
            _read_query(request, operation),
        )
        answer = await operation.answer(call)
        return web.Response(status=204) if answer is None else _json(answer)


async def _read_body(request: web.BaseRequest, operation: Operation) -> Json:
    if operation.method in {"GET", "DELETE"}:
        return {}
    if request.content_type != "application/json" and request.body_exists:
        raise ControlError(415, "send JSON with the header Content-Type: application/json")
    body: Any = {}
    raw = bytearray()
    async for chunk in request.content.iter_any():
        raw += chunk
        if len(raw) > _MAX_BODY_BYTES:
            raise ControlError(413, f"a body has {_MAX_BODY_BYTES >> 20} MiB at most")
    # Browsers send a body with POST only if there is one; without one there is no type to check.
    if not raw and request.content_type != "application/json" and request.headers.get("Origin") is not None:
        raise ControlError(415, "send JSON with the header Content-Type: application/json")
    if raw:
        try:
            body = json.loads(bytes(raw))
        except (UnicodeDecodeError, ValueError, RecursionError):
            raise ControlError(400, "the body is no JSON") from None
    check(record() if operation.is_any_body else record(operation.body, operation.required), body)
    return dict(body)


def _read_query(request: web.BaseRequest, operation: Operation) -> Json:
    query: Json = {}
    for name, value in request.query.items():
        schema = operation.query.get(name)
        if schema is None:
            raise ControlError(400, f"query: there is no parameter {name[:100]!r}")
        # Numbers in a query are texts.
        is_number = schema["type"] == "integer" and value.isascii() and value.isdecimal() and len(value) < 20
        query[name] = int(value) if is_number else value
        check(schema, query[name], f"query.{name}")
    return query


def _json(value: object, status: int = 200) -> web.Response:
    headers = {
        "Content-Type": "application/json",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return web.Response(status=status, body=json.dumps(value).encode(), headers=headers)


def _refused(status: int, why: str) -> web.Response:
    return _json({"error": why}, status)
