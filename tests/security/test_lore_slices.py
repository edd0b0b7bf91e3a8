"""A hostile lorebook costs its own server's questions time, never the event loop of all servers."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from random import Random

import pytest

from streamcord import Persona
from streamcord.store import StoredPersona
from streamcord_bot.personas.linear_regex import MAX_STATES, LinearRegex
from streamcord_bot.personas.lore_editor import MAX_BOOK_STATES
from streamcord_bot.prompt.lorebook import Lorebook, LorebookCache, find_lore, read_book

LONGEST_STEP_S = 0.02
# A step that blocks is long each time; one that another process disturbed is not.
ATTEMPTS = 5
WORDS = [f"w{number}" for number in range(60)]


def hostile_card(kind: str) -> dict[str, object]:
    """Return a card of almost 2 MB whose book takes as long to search as possible."""
    random = Random(kind)
    entries = []
    for number in range(990):
        if kind == "phrases":
            keys = [" ".join(random.sample(WORDS, 2)) for _ in range(50)]
        elif kind == "long phrases":
            keys = [" ".join(random.choices("ab", k=random.randrange(20, 50))) for _ in range(50)]
        else:
            keys = ["片" * random.randrange(40) + "火" + "片" * random.randrange(1, 58) for _ in range(50)]
        # Every entry triggers the next one, so that each round of the recursion searches again.
        entries.append(
            {"keys": [*keys[:49], f"link {number}"], "content": f"link {number + 1} " + " ".join(WORDS)}
        )
    return {"data": {"name": "Luna", "character_book": {
        "entries": entries, "recursive_scanning": True, "scan_depth": 50,
    }}}  # fmt: skip


TEXTS = {
    "phrases": " ".join(Random(1).choices(WORDS, k=6000)),
    "long phrases": " ".join(Random(2).choices("ab", k=10_000)),
    "no words": "片" * 19_000 + " 火",
}


async def longest_step(work: list[asyncio.Task[object]]) -> float:
    """Let the loop turn until the work is done; return the processor time of its longest turn."""
    # The garbage of the whole test run is not what is measured.
    gc.disable()
    try:
        longest, before = 0.0, time.thread_time()
        while not all(task.done() for task in work):
            await asyncio.sleep(0)
            now = time.thread_time()
            longest, before = max(longest, now - before), now
    finally:
        gc.enable()
    return longest


@pytest.mark.parametrize("kind", TEXTS)
async def test_no_search_of_a_hostile_book_blocks_the_loop(kind: str) -> None:
    texts = [TEXTS[kind] + " link 0"]
    longest = []
    for _ in range(ATTEMPTS):
        cache, book = LorebookCache(), read_book(hostile_card(kind))
        searches: list[asyncio.Task[object]] = [
            asyncio.ensure_future(cache.search(book, texts)) for _ in range(2)
        ]
        longest.append(await longest_step(searches))
        assert {task.result() for task in searches} == {find_lore(book, texts)}
        if longest[-1] < LONGEST_STEP_S:
            break
    assert min(longest) < LONGEST_STEP_S


EXPRESSIONS = {
    "borders": [r"/(?:\b|\B|^|$){160}xy/"],
    "empty": [r"/(?:\B*){490}xy/", "/(?:|){900}xy/"],
    "repetitions": [f"/(?:x?){{480}}y{number}/" for number in range(50)],
    "classes": [
        f"/{''.join(f'[{chr(0x4E00 + number * 120 + at)}x]' for at in range(120))}y/" for number in range(50)
    ],
}


@pytest.mark.parametrize("kind", EXPRESSIONS)
async def test_no_expression_of_a_hostile_book_blocks_the_loop(kind: str) -> None:
    entry = {
        "keys": EXPRESSIONS[kind],
        "secondary_keys": EXPRESSIONS[kind],
        "selective": True,
        "content": "a",
    }
    card = {"data": {"name": "Luna", "character_book": {"entries": [entry] * 100}}}
    stored = StoredPersona(Persona("Luna"), 1, "You are Luna.", card=json.dumps(card))
    longest = []
    for _ in range(ATTEMPTS):
        cache = LorebookCache()
        began = time.thread_time()
        reading: list[asyncio.Task[object]] = [asyncio.ensure_future(cache.find(stored))]
        step = await longest_step(reading)
        book = (await cache.find(stored)).book
        searching: list[asyncio.Task[object]] = [asyncio.ensure_future(cache.search(book, ["x" * 20_000]))]
        longest.append(max(step, await longest_step(searching)))
        assert time.thread_time() - began < 5
        states = sum(key.size for one in book.entries for key in one.keys if isinstance(key, LinearRegex))
        assert states <= MAX_BOOK_STATES + MAX_STATES
        if longest[-1] < LONGEST_STEP_S:
            break
    assert min(longest) < LONGEST_STEP_S


async def test_one_turn_of_the_loop_runs_one_slice_however_many_search() -> None:
    cache, book = LorebookCache(), read_book(hostile_card("long phrases"))
    longest = []
    for _ in range(ATTEMPTS):
        searches = [asyncio.ensure_future(cache.search(book, [TEXTS["long phrases"]])) for _ in range(30)]
        turns = asyncio.ensure_future(_take_turns(40))
        longest.append(await longest_step([turns]))
        for task in searches:
            task.cancel()
        await asyncio.gather(*searches, return_exceptions=True)
        if longest[-1] < LONGEST_STEP_S:
            break
    assert min(longest) < LONGEST_STEP_S


async def _take_turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_reading_a_hostile_card_does_not_block_the_loop() -> None:
    card = json.dumps(hostile_card("phrases"))
    stored = StoredPersona(Persona("Luna"), 1, "You are Luna.", card=card)
    longest = []
    for _ in range(ATTEMPTS):
        cache = LorebookCache()
        reading: list[asyncio.Task[object]] = [asyncio.ensure_future(cache.find(stored))]
        longest.append(await longest_step(reading))
        assert len((await cache.find(stored)).book.entries) == 990
        if longest[-1] < LONGEST_STEP_S:
            break
    assert min(longest) < LONGEST_STEP_S


async def test_a_small_book_waits_for_one_slice_of_each_large_one() -> None:
    cache, book = LorebookCache(), read_book(hostile_card("long phrases"))
    small = read_book({"character_book": {"entries": [{"keys": ["tower"], "content": "It is tall."}]}})
    large = [asyncio.ensure_future(cache.search(book, [TEXTS["long phrases"]])) for _ in range(5)]
    await asyncio.sleep(0)

    assert await cache.search(small, ["the tower"]) == ("It is tall.",)
    assert not any(task.done() for task in large)
    for task in large:
        task.cancel()
    await asyncio.gather(*large, return_exceptions=True)


async def test_a_card_without_a_book_is_not_searched() -> None:
    assert await LorebookCache().search(Lorebook(), ["hello"]) == ()
