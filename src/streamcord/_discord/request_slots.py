"""Lets requests of a bot's own wait among all others: Discord takes fifty a second, and no header says so."""

from __future__ import annotations

from .._errors import DeliveryError
from .channel_limits import find_office
from .global_limit import Rank as RequestPriority
from .library_internals import find_http

__all__ = ["RequestPriority", "has_request_slot", "wait_for_request_slot"]


async def wait_for_request_slot(place: object, priority: RequestPriority = RequestPriority.USUAL) -> bool:
    """Wait until the client of a channel, message or interaction may send one more request.

    False if Discord takes no requests of this bot at the moment (after a ban, or with a wrong token).
    """
    try:
        await find_office(find_http(place)).admit(priority)
    except DeliveryError:
        return False
    return True


def has_request_slot(place: object) -> bool:
    """Whether a request could go out at once, so that nobody else has to wait for it."""
    return not find_office(find_http(place)).is_busy
