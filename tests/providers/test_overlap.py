from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from streamcord._events import Finish, Message, ProviderEvent, TextDelta, ThoughtDelta
from streamcord.providers import drop_overlap


async def source(*events: str | ProviderEvent) -> AsyncIterator[str | ProviderEvent]:
    for event in events:
        yield event


async def filtered(*events: str | ProviderEvent) -> tuple[list[str | ProviderEvent | Message], list[str]]:
    removed: list[str] = []
    kept = [event async for event in drop_overlap(source(*events), removed=removed.append)]
    return kept, removed


async def test_a_piece_that_was_just_said_is_dropped_and_reported() -> None:
    assert await filtered("Hello, you there", "you there") == (["Hello, you there"], ["you there"])


async def test_the_longest_overlap_is_cut_off() -> None:
    assert await filtered("one two three", "two three four") == (["one two three", " four"], ["two three"])


async def test_pieces_and_overlaps_of_less_than_eight_characters_pass() -> None:
    assert await filtered("hahaha!", "hahaha!", "ha!abcdefg") == (["hahaha!", "hahaha!", "ha!abcdefg"], [])


async def test_only_the_last_4096_characters_are_remembered() -> None:
    early = "remember me"

    kept, removed = await filtered(early + "x" * 4096, early)

    assert kept == [early + "x" * 4096, early]
    assert removed == []


async def test_text_events_are_filtered_and_others_pass() -> None:
    thought = ThoughtDelta("Hello, you")

    assert await filtered(TextDelta("Hello, you"), thought, TextDelta("Hello, you!"), Finish()) == (
        [TextDelta("Hello, you"), thought, TextDelta("!"), Finish()],
        ["Hello, you"],
    )


async def test_the_numbers_can_be_set() -> None:
    events = drop_overlap(source("abcd", "cdef"), min_chars=2, tail_chars=3)

    assert [event async for event in events] == ["abcd", "ef"]


async def test_honest_repetition_is_eaten_which_is_why_it_is_off_by_default() -> None:
    row = "| yes | no |\n"

    kept, removed = await filtered(row, row, row)

    assert kept == [row]
    assert removed == [row, row]


async def test_the_source_is_closed_with_the_filter() -> None:
    closed = []

    async def endless() -> AsyncIterator[str]:
        try:
            while True:
                yield "again and again "
        finally:
            closed.append(True)

    events = drop_overlap(endless())
    assert await anext(events) == "again and again "
    assert hasattr(events, "aclose")
    await events.aclose()

    assert closed == [True]


@pytest.mark.parametrize("piece", ["a" * 4096, "ab" * 5000, "aaaaaaab" * 600])
async def test_repetitive_text_costs_no_more_than_other_text(piece: str) -> None:
    kept, removed = await filtered(*[piece + "c"] * 50)

    assert len(kept) + len(removed) >= 50
