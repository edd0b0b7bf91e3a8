from __future__ import annotations

from streamcord import Unavailable
from streamcord._discord.channel_limits import find_office
from streamcord._discord.request_slots import has_request_slot, wait_for_request_slot
from virtual import timeless


class Http:
    """What requests of one client go through."""


class State:
    http = Http()


class Place:
    _state = State()


@timeless
async def test_there_is_room_until_many_ask_at_once() -> None:
    place = Place()
    assert has_request_slot(place)
    for _ in range(5):
        assert await wait_for_request_slot(place)

    assert not has_request_slot(place)


@timeless
async def test_while_discord_is_shut_nothing_goes_out() -> None:
    place = Place()
    find_office(State.http).shut(Unavailable("later", retry_after=5), 5)

    assert not await wait_for_request_slot(place)
    assert not has_request_slot(place)
