"""What is kept of servers and channels: their settings, the messages that were sent, the last answers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Any

from .database import Records, Statement, as_text, fold, places, readable, rows_of, storable
from .privacy.privacy_records import to_memory
from .values import (
    Memory,
    Place,
)

__all__ = [
    "LABEL_LIFE",
    "MEMORY_CAP",
    "READ_SETTINGS",
    "TABLE_LIFE",
    "MemoryRecords",
    "MessageRecords",
    "SettingRecords",
]


READ_SETTINGS = "SELECT name, value FROM settings WHERE guild = $1 AND channel = $2 ORDER BY name"
_SET = """
INSERT INTO settings (guild, channel, name, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (guild, channel, name) DO UPDATE SET value = excluded.value
"""
_UNSET = "DELETE FROM settings WHERE guild = $1 AND channel = $2 AND name = $3"


class SettingRecords(Records):
    """The settings of servers and channels; values are not checked here."""

    async def settings(self, place: Place) -> dict[str, Any]:
        """What was set for exactly this place."""
        rows = await self._database.read(READ_SETTINGS, place.guild, place.channel)
        return dict(readable(rows, lambda row: (as_text(row[0]), json.loads(row[1])), "settings"))

    async def change_settings(self, place: Place, changes: Mapping[str, Any]) -> None:
        """Set values of a place; `None` unsets one, what is not named stays."""
        where = (place.guild, place.channel)
        await self._database.write(
            *(
                Statement(_UNSET, (*where, name))
                if value is None
                else Statement(_SET, (*where, name, json.dumps(value)))
                for name, value in sorted(changes.items())
            )
        )


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


MEMORY_CAP = 10
"""Answers of a persona that are remembered, in each channel."""
_REMEMBER = """
INSERT INTO memories (id, guild, channel, persona, name, person, body, details, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO UPDATE SET body = excluded.body, details = excluded.details, at = excluded.at
"""
_LINK = "INSERT INTO memory_messages (message, memory) VALUES {rows} ON CONFLICT (message) DO NOTHING"
# The whole server if no channel is named; never all direct messages.
_HERE = "guild = $1 AND (channel = $2 OR $2 = 0 AND guild <> 0)"
_PRUNE = f"""
DELETE FROM memories WHERE guild = $1 AND channel = $2 AND persona = $3 AND id < $4 AND id NOT IN (
    SELECT id FROM memories WHERE guild = $1 AND channel = $2 AND persona = $3 AND id <> $4
    ORDER BY id DESC LIMIT {MEMORY_CAP - 1}
)
"""  # noqa: S608
# Answers first, then their messages.
_RECALL = f"""
WITH here AS (
    SELECT id, guild, channel, name, person, body, details, at FROM memories
    WHERE {_HERE} AND persona = $3 ORDER BY id DESC LIMIT {MEMORY_CAP}
)
SELECT id, guild, channel, name, person, body, details, at, 0 AS message FROM here
UNION ALL SELECT memory, 0, 0, '', 0, '', '', 0.0, message FROM memory_messages
    WHERE memory IN (SELECT id FROM here) AND message <> 0
ORDER BY message, id DESC
"""  # noqa: S608
_FORGET = f"DELETE FROM memories WHERE {_HERE} AND persona = coalesce($3, persona) RETURNING id"  # noqa: S608
_FORGET_TABLES = """
DELETE FROM table_sources WHERE message IN (
    SELECT message FROM memory_messages JOIN memories ON memory = id WHERE person = $1
)
"""


class MemoryRecords(Records):
    """The last answers of each persona."""

    async def remember(self, memory: Memory) -> None:
        """Keep an answer; of a persona's answers in a channel only the last ten stay."""
        if not memory.messages:
            raise ValueError("an answer without a message was not sent: give Memory.messages")
        first, place = min(memory.messages), memory.place
        where = (place.guild, place.channel, fold(memory.persona))
        kept = (
            *(first, *where, storable(memory.persona), memory.user),
            *(storable(memory.text), json.dumps(memory.details), self._clock()),
        )
        links = [(message, first) for message in sorted(memory.messages)]
        await self._database.write(
            Statement(_REMEMBER, kept),
            Statement(_LINK.format(rows=rows_of(len(links), 2)), tuple(chain.from_iterable(links))),
            Statement(_PRUNE, (*where, first)),
            apart=True,
        )

    async def recall(self, persona: str, place: Place) -> tuple[Memory, ...]:
        """The last ten answers of a persona in a channel, or in a whole server; the newest last."""
        rows = await self._database.read(_RECALL, place.guild, place.channel, fold(persona))
        messages = defaultdict[int, list[int]](list)
        for *row, message in rows:
            if message:
                messages[row[0]].append(message)
        kept = [tuple(row) for *row, message in rows if not message]
        return tuple(readable(reversed(kept), lambda row: to_memory(row, messages[row[0]]), "memories"))

    async def forget(self, place: Place, persona: str | None = None) -> int:
        """Forget the answers in a place, of one persona or of all; says how many."""
        key = None if persona is None else fold(persona)
        return len(await self._database.write(Statement(_FORGET, (place.guild, place.channel, key))))

    async def forget_person(self, user: int) -> int:
        """Forget every answer to this person, everywhere, and what they have spent; says how many answers."""
        answers = Statement("DELETE FROM memories WHERE person = $1 RETURNING id", (user,))
        spent = Statement("DELETE FROM spending WHERE kind = 'person' AND id = $1", (user,))
        return len(await self._database.write(spent, Statement(_FORGET_TABLES, (user,)), answers))
