from __future__ import annotations

import asyncio

from streamcord._delivery.rates import Rate
from streamcord._discord.global_limit import Rank, Turnstile
from virtual import now, timeless


async def note(turnstile: Turnstile, rank: Rank, name: str, log: list[tuple[str, float]]) -> None:
    await turnstile.enter(rank)
    log.append((name, round(now(), 3)))


@timeless
async def test_the_more_urgent_goes_first_and_the_rate_is_kept() -> None:
    turnstile, log = Turnstile(Rate(1, 1.0)), list[tuple[str, float]]()
    start = now()
    await asyncio.gather(
        note(turnstile, Rank.USUAL, "through", log),
        note(turnstile, Rank.COURTESY, "last", log),
        note(turnstile, Rank.USUAL, "third", log),
        note(turnstile, Rank.FIRST, "second", log),
    )

    assert [name for name, _ in log] == ["through", "second", "third", "last"]
    assert [at - start for _, at in log] == [0, 1, 2, 3]
    assert turnstile.is_busy


@timeless
async def test_who_gives_up_takes_no_place() -> None:
    turnstile, log = Turnstile(Rate(1, 1.0)), list[tuple[str, float]]()
    await turnstile.enter()
    start = now()
    leaving = asyncio.create_task(note(turnstile, Rank.FIRST, "leaves", log))
    staying = asyncio.create_task(note(turnstile, Rank.USUAL, "stays", log))
    await asyncio.sleep(0.5)
    leaving.cancel()
    await staying

    assert [(name, at - start) for name, at in log] == [("stays", 1.0)]


@timeless
async def test_it_is_free_again_once_all_have_passed() -> None:
    turnstile = Turnstile(Rate(2, 1.0))
    assert not turnstile.is_busy
    await turnstile.enter()
    await turnstile.enter()
    assert turnstile.is_busy
    await asyncio.sleep(2)
    assert not turnstile.is_busy
