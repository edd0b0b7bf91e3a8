"""Cache the settings, personas and choices that are read for every question and rarely change.

A trigger in the database notifies every process when one of these tables changes, by any client; then the
cache is cleared. While the LISTEN connection is down, nothing is cached.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from streamcord.databases import PLACE_READS, READ_OPT_OUT, Database, Row, SqlStore, Statement, open_database
from streamcord.utils import BoundedCache

if TYPE_CHECKING:
    from .membership import Membership

_READS = frozenset({*PLACE_READS, READ_OPT_OUT})
_TABLES = ("settings", "personas", "sprites", "persona_choices", "memory_opt_outs")
_CHANGES = re.compile(rf"\b(?:INTO|UPDATE|FROM)\s+(?:{'|'.join(_TABLES)})\b")
CHANGES_TOPIC = "streamcord_changed"
"""The NOTIFY topic of the triggers in `tables.sql`."""
MAX_AGE_S = 30.0
"""Results are read again after this time, in case a notification was lost."""
MAX_ENTRIES, MAX_RESULT_CHARS = 5000, 16_384
"""Limits of the cache: number of results, and approximate characters of one result."""


class CachedReads:
    """A database whose results are partly cached, while `is_listening` returns true."""

    def __init__(
        self,
        database: Database,
        is_listening: Callable[[], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # Reads that were answered from the cache, for tests and metrics.
        self.hits = 0
        self._database = database
        self._is_listening = is_listening
        self._clock = clock
        self._cache: BoundedCache[tuple[object, ...], tuple[float, list[Row]]] = BoundedCache(MAX_ENTRIES)
        # Counts invalidations, to detect one that happens during a read.
        self._changes = 0

    def forget(self) -> None:
        """Clear the cache: something has changed, or may have."""
        self._changes += 1
        self._cache.clear()

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query, or return its cached rows."""
        if sql not in _READS or not self._is_listening():
            return await self._database.read(sql, *arguments)
        key = (sql, *arguments)
        at, rows = self._cache.find(key) or (0.0, None)
        if rows is not None and self._clock() - at < MAX_AGE_S:
            self.hits += 1
            return list(rows)
        now, before = self._clock(), self._changes
        rows = await self._database.read(sql, *arguments)
        # Do not keep a result if the tables changed while it was read.
        if before == self._changes and self._is_listening() and _size(rows) <= MAX_RESULT_CHARS:
            self._cache.keep(key, (now, list(rows)))
        return rows

    async def write(self, *statements: Statement, independent: bool = False) -> list[Row]:
        """Write; the cache is cleared, so that the writer reads its own change at once."""
        try:
            return await self._database.write(*statements, independent=independent)
        finally:
            if any(_CHANGES.search(one.sql) for one in statements):
                self.forget()

    async def close(self) -> None:
        """Close the database."""
        await self._database.close()


def _size(rows: list[Row]) -> int:
    """Return the approximate number of characters of a result."""
    return sum(len(value) if isinstance(value, str) else 8 for row in rows for value in row)


async def open_cached_store(url: str, member: Membership, clock: Callable[[], float] = time.time) -> SqlStore:
    """Open the store of a member, with a cache that is cleared on every change."""
    reads = CachedReads(await open_database(url), member.listening.is_set)
    member.on_data_changed = reads.forget
    return SqlStore(reads, clock)
