"""Reserving and charging in a real store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path

import pytest

from streamcord import StoreError
from streamcord._store.sql_store import SqlStore
from streamcord.store import Account, Spending, open_store
from streamcord_bot.budget.budget import Budget, OverBudget
from streamcord_bot.budget.limits import BudgetRefusal, Payer
from streamcord_bot.config import BudgetConfig

NOON = 20_000 * 86_400.0 + 43_200
MIDNIGHT = 20_001 * 86_400.0
ALICE, BOB = Payer(1, 7), Payer(2, 7)
ONE = Spending(1, 100, 10)


class Time:
    now = NOON

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def store() -> AsyncIterator[SqlStore]:
    async with await open_store(":memory:") as opened:
        yield opened


def budget(store: SqlStore, time: Time | None = None, **limits: float) -> Budget:
    return Budget(BudgetConfig(**limits), store, time or Time())  # type: ignore[arg-type]


async def test_charge_replaces_the_reservation(store: SqlStore) -> None:
    one = budget(store)
    reservation = await one.reserve(ALICE, ONE)
    assert await one.totals(ALICE) == dict.fromkeys(ALICE.accounts, ONE)
    await one.charge(reservation, Spending(1, 30, 3))

    assert await one.totals(ALICE) == dict.fromkeys(ALICE.accounts, Spending(1, 30, 3))
    assert (await one.totals(BOB))[Account("person", 2)] == Spending()


async def test_concurrent_reservations_never_exceed_the_limit(store: SqlStore) -> None:
    one = budget(store, person_requests=0, server_requests=37)
    results = await asyncio.gather(
        *(one.reserve(Payer(person, 7), ONE) for person in range(100)), return_exceptions=True
    )
    refused = [result for result in results if isinstance(result, OverBudget)]

    assert len(refused) == 63
    assert {error.refusal for error in refused} == {BudgetRefusal("server", MIDNIGHT)}
    assert (await one.totals(Payer(5, 7)))[Account("server", 7)].requests == 37
    # No one pays for what was refused.
    assert (await one.totals(Payer(5, 7)))[Account("all")] == Spending(37, 3700, 370)


async def test_refused_reservation_leaves_the_budget_for_a_smaller_one(store: SqlStore) -> None:
    one = budget(store, person_tokens=150)
    with pytest.raises(OverBudget):
        await one.reserve(ALICE, Spending(1, 151, 0))

    await one.reserve(ALICE, Spending(1, 150, 0))


async def test_other_costs_are_charged_if_the_budget_allows(store: SqlStore) -> None:
    spending = budget(store, person_money=1.0)

    assert [await spending.spend(ALICE, cost) for cost in (0.7, 0.4, 0.3)] == [True, False, True]
    assert (await spending.totals(ALICE))[Account("person", 1)] == Spending(money=1_000_000)


async def test_a_check_reserves_nothing(store: SqlStore) -> None:
    one = budget(store, person_requests=1)
    assert await one.check(ALICE) is None
    assert await one.check(ALICE) is None
    await one.reserve(ALICE, ONE)

    assert await one.check(ALICE) == BudgetRefusal("person", MIDNIGHT)
    assert await one.check(BOB) is None


async def test_totals_start_at_zero_each_day(store: SqlStore) -> None:
    time = Time()
    one = budget(store, time, person_requests=1)
    late = await one.reserve(ALICE, ONE)
    time.now = MIDNIGHT
    assert await one.check(ALICE) is None
    await one.charge(late, Spending(1, 999, 0))

    # What was asked yesterday is settled yesterday.
    assert await one.totals(ALICE) == dict.fromkeys(ALICE.accounts, Spending())
    await one.reserve(ALICE, ONE)


async def test_totals_survive_a_restart(tmp_path: Path) -> None:
    for expected in (None, BudgetRefusal("person", MIDNIGHT)):
        async with await open_store(tmp_path / "kept.db") as opened:
            one = budget(opened, person_requests=1)
            assert await one.check(ALICE) == expected
            if expected is None:
                await one.reserve(ALICE, ONE)


async def test_two_processes_share_one_budget(tmp_path: Path) -> None:
    async with await open_store(tmp_path / "kept.db") as a, await open_store(tmp_path / "kept.db") as b:
        both = [budget(a, all_requests=10), budget(b, all_requests=10)]
        results = await asyncio.gather(
            *(both[number % 2].reserve(ALICE, ONE) for number in range(30)), return_exceptions=True
        )
        left = await both[0].totals(ALICE)

    made = sum(not isinstance(result, BaseException) for result in results)
    # The one who is about to be refused may stand in another's way for a moment; no one gets beyond.
    assert 8 <= made <= 10
    assert left[Account("all")].requests == made


async def test_each_user_is_notified_once_per_reason(store: SqlStore) -> None:
    time = Time()
    one = budget(store, time)
    mine, servers = BudgetRefusal("person", MIDNIGHT), BudgetRefusal("server", MIDNIGHT)

    assert [one.should_notify(1, mine) for _ in range(3)] == [True, False, False]
    assert one.should_notify(2, mine)
    assert one.should_notify(1, servers)
    time.now = MIDNIGHT
    assert one.should_notify(1, mine)
    assert [one.should_notify_briefly(1, "full") for _ in range(2)] == [True, False]


async def test_used_up_server_budget_is_logged_once(
    store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    one = budget(store, server_requests=1)
    await one.reserve(ALICE, ONE)
    for _ in range(5):
        await one.check(BOB)

    assert [record.message for record in caplog.records] == ["daily budget used up: server 7"]


class Flaky:
    """A store that fails while it is told to."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.down = False

    async def add_spending(self, day: int, amounts: Mapping[Account, Spending]) -> dict[Account, Spending]:
        self._fail()
        return await self.store.add_spending(day, amounts)

    async def spending(self, day: int, accounts: Iterable[Account]) -> dict[Account, Spending]:
        self._fail()
        return await self.store.spending(day, accounts)

    def _fail(self) -> None:
        if self.down:
            raise StoreError("the disk is full")


async def test_failing_store_counts_in_memory_and_writes_later(store: SqlStore) -> None:
    flaky = Flaky(store)
    one = Budget(BudgetConfig(person_requests=3), flaky, Time())  # type: ignore[arg-type]
    await one.reserve(ALICE, ONE)
    flaky.down = True
    await one.reserve(ALICE, ONE)
    reservation = await one.reserve(ALICE, ONE)
    with pytest.raises(OverBudget):
        await one.reserve(ALICE, ONE)
    assert await one.check(ALICE) == BudgetRefusal("person", MIDNIGHT)
    await one.charge(reservation, Spending(1, 0, 0))
    flaky.down = False
    assert await one.check(ALICE) == BudgetRefusal("person", MIDNIGHT)
    await one.reserve(BOB, ONE)

    day = 20_000
    assert await store.spending(day, [Account("person", 1)]) == {Account("person", 1): Spending(3, 200, 20)}
    assert await store.spending(day, [Account("all")]) == {Account("all"): Spending(4, 300, 30)}


async def test_failed_model_is_paused(store: SqlStore) -> None:
    time = Time()
    one = budget(store, time, errors=1, error_pause=60)
    one.breaker("small").record_failure(time.now)
    assert one.paused_models == ["small"]
    time.now += 60

    assert one.paused_models == []
    assert one.breaker("large").acquire(time.now) == 0.0


async def test_users_are_stored_under_a_daily_pseudonym(store: SqlStore) -> None:
    """Who has themselves forgotten leaves nothing that leads back to them, and gets no new budget."""
    time = Time()
    one, other = (Budget(BudgetConfig(person_requests=2), store, time, key="token") for _ in range(2))
    await one.reserve(ALICE, ONE)
    await other.reserve(ALICE, ONE)
    today = await _people_in(store)
    await store.forget_person(ALICE.person)
    assert await one.check(ALICE) == await other.check(ALICE) == BudgetRefusal("person", MIDNIGHT)

    time.now += 86_400
    await one.reserve(ALICE, ONE)
    tomorrow = set(await _people_in(store)) - set(today)
    assert [requests for _, requests in today] == [2]
    assert [requests for _, requests in tomorrow] == [1]
    assert ALICE.person not in {id_ for id_, _ in [*today, *tomorrow]}
    assert len({id_ for id_, _ in [*today, *tomorrow]}) == 2

    stranger = Budget(BudgetConfig(), store, time, key="another token")
    assert (await stranger.totals(ALICE))[Account("person", 1)] == Spending()


async def _people_in(store: SqlStore) -> list[tuple[int, int]]:
    rows = await store._database.read("SELECT id, requests FROM spending WHERE kind = 'person'")
    return [(id_, requests) for id_, requests in rows]
