"""What is known of messages that were sent: the label of each, and the table that its picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice

from .database import Records, Statement, as_text, places, readable, rows_of, storable

__all__ = ["LABEL_LIFE", "TABLE_LIFE", "MessageRecords"]


TABLE_LIFE = 2 * 3600.0
"""Seconds that a table's source is kept."""
LABEL_LIFE = 90 * 86_400.0
"""Seconds that the label of a sprite is kept: no conversation is read back further."""
_BATCH = 500
_LABEL = """
INSERT INTO sprite_messages (message, label, at) VALUES {rows}
ON CONFLICT (message) DO UPDATE SET label = excluded.label, at = excluded.at
"""
# Ids grow with time, so that what is forgotten is never what is written.
_OLD = "DELETE FROM {table} WHERE at <= $1 AND message < $2"
_TABLE = """
INSERT INTO table_sources (message, source, at) VALUES ($1, $2, $3)
ON CONFLICT (message) DO UPDATE SET source = excluded.source, at = excluded.at
"""


class MessageRecords(Records):
    """What is kept by message id: labels and tables."""

    async def label_messages(self, labels: Mapping[int, str]) -> None:
        """Note under which label (`Luna (mad): `) messages were sent; labels of long ago are forgotten."""
        if not labels:
            return
        now = self._clock()
        old = Statement(_OLD.format(table="sprite_messages"), (now - LABEL_LIFE, min(labels)))
        # In one order for all writers, so that two of them never wait for each other.
        rows = [(message, storable(label), now) for message, label in sorted(labels.items())]
        kept = Statement(_LABEL.format(rows=rows_of(len(rows), 3)), tuple(chain.from_iterable(rows)))
        await self._database.write(old, kept, apart=True)

    async def labels(self, messages: Iterable[int]) -> dict[int, str]:
        """The labels of those messages that have one."""
        found: dict[int, str] = {}
        rest = iter(messages)
        while batch := list(islice(rest, _BATCH)):
            sql = f"SELECT message, label FROM sprite_messages WHERE message IN ({places(len(batch))})"  # noqa: S608
            rows = await self._database.read(sql, *batch)
            found.update(readable(rows, lambda row: (row[0], as_text(row[1])), "sprite_messages"))
        return found

    async def keep_table(self, message: int, source: str) -> None:
        """Keep the Markdown of a table that a message shows as a picture, for two hours."""
        now = self._clock()
        old = Statement(_OLD.format(table="table_sources"), (now - TABLE_LIFE, message))
        await self._database.write(old, Statement(_TABLE, (message, storable(source), now)), apart=True)

    async def find_table(self, message: int) -> str | None:
        """The Markdown of a message's table, if it is not too long ago."""
        sql = "SELECT source FROM table_sources WHERE message = $1 AND at > $2"
        rows = await self._database.read(sql, message, self._clock() - TABLE_LIFE)
        return str(rows[0][0]) if rows else None

    async def forget_messages(self, messages: Iterable[int]) -> None:
        """Forget messages that were deleted: their labels, tables and answers."""
        rest = iter(messages)
        while batch := tuple(islice(rest, _BATCH)):
            these = f"IN ({places(len(batch))})"
            answers = f"SELECT memory FROM memory_messages WHERE message {these}"  # noqa: S608
            await self._database.write(
                Statement(f"DELETE FROM sprite_messages WHERE message {these}", batch),  # noqa: S608
                Statement(f"DELETE FROM table_sources WHERE message {these}", batch),  # noqa: S608
                Statement(f"DELETE FROM memories WHERE id IN ({answers})", batch),  # noqa: S608
            )
