"""What a webhook said in the wrong channel, because somebody moved it: found there and taken back."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ..errors import DeliveryError, Unavailable, Uncertain
from .doubts import Doubts
from .errands import Errand
from .hooks import Hook, Hooks

__all__ = ["recall", "take_back"]

PAUSES = (0.0, 0.5, 2.0, 5.0)
"""Before each try to delete a message."""


async def take_back(hook: Hook, message_id: int) -> bool:
    """Delete a message; asking several times does no harm here."""
    for pause in PAUSES:
        await asyncio.sleep(pause)
        with suppress(DeliveryError):
            answer = await hook.wire.ask("DELETE", f"{hook.path}/messages/{message_id}")
            if answer.is_done or answer.status == 404:
                return True
    return False


async def recall(errand: Errand, hook: Hook, hooks: Hooks, doubts: Doubts) -> bool:
    """Whether a message that is in doubt stood in another channel, where it is no more.

    Raises `Uncertain` if it may stand in a place where nobody can look.
    """
    try:
        place = await hooks.find_place(hook)
    except Unavailable as error:
        raise Uncertain(str(error), retryable=True) from error
    if place is None or place == errand.home.id:
        return False
    hooks.forget(hook)
    channel = errand.home.guild.get_channel(place)
    if channel is None:
        raise Uncertain("the webhook was moved; it may have arrived elsewhere")
    found = await doubts.look(errand.key, channel)
    if found is None:
        return False
    if not await take_back(hook, found):
        raise Uncertain("it arrived in another channel", retryable=True)
    doubts.withdraw(errand.key, None)
    return True
