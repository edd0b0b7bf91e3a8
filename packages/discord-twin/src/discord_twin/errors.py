"""Errors of the REST API: an HTTP status, a JSON error code and a message.

Codes and messages: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
The HTTP status is the one observed on Discord; 401 with 50027 is not a typing error
(https://github.com/Rapptz/discord.py/issues/9578).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .state.models import Json

__all__ = ["CODES", "ApiError", "describe_error", "invalid_form", "nested"]

# Only codes that the twin sends or that faults inject; the status is not documented, but observed.
CODES: dict[int, tuple[int, str]] = {
    0: (404, "404: Not Found"),
    10002: (404, "Unknown Application"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10006: (404, "Unknown Invite"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10009: (404, "Unknown Overwrite"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (404, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10026: (404, "Unknown Ban"),
    10060: (404, "Unknown Sticker"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    20016: (429, "This action cannot be performed due to slowmode rate limit"),
    20028: (429, "The write action you are performing on the channel has hit the write rate limit."),
    20029: (429, "The write action you are performing on the server has hit the write rate limit."),
    30003: (400, "Maximum number of pins reached (250)"),
    30005: (400, "Maximum number of guild roles reached (250)"),
    30007: (400, "Maximum number of webhooks reached (15)"),
    30008: (400, "Maximum number of emojis reached (2000)"),
    30010: (400, "Maximum number of reactions reached (20)"),
    30013: (400, "Maximum number of guild channels reached (500)"),
    30015: (400, "Maximum number of attachments in a message reached (10)"),
    30046: (400, "Maximum number of edits to messages older than 1 hour reached. Try again later."),
    30032: (400, "Maximum number of application commands reached (100)"),
    30058: (400, "Maximum number of webhooks per guild reached (1000)"),
    40001: (401, "Unauthorized. Provide a valid token and try again."),
    40005: (413, "Request entity too large. Try sending something smaller in size"),
    40033: (400, "This message has already been crossposted"),
    40060: (400, "Interaction has already been acknowledged."),
    40062: (429, "Service resource is being rate limited."),
    40094: (400, "This interaction has reached the maximum number of follow-up messages"),
    40333: (403, "Cloudflare is blocking your request. Set a proper User Agent."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50002: (403, "Invalid account type"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "You lack permissions to perform that action"),
    50009: (403, "Channel verification level is too high for you to gain access"),
    50014: (401, "Invalid authentication token provided"),
    50016: (
        400,
        "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100",
    ),
    50019: (400, "A message can only be pinned to the channel it was sent in"),
    50021: (403, "Cannot execute action on a system message"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50028: (400, "Invalid role"),
    50033: (400, "Invalid Recipient(s)"),
    50034: (400, "You can only bulk delete messages that are under 14 days old."),
    50035: (400, "Invalid Form Body"),
    50041: (400, "Invalid API version provided"),
    50045: (400, "File uploaded exceeds the maximum size"),
    50068: (400, "Invalid message type"),
    50081: (400, "Invalid sticker sent"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    50159: (400, "Voice messages do not support additional content"),
    50160: (400, "Voice messages must have a single audio attachment"),
    50161: (400, "Voice messages must have supporting metadata"),
    50162: (400, "Voice messages cannot be edited"),
    50173: (403, "You cannot send voice messages in this channel"),
    90001: (403, "Reaction was blocked"),
    110000: (503, "The API resource is currently overloaded. Try again a little later"),
    130000: (503, "API resource is currently overloaded. Try again a little later"),
    160002: (403, "You cannot reply to a message without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (403, "Thread is locked"),
    160006: (400, "Maximum number of active threads reached"),
    160009: (403, "You cannot reference a message whose channel history you cannot read"),
    160010: (403, "You cannot reference a message in an age-restricted channel from here"),
    160014: (400, "Cannot forward a message whose content you cannot read"),
    200000: (400, "Message was blocked by automatic moderation"),
    220001: (400, "Webhooks posted to forum channels must have a thread_name or thread_id"),
    220002: (400, "Webhooks posted to forum channels cannot have both a thread_name and thread_id"),
    220003: (400, "Webhooks can only create threads in forum channels"),
    240000: (400, "Message blocked by harmful links filter"),
    520001: (400, "Poll expired"),
    520003: (400, "Cannot edit a poll message"),
    520006: (400, "Cannot expire a non-poll message"),
}


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
