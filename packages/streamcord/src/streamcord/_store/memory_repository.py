"""The last answers of each persona, and their variants."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import chain

from .database import (
    Repository,
    Statement,
    as_text,
    normalize_name,
    parse_rows,
    replace_unstorable,
    value_rows,
)
from .models import Memory, Place
from .privacy_repository import READ_VARIANTS, parse_memory

MAX_MEMORIES = 10
"""Answers that are remembered per persona and channel."""
_REMEMBER = """
INSERT INTO memories (id, guild, channel, persona, name, user_id, text, details, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (id) DO UPDATE SET text = excluded.text, details = excluded.details,
    created_at = excluded.created_at
"""
_LINK = "INSERT INTO memory_messages (message, memory) VALUES {rows} ON CONFLICT (message) DO NOTHING"
# Channel 0 means the whole server; with guild 0 it would mean all direct messages, which is never wanted.
_HERE = "guild = $1 AND (channel = $2 OR $2 = 0 AND guild <> 0)"
_PRUNE = f"""
DELETE FROM memories WHERE guild = $1 AND channel = $2 AND persona = $3 AND id < $4 AND id NOT IN (
    SELECT id FROM memories WHERE guild = $1 AND channel = $2 AND persona = $3 AND id <> $4
    ORDER BY id DESC LIMIT {MAX_MEMORIES - 1}
)
"""  # noqa: S608
# Rows of the answers come first (message 0), then one row for each of their messages.
_RECALL = f"""
WITH here AS (
    SELECT id, guild, channel, name, user_id, text, details, created_at FROM memories
    WHERE {_HERE} AND persona = $3 ORDER BY id DESC LIMIT {MAX_MEMORIES}
)
SELECT id, guild, channel, name, user_id, text, details, created_at, 0 AS message FROM here
UNION ALL SELECT memory, 0, 0, '', 0, '', '', 0.0, message FROM memory_messages
    WHERE memory IN (SELECT id FROM here) AND message <> 0
ORDER BY message, id DESC
"""  # noqa: S608
_FORGET = f"DELETE FROM memories WHERE {_HERE} AND persona = coalesce($3, persona) RETURNING id"  # noqa: S608
_FIND_ANSWER = """
SELECT id, guild, channel, name, user_id, text, details, created_at FROM memories
WHERE id = (SELECT memory FROM memory_messages WHERE message = $1)
"""
_READ_LINKS = "SELECT message FROM memory_messages WHERE memory = $1 ORDER BY message"
_KEEP_VARIANTS = "INSERT INTO memory_variants (memory, number, text) VALUES {rows}"


def _variant_statements(memory: int, variants: Sequence[str]) -> list[Statement]:
    """Return the statements that replace the variants of an answer."""
    rows = [(memory, number, replace_unstorable(text)) for number, text in enumerate(variants, 1)]
    kept = _KEEP_VARIANTS.format(rows=value_rows(len(rows), 3))
    return [
        Statement("DELETE FROM memory_variants WHERE memory = $1", (memory,)),
        Statement(kept, tuple(chain.from_iterable(rows))),
    ]


class MemoryRepository(Repository):
    """The last answers of each persona."""

    async def remember(self, memory: Memory) -> None:
        """Save an answer; only the last `MAX_MEMORIES` of a persona in a channel are kept."""
        if not memory.messages:
            raise ValueError("an answer without a message was not sent: give Memory.messages")
        first, place = min(memory.messages), memory.place
        where = (place.guild, place.channel, normalize_name(memory.persona))
        kept = (
            *(first, *where, replace_unstorable(memory.persona), memory.user),
            *(replace_unstorable(memory.text), json.dumps(memory.details), self._clock()),
        )
        links = [(message, first) for message in sorted(memory.messages)]
        statements = [
            Statement(_REMEMBER, kept),
            Statement(_LINK.format(rows=value_rows(len(links), 2)), tuple(chain.from_iterable(links))),
            Statement(_PRUNE, (*where, first)),
        ]
        if memory.variants:
            # The answer took the place of an earlier one: it may have fewer messages, which are deleted next.
            statements.insert(1, Statement("DELETE FROM memory_messages WHERE memory = $1", (first,)))
            statements += _variant_statements(first, memory.variants)
        await self._database.write(*statements, independent=not memory.variants)

    async def find_answer(self, message: int) -> Memory | None:
        """Return the answer that a message is a part of, with its variants."""
        rows = await self._database.read(_FIND_ANSWER, message)
        if not rows:
            return None
        id_ = rows[0][0]
        messages = await self._database.read(_READ_LINKS, id_)
        variants = [as_text(one[0]) for one in await self._database.read(READ_VARIANTS, id_)]
        parse = partial(parse_memory, messages=[one[0] for one in messages], variants=variants)
        return next(iter(parse_rows(rows, parse, "memories")), None)

    async def recall(self, persona: str, place: Place) -> tuple[Memory, ...]:
        """Return the last answers of a persona in a channel or a whole server, the newest last."""
        rows = await self._database.read(_RECALL, place.guild, place.channel, normalize_name(persona))
        messages = defaultdict[int, list[int]](list)
        for *row, message in rows:
            if message:
                messages[row[0]].append(message)
        kept = [tuple(row) for *row, message in rows if not message]
        return tuple(parse_rows(reversed(kept), lambda row: parse_memory(row, messages[row[0]]), "memories"))

    async def forget(self, place: Place, persona: str | None = None) -> int:
        """Delete the answers in a place, of one persona or of all; return how many."""
        key = None if persona is None else normalize_name(persona)
        forgotten = await self._database.write(Statement(_FORGET, (place.guild, place.channel, key)))
        await self._clear_log()
        return len(forgotten)
