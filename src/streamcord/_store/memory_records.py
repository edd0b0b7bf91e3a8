"""The last answers of each persona, as they were sent."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import chain

from .database import Records, Statement, fold, readable, rows_of, storable
from .privacy.privacy_records import to_memory
from .values import (
    Memory,
    Place,
)

__all__ = ["MEMORY_CAP", "MemoryRecords"]


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
