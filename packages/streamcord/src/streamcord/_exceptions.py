"""Every exception that streamcord raises.

    StreamcordError
    ├── ProviderError            raised by providers only; .retryable, .retry_after, .user_message
    │   ├── RateLimited          too many requests
    │   ├── Overloaded           the provider cannot answer now
    │   ├── ContentBlocked
    │   ├── Truncated            the stream ended without its terminal event
    │   └── RequestRejected             bad key, bad request
    ├── DeliveryError            raised by transports only
    │   ├── ChannelGone
    │   ├── NotAllowed
    │   ├── MessageRefused              Discord rejects the message; .status, .code, .fields
    │   ├── Moderated            a moderator blocked a part; .reason
    │   ├── DeliveryUnavailable          not sent, may be retried; .retry_after
    │   ├── DeliveryUncertain            it is unknown whether the message was delivered
    │   └── WebhookUnavailable   no webhook can be used here
    ├── ToolError                a tool failed; the model gets the error and the turn continues
    ├── StoreError               the database is missing, locked or broken; says what to do
    └── SettingsError            also a ValueError; raised when settings are built, never later

The text pipeline raises nothing, whatever the text.

`say` delivers the text that it received before it raises, and sets `.result` on the exception:

    try:
        await say(message, stream)
    except ProviderError as error:
        await message.reply(error.user_message)
    except DeliveryError:
        log.exception("could not answer")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import TurnResult

__all__ = [
    "ChannelGone",
    "ContentBlocked",
    "DeliveryError",
    "DeliveryUnavailable",
    "DeliveryUncertain",
    "MessageRefused",
    "Moderated",
    "NotAllowed",
    "Overloaded",
    "ProviderError",
    "RateLimited",
    "RequestRejected",
    "SettingsError",
    "StoreError",
    "StreamcordError",
    "ToolError",
    "Truncated",
    "WebhookUnavailable",
]


# "No value was given": `None` is a value that a setting may have.
_UNSAID = object()


class StreamcordError(Exception):
    """Base class of all errors of this package.

    Example:
        try:
            await say(channel, source)
        except StreamcordError as error:
            sent = error.result.counts.messages if error.result else 0

    """

    result: TurnResult | None = None
    """What was sent and what was not, if `say` or a `Turn` raised the error."""


class ProviderError(StreamcordError):
    """A model's API failed.

    `status` is the HTTP status and `request_id` the provider's id of the request, if they are known. If an SDK raised,
    `__cause__` is a copy of its exception, of the same class, without the request and its headers.

    Args:
        message: What happened, for developers; may quote the server.
        user_message: What to show to users; contains no secret.
        retryable: Whether the same request may succeed later; by default, what the class says.
        retry_after: The pause in seconds that the provider asks for.
        summary: What to log; quotes nothing that a server wrote.

    Example:
        try:
            await say(channel, provider.stream(prompt))
        except ProviderError as error:
            await channel.send(error.user_message)

    """

    retryable = False
    """Whether the same request may succeed later."""

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
        # The HTTP status and the provider's id of the request, if known. Set by adapters, not by callers.
        self.status: int | None = None
        self.request_id = ""
        self.user_message = user_message or message
        # Logs must not quote a server, which may repeat a user's words or forge a line.
        self.summary = summary or user_message or type(self).__name__
        self.retry_after = retry_after
        # Set on the instance only if the caller knows better than the class.
        if retryable is not None:
            self.retryable = retryable


class RateLimited(ProviderError):
    """The provider asks for a pause, because of too many requests or tokens.

    The arguments are those of `ProviderError`; `retry_after` holds the pause in seconds, if the provider named one.

    Example:
        try:
            await say(channel, source)
        except RateLimited as error:
            await asyncio.sleep(error.retry_after or 30)

    """

    retryable = True


class Overloaded(ProviderError):
    """The provider cannot answer now: status 5xx, overload, or a connection that broke before the answer.

    The arguments are those of `ProviderError`. `with_fallbacks` tries another provider or key after it.

    Example:
        raise Overloaded("503 from upstream", user_message="The model is busy. Try again in a moment.")

    """

    retryable = True


class ContentBlocked(ProviderError):
    """The provider refused the prompt because of its content.

    The arguments are those of `ProviderError`. Another key does not help, so it is never retried.

    Example:
        raise ContentBlocked("flagged: violence", user_message="The model refused that question.")

    """


class Truncated(ProviderError):
    """The stream ended without the provider's terminal event, so the answer is probably incomplete.

    The arguments are those of `ProviderError`. The text that arrived was sent.

    Example:
        try:
            await say(channel, source)
        except Truncated as error:
            print("incomplete:", error.result.text)

    """

    retryable = True


class RequestRejected(ProviderError):
    """The request can never succeed as it is: bad key, unknown model, bad parameter.

    The arguments are those of `ProviderError`.

    Example:
        raise RequestRejected("401: invalid API key", user_message="The bot's API key is wrong. Tell its owner.")

    """

    parameter: str = ""
    """The field of the request that the server names as the cause, in a field of its own; empty if it names none."""
    refuses_key: bool = False
    """Whether the server refuses the key or its account, so that another key may be accepted."""


class DeliveryError(StreamcordError):
    """A message could not be delivered; a transport raises this and nothing else.

    Example:
        try:
            await say(channel, source)
        except DeliveryError as error:
            print("sent so far:", error.result.counts.messages)

    """


class ChannelGone(DeliveryError):
    """The channel or thread no longer exists; nothing more is sent.

    Example:
        raise ChannelGone("the thread was deleted")

    """


class NotAllowed(DeliveryError):
    """The bot lacks a permission in this channel.

    Example:
        raise NotAllowed("Send Messages is missing in #general")

    """


class MessageRefused(DeliveryError):
    """Discord rejects the message.

    Args:
        message: What Discord said.
        status: The HTTP status.
        code: Discord's error code.
        fields: The fields of the request body that Discord names.
        limit: The length that Discord allows, if it says so.

    Example:
        raise MessageRefused("too long", status=400, code=50035, fields=("content",), limit=2000)

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
        # https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
        self.code = code
        # Dotted paths, such as `embeds.0.title`.
        self.fields = fields
        # The sender splits the message again at this length.
        self.limit = limit


class Moderated(DeliveryError):
    """A moderator blocked a part of the answer.

    Args:
        reason: Why, as the moderator returned it.

    Example:
        try:
            await say(channel, source, moderators=[WordList(["swordfish"])])
        except Moderated as error:
            print("blocked:", error.reason)

    """

    def __init__(self, reason: str) -> None:
        # Raised by `say` after the messages that were allowed have been sent.
        super().__init__(f"A part of the answer was held back: {reason}")
        self.reason = reason


class DeliveryUnavailable(DeliveryError):
    """The message was not sent and may be retried.

    Args:
        message: What happened.
        retry_after: The pause in seconds that Discord asks for.

    Example:
        raise DeliveryUnavailable("Discord asks for a pause", retry_after=1.5)

    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DeliveryUncertain(DeliveryError):
    """It is unknown whether the message was delivered.

    Args:
        message: What happened.
        retryable: Whether sending the same message again cannot create a duplicate.

    Example:
        raise DeliveryUncertain("no response within 30 seconds")

    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class WebhookUnavailable(DeliveryError):
    """No webhook can be used in this channel, so a persona cannot post; nothing was sent.

    `DiscordChannel` then sends the message as the bot, with the persona's name in front.

    Example:
        raise WebhookUnavailable("direct messages have no webhooks")

    """


class ToolError(StreamcordError):
    """A tool failed; the model gets the message and the turn continues.

    Example:
        @tool
        async def weather(city: str) -> str:
            "Return the weather of a city."
            if city not in CITIES:
                raise ToolError(f"Unknown city; there are: {', '.join(CITIES)}.")
            ...

    """


class StoreError(StreamcordError):
    """The database is missing, locked, broken or unreachable; the message says what to do.

    Args:
        message: What is wrong, and what to do.
        retryable: Whether trying again may help. It does not if the database is damaged or of a newer version.

    Example:
        try:
            store = await open_store("streamcord.db", create=False)
        except StoreError as error:
            raise SystemExit(str(error))

    """

    def __init__(self, message: str = "", *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable


class SettingsError(StreamcordError, ValueError):
    """A setting has a value that is not allowed.

    Args:
        field: The name of the setting.
        allowed: Which values are allowed, in words.
        value: The value, for the message; leave it out if it may be a secret.

    Example:
        >>> Settings(degree=7)
        Traceback (most recent call last):
        ...
        streamcord._exceptions.SettingsError: degree must be 0 to 3, or NONE, LIGHT, MEDIUM, HEAVY, not 7

    """

    def __init__(self, field: str, allowed: str, value: object = _UNSAID) -> None:
        quoted = "" if value is _UNSAID else f", not {_shorten(repr(value))}"
        super().__init__(f"{field} must be {allowed}{quoted}")
        self.field = field
        self.allowed = allowed


def _shorten(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
