"""Lets the bot's own requests wait among all others: Discord takes fifty in a second, and no header says so."""

from __future__ import annotations

from streamcord import DeliveryError
from streamcord.delivery.inside import find_http
from streamcord.delivery.lanes import find_office

__all__ = ["pass_turnstile"]


async def pass_turnstile(place: object) -> bool:
    """Wait until one more request may go out; false if Discord has shut its door for now."""
    try:
        await find_office(find_http(place)).admit()
    except DeliveryError:
        return False
    return True
