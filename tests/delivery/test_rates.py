from __future__ import annotations

from streamcord._delivery.rates import Rate


def test_a_burst_is_free_and_then_one_in_each_period() -> None:
    rate = Rate(4, 1.0)
    waits = [rate.take(0.0) for _ in range(6)]

    assert waits == [0.0, 0.0, 0.0, 0.0, 1.0, 2.0]


def test_what_has_drained_is_free_again() -> None:
    rate = Rate(2, 0.5)
    for _ in range(2):
        rate.take(10.0)

    assert rate.pause(10.0) == 0.5
    assert rate.pause(10.25) == 0.25
    assert rate.pause(10.5) == 0.0
    assert rate.pause(99.0) == 0.0


def test_looking_takes_nothing() -> None:
    rate = Rate(1, 1.0)
    assert [rate.pause(0.0), rate.pause(0.0)] == [0.0, 0.0]


def test_discord_is_believed() -> None:
    rate = Rate(4, 1.0)
    rate.correct(4, 0.25, 7.0)

    assert rate.pause(7.0) == 0.25
    rate.correct(0, 0.0, 7.0)
    assert rate.pause(7.0) == 0.0
