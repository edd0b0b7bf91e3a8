"""Errors of the REST API: an HTTP status, a JSON error code and a message.

Codes and messages: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
The HTTP status is the one observed on Discord; 401 with 50027 is not a typing error
(https://github.com/Rapptz/discord.py/issues/9578).
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .state.models import Json

__all__ = ["CODES", "ApiError", "describe_error", "invalid_form", "nested"]


def _load_codes() -> dict[int, tuple[int, str]]:
    """Read lines such as `10003 404 Unknown Channel`."""
    lines = files(__package__).joinpath("error_codes.txt").read_text("utf-8").splitlines()
    rows = (line.split(" ", 2) for line in lines if not line.startswith("#"))
    return {int(code): (int(status), message) for code, status, message in rows}


CODES = _load_codes()
"""HTTP status and message of each JSON error code."""


class ApiError(Exception):
    """A request that Discord would not carry out."""

    def __init__(
        self,
        code: int,
        *,
        status: int | None = None,
        message: str | None = None,
        errors: Json | None = None,
        retry_after: float = 1.0,
    ) -> None:
        # Unknown codes are allowed, because a fault may inject any code.
        usual_status, usual_message = CODES.get(code, (400, "Error"))
        self.code = code
        self.status = status or usual_status
        self.message = message or usual_message
        self.errors = errors
        self.retry_after = retry_after
        """Seconds, if it is a 429."""
        super().__init__(f"{self.status} {code}: {self.message}")

    def body(self) -> Json:
        """Return the JSON that the client gets."""
        body: Json = {"message": self.message, "code": self.code}
        # Discord omits the key if no field is at fault.
        if self.errors is not None:
            body["errors"] = self.errors
        return body


def describe_error(error: ApiError) -> str:
    """Describe an error in one line: code, message, and each field at fault."""
    places = (f"{path}: {message}" for path, message in _faults(error.errors or {}, ""))
    return "; ".join((f"{error.status} {error.code} {error.message}", *places))


def _faults(errors: Json, path: str) -> Iterator[tuple[str, str]]:
    for name, inner in errors.items():
        # Names lead to nested objects; `_errors` holds the errors of the object itself.
        if name == "_errors":
            yield from ((path or "body", f"{one['code']} ({one['message']})") for one in inner)
        elif isinstance(inner, dict):
            yield from _faults(inner, f"{path}.{name}" if path else name)


def nested(error: ApiError, *names: str) -> ApiError:
    """Return the same error, with its errors under the names that lead to the body at fault."""
    errors = error.errors
    for name in reversed(names):
        errors = {name: errors} if errors is not None else None
    return ApiError(
        error.code,
        status=error.status,
        message=error.message,
        errors=errors,
        retry_after=error.retry_after,
    )


def invalid_form(path: str, code: str, message: str) -> ApiError:
    """50035, with the dotted path of the field at fault written as Discord nests it."""
    nested: dict[str, Any] = {"_errors": [{"code": code, "message": message}]}
    # Built from the inside out.
    for name in reversed(path.split(".")):
        nested = {name: nested}
    return ApiError(50035, errors=nested)
