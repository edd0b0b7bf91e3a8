"""Settings, personas and choices are read for every question and change once a week: they are kept in memory.

A trigger in the database tells every process when one of these tables changes, whoever did that and with
whatever. What was read before is forgotten then. While nobody can be heard, nothing is kept.
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

__all__ = ["CHANGED", "TRIGGERS", "CachedReads", "open_cached_store"]

_READS = frozenset({*PLACE_READS, READ_OPT_OUT})
_TABLES = ("settings", "personas", "sprites", "persona_choices", "memory_opt_outs")
_CHANGES = re.compile(rf"\b(?:INTO|UPDATE|FROM)\s+(?:{'|'.join(_TABLES)})\b")
CHANGED = "streamcord_changed"
"""Where the database tells of changes."""
AGE = 30.0
"""Seconds after which all is read anew, should a word of the database be lost on its way."""
ENTRY_CAP, SIZE_CAP = 5000, 16_384
"""Answers that are kept, and the characters of one, at most."""

_TRIGGER = """
    IF NOT EXISTS (
        SELECT 1 FROM pg_trigger WHERE tgname = 'tell_change' AND tgrelid = '{table}'::regclass
    ) THEN
        CREATE TRIGGER tell_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION streamcord_tell_change();
    END IF;
"""
TRIGGERS = f"""
CREATE OR REPLACE FUNCTION streamcord_tell_change() RETURNS trigger LANGUAGE plpgsql AS $tell$
BEGIN
    PERFORM pg_notify('{CHANGED}', TG_TABLE_NAME);
    RETURN NULL;
END
$tell$;
DO $make$
BEGIN
{"".join(_TRIGGER.format(table=table) for table in _TABLES)}
END
$make$;
"""
"""Makes the database tell of every change."""


class CachedReads:
    """A database of which some answers are known; `is_heard` says whether changes would be heard of now."""

    def __init__(
        self, database: Database, is_heard: Callable[[], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.hits = 0
        self._database = database
        self._is_heard = is_heard
        self._clock = clock
        self._known: BoundedCache[tuple[object, ...], tuple[float, list[Row]]] = BoundedCache(ENTRY_CAP)
        self._changes = 0

    def forget(self) -> None:
        """Something has changed, or may have."""
        self._changes += 1
        self._known.clear()

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """Run a query, unless its rows are known."""
        if sql not in _READS or not self._is_heard():
            return await self._database.read(sql, *arguments)
        key = (sql, *arguments)
        at, rows = self._known.find(key) or (0.0, None)
        if rows is not None and self._clock() - at < AGE:
            self.hits += 1
            return list(rows)
        now, before = self._clock(), self._changes
        rows = await self._database.read(sql, *arguments)
        # What changed while it was read may be missing in it.
        if before == self._changes and self._is_heard() and _size(rows) <= SIZE_CAP:
            self._known.keep(key, (now, list(rows)))
        return rows

    async def write(self, *statements: Statement, independent: bool = False) -> list[Row]:
        """Write; whoever wrote something reads it back at once."""
        try:
            return await self._database.write(*statements, independent=independent)
        finally:
            if any(_CHANGES.search(one.sql) for one in statements):
                self.forget()

    async def close(self) -> None:
        """Close the database."""
        await self._database.close()


def _size(rows: list[Row]) -> int:
    """About as many characters as it holds."""
    return sum(len(value) if isinstance(value, str) else 8 for row in rows for value in row)


async def open_cached_store(url: str, member: Membership, clock: Callable[[], float] = time.time) -> SqlStore:
    """The store of a member, which is told of every change."""
    reads = CachedReads(await open_database(url), member.listens.is_set)
    member.changed = reads.forget
    return SqlStore(reads, clock)
