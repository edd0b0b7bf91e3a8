from __future__ import annotations

from streamcord import StopMode


def test_there_are_three_ways_to_stop() -> None:
    assert [mode.value for mode in StopMode] == ["now", "after_this", "flush"]
