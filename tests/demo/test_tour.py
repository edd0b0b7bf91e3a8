"""The tour shows every feature, on the real bot."""

from __future__ import annotations

from demo.sitting import sitting
from streamcord._demo.tour import STEPS


async def test_the_tour_can_be_walked_from_end_to_end() -> None:
    async with sitting() as here:
        printed = await here.follow(":tour")
        thoughts = here.demo.world.thoughts.messages.values()

    for number in range(1, len(STEPS) + 1):
        assert f"{number}/{len(STEPS)}" in printed
    assert "table.png" in printed
    assert "def greet" in printed
    assert "Luna (mad)  APP" in printed
    assert "The dice say" in printed
    assert len(thoughts) == 1
    assert "From now on Orbit speaks" in printed
    assert "From now on Luna speaks" in printed
    assert "Stopped." in printed
