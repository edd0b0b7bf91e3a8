"""What servers say when they refuse, and which error it is.

Every provider has its own format of errors, and all of them send it with status 200 too once a stream has
begun. An error body is read into an `ErrorPayload`; its kind, or its words, name the HTTP status that it would have
had, and the status names the error. So one table of advice serves all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .._common.redaction import hide_secrets
from .._exceptions import ContentBlocked, Overloaded, ProviderError, RateLimited, RequestRejected
from .retry_after import as_seconds

STATUS_BLOCKED = 451
STATUS_NO_CREDIT = 402
_KEY_STATUSES = (401, STATUS_NO_CREDIT, 403)
MAX_MESSAGE_CHARS = 500
MAX_PARAMETER_CHARS = 100
MAX_ID_CHARS = 200
MASK = "***"
MIN_SECRET_CHARS = 4
"""Shorter secrets than this would mask half of every sentence."""

_REQUEST_IDS = ("x-request-id", "request-id", "x-goog-request-id", "x-amzn-requestid", "cf-ray")

_Error = TypeVar("_Error", bound=ProviderError)

_KINDS: Mapping[str, int] = {
    # OpenAI and those who speak like it: https://platform.openai.com/docs/guides/error-codes
    "invalid_request_error": 400,
    "invalid_api_key": 401,
    "insufficient_quota": STATUS_NO_CREDIT,
    "billing_hard_limit_reached": STATUS_NO_CREDIT,
    "billing_not_active": STATUS_NO_CREDIT,
    "model_not_found": 404,
    "context_length_exceeded": 413,
    "exceed_context_size_error": 413,
    "rate_limit_exceeded": 429,
    "requests": 429,
    "tokens": 429,
    "server_error": 500,
    "service_unavailable": 503,
    "content_filter": STATUS_BLOCKED,
    "content_policy_violation": STATUS_BLOCKED,
    "invalid_prompt": STATUS_BLOCKED,
    # Anthropic: https://platform.claude.com/docs/en/api/errors
    "authentication_error": 401,
    "billing_error": STATUS_NO_CREDIT,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    # Google: https://ai.google.dev/gemini-api/docs/troubleshooting
    "invalid_argument": 400,
    "failed_precondition": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "not_found": 404,
    "resource_exhausted": 429,
    "internal": 500,
    "unavailable": 503,
    "deadline_exceeded": 504,
    # Z.ai: https://docs.z.ai/api-reference/api-code
    "1113": STATUS_NO_CREDIT,
    "1301": STATUS_BLOCKED,
    "1302": 429,
    "1305": 429,
}

# A bare 400 says little; these words say more. The first that fits wins.
_CLEARER_STATUS: tuple[tuple[str, int], ...] = (
    ("insufficient balance", STATUS_NO_CREDIT),
    ("insufficient credit", STATUS_NO_CREDIT),
    ("exceeded your current quota", STATUS_NO_CREDIT),
    ("api key", 401),
    ("context length", 413),
    ("prompt is too long", 413),
    ("too many tokens", 413),
)
# Only asked where nothing else is known at all.
_GUESSED_STATUS: tuple[tuple[str, int], ...] = (
    ("overloaded", 529),
    ("rate limit", 429),
    ("too many requests", 429),
    ("quota", 429),
    ("timed out", 504),
    ("timeout", 504),
    ("unavailable", 503),
    ("content policy", STATUS_BLOCKED),
    ("flagged", STATUS_BLOCKED),
)

_ADVICE: Mapping[int, tuple[type[ProviderError], str]] = {
    400: (RequestRejected, "The provider refused the request. Check the model's name and parameters."),
    401: (RequestRejected, "The provider refused the API key. Check the key."),
    STATUS_NO_CREDIT: (
        RequestRejected,
        "The provider's account has no credit left. Top it up or use another key.",
    ),
    403: (RequestRejected, "This API key may not do that. Check what the key and the account may use."),
    404: (
        RequestRejected,
        "The provider does not know this model or address. Check the model and the base URL.",
    ),
    408: (Overloaded, "The provider took too long. Try again in a moment."),
    409: (Overloaded, "The provider is busy with this already. Try again in a moment."),
    413: (RequestRejected, "The conversation is too long for this model. Shorten it or use another model."),
    429: (RateLimited, "The provider asks us to slow down. Try again in a moment."),
    STATUS_BLOCKED: (ContentBlocked, "The provider blocked this for its content. Say it in other words."),
    504: (Overloaded, "The provider took too long. Try again in a moment."),
}
_REFUSED = (RequestRejected, "The provider refused the request. Check the model's name and parameters.")
_BUSY = (Overloaded, "The provider cannot answer just now. Try again in a moment.")
_UNKNOWN = (ProviderError, "The provider reported an error. Try again or use another model.")


@dataclass(frozen=True, slots=True)
class ErrorPayload:
    """What a server said: its words, the kinds it named, the status it meant, the pause it asks for."""

    message: str = ""
    kinds: tuple[str, ...] = ()
    status: int | None = None
    pause: float | None = None
    parameter: str = ""
    """The field of the request that it names as the cause."""


def parse_error_payload(payload: object, *, failed: bool = False) -> ErrorPayload | None:
    """Return the error in a parsed body; bodies of `failed` requests may describe it without an `error` key."""
    if isinstance(payload, list):  # Google wraps its error in an array unless asked for events
        payload = payload[0] if payload else None
    if not isinstance(payload, dict):
        return None
    inner = payload.get("error")
    if isinstance(inner, dict):
        return _read_error(inner)
    if isinstance(inner, str) and inner:
        return _read_error({**payload, "message": inner})
    if inner or payload.get("object") == "error" or payload.get("type") == "error":
        return _read_error(payload)
    if failed and (payload.get("message") or payload.get("detail")):
        return _read_error(payload)
    return None


def to_error(failure: ErrorPayload, status: int | None = None, pause: float | None = None) -> ProviderError:
    """Return the exception for an error payload; `status` and `pause` come from the HTTP response."""
    code = _status(failure, status)
    cls, advice = _ADVICE.get(code) or (_BUSY if code >= 500 else _REFUSED if code >= 400 else _UNKNOWN)
    pause = failure.pause if pause is None else pause
    answered = failure.status if status is None else status
    # An error inside of a stream has no status; the log has what it means.
    summary = _summary(failure, answered or code)
    error = cls(_message(failure, answered), user_message=advice, retry_after=pause, summary=summary)
    if isinstance(error, RequestRejected):
        error.parameter = failure.parameter
        error.refuses_key = code in _KEY_STATUSES
    error.status = failure.status if status is None else status
    return error


def find_request_id(headers: Mapping[str, str]) -> str:
    """Return the provider's id of a request, for which its support asks; empty if the headers name none."""
    found = next((value for name in _REQUEST_IDS if isinstance(value := headers.get(name), str)), "")
    return hide_secrets(found)[:MAX_ID_CHARS]


def redact(error: _Error, secrets: Iterable[str]) -> _Error:
    """The error without the secrets, and without the frames that saw them."""
    for secret in sorted(set(secrets), key=len, reverse=True):
        if len(secret) >= MIN_SECRET_CHARS:
            error.args = tuple(str(arg).replace(secret, MASK) for arg in error.args)
            error.user_message = error.user_message.replace(secret, MASK)
    return error.with_traceback(None)


def _status(failure: ErrorPayload, status: int | None) -> int:
    """Return the status that a payload means: by its kinds, its own number, HTTP's, its words."""
    kinds = [_KINDS[kind] for kind in failure.kinds if kind in _KINDS]
    numbers = [code for code in (failure.status, status) if code is not None and 400 <= code < 600]
    # 400 is the name for everything else: a model that is not found is also an invalid request.
    code = next((code for code in kinds + numbers if code != 400), 400 if kinds or numbers else 0)
    words = failure.message.lower()
    table = {0: _CLEARER_STATUS + _GUESSED_STATUS, 400: _CLEARER_STATUS}.get(code, ())
    return next((better for word, better in table if word in words), code)


def _read_error(body: Mapping[str, Any]) -> ErrorPayload:
    kinds = tuple(str(body[key]).lower() for key in ("code", "type", "status") if _is_word(body.get(key)))
    numbers = (body.get(key) for key in ("code", "status", "statusCode", "http_code"))
    metadata = body.get("metadata")
    if isinstance(metadata, dict) and ("flagged_input" in metadata or "reasons" in metadata):
        # https://openrouter.ai/docs/api/reference/errors-and-debugging#moderation-errors
        kinds = ("content_filter", *kinds)
    return ErrorPayload(
        _words(body.get("message") or body.get("detail"), metadata),
        kinds,
        next((number for number in map(_number, numbers) if number), None),
        _google_pause(body.get("details")),
        _parameter(body),
    )


def _parameter(body: Mapping[str, Any]) -> str:
    """The field that is wrong: `param` (OpenAI), `loc` (FastAPI) or `fieldViolations` (Google)."""
    if _is_word(body.get("param")):
        return str(body["param"])[:MAX_PARAMETER_CHARS]
    details = [*_dicts(body.get("detail")), *_dicts(body.get("details"))]
    details += [one for detail in details for one in _dicts(detail.get("fieldViolations"))]
    for detail in details:
        # https://fastapi.tiangolo.com/tutorial/handling-errors/: `"loc": ["body", "temperature"]`
        loc = detail.get("loc")
        names = loc[1:2] if isinstance(loc, list) else [detail.get("field")]
        if names and _is_word(names[0]):
            return str(names[0])[:MAX_PARAMETER_CHARS]
    return ""


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _words(message: object, metadata: object) -> str:
    """The message, and the words of the provider that OpenRouter used, which say more."""
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    texts = (str(text)[:MAX_MESSAGE_CHARS] for text in (message, raw) if text)
    return ": ".join(dict.fromkeys(texts))


def _message(failure: ErrorPayload, status: int | None) -> str:
    named = ", ".join(dict.fromkeys(failure.kinds))[:80]
    what = " ".join(filter(None, (str(status or ""), named))) or "an error"
    return f"The provider answered {what}: {failure.message or 'it did not say why'}"


def _summary(failure: ErrorPayload, code: int) -> str:
    """Only what is in our own tables: a server may put words of users, or a forged line, into the rest."""
    kinds = [kind for kind in dict.fromkeys(failure.kinds) if kind in _KINDS]
    return " ".join(
        ["The provider answered", *([str(code)] if code else []), *kinds, "(log.text shows its words)"]
    )


def _google_pause(details: object) -> float | None:
    """https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto (RetryInfo)."""
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and isinstance(delay := detail.get("retryDelay"), str):
            return as_seconds(delay.removesuffix("s"))
    return None


def _number(value: object) -> int | None:
    if isinstance(value, str) and len(value) == 3 and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)
