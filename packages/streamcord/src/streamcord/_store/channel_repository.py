"""Settings of servers and channels, data about single messages, and the last answers of each persona."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from .database import (
    Repository,
    Statement,
    as_text,
    normalize_name,
    parse_rows,
    placeholders,
    replace_unstorable,
    value_rows,
)
from .models import Memory, Place
from .privacy_repository import READ_VARIANTS, parse_memory

READ_SETTINGS = "SELECT name, value FROM settings WHERE guild = $1 AND channel = $2 ORDER BY name"
_SET = """
INSERT INTO settings (guild, channel, name, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (guild, channel, name) DO UPDATE SET value = excluded.value
"""
_UNSET = "DELETE FROM settings WHERE guild = $1 AND channel = $2 AND name = $3"


class SettingRepository(Repository):
    """The settings of servers and channels; values are not validated here."""

    async def settings(self, place: Place) -> dict[str, Any]:
        """Return the settings of exactly this place."""
        rows = await self._database.read(READ_SETTINGS, place.guild, place.channel)
        return dict(parse_rows(rows, lambda row: (as_text(row[0]), json.loads(row[1])), "settings"))

    async def change_settings(self, place: Place, changes: Mapping[str, Any]) -> None:
        """Change settings of a place; `None` removes one, the others stay."""
        where = (place.guild, place.channel)
        await self._database.write(
            *(
                Statement(_UNSET, (*where, name))
                if value is None
                else Statement(_SET, (*where, name, json.dumps(value)))
                for name, value in sorted(changes.items())
            )
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
