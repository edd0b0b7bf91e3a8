from __future__ import annotations

import asyncio

from streamcord import RunningTurns, Stop, StopMode, StopOutcome, StopRequester, TurnRegistry


def test_there_are_five_ways_to_stop() -> None:
    assert [mode.value for mode in StopMode] == ["interrupt", "now", "after_this", "flush", "hand_over"]


async def test_a_channel_is_forgotten_when_nobody_speaks_there() -> None:
    stops = RunningTurns()
    for channel in range(100):
        async with stops.turn(channel):
            assert len(stops) == 1

    assert len(stops) == 0
    assert await stops.ask(1, StopRequester(1)) is StopOutcome.NOTHING


async def test_who_waits_in_line_and_gives_up_leaves_the_line_whole() -> None:
    stops = RunningTurns()
    order: list[str] = []

    async def turn(name: str) -> None:
        async with stops.turn(1):
            order.append(name)

    async with stops.turn(1):
        waiting = [asyncio.create_task(turn(name)) for name in "abc"]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    await asyncio.gather(*waiting, return_exceptions=True)

    assert order == ["b", "c"]
    assert len(stops) == 0


async def test_a_turn_in_line_is_reached_by_its_token_only() -> None:
    stops = RunningTurns()
    async with stops.turn(1, owner=7) as speaking:
        lined: list[Stop] = []

        async def wait() -> None:
            async with stops.turn(1, owner=8) as stop:
                lined.append(stop)

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        assert await stops.ask(1, StopRequester(8)) is StopOutcome.REFUSED
        assert await stops.ask(1, StopRequester(8), token=speaking.token + 1) is StopOutcome.ACCEPTED
    await waiting

    assert lined[0].mode is StopMode.AFTER_THIS
    assert speaking.mode is None


async def test_a_stop_tells_its_listener_at_once_and_late_listeners_too() -> None:
    stop, told = Stop(), []
    stop.ask()
    stop.listen(lambda: told.append(stop.mode))
    stop.ask()

    assert told == [StopMode.AFTER_THIS]
    stop.close()
    assert not stop.ask()


def test_stops_is_a_registry() -> None:
    registry: TurnRegistry = RunningTurns()

    assert registry is not None
