"""Short-term memory: the last answers of each persona, as they were sent."""

from __future__ import annotations

import json
from collections import defaultdict

from .database import Row, Shelf, Statement, fold, places, storable
from .values import Memory, Place

__all__ = ["MEMORY_CAP", "MemoryShelf"]

MEMORY_CAP = 10
"""Answers of a persona that are remembered, in each channel."""

_REMEMBER = """
INSERT INTO memories (id, guild, channel, persona, name, person, body, details, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO UPDATE SET body = excluded.body, details = excluded.details, at = excluded.at
"""
_LINK = "INSERT INTO memory_messages (message, memory) VALUES ($1, $2) ON CONFLICT (message) DO NOTHING"
# The whole server if no channel is named; never all direct messages.
_HERE = "guild = $1 AND (channel = $2 OR $2 = 0 AND guild <> 0)"
_PRUNE = f"""
DELETE FROM memories WHERE guild = $1 AND channel = $2 AND persona = $3 AND id NOT IN (
    SELECT id FROM memories WHERE guild = $1 AND channel = $2 AND persona = $3
    ORDER BY id DESC LIMIT {MEMORY_CAP}
)
"""  # noqa: S608
_RECALL = f"""
SELECT id, guild, channel, name, person, body, details, at FROM memories
WHERE {_HERE} AND persona = $3 ORDER BY id DESC LIMIT {MEMORY_CAP}
"""  # noqa: S608

_FORGET = f"DELETE FROM memories WHERE {_HERE} AND persona = coalesce($3, persona) RETURNING id"  # noqa: S608
_FORGET_TABLES = """
DELETE FROM table_sources WHERE message IN (
    SELECT message FROM memory_messages JOIN memories ON memory = id WHERE person = $1
)
"""


class MemoryShelf(Shelf):
    """The part of the store that remembers what was said."""

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
        links = [Statement(_LINK, (message, first)) for message in sorted(memory.messages)]
        await self._database.write(Statement(_REMEMBER, kept), *links, Statement(_PRUNE, where))

    async def recall(self, persona: str, place: Place) -> tuple[Memory, ...]:
        """The last ten answers of a persona in a channel, or in a whole server; the newest last."""
        rows = await self._database.read(_RECALL, place.guild, place.channel, fold(persona))
        messages = await self._messages([row[0] for row in rows])
        return tuple(_memory(row, messages[row[0]]) for row in reversed(rows))

    async def forget(self, place: Place, persona: str | None = None) -> int:
        """Forget the answers in a place, of one persona or of all; says how many."""
        key = None if persona is None else fold(persona)
        return len(await self._database.write(Statement(_FORGET, (place.guild, place.channel, key))))

    async def forget_person(self, user: int) -> int:
        """Forget every answer to this person, everywhere; says how many."""
        answers = Statement("DELETE FROM memories WHERE person = $1 RETURNING id", (user,))
        return len(await self._database.write(Statement(_FORGET_TABLES, (user,)), answers))

    async def _messages(self, memories: list[int]) -> defaultdict[int, list[int]]:
        found = defaultdict[int, list[int]](list)
        if memories:
            these = places(len(memories))
            sql = f"SELECT memory, message FROM memory_messages WHERE memory IN ({these}) ORDER BY message"  # noqa: S608
            for memory, message in await self._database.read(sql, *memories):
                found[memory].append(message)
        return found


def _memory(row: Row, messages: list[int]) -> Memory:
    _, guild, channel, name, person, body, details, at = row
    return Memory(name, Place(guild, channel), body, tuple(messages), tuple(json.loads(details)), person, at)
