"""How Discord says no: an HTTP status, a JSON error code and a sentence.

Codes and sentences: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
The HTTP status is the one seen in the wild; 401 with 50027 is not a typing error
(https://github.com/Rapptz/discord.py/issues/9578).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..state.model import Json

__all__ = ["CODES", "Refusal", "invalid_form"]

CODES: dict[int, tuple[int, str]] = {
    0: (404, "404: Not Found"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10013: (404, "Unknown User"),
    10014: (404, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    20016: (429, "This action cannot be performed due to slowmode rate limit"),
    20028: (429, "The write action you are performing on the channel has hit the write rate limit."),
    20029: (429, "The write action you are performing on the server has hit the write rate limit."),
    30007: (400, "Maximum number of webhooks reached (15)"),
    30008: (400, "Maximum number of emojis reached (2000)"),
    30015: (400, "Maximum number of attachments in a message reached (10)"),
    30046: (400, "Maximum number of edits to messages older than 1 hour reached. Try again later."),
    30058: (400, "Maximum number of webhooks per guild reached (1000)"),
    40001: (401, "Unauthorized. Provide a valid token and try again."),
    40005: (413, "Request entity too large. Try sending something smaller in size"),
    40060: (400, "Interaction has already been acknowledged."),
    40062: (429, "Service resource is being rate limited."),
    40094: (400, "This interaction has reached the maximum number of follow-up messages"),
    40333: (403, "Cloudflare is blocking your request. Set a proper User Agent."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "You lack permissions to perform that action"),
    50014: (401, "Invalid authentication token provided"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50035: (400, "Invalid Form Body"),
    50041: (400, "Invalid API version provided"),
    50045: (400, "File uploaded exceeds the maximum size"),
    50068: (400, "Invalid message type"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    110000: (503, "The API resource is currently overloaded. Try again a little later"),
    130000: (503, "API resource is currently overloaded. Try again a little later"),
    160002: (403, "You cannot reply to a message without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (403, "Thread is locked"),
    160006: (400, "Maximum number of active threads reached"),
    200000: (400, "Message was blocked by automatic moderation"),
    220001: (400, "Webhooks posted to forum channels must have a thread_name or thread_id"),
    220002: (400, "Webhooks posted to forum channels cannot have both a thread_name and thread_id"),
    220003: (400, "Webhooks can only create threads in forum channels"),
    240000: (400, "Message blocked by harmful links filter"),
}


class Refusal(Exception):
    """A request that Discord would not carry out."""

    def __init__(
        self, code: int, *, status: int | None = None, message: str | None = None, errors: Json | None = None
    ) -> None:
        usual_status, usual_message = CODES.get(code, (400, "Error"))
        self.code = code
        self.status = status or usual_status
        self.message = message or usual_message
        self.errors = errors
        super().__init__(f"{self.status} {code}: {self.message}")

    def body(self) -> Json:
        """The JSON that the client gets."""
        body: Json = {"message": self.message, "code": self.code}
        if self.errors is not None:
            body["errors"] = self.errors
        return body


def invalid_form(path: str, code: str, message: str) -> Refusal:
    """50035, with the dotted path of the field at fault written as Discord nests it."""
    nested: dict[str, Any] = {"_errors": [{"code": code, "message": message}]}
    for name in reversed(path.split(".")):
        nested = {name: nested}
    return Refusal(50035, errors=nested)
