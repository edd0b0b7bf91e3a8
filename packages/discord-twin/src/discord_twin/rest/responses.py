"""Build the HTTP responses of requests: results, errors, rate limits, pages of the proxy in front of Discord."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..errors import ApiError
    from ..faults import Fault
    from ..rate_limits import Admission
    from ..request_log import Record
    from .routing import Reply

_JSON = "application/json"  # exactly: with a charset, discord.py hands the text to its parsers undecoded
_HTML = "text/html; charset=UTF-8"
# Responses of Discord carry it, pages of Cloudflare do not; clients tell them apart by it.
_VIA = {"Via": "1.1 google"}
_PAGE = b"<!DOCTYPE html><title>%d</title><h1>The web server reported an error</h1>"
_BANNED = b"<!DOCTYPE html><title>Access denied</title><h1>Error 1015</h1><p>You are being rate limited.</p>"


@dataclass(slots=True)
class Outcome:
    """A response and the fault injected into it; status 0 closes the connection without a response."""

    status: int
    body: bytes = b""
    content_type: str = _JSON
    headers: dict[str, str] = field(default_factory=dict)
    loss: Fault | None = None


def ok_response(reply: Reply, headers: dict[str, str]) -> Outcome:
    """Build the response of a request that was handled."""
    body = b"" if reply.status == 204 else _dump(reply.payload)
    return Outcome(reply.status, body, headers={**headers, **_VIA})


def error_response(record: Record, error: ApiError, headers: dict[str, str] | None = None) -> Outcome:
    """Build the response of a request that a rule or a route refused."""
    record.code = error.code
    body = error.body()
    if error.status == 429:
        # Write limits of a channel or guild are shared by all who write there.
        record.scope = "shared"
        body |= {"retry_after": error.retry_after, "global": False}
        retry_headers = {"Retry-After": str(math.ceil(error.retry_after)), "X-RateLimit-Scope": "shared"}
        headers = {**(headers or {}), **retry_headers}
    return Outcome(error.status, _dump(body), headers={**(headers or {}), **_VIA})


def limited(record: Record, admission: Admission) -> Outcome:
    """Build the 429 of a rate limit."""
    record.scope = admission.scope
    body = {
        "message": "You are being rate limited.",
        "retry_after": admission.retry_after,
        "global": admission.scope == "global",
    }
    return Outcome(429, _dump(body), headers={**admission.headers, **_VIA})


def banned(record: Record, seconds: float) -> Outcome:
    """Build the page that Cloudflare sends to a banned address."""
    record.scope = "cloudflare"
    return Outcome(429, _BANNED, _HTML, {"Retry-After": str(int(seconds) + 1), "Server": "cloudflare"})


def malformed_response(status: int, *, html: bool) -> Outcome:
    """Build the response of a failing server."""
    if html:
        return Outcome(status, _PAGE % status, _HTML, {"Server": "cloudflare"})
    return Outcome(status, _dump({"message": f"{status}: Server Error", "code": 0}), headers=dict(_VIA))


def fake_success(body: str) -> Outcome:
    """Build the response of a proxy that says 200 and has not passed the request on."""
    return Outcome(200, body.encode(), _JSON if body[:1] in {"{", "["} else _HTML)


def _dump(payload: object) -> bytes:
    return json.dumps(payload, separators=(",", ":")).encode()
