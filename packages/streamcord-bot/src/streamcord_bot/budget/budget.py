"""Count what users, servers and the whole bot spend on models, and refuse requests over a limit.

Totals live in the store, so that they survive a restart and all processes of a cluster share them. Three rules make
that affordable: totals are read and written in batches, a store that is slow or down never blocks an answer (memory
counts meanwhile), and a payer who recently had more than half of every limit left is not checked against the store.
"""

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

from ..config import BudgetConfig
from .circuit_breaker import CircuitBreaker
from .day import day_of
from .limits import BudgetRefusal, Payer, find_refusal, limits_of
from .pricing import MILLION

TOTAL_MAX_AGE_S = 5.0
"""A cached total is good enough for a quick check for this long."""
AMPLE_MARGIN = Spending(requests=20)
"""Spending that is added to the doubled totals in the quick check."""
BATCH_ACCOUNTS = 1000
"""Accounts that are written in one transaction."""
MAX_NOTIFIED = 10_000
"""Pairs of user and refusal that are remembered as notified."""
MAX_CACHED_ACCOUNTS = 10_000
BRIEF_NOTICE_S = 60.0
"""A refusal that passes soon is shown once in this time."""
STORE_TIMEOUT_S = 0.5
"""A request waits for the store at most this long; after that, memory counts."""

_log = logging.getLogger(__name__)


class OverBudget(ProviderError):
    """A request would pass a limit; `refusal` says whose, and until when."""

    def __init__(self, refusal: BudgetRefusal) -> None:
        is_paused = refusal.reason == "model"
        super().__init__(
            "the model is paused after failures" if is_paused else f"over budget: {refusal.reason}"
        )
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Reservation:
    """The estimate that was set aside for one request, and the day it counts for."""

    payer: Payer
    day: int
    reserved: Spending


class Budget:
    """Reserves and charges spending; counts in memory while the store fails.

    Reservations are made one at a time, so that two requests never share the remainder of one limit.

    Args:
        config: the limits.
        store: where totals are kept.
        clock: returns the time in seconds since 1970.
        key: a secret of the bot. With a key, users are stored under a pseudonym that changes every day and that only
            the key can link to them. A user who deletes their data leaves no trace, but gets no new budget either.
        write_delay: seconds to collect charges before they are written together. Until then this process counts the
            actual cost, other processes count the estimate.

    """

    def __init__(
        self,
        config: BudgetConfig,
        store: Store,
        clock: Callable[[], float] = time.time,
        key: str = "",
        write_delay: float = 0.0,
    ) -> None:
        self.config = config
        self._store = store
        self._write_delay = write_delay
        # blake2b takes keys of at most 64 bytes; a digest of the key always fits.
        self._key = sha256(key.encode()).digest() if key else b""
        self._clock = clock
        # Serializes reservations: check and reserve must not interleave.
        self._lock = asyncio.Lock()
        # One circuit breaker per model name.
        self._breakers: dict[str, CircuitBreaker] = {}
        # Until when a user has been notified of a refusal, by user id and reason. Server ids are negated.
        self._notified: BoundedCache[tuple[int, str], float] = BoundedCache(MAX_NOTIFIED)
        # The totals that the store returned last, with the time, by day and account.
        self._totals: BoundedCache[tuple[int, Account], tuple[float, Spending]] = BoundedCache(
            MAX_CACHED_ACCOUNTS
        )
        # Spending that is not in the store yet, by day and account. It always counts on top of `_totals`.
        self._unwritten: dict[tuple[int, Account], Spending] = {}
        # The task that writes `_unwritten`; at most one runs at a time.
        self._writing: asyncio.Task[None] | None = None

    @property
    def now(self) -> float:
        """Seconds since 1970."""
        return self._clock()

    async def totals(self, payer: Payer) -> dict[Account, Spending]:
        """Return what this payer's accounts have spent today, reservations included."""
        day = day_of(self.now)
        async with self._lock:
            try:
                async with asyncio.timeout(STORE_TIMEOUT_S):
                    totals = await self._read(day, payer.accounts)
            except (StoreError, TimeoutError) as error:
                _log.warning(
                    "reading spending totals failed, counting in memory: %s",
                    str(error) or "the store is slow",
                )
                return self._in_memory(day, payer)
        return {account: one + self._unwritten_of(day, account) for account, one in totals.items()}

    async def check(self, payer: Payer) -> BudgetRefusal | None:
        """Return why this payer cannot make a single request now, or `None`; reserves nothing."""
        if self._has_ample(payer):
            return None
        one = Spending(requests=1)
        totals = await self.totals(payer)
        return self._judge(payer, {account: spent + one for account, spent in totals.items()})

    async def reserve(self, payer: Payer, cost: Spending) -> Reservation:
        """Set an estimate aside on all accounts of a payer.

        Raises:
            OverBudget: the estimate passes a limit; nothing is reserved.

        """
        day = day_of(self.now)
        async with self._lock:
            # Add first and check the new totals: in a cluster, other processes add to the same accounts.
            refusal = self._judge(payer, await self._add(day, payer, cost))
            if refusal is None:
                return Reservation(payer, day, cost)
            await self._add(day, payer, Spending() - cost)
        raise OverBudget(refusal)

    async def spend(self, payer: Payer, money: float) -> bool:
        """Charge a cost that is not a model's, such as a transcription; return whether the budget allowed it."""
        try:
            await self.reserve(payer, Spending(money=ceil(money * MILLION)))
        except OverBudget:
            return False
        return True

    async def charge(self, reservation: Reservation, spent: Spending) -> None:
        """Replace a reservation by the actual cost."""
        self._add_unwritten(reservation.day, reservation.payer, spent - reservation.reserved)
        await asyncio.sleep(self._write_delay)
        async with self._lock:
            await self._write_down(reservation.day)

    def breaker(self, model: str) -> CircuitBreaker:
        """Return the circuit breaker of a model."""
        return self._breakers.setdefault(model, CircuitBreaker(self.config.errors, self.config.error_pause))

    @property
    def paused_models(self) -> list[str]:
        """The models whose circuit breaker is open now."""
        return [name for name, breaker in self._breakers.items() if breaker.is_open(self.now)]

    @property
    def failing_models(self) -> list[str]:
        """The models whose last requests all failed, until one succeeds."""
        return [name for name, breaker in self._breakers.items() if breaker.is_failing]

    @property
    def is_used_up(self) -> bool:
        """Whether a question was refused today because everybody together has reached a limit."""
        return self.now < (self._notified.peek((0, "all")) or 0.0)

    def used_by_all(self) -> Mapping[str, tuple[float, float]]:
        """Return what all people have spent today and may spend, by unit, as this process last read it."""
        used, limit = self._cached_total(day_of(self.now), Account("all")), limits_of(self.config, "all")
        return {
            "requests": (used.requests, limit.requests),
            "tokens": (used.tokens, limit.tokens),
            "money": (used.money / MILLION, limit.money / MILLION),
        }

    def should_notify(self, person: int, refusal: BudgetRefusal) -> bool:
        """Return whether a user has not been notified of this refusal yet, and mark them as notified."""
        key = (person, refusal.reason)
        if self.now < (self._notified.find(key) or 0.0):
            return False
        self._notified.keep(key, refusal.until)
        return True

    def should_notify_briefly(self, person: int, reason: str) -> bool:
        """Do the same for a refusal that passes soon, such as a full queue: notify once a minute."""
        return self.should_notify(person, BudgetRefusal(reason, self.now + BRIEF_NOTICE_S))

    # --- Counting --------------------------------------------------------------------------------

    def _judge(self, payer: Payer, totals: Mapping[Account, Spending]) -> BudgetRefusal | None:
        refusal = find_refusal(self.config, totals, self.now)
        # Users hit their own limits every day; limits of a server or of all users concern the operator.
        if refusal is not None and refusal.reason != "person":
            id_ = payer.server if refusal.reason == "server" else 0
            if self.should_notify(-id_, refusal):
                scope = f"server {id_}" if id_ else "all users"
                _log.warning("daily budget used up: %s", scope)
        return refusal

    async def _add(self, day: int, payer: Payer, amount: Spending) -> dict[Account, Spending]:
        """Add to the payer's accounts, write everything unwritten, and return the new totals."""
        self._add_unwritten(day, payer, amount)
        await self._write_down(day)
        return self._in_memory(day, payer)

    def _add_unwritten(self, day: int, payer: Payer, amount: Spending) -> None:
        for account in payer.accounts:
            self._unwritten[day, account] = self._unwritten_of(day, account) + amount

    async def _write_down(self, day: int) -> None:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._flush(day))
        # On a timeout the task keeps running, and the amounts count in memory until it is done.
        await asyncio.wait({self._writing}, timeout=STORE_TIMEOUT_S)

    async def _flush(self, day: int) -> None:
        """Write unwritten amounts in batches until none is left."""
        while waiting := dict(
            islice(
                ((account, one) for (when, account), one in self._unwritten.items() if when == day),
                BATCH_ACCOUNTS,
            )
        ):
            try:
                written = await self._write(day, waiting)
            except StoreError as error:
                _log.warning("writing spending failed, counting in memory: %s", error)
                return
            for account, total in written.items():
                self._totals.keep((day, account), (self.now, total))
                # Another request may have added to the account while it was written.
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
        """Return the account under the name that the store uses: users have a pseudonym per day."""
        if account.kind != "person" or not self._key:
            return account
        name = blake2b(f"{day} {account.id}".encode(), key=self._key, digest_size=8).digest()
        # SQLite and PostgreSQL store signed 64-bit integers, so one bit of the digest is dropped.
        return Account(account.kind, int.from_bytes(name) >> 1)

    def _in_memory(self, day: int, payer: Payer) -> dict[Account, Spending]:
        return {account: self._cached_total(day, account) for account in payer.accounts}

    def _cached_total(self, day: int, account: Account) -> Spending:
        _, total = self._totals.find((day, account)) or (0.0, Spending())
        return total + self._unwritten_of(day, account)

    def _has_ample(self, payer: Payer) -> bool:
        """Return whether half of every limit was left a moment ago, so that the store need not be asked."""
        day = day_of(self.now)
        cached = [self._totals.find((day, account)) for account in payer.accounts]
        # A negative age means that the clock was set back; ask the store then.
        if not all(one is not None and 0 <= self.now - one[0] < TOTAL_MAX_AGE_S for one in cached):
            return False
        totals = self._in_memory(day, payer)
        doubled = {account: spent + spent + AMPLE_MARGIN for account, spent in totals.items()}
        return find_refusal(self.config, doubled, self.now) is None

    def _unwritten_of(self, day: int, account: Account) -> Spending:
        return self._unwritten.get((day, account)) or Spending()
