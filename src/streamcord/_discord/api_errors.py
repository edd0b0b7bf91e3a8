"""What went wrong between discord.py and Discord, in the words of the house.

The question is always the same: was the message certainly not sent, certainly refused, or is it uncertain?
One byte on the wire is enough for doubt; only a connection that never came about is proof of the opposite.
"""

from __future__ import annotations

import re
from typing import Any

import aiohttp
import discord

from .._errors import ChannelGone, DeliveryError, NotAllowed, Refused, Unavailable, Uncertain

__all__ = ["complaint"]

_GONE = frozenset({10003, 10004})
_FORBIDDEN = frozenset({40001, 40004, 40058, 50001, 50007, 50008, 50009, 50013, 50014, 160005})
_LATER = frozenset({20016, 20028, 20029, 40062, 110000, 130000})
_CLOUDFLARE_PAUSE = 300.0
_OR_FEWER = re.compile(r"In content: Must be ([0-9]{1,6}) or fewer")


def complaint(error: Exception) -> DeliveryError:
    """The same news as an error of ours; it never carries an address or a body."""
    match error:
        case DeliveryError():
            return error
        case discord.RateLimited():
            return Unavailable("Discord asks for a pause", retry_after=error.retry_after)
        case discord.HTTPException():
            return _answer(error)
        case aiohttp.ClientConnectorError():
            return Unavailable("Discord cannot be reached")
        case RuntimeError():
            # aiohttp's word for a session that was closed: nobody will open it again.
            return DeliveryError("the client is closed")
        case _:
            return Uncertain(f"no answer from Discord ({type(error).__name__})", retryable=True)


def _answer(error: discord.HTTPException) -> DeliveryError:
    """What an answer with an error status means."""
    status, code = error.status, error.code
    said = f"{status}, code {code}"
    if code in _GONE:
        return ChannelGone(f"the channel is gone ({said})")
    if code in _LATER:
        return Unavailable(f"Discord is busy ({said})")
    if status == 429:
        # Without its own page Discord asks for a pause; discord.py has waited several times by then.
        return Unavailable(f"Discord asks for a pause ({said})", retry_after=_pause(error))
    if status >= 500:
        return Uncertain(f"Discord failed ({said})", retryable=True)
    if code in _FORBIDDEN or (status in {401, 403} and code not in _CONTENT):
        return NotAllowed(f"not allowed here ({said})")
    return Refused(
        f"Discord refused the message ({said})",
        status=status,
        code=code,
        fields=_fields(error),
        limit=_limit(error),
    )


_CONTENT = frozenset({50035, 50027, 160002, 200000, 200001, 240000})
"""Codes that come with 401 or 403 and are about the message, not about the place."""


def _pause(error: discord.HTTPException) -> float | None:
    return None if error.response.headers.get("Via") else _CLOUDFLARE_PAUSE


def _limit(error: discord.HTTPException) -> int | None:
    """The length that the content may have, as Discord words it."""
    found = _OR_FEWER.search(error.text)
    return int(found[1]) if found else None


def _fields(error: discord.HTTPException) -> tuple[str, ...]:
    """The paths that Discord complains about, such as `content` or `embeds.0.title`."""
    found: list[str] = []
    _walk(getattr(error, "_errors", None), "", found)
    return tuple(found)


def _walk(tree: Any, path: str, found: list[str]) -> None:  # noqa: ANN401 - Discord's own JSON
    if not isinstance(tree, dict):
        return
    if "_errors" in tree:
        found.append(path)
    for key, below in tree.items():
        _walk(below, f"{path}.{key}" if path else str(key), found)
