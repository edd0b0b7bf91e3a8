"""Lets the bot's own requests wait among all others: Discord takes fifty a second, and no header says so."""

from __future__ import annotations

from streamcord import DeliveryError
from streamcord._discord.channel_limits import find_office
from streamcord._discord.global_limit import Rank
from streamcord._discord.library_internals import find_http

__all__ = ["Rank", "has_room", "pass_turnstile"]


async def pass_turnstile(place: object, rank: Rank = Rank.USUAL) -> bool:
    """Wait until one more request may go out; false if Discord has shut its door for now."""
    try:
        await find_office(find_http(place)).admit(rank)
    except DeliveryError:
        return False
    return True


def has_room(place: object) -> bool:
    """Whether a courtesy may go out: nobody else has to wait for it."""
    return not find_office(find_http(place)).is_busy
