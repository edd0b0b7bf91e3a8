"""Positions of visible text in the source, although blocks were taken out between."""

from __future__ import annotations

from random import Random

import pytest

from streamcord._core.origins import Origins


def test_text_without_holes_is_one_range() -> None:
    origins = Origins(10)
    origins.note(3, 13)
    assert origins.source(5) == 15
    assert origins.spans(1, 5) == ((11, 15),)


def test_a_hole_makes_two_ranges() -> None:
    origins = Origins()
    origins.note(5, 25)
    assert [origins.source(at) for at in (0, 4, 5, 6)] == [0, 4, 25, 26]
    assert origins.spans(3, 7) == ((3, 5), (25, 27))
    assert origins.spans(0, 5) == ((0, 5),)
    assert origins.spans(5, 6) == ((25, 26),)


def test_an_empty_piece_has_no_range() -> None:
    assert Origins().spans(2, 2) == ()


def test_letting_go_keeps_what_is_behind() -> None:
    origins = Origins()
    origins.note(5, 25)
    origins.note(9, 50)
    origins.shift(6)
    assert origins.spans(0, 5) == ((26, 29), (50, 52))


def test_letting_go_up_to_a_hole_starts_behind_it() -> None:
    origins = Origins()
    origins.note(5, 25)
    origins.shift(5)
    assert origins.spans(0, 2) == ((25, 27),)


def test_characters_can_come_first_again() -> None:
    origins = Origins(30)
    origins.unshift(2, 7)
    assert origins.spans(0, 4) == ((7, 9), (30, 32))


@pytest.mark.parametrize("seed", range(20))
def test_every_character_is_where_a_plain_list_says(seed: int) -> None:
    random = Random(seed)
    origins, places, source = Origins(), [0], 0
    for _ in range(40):
        count, hole = random.randrange(4), random.choice((0, 0, 3))
        source = places[-1] + 1 + hole
        origins.note(len(places), source)
        places += range(source, source + count + 1)
        if random.random() < 0.3:
            gone = random.randrange(len(places))
            origins.shift(gone)
            places = places[gone:]
    start, end = sorted(random.sample(range(len(places) + 1), 2))
    assert [origins.source(at) for at in range(len(places))] == places
    assert [at for first, last in origins.spans(start, end) for at in range(first, last)] == places[start:end]


def test_without_a_jump_a_piece_is_one_range_and_nothing_is_none() -> None:
    origins = Origins(7)
    assert origins.spans(2, 5) == ((9, 12),)
    assert origins.spans(3, 3) == ()
