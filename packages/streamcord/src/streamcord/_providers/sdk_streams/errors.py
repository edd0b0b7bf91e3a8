"""Errors of other libraries: which error of ours they are, and a copy of them without secrets.

An SDK's exception holds the request with its headers, so it is not chained as it is: a log of it, or a tool that
collects variables, would contain the key. The cause of our error is a copy of the same class with the values that
help: message, status, code, body and request id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..._common.redaction import hide_secrets
from ..._exceptions import Overloaded, ProviderError
from ..apis.base import truncated
from ..error_mapping import MAX_ID_CHARS, ErrorPayload, find_request_id, parse_error_payload, to_error

# How SDKs and the HTTP libraries below them call a connection that is lost.
_LOST = ("Connection", "Timeout", "ReadError", "Protocol", "Disconnected", "Payload", "IncompleteRead")
# Attributes that are copied if their value is plain.
_KEPT = (
    "message",
    "status_code",
    "status",
    "code",
    "type",
    "param",
    "request_id",
    "body",
    "details",
    "response_json",
)
MAX_VALUE_CHARS = 4000


def as_provider_error(error: Exception, *, begun: bool) -> ProviderError:
    """Return our error for one of an SDK's, by its status or its name; `begun` if the answer was on its way."""
    failure = _classify(error, begun=begun)
    # An SDK quotes what the server wrote, and servers quote the key that they reject.
    failure.args = tuple(hide_secrets(str(one)) for one in failure.args)
    failure.user_message = hide_secrets(failure.user_message)
    failure.status = _status(error)
    failure.request_id = _request_id(error)
    copied = copy_without_secrets(error)
    if isinstance(failure.__cause__, TimeoutError):
        failure.__cause__.__cause__ = copied
    else:
        failure.__cause__ = copied
    return failure


def _classify(error: Exception, *, begun: bool) -> ProviderError:
    # An error in a stream that began well has the status of the beginning.
    status = _status(error)
    number = status if status is not None and status >= 400 else None
    name = type(error).__name__
    body = getattr(error, "body", None)
    if failure := parse_error_payload(body) or parse_error_payload({"error": body}):
        return to_error(failure, number)
    if number is not None or not (isinstance(error, OSError) or any(word in name for word in _LOST)):
        return to_error(ErrorPayload(f"{name}: {error}"), number)
    if not begun:
        advice = "The provider cannot be reached. Try again in a moment."
        return Overloaded(f"The connection broke ({name}).", user_message=advice)
    cut = truncated(f"The connection broke ({name}) before the answer was complete.")
    if "Timeout" in name:
        cut.__cause__ = TimeoutError(name)
    return cut


def _status(error: Exception) -> int | None:
    for name in ("status_code", "code", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _request_id(error: Exception) -> str:
    """Return the provider's id of the request, which its support asks for."""
    found = getattr(error, "request_id", None)
    headers = getattr(getattr(error, "response", None), "headers", None)
    if isinstance(found, str):
        return hide_secrets(found)[:MAX_ID_CHARS]
    return find_request_id(headers) if isinstance(headers, Mapping) else ""


def copy_without_secrets(error: Exception) -> Exception:
    """Return an exception of the same class without request, response and frames."""
    text = hide_secrets(str(error))[:MAX_VALUE_CHARS]
    kind = type(error)
    try:
        copied = kind.__new__(kind)
        copied.args = (text,)
        for name, value in _plain_values(error, _KEPT):
            setattr(copied, name, value)
        # A class may build its text from attributes that the copy does not have.
        str(copied)
        repr(copied)
    except Exception:
        return RuntimeError(f"{kind.__module__}.{kind.__qualname__}: {text}")
    return copied


def _plain_values(error: Exception, names: Iterable[str]) -> list[tuple[str, Any]]:
    """Return the values that consist of texts and numbers, with secrets hidden."""
    values: list[tuple[str, Any]] = []
    for name in names:
        value = error.__dict__.get(name) if hasattr(error, "__dict__") else None
        if value is None:
            continue
        try:
            written = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            continue
        if len(written) <= MAX_VALUE_CHARS:
            values.append((name, _hidden(json.loads(written))))
    return values


def _hidden(value: Any) -> Any:  # noqa: ANN401 - JSON
    match value:
        case str():
            return hide_secrets(value)
        case dict():
            return {hide_secrets(key): _hidden(one) for key, one in value.items()}
        case list():
            return [_hidden(one) for one in value]
        case _:
            return value
