"""Data export and deletion for users and servers, retention, and the audit log."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from .database import Repository, Row, Statement, as_text, parse_rows, replace_unstorable
from .models import Change, Memory, Place, Trace

MAX_CHANGES = 500
"""Audit log entries that are kept per server."""

_RECORD = """
INSERT INTO audit_log (guild, channel, user_id, action, detail, created_at) VALUES ($1, $2, $3, $4, $5, $6)
"""
_PRUNE = f"""
DELETE FROM audit_log WHERE guild = $1 AND created_at < (
    SELECT min(created_at) FROM (
        SELECT created_at FROM audit_log WHERE guild = $1 ORDER BY created_at DESC LIMIT {MAX_CHANGES}
    ) AS newest
)
"""  # noqa: S608
_CHANGES = "SELECT guild, channel, user_id, action, detail, created_at FROM audit_log"
READ_VARIANTS = "SELECT text FROM memory_variants WHERE memory = $1 ORDER BY number"
READ_OPT_OUT = "SELECT user_id FROM memory_opt_outs WHERE user_id = $1"
_OPT_OUT = "INSERT INTO memory_opt_outs VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING"
_MEMORIES = """
SELECT id, guild, channel, name, user_id, text, details, created_at FROM memories
WHERE user_id = $1 ORDER BY id
"""
# Channel 0 means the whole server, but never all direct messages.
_PLACE = "guild = $1 AND (channel = $2 OR $2 = 0 AND guild <> 0)"
_PLACE_TABLES = f"""
DELETE FROM table_sources WHERE message IN (
    SELECT message FROM memory_messages JOIN memories ON memory = id WHERE {_PLACE}
)
"""  # noqa: S608
_CHANNEL_TABLES = ("settings", "persona_choices", "memories", "channel_cursors", "asks")
_SERVER_TABLES = ("personas", "audit_log")


# A direct message belongs to the person who asked there lately.
_TRACES = """
SELECT 'question' AS kind, channel, message, taken_at AS at FROM questions WHERE user_id = $1
UNION ALL SELECT 'newest direct message', channel, message, received_at FROM channel_cursors
WHERE guild = 0 AND (channel = $2 OR channel IN (SELECT channel FROM questions WHERE user_id = $1))
ORDER BY at, kind
"""
_FORGET_CURSORS = """
DELETE FROM channel_cursors WHERE guild = 0 AND channel IN (SELECT channel FROM questions WHERE user_id = $1)
"""
_FORGET_ASKER = "UPDATE questions SET user_id = 0, channel = 0 WHERE user_id = $1 AND done = TRUE"
_FORGET_TABLES = """
DELETE FROM table_sources WHERE message IN (
    SELECT message FROM memory_messages JOIN memories ON memory = id WHERE user_id = $1
)
"""


class PrivacyRepository(Repository):
    """Export and deletion on request, retention, and the audit log."""

    # --- One user --------------------------------------------------------------------------------

    async def memories_of(self, user: int) -> tuple[Memory, ...]:
        """Return every stored answer to this user, the oldest first."""
        found: list[Memory] = []
        for row in await self._database.read(_MEMORIES, user):
            sql = "SELECT message FROM memory_messages WHERE memory = $1 ORDER BY message"
            messages = [one[0] for one in await self._database.read(sql, row[0])]
            variants = [as_text(one[0]) for one in await self._database.read(READ_VARIANTS, row[0])]
            parse = partial(parse_memory, messages=messages, variants=variants)
            found += parse_rows([row], parse, "memories")
        return tuple(found)

    async def traces_of(self, user: int, direct: int = 0) -> tuple[Trace, ...]:
        """Return where and when this user asked lately, the oldest first.

        Args:
            user: The user.
            direct: The channel of their direct messages, if it is known.

        """
        rows = await self._database.read(_TRACES, user, direct)
        return tuple(parse_rows(rows, lambda row: Trace(as_text(row[0]), *row[1:]), "questions"))

    async def refuse_memory(self, user: int, *, refused: bool = True) -> None:
        """Stop remembering answers to this user, or allow it again."""
        if refused:
            await self._database.write(Statement(_OPT_OUT, (user, self._clock())))
        else:
            await self._database.write(Statement("DELETE FROM memory_opt_outs WHERE user_id = $1", (user,)))

    async def refuses_memory(self, user: int) -> bool:
        """Return whether this user opted out of being remembered."""
        return bool(await self._database.read(READ_OPT_OUT, user))

    # --- Deletion --------------------------------------------------------------------------------

    async def forget_person(self, user: int) -> int:
        """Delete every answer to this user, their spending and their traces; return the number of answers."""
        answers = Statement("DELETE FROM memories WHERE user_id = $1 RETURNING id", (user,))
        spent = Statement("DELETE FROM spending WHERE kind = 'person' AND id = $1", (user,))
        # Where they wrote last in direct messages, and who asked the questions that were answered lately.
        traces = [Statement(sql, (user,)) for sql in (_FORGET_CURSORS, _FORGET_ASKER)]
        tables = Statement(_FORGET_TABLES, (user,))
        asked = Statement("DELETE FROM asks WHERE user_id = $1", (user,))
        forgotten = await self._database.write(spent, *traces, tables, asked, answers)
        await self._clear_log()
        return len(forgotten)

    async def forget_place(self, place: Place) -> None:
        """Delete all data of a channel, or of a whole server including its personas and audit log."""
        where = (place.guild, place.channel)
        deletions = [Statement(_PLACE_TABLES, where)]
        deletions += [Statement(f"DELETE FROM {table} WHERE {_PLACE}", where) for table in _CHANNEL_TABLES]  # noqa: S608
        if place.guild and not place.channel:
            one = (place.guild,)
            deletions += [Statement(f"DELETE FROM {table} WHERE guild = $1", one) for table in _SERVER_TABLES]  # noqa: S608
        await self._database.write(*deletions)
        await self._clear_log()

    async def forget_before(self, at: float) -> int:
        """Delete answers and audit log entries older than this time; return the number of answers."""
        changes = Statement("DELETE FROM audit_log WHERE created_at < $1", (at,))
        # A quiet channel is found again with its next message.
        cursors = Statement("DELETE FROM channel_cursors WHERE received_at < $1", (at,))
        asked = Statement("DELETE FROM asks WHERE created_at < $1", (at,))
        answers = Statement("DELETE FROM memories WHERE created_at < $1 RETURNING id", (at,))
        return len(await self._database.write(changes, cursors, asked, answers))

    # --- Audit log -------------------------------------------------------------------------------

    async def record_change(self, change: Change) -> None:
        """Add an entry to the audit log; a server's newest `MAX_CHANGES` are kept."""
        place = change.place
        kept = (
            place.guild,
            place.channel,
            change.user,
            replace_unstorable(change.action),
            replace_unstorable(change.detail),
        )
        await self._database.write(
            Statement(_RECORD, (*kept, self._clock())), Statement(_PRUNE, (place.guild,))
        )

    async def changes(self, guild: int, cap: int = 50) -> tuple[Change, ...]:
        """Return the last changes in a server, the newest first."""
        sql = f"{_CHANGES} WHERE guild = $1 ORDER BY created_at DESC LIMIT $2"
        return tuple(parse_rows(await self._database.read(sql, guild, cap), _parse_change, "audit_log"))

    async def changes_by(self, user: int) -> tuple[Change, ...]:
        """Return every stored change that this user made, the newest first."""
        sql = f"{_CHANGES} WHERE user_id = $1 ORDER BY created_at DESC"
        return tuple(parse_rows(await self._database.read(sql, user), _parse_change, "audit_log"))


def parse_memory(row: Row, messages: Iterable[int], variants: Iterable[str] = ()) -> Memory:
    """Parse a row of `memories`; `messages` are the ids of the answer's messages, `variants` all of its texts."""
    _, guild, channel, name, user, text, details, at = row
    notes = tuple(as_text(note) for note in json.loads(details))
    place = Place(guild, channel)
    return Memory(as_text(name), place, as_text(text), tuple(messages), notes, user, at, tuple(variants))


def _parse_change(row: Row) -> Change:
    guild, channel, user, action, detail, at = row
    return Change(Place(guild, channel), user, as_text(action), as_text(detail), float(at))
