"""Convert errors of discord.py and responses of Discord into our errors.

Each error says whether the message was certainly not sent, certainly refused, or whether that is uncertain.
Only a connection that was never established proves that nothing was sent.
"""

from __future__ import annotations

import re

import aiohttp
import discord

from .._delivery.error_codes import Meaning, meaning_of
from .._exceptions import (
    ChannelGone,
    DeliveryError,
    DeliveryUnavailable,
    DeliveryUncertain,
    MessageRefused,
    NotAllowed,
    WebhookUnavailable,
)
from .raw_http import PROXY_HEADER, PROXY_TIMEOUT, Response, error_paths, plausible_pause

_CLOUDFLARE_PAUSE_S = 300.0
_OR_FEWER = re.compile(r"Must be ([0-9]{1,6}) or fewer")


def delivery_error(error: Exception) -> DeliveryError:
    """Return our error for an exception that discord.py raised; it never carries an address or a body."""
    match error:
        case DeliveryError():
            return error
        case discord.RateLimited():
            return DeliveryUnavailable(
                "Discord asks for a pause", retry_after=plausible_pause(error.retry_after)
            )
        case discord.HTTPException():
            return _from_status(error)
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
            return DeliveryUnavailable("Discord cannot be reached")
        case RuntimeError():
            # aiohttp raises this for a closed session, which cannot be opened again.
            return DeliveryError("the client is closed")
        case _:
            return DeliveryUncertain(f"no answer from Discord ({type(error).__name__})", retryable=True)


def webhook_error(answer: Response) -> DeliveryError:
    """Return our error for a response to a webhook's message that is a refusal; nothing was sent.

    A webhook has a token of its own, so 401 says nothing about the bot, and it needs no permission to post.
    """
    said = f"{answer.status}, code {answer.code}"
    if answer.status == 429:
        what = "Cloudflare blocks us" if answer.is_from_cloudflare else "Discord asks for a pause"
        return DeliveryUnavailable(f"{what} ({said})", retry_after=answer.retry_after)
    if answer.status == 401 and answer.code == 0:
        # Discord names a code where the webhook's token is wrong; others lost it on the way.
        return DeliveryUnavailable(f"something on the way refused the request ({said})")
    errors = answer.body.get("errors")
    problem = str(errors.get("content")) if isinstance(errors, dict) else ""
    return _by_meaning(meaning_of(answer.code).webhook, said) or MessageRefused(
        f"Discord refused the message ({said})",
        status=answer.status,
        code=answer.code,
        fields=answer.fields,
        limit=_read_limit(_OR_FEWER.search(problem)),
    )


def _from_status(error: discord.HTTPException) -> DeliveryError:
    """Return our error for a response with an error status to the bot's own message."""
    status, row = error.status, meaning_of(error.code)
    said = f"{status}, code {error.code}"
    if row.bot in {Meaning.CHANNEL_GONE, Meaning.BUSY} and (known := _by_meaning(row.bot, said)):
        return known
    if status == 429:
        # Without its own page Discord asks for a pause; discord.py has waited several times by then.
        return DeliveryUnavailable(f"Discord asks for a pause ({said})", retry_after=_pause(error))
    if status >= 500 or status == PROXY_TIMEOUT:
        return DeliveryUncertain(f"Discord failed ({said})", retryable=True)
    if not _is_from_discord(error):
        # The page of a proxy refuses nothing: the request failed on its way.
        return DeliveryUncertain(f"a proxy answered instead of Discord ({status})", retryable=True)
    if row.bot is Meaning.NOT_ALLOWED or (status in {401, 403} and not row.about_message):
        return NotAllowed(f"not allowed here ({said})")
    # discord.py puts the problems into one text, "In content: Must be 2000 or fewer in length."
    problem = error.text.partition("In content: ")[2]
    return MessageRefused(
        f"Discord refused the message ({said})",
        status=status,
        code=error.code,
        fields=tuple(error_paths(getattr(error, "_errors", None))),
        limit=_read_limit(_OR_FEWER.match(problem)),
    )


def is_refusal(error: discord.HTTPException) -> bool:
    """Return whether Discord itself refused a request; false for a failure on the way, which may not repeat.

    Args:
        error: The exception of discord.py.

    Example:
        try:
            await message.delete()
        except discord.HTTPException as error:
            if not is_refusal(error):
                await retry_later(message)

    """
    return error.status < 500 and error.status not in {429, PROXY_TIMEOUT} and _is_from_discord(error)


def _is_from_discord(error: discord.HTTPException) -> bool:
    """Whether an error carries Discord's own body: JSON with a message.

    discord.py keeps a body that is not JSON as the text of the error, as if Discord had said it.
    """
    kind = error.response.headers.get("Content-Type", "application/json")
    return bool(error.code) or (kind.startswith("application/json") and bool(error.text))


def _by_meaning(meaning: Meaning, said: str) -> DeliveryError | None:
    """Return the error that a code alone decides; `None` for a plain refusal."""
    match meaning:
        case Meaning.CHANNEL_GONE:
            return ChannelGone(f"the channel is gone ({said})")
        case Meaning.BUSY:
            return DeliveryUnavailable(f"Discord is busy ({said})")
        case Meaning.NOT_ALLOWED:
            return NotAllowed(f"not allowed here ({said})")
        case Meaning.NO_WEBHOOK:
            return WebhookUnavailable(f"the webhook cannot be used ({said})")
        case Meaning.REFUSED:
            return None


def _pause(error: discord.HTTPException) -> float | None:
    headers = error.response.headers
    return None if headers.get("Via") or PROXY_HEADER in headers else _CLOUDFLARE_PAUSE_S


def _read_limit(found: re.Match[str] | None) -> int | None:
    """Return the length that the content may have, as Discord states it."""
    return int(found[1]) if found else None
