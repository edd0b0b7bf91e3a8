from __future__ import annotations

from streamcord import Unavailable
from streamcord._bot.answer.request_slots import has_room, pass_turnstile
from streamcord._discord.channel_limits import find_office
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
    assert has_room(place)
    for _ in range(5):
        assert await pass_turnstile(place)

    assert not has_room(place)


@timeless
async def test_while_discord_is_shut_nothing_goes_out() -> None:
    place = Place()
    find_office(State.http).shut(Unavailable("later", retry_after=5), 5)

    assert not await pass_turnstile(place)
    assert not has_room(place)
