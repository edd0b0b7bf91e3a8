"""The budget of a running bot: what is reserved and used, kept in the store; and who was told of it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b, sha256
from itertools import islice
from math import ceil

from streamcord import ProviderError, StoreError
from streamcord.store import Account, Spending, Store
from streamcord.utils import BoundedCache

from ..config.budget import BudgetConfig
from .circuit_breaker import Breaker
from .limits import MILLION, BudgetRefusal, Payer, day_of, find_refusal

__all__ = ["Budget", "OverBudget", "Reservation"]

FRESH = 5.0
"""Seconds for which a total that was just written is good enough to let somebody ask."""
AMPLE = Spending(requests=20)
BATCH = 1000
"""Accounts that are written at once."""
TOLD_CAP = 10_000
ACCOUNT_CAP = 10_000
BRIEF = 60.0
PATIENCE = 0.5
"""Seconds that a request waits for the store, at most; until it answers, memory counts."""

_log = logging.getLogger(__name__)


class OverBudget(ProviderError):
    """Nothing more is asked for now; `refusal` says why, and until when."""

    def __init__(self, refusal: BudgetRefusal) -> None:
        super().__init__(f"over budget: {refusal.reason}")
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Reservation:
    """What was set aside for one request, and on which day."""

    payer: Payer
    day: int
    reserved: Spending


class Budget:
    """Counts what is asked of the models; while the store fails, it goes on counting in memory.

    One reservation is made after the other, so that two requests never share what is left for one.

    key: a secret of the bot. With it people stand in the store under another number every day, which
    nobody can lead back to them without the key: who has themselves forgotten leaves no trace, and gets no
    new budget.

    gather: seconds for which what was used waits to be written with what others use; until then it counts
    here as it is, and elsewhere as it was estimated.
    """

    def __init__(
        self,
        config: BudgetConfig,
        store: Store,
        clock: Callable[[], float] = time.time,
        key: str = "",
        gather: float = 0.0,
    ) -> None:
        self.config = config
        self._store = store
        self._gather = gather
        self._key = sha256(key.encode()).digest() if key else b""
        self._clock = clock
        self._lock = asyncio.Lock()
        self._breakers: dict[str, Breaker] = {}
        self._told: BoundedCache[tuple[int, str], float] = BoundedCache(TOLD_CAP)
        self._known: BoundedCache[tuple[int, Account], tuple[float, Spending]] = BoundedCache(ACCOUNT_CAP)
        self._unwritten: dict[tuple[int, Account], Spending] = {}
        self._writing: asyncio.Task[None] | None = None

    @property
    def now(self) -> float:
        """Seconds since 1970."""
        return self._clock()

    async def totals(self, payer: Payer) -> dict[Account, Spending]:
        """What this payer's accounts have spent today, reservations included."""
        day = day_of(self.now)
        async with self._lock:
            try:
                async with asyncio.timeout(PATIENCE):
                    totals = await self._read(day, payer.accounts)
            except (StoreError, TimeoutError) as error:
                _log.warning(
                    "the store failed, spending is counted in memory: %s", str(error) or "it is slow"
                )
                return self._in_memory(day, payer)
        return {account: one + self._unwritten_of(day, account) for account, one in totals.items()}

    async def check(self, payer: Payer) -> BudgetRefusal | None:
        """Why this payer could not make a single request now, if so; nothing is reserved."""
        if self._has_ample(payer):
            return None
        one = Spending(requests=1)
        totals = await self.totals(payer)
        return self._judge(payer, {account: spent + one for account, spent in totals.items()})

    async def reserve(self, payer: Payer, cost: Spending) -> Reservation:
        """Set an estimate aside; raises `OverBudget` where too little is left, and then reserves nothing."""
        day = day_of(self.now)
        async with self._lock:
            refusal = self._judge(payer, await self._add(day, payer, cost))
            if refusal is None:
                return Reservation(payer, day, cost)
            await self._add(day, payer, Spending() - cost)
        raise OverBudget(refusal)

    async def spend(self, payer: Payer, money: float) -> bool:
        """Count something that costs so much besides the models; whether there was enough left for it."""
        try:
            await self.reserve(payer, Spending(money=ceil(money * MILLION)))
        except OverBudget:
            return False
        return True

    async def settle(self, reservation: Reservation, spent: Spending) -> None:
        """Put what was used in the place of what was reserved."""
        self._note(reservation.day, reservation.payer, spent - reservation.reserved)
        await asyncio.sleep(self._gather)
        async with self._lock:
            await self._write_down(reservation.day)

    def breaker(self, model: str) -> Breaker:
        """The breaker of a model."""
        return self._breakers.setdefault(model, Breaker(self.config.errors, self.config.error_pause))

    @property
    def resting_models(self) -> list[str]:
        """The models that are left alone at this moment."""
        return [name for name, breaker in self._breakers.items() if breaker.is_open(self.now)]

    def should_tell(self, person: int, refusal: BudgetRefusal) -> bool:
        """Whether this person does not know of this refusal yet; asking counts as telling."""
        key = (person, refusal.reason)
        if self.now < (self._told.find(key) or 0.0):
            return False
        self._told.keep(key, refusal.until)
        return True

    def should_tell_briefly(self, person: int, reason: str) -> bool:
        """The same for what will soon be over: once a minute is enough."""
        return self.should_tell(person, BudgetRefusal(reason, self.now + BRIEF))

    # --- Counting --------------------------------------------------------------------------------

    def _judge(self, payer: Payer, totals: Mapping[Account, Spending]) -> BudgetRefusal | None:
        refusal = find_refusal(self.config, totals, self.now)
        if refusal is not None and refusal.reason != "person":
            id_ = payer.server if refusal.reason == "server" else 0
            if self.should_tell(-id_, refusal):
                whose = f"server {id_}" if id_ else "everybody"
                _log.warning("the budget of today is used up: %s", whose)
        return refusal

    async def _add(self, day: int, payer: Payer, amount: Spending) -> dict[Account, Spending]:
        """Add to the payer's accounts, with what could not be written before; returns the new totals."""
        self._note(day, payer, amount)
        await self._write_down(day)
        return self._in_memory(day, payer)

    def _note(self, day: int, payer: Payer, amount: Spending) -> None:
        for account in payer.accounts:
            self._unwritten[day, account] = self._unwritten_of(day, account) + amount

    async def _write_down(self, day: int) -> None:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._flush(day))
        # What a database takes its time for counts meanwhile in memory, and nobody waits for it.
        await asyncio.wait({self._writing}, timeout=PATIENCE)

    async def _flush(self, day: int) -> None:
        """Write what was not written yet, until nothing is left."""
        while waiting := dict(
            islice(((account, one) for (when, account), one in self._unwritten.items() if when == day), BATCH)
        ):
            try:
                written = await self._write(day, waiting)
            except StoreError as error:
                _log.warning("the store failed, spending is counted in memory: %s", error)
                return
            for account, total in written.items():
                self._known.keep((day, account), (self.now, total))
                left = self._unwritten.pop((day, account))
                if left != waiting[account]:
                    self._unwritten[day, account] = left - waiting[account]

    async def _read(self, day: int, accounts: Iterable[Account]) -> dict[Account, Spending]:
        stored = {account: self._stored(day, account) for account in accounts}
        found = await self._store.spending(day, stored.values())
        return {account: found[name] for account, name in stored.items()}

    async def _write(self, day: int, amounts: Mapping[Account, Spending]) -> dict[Account, Spending]:
        stored = {account: self._stored(day, account) for account in amounts}
        found = await self._store.add_spending(day, {stored[one]: cost for one, cost in amounts.items()})
        return {account: found[name] for account, name in stored.items()}

    def _stored(self, day: int, account: Account) -> Account:
        """The account as the store knows it."""
        if account.kind != "person" or not self._key:
            return account
        name = blake2b(f"{day} {account.id}".encode(), key=self._key, digest_size=8).digest()
        # Databases have numbers of 63 bits.
        return Account(account.kind, int.from_bytes(name) >> 1)

    def _in_memory(self, day: int, payer: Payer) -> dict[Account, Spending]:
        return {account: self._known_of(day, account) for account in payer.accounts}

    def _known_of(self, day: int, account: Account) -> Spending:
        _, total = self._known.find((day, account)) or (0.0, Spending())
        return total + self._unwritten_of(day, account)

    def _has_ample(self, payer: Payer) -> bool:
        """Whether there was half of everything left a moment ago, so that the store need not be asked."""
        day = day_of(self.now)
        known = [self._known.find((day, account)) for account in payer.accounts]
        if not all(one is not None and 0 <= self.now - one[0] < FRESH for one in known):
            return False
        totals = self._in_memory(day, payer)
        doubled = {account: spent + spent + AMPLE for account, spent in totals.items()}
        return find_refusal(self.config, doubled, self.now) is None

    def _unwritten_of(self, day: int, account: Account) -> Spending:
        return self._unwritten.get((day, account)) or Spending()
