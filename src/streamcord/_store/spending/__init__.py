"""What was asked of models and what it cost, added up by day for people, servers and everybody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from ..database import Records, Row, Statement, places, readable, rows_of
from ..values import Account, Spending

__all__ = ["SPENDING_DAYS", "SpendingRecords"]

SPENDING_DAYS = 31
"""Days for which spending is kept."""

# Added inside of the database, so that no writer loses another's requests; the answer is the new total.
_ADD = """
INSERT INTO spending (day, kind, id, requests, tokens, money) VALUES {rows}
ON CONFLICT (day, kind, id) DO UPDATE SET requests = spending.requests + excluded.requests,
    tokens = spending.tokens + excluded.tokens, money = spending.money + excluded.money
RETURNING kind, id, requests, tokens, money
"""
_OLD = "DELETE FROM spending WHERE day <= $1"
_TOTALS = "SELECT kind, id, requests, tokens, money FROM spending WHERE day = $1 AND id IN ({ids})"


class SpendingRecords(Records):
    """What each account has spent on a day."""

    _tidied = -1
    """The day on which old days were last forgotten."""

    async def add_spending(self, day: int, amounts: Mapping[Account, Spending]) -> dict[Account, Spending]:
        """Add to what these accounts have spent, all or nothing; returns their new totals of that day."""
        if not amounts:
            return {}
        # In one order for all writers, so that two of them never wait for each other.
        values = [
            (day, account.kind, account.id, one.requests, one.tokens, one.money)
            for account, one in sorted(amounts.items(), key=lambda pair: (pair[0].kind, pair[0].id))
        ]
        add = Statement(_ADD.format(rows=rows_of(len(values), 6)), tuple(chain.from_iterable(values)))
        old = [] if day == self._tidied else [Statement(_OLD, (day - SPENDING_DAYS,))]
        rows = await self._database.write(*old, add, apart=True)
        self._tidied = day
        return _read(rows, amounts)

    async def spending(self, day: int, accounts: Iterable[Account]) -> dict[Account, Spending]:
        """What these accounts have spent on a day."""
        wanted = tuple(accounts)
        sql, arguments = _totals(day, wanted)
        return _read(await self._database.read(sql, *arguments), wanted)


def _totals(day: int, accounts: Iterable[Account]) -> Statement:
    ids = [account.id for account in accounts]
    return Statement(_TOTALS.format(ids=places(len(ids), 2)), (day, *ids))


def _read(rows: Iterable[Row], accounts: Iterable[Account]) -> dict[Account, Spending]:
    found = dict(
        readable(rows, lambda row: (Account(row[0], row[1]), Spending(*map(int, row[2:]))), "spending")
    )
    return {account: found.get(account, Spending()) for account in accounts}
