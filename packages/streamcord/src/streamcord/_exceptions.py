"""Every exception that streamcord raises.

    StreamcordError
    ├── ProviderError            raised by providers only; .retryable, .retry_after, .user_message
    │   ├── RateLimited          we ask too much
    │   ├── Overloaded           they cannot keep up
    │   ├── ContentBlocked
    │   ├── Truncated            the stream ended without its terminal event
    │   └── Rejected             bad key, bad request
    ├── DeliveryError            raised by transports only
    │   ├── ChannelGone
    │   ├── NotAllowed
    │   ├── Refused              Discord does not take this message as it is; .status, .code, .fields
    │   ├── Moderated            a moderator held a part back; .reason
    │   ├── Unavailable          not sent, may be tried again; .retry_after
    │   ├── Uncertain            nobody can tell whether it arrived
    │   └── WebhookUnavailable   nobody but the bot itself can speak here
    ├── ToolError                a tool raised; the model is told, the turn goes on
    ├── StoreError               the database is missing, locked or broken; says what to do
    └── SettingsError            also a ValueError; raised when settings are built, never later

The text core raises nothing on text, any text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import TurnResult

__all__ = [
    "ChannelGone",
    "ContentBlocked",
    "DeliveryError",
    "Moderated",
    "NotAllowed",
    "Overloaded",
    "ProviderError",
    "RateLimited",
    "Refused",
    "Rejected",
    "SettingsError",
    "StoreError",
    "StreamcordError",
    "ToolError",
    "Truncated",
    "Unavailable",
    "Uncertain",
    "WebhookUnavailable",
]


_UNSAID = object()


class StreamcordError(Exception):
    """The root of all errors of this package.

    `result` is what the turn came to, if `say` or a `Turn` raised the error: what was sent, and what was not.
    """

    result: TurnResult | None = None


class ProviderError(StreamcordError):
    """A model's API failed; `user_message` may be shown to people, it never holds a secret.

    `retry_after` is the pause in seconds that the provider asks for, if it said how long. `summary` is what a
    log may hold: it quotes nothing that a server wrote.
    """

    retryable = False

    def __init__(
        self,
        message: str,
        *,
        user_message: str | None = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        summary: str = "",
    ) -> None:
        super().__init__(message)
        self.user_message = user_message or message
        self.summary = summary or user_message or type(self).__name__
        self.retry_after = retry_after
        if retryable is not None:
            self.retryable = retryable


class RateLimited(ProviderError):
    """The provider wants a pause, since we or all of its guests ask for too much."""

    retryable = True


class Overloaded(ProviderError):
    """The provider cannot serve just now (5xx, overloaded, connection lost before an answer)."""

    retryable = True


class ContentBlocked(ProviderError):
    """The provider refused the prompt or cut the answer for its content."""


class Truncated(ProviderError):
    """The stream ended without the provider's terminal event."""

    retryable = True


class Rejected(ProviderError):
    """The request can never succeed as it is: bad key, unknown model, bad parameter."""


class DeliveryError(StreamcordError):
    """A message could not be delivered."""


class ChannelGone(DeliveryError):
    """The channel or thread no longer exists."""


class NotAllowed(DeliveryError):
    """The bot lacks a permission in this channel."""


class Refused(DeliveryError):
    """Discord does not take this message as it is.

    `fields` are the paths of the body that it names, `limit` is the length it allows, if it said so.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: int = 0,
        fields: tuple[str, ...] = (),
        limit: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.fields = fields
        self.limit = limit


class Moderated(DeliveryError):
    """A moderator held back a part of the answer; `reason` is what it said."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"A part of the answer was held back: {reason}")
        self.reason = reason


class Unavailable(DeliveryError):
    """Certainly not sent; may be tried again, after `retry_after` seconds if Discord said so."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Uncertain(DeliveryError):
    """It may have arrived; if `retryable`, the same parcel again cannot become a second message."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class WebhookUnavailable(DeliveryError):
    """Nobody but the bot itself can speak here; nothing was sent."""


class ToolError(StreamcordError):
    """A tool failed; the model is told and the turn goes on."""


class StoreError(StreamcordError):
    """The database cannot do it: missing, locked, broken or out of reach; the message says what to do."""


class SettingsError(StreamcordError, ValueError):
    """A setting has a value that is not allowed; `field` names it, `allowed` says what is.

    `value` is quoted in the message; leave it out where that would help nobody or show a secret.
    """

    def __init__(self, field: str, allowed: str, value: object = _UNSAID) -> None:
        quoted = "" if value is _UNSAID else f", not {_shorten(repr(value))}"
        super().__init__(f"{field} must be {allowed}{quoted}")
        self.field = field
        self.allowed = allowed


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
