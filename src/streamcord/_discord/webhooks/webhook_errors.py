"""What a refusal of a webhook's message means for whoever sent it.

A webhook has a token of its own, so 401 says nothing about the bot, and it needs no permission to post.
"""

from __future__ import annotations

import re

from ..._errors import ChannelGone, DeliveryError, NotAllowed, NoVoice, Refused, Unavailable
from ..request import Answer
from .webhook_limits import is_ban

__all__ = ["blame"]

_GONE = frozenset({10003, 10004})
_NO_VOICE = frozenset({10015, 50001, 50013, 50024, 50027, 220001})
_LOCKED = frozenset({160005})
_OR_FEWER = re.compile(r"Must be ([0-9]{1,6}) or fewer")
_LATER = frozenset({20016, 20028, 20029, 40062, 110000, 130000})


def blame(answer: Answer) -> DeliveryError:
    """The error that says what a refusal means; nothing was sent."""
    said = f"{answer.status}, code {answer.code}"
    if answer.status == 429:
        what = "Cloudflare blocks us" if is_ban(answer) else "Discord asks for a pause"
        return Unavailable(f"{what} ({said})", retry_after=answer.retry_after)
    if answer.code in _LATER:
        return Unavailable(f"Discord is busy ({said})")
    if answer.code in _GONE:
        return ChannelGone(f"the channel is gone ({said})")
    if answer.code in _LOCKED:
        return NotAllowed(f"the thread is locked ({said})")
    if answer.code in _NO_VOICE:
        return NoVoice(f"the webhook cannot be used ({said})")
    return Refused(
        f"Discord refused the message ({said})",
        status=answer.status,
        code=answer.code,
        fields=answer.fields,
        limit=_limit(answer),
    )


def _limit(answer: Answer) -> int | None:
    """The length that the content may have, as Discord words it."""
    errors = answer.body.get("errors")
    found = _OR_FEWER.search(str(errors.get("content"))) if isinstance(errors, dict) else None
    return int(found[1]) if found else None
