from __future__ import annotations

import pytest

from discord_twin.state.models import Draft, Message, User
from discord_twin.state.snowflakes import DISCORD_EPOCH_S, Nonces, Snowflakes, snowflake_time

# --- Snowflakes ---


def test_an_id_contains_its_time() -> None:
    made = Snowflakes(lambda: 1_700_000_000.5).make()

    assert snowflake_time(made) == pytest.approx(1_700_000_000.5, abs=0.001)


def test_the_documented_example_is_read_right() -> None:
    # https://docs.discord.com/developers/reference#snowflakes
    assert snowflake_time(175928847299117063) == pytest.approx(1462015105.796)


def test_ids_grow_even_if_time_stops_or_runs_backwards() -> None:
    moments = iter([DISCORD_EPOCH_S + 10, DISCORD_EPOCH_S + 10, DISCORD_EPOCH_S + 9, DISCORD_EPOCH_S + 11])
    snowflakes = Snowflakes(lambda: next(moments))
    made = [snowflakes.make() for _ in range(4)]

    assert made == sorted(set(made))


# --- Nonces ---


def made_with(nonce: str | int | None, author_id: int = 1) -> Message:
    return Message(5, 6, User(author_id, "bot"), Draft("x", nonce=nonce))


def test_a_message_is_found_by_author_and_nonce_while_it_is_fresh() -> None:
    known, message = Nonces(), made_with("n")
    known.remember(message, now=10.0)

    assert known.find(1, "n", since=9.0) is message
    assert known.find(1, "n", since=10.0) is None
    assert known.find(2, "n", since=0.0) is None
    assert known.find(1, "m", since=0.0) is None


def test_numbers_and_their_text_are_one_nonce() -> None:
    known, message = Nonces(), made_with(7)
    known.remember(message, now=10.0)

    assert known.find(1, "7", since=0.0) is message


def test_a_message_without_a_nonce_is_not_remembered() -> None:
    known = Nonces()
    known.remember(made_with(None), now=10.0)

    assert known.find(1, "None", since=0.0) is None


def test_all_can_be_forgotten() -> None:
    known = Nonces()
    known.remember(made_with("n"), now=10.0)
    known.forget()

    assert known.find(1, "n", since=0.0) is None


def test_only_so_many_are_kept() -> None:
    known = Nonces(max_entries=2)
    for nonce in "abc":
        known.remember(made_with(nonce), now=10.0)

    assert [known.find(1, nonce, since=0.0) is None for nonce in "abc"] == [True, False, False]
