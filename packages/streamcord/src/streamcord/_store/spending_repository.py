"""Requests to models and their cost, added up by day for users, servers and the whole bot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from .database import Repository, Row, Statement, parse_rows, placeholders, value_rows
from .models import Account, Spending

SPENDING_DAYS = 31
"""How many days spending is kept."""

# Added inside the database, so that concurrent writers lose nothing; returns the new totals.
_ADD = """
INSERT INTO spending (day, kind, id, requests, tokens, money) VALUES {rows}
ON CONFLICT (day, kind, id) DO UPDATE SET requests = spending.requests + excluded.requests,
    tokens = spending.tokens + excluded.tokens, money = spending.money + excluded.money
RETURNING kind, id, requests, tokens, money
"""
_OLD = "DELETE FROM spending WHERE day <= $1"
_TOTALS = "SELECT kind, id, requests, tokens, money FROM spending WHERE day = $1 AND id IN ({ids})"


class SpendingRepository(Repository):
    """The spending of each account per day."""

    _cleaned_day = -1
    """The day on which expired days were last deleted."""

    async def add_spending(self, day: int, amounts: Mapping[Account, Spending]) -> dict[Account, Spending]:
        """Add to the spending of these accounts atomically; return their new totals of that day."""
        if not amounts:
            return {}
        # Sorted, so that concurrent writers lock rows in the same order and cannot deadlock.
        values = [
            (day, account.kind, account.id, one.requests, one.tokens, one.money)
            for account, one in sorted(amounts.items(), key=lambda pair: (pair[0].kind, pair[0].id))
        ]
        add = Statement(_ADD.format(rows=value_rows(len(values), 6)), tuple(chain.from_iterable(values)))
        old = [] if day == self._cleaned_day else [Statement(_OLD, (day - SPENDING_DAYS,))]
        rows = await self._database.write(*old, add, independent=True)
        self._cleaned_day = day
        return _parse(rows, amounts)

    async def spending(self, day: int, accounts: Iterable[Account]) -> dict[Account, Spending]:
        """Return the spending of these accounts on a day."""
        wanted = tuple(accounts)
        sql, arguments = _totals(day, wanted)
        return _parse(await self._database.read(sql, *arguments), wanted)


def _totals(day: int, accounts: Iterable[Account]) -> Statement:
    ids = [account.id for account in accounts]
    return Statement(_TOTALS.format(ids=placeholders(len(ids), 2)), (day, *ids))


def _parse(rows: Iterable[Row], accounts: Iterable[Account]) -> dict[Account, Spending]:
    found = dict(
        parse_rows(rows, lambda row: (Account(row[0], row[1]), Spending(*map(int, row[2:]))), "spending")
    )
    return {account: found.get(account, Spending()) for account in accounts}
