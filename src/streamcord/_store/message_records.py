"""What is known about single messages: which look they wore, and which table their picture shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from .database import Shelf, Statement, places, storable

__all__ = ["LABEL_LIFE", "TABLE_LIFE", "MessageShelf"]

TABLE_LIFE = 2 * 3600.0
"""Seconds that a table's source is kept."""
LABEL_LIFE = 90 * 86_400.0
"""Seconds that the label of a sprite is kept: no conversation is read back further."""
_BATCH = 500
_LABEL = """
INSERT INTO sprite_messages (message, label, at) VALUES ($1, $2, $3)
ON CONFLICT (message) DO UPDATE SET label = excluded.label, at = excluded.at
"""
_TABLE = """
INSERT INTO table_sources (message, source, at) VALUES ($1, $2, $3)
ON CONFLICT (message) DO UPDATE SET source = excluded.source, at = excluded.at
"""


class MessageShelf(Shelf):
    """The part of the store that is asked by message ids."""

    async def label_messages(self, labels: Mapping[int, str]) -> None:
        """Note under which label (`Luna (mad): `) messages were sent; labels of long ago are forgotten."""
        now = self._clock()
        old = Statement("DELETE FROM sprite_messages WHERE at <= $1", (now - LABEL_LIFE,))
        # In one order for all writers, so that two of them never wait for each other.
        rows = [
            Statement(_LABEL, (message, storable(label), now)) for message, label in sorted(labels.items())
        ]
        await self._database.write(old, *rows)

    async def labels(self, messages: Iterable[int]) -> dict[int, str]:
        """The labels of those messages that have one."""
        found: dict[int, str] = {}
        rest = iter(messages)
        while batch := list(islice(rest, _BATCH)):
            sql = f"SELECT message, label FROM sprite_messages WHERE message IN ({places(len(batch))})"  # noqa: S608
            found.update((row[0], row[1]) for row in await self._database.read(sql, *batch))
        return found

    async def keep_table(self, message: int, source: str) -> None:
        """Keep the Markdown of a table that a message shows as a picture, for two hours."""
        now = self._clock()
        old = Statement("DELETE FROM table_sources WHERE at <= $1", (now - TABLE_LIFE,))
        await self._database.write(old, Statement(_TABLE, (message, storable(source), now)))

    async def find_table(self, message: int) -> str | None:
        """The Markdown of a message's table, if it is not too long ago."""
        sql = "SELECT source FROM table_sources WHERE message = $1 AND at > $2"
        rows = await self._database.read(sql, message, self._clock() - TABLE_LIFE)
        return str(rows[0][0]) if rows else None

    async def forget_messages(self, messages: Iterable[int]) -> None:
        """Messages that were deleted never happened: their labels, tables and answers go too."""
        rest = iter(messages)
        while batch := tuple(islice(rest, _BATCH)):
            these = f"IN ({places(len(batch))})"
            answers = f"SELECT memory FROM memory_messages WHERE message {these}"  # noqa: S608
            await self._database.write(
                Statement(f"DELETE FROM sprite_messages WHERE message {these}", batch),  # noqa: S608
                Statement(f"DELETE FROM table_sources WHERE message {these}", batch),  # noqa: S608
                Statement(f"DELETE FROM memories WHERE id IN ({answers})", batch),  # noqa: S608
            )
