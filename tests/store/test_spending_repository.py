"""What was spent, added up inside of the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from streamcord._store.sql_store import SqlStore
from streamcord.store import SPENDING_DAYS, Account, Spending, open_store

ALICE, SERVER, ALL = Account("person", 1), Account("server", 1), Account("all")


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    async with await open_store(":memory:") as opened:
        yield opened


async def test_a_person_and_a_server_of_the_same_id_are_two_accounts(store: SqlStore) -> None:
    await store.add_spending(5, {ALICE: Spending(1, 2, 3)})

    assert await store.spending(5, [ALICE, SERVER]) == {ALICE: Spending(1, 2, 3), SERVER: Spending()}
    assert await store.spending(6, [ALICE]) == {ALICE: Spending()}


async def test_an_addition_returns_the_new_totals_and_may_take_away(store: SqlStore) -> None:
    await store.add_spending(5, {ALICE: Spending(1, 200, 30), ALL: Spending(1, 200, 30)})
    totals = await store.add_spending(5, {ALICE: Spending(0, -150, -20), SERVER: Spending(1, 1, 1)})

    assert totals == {ALICE: Spending(1, 50, 10), SERVER: Spending(1, 1, 1)}
    assert await store.spending(5, [ALL]) == {ALL: Spending(1, 200, 30)}


async def test_fifty_at_once_lose_nothing(store: SqlStore) -> None:
    await asyncio.gather(*(store.add_spending(5, {ALL: Spending(1, 10, 100)}) for _ in range(50)))

    assert await store.spending(5, [ALL]) == {ALL: Spending(50, 500, 5000)}


async def test_a_month_is_kept(store: SqlStore) -> None:
    for day in (1, 2, SPENDING_DAYS + 1):
        await store.add_spending(day, {ALL: Spending(1)})

    assert await store.spending(1, [ALL]) == {ALL: Spending()}
    assert await store.spending(2, [ALL]) == {ALL: Spending(1)}
