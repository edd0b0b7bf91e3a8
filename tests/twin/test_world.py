from __future__ import annotations

from streamcord._twin.clock import DrivenClock
from streamcord._twin.switches import Switches
from streamcord._twin.world import World


def test_chance_follows_the_seed() -> None:
    first, second = World(DrivenClock(), seed=3), World(DrivenClock(), seed=3)
    draws = [first.chance(0.5) for _ in range(50)]

    assert draws == [second.chance(0.5) for _ in range(50)]
    assert set(draws) == {True, False}


def test_a_switch_that_is_off_does_not_shift_later_draws() -> None:
    first, second = World(DrivenClock(), seed=3), World(DrivenClock(), seed=3)

    assert not first.chance(0.0)
    assert [first.chance(0.5) for _ in range(20)] == [second.chance(0.5) for _ in range(20)]


def test_limits_see_switches_that_are_turned_later() -> None:
    world = World(DrivenClock())
    world.switches = Switches(global_rps=1)

    assert not world.limits.admit("a", "", "bot", None).is_refused
    assert world.limits.admit("a", "", "bot", None).scope == "global"
