from __future__ import annotations

import pytest

from streamcord._twin.state.snowflakes import DISCORD_EPOCH, Snowflakes, snowflake_time


def test_an_id_tells_its_time() -> None:
    made = Snowflakes(lambda: 1_700_000_000.5).make()

    assert snowflake_time(made) == pytest.approx(1_700_000_000.5, abs=0.001)


def test_the_documented_example_is_read_right() -> None:
    # https://docs.discord.com/developers/reference#snowflakes
    assert snowflake_time(175928847299117063) == pytest.approx(1462015105.796)


def test_ids_grow_even_if_time_stands_still_or_runs_backwards() -> None:
    moments = iter([DISCORD_EPOCH + 10, DISCORD_EPOCH + 10, DISCORD_EPOCH + 9, DISCORD_EPOCH + 11])
    snowflakes = Snowflakes(lambda: next(moments))
    made = [snowflakes.make() for _ in range(4)]

    assert made == sorted(set(made))
