"""Data about single messages: labels for the prompt, and the sources of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, islice

from .database import (
    Repository,
    Statement,
    as_text,
    parse_rows,
    placeholders,
    replace_unstorable,
    value_rows,
)

TABLE_SOURCE_LIFETIME_S = 2 * 3600.0
"""How long the Markdown of a table is kept."""
LABEL_LIFETIME_S = 90 * 86_400.0
"""How long the label of a message is kept: no conversation is read back further."""
_BATCH_SIZE = 500
_LABEL = """
INSERT INTO message_labels (message, label, created_at) VALUES {rows}
ON CONFLICT (message) DO UPDATE SET label = excluded.label, created_at = excluded.created_at
"""
# Ids grow with time, so the deleted rows and the inserted ones never overlap: the two are independent.
_OLD = "DELETE FROM {table} WHERE created_at <= $1 AND message < $2"
_TABLE = """
INSERT INTO table_sources (message, source, created_at) VALUES ($1, $2, $3)
ON CONFLICT (message) DO UPDATE SET source = excluded.source, created_at = excluded.created_at
"""


class MessageRepository(Repository):
    """Data about single messages: speaker labels and table sources."""

    async def label_messages(self, labels: Mapping[int, str]) -> None:
        """Record under which label (`Luna (mad): `) messages were sent, and delete expired labels."""
        if not labels:
            return
        now = self._clock()
        old = Statement(_OLD.format(table="message_labels"), (now - LABEL_LIFETIME_S, min(labels)))
        # Sorted, so that concurrent writers lock rows in the same order and cannot deadlock.
        rows = [(message, replace_unstorable(label), now) for message, label in sorted(labels.items())]
        kept = Statement(_LABEL.format(rows=value_rows(len(rows), 3)), tuple(chain.from_iterable(rows)))
        await self._database.write(old, kept, independent=True)

    async def labels(self, messages: Iterable[int]) -> dict[int, str]:
        """Return the labels of those messages that have one."""
        found: dict[int, str] = {}
        rest = iter(messages)
        while batch := list(islice(rest, _BATCH_SIZE)):
            sql = f"SELECT message, label FROM message_labels WHERE message IN ({placeholders(len(batch))})"  # noqa: S608
            rows = await self._database.read(sql, *batch)
            found.update(parse_rows(rows, lambda row: (row[0], as_text(row[1])), "message_labels"))
        return found

    async def save_table(self, message: int, source: str) -> None:
        """Save the Markdown of a table that a message shows as an image, for two hours."""
        now = self._clock()
        old = Statement(_OLD.format(table="table_sources"), (now - TABLE_SOURCE_LIFETIME_S, message))
        await self._database.write(
            old, Statement(_TABLE, (message, replace_unstorable(source), now)), independent=True
        )

    async def find_table(self, message: int) -> str | None:
        """Return the Markdown of a message's table if it has not expired."""
        sql = "SELECT source FROM table_sources WHERE message = $1 AND created_at > $2"
        rows = await self._database.read(sql, message, self._clock() - TABLE_SOURCE_LIFETIME_S)
        return str(rows[0][0]) if rows else None

    async def forget_messages(self, messages: Iterable[int]) -> None:
        """Delete the labels, tables and answers of deleted messages."""
        rest = iter(messages)
        while batch := tuple(islice(rest, _BATCH_SIZE)):
            these = f"IN ({placeholders(len(batch))})"
            answers = f"SELECT memory FROM memory_messages WHERE message {these}"  # noqa: S608
            await self._database.write(
                Statement(f"DELETE FROM message_labels WHERE message {these}", batch),  # noqa: S608
                Statement(f"DELETE FROM table_sources WHERE message {these}", batch),  # noqa: S608
                Statement(f"DELETE FROM memories WHERE id IN ({answers})", batch),  # noqa: S608
                # A question whose buttons are gone cannot be answered any more.
                Statement(
                    f"UPDATE asks SET state = 'closed' WHERE state = 'open' AND message {these}",  # noqa: S608
                    batch,
                ),
            )
