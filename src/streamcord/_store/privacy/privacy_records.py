"""What is known of a person, what a server leaves behind, how old things may be, and who changed what."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial

from ..database import Records, Row, Statement, as_text, readable, storable
from ..values import Change, Memory, Place

__all__ = ["CHANGE_CAP", "REFUSED", "PrivacyRecords", "to_memory"]

CHANGE_CAP = 500
"""Changes of one server that are kept."""

_NOTE = "INSERT INTO changes (guild, channel, person, action, detail, at) VALUES ($1, $2, $3, $4, $5, $6)"
_BOUND = f"""
DELETE FROM changes WHERE guild = $1 AND at < (
    SELECT min(at) FROM (
        SELECT at FROM changes WHERE guild = $1 ORDER BY at DESC LIMIT {CHANGE_CAP}
    ) AS newest
)
"""  # noqa: S608
_CHANGES = "SELECT guild, channel, person, action, detail, at FROM changes"
REFUSED = "SELECT person FROM refusals WHERE person = $1"
_REFUSE = "INSERT INTO refusals (person, at) VALUES ($1, $2) ON CONFLICT (person) DO NOTHING"
_MEMORIES = """
SELECT id, guild, channel, name, person, body, details, at FROM memories WHERE person = $1 ORDER BY id
"""
_PLACE = "guild = $1 AND (channel = $2 OR $2 = 0 AND guild <> 0)"
_PLACE_TABLES = f"""
DELETE FROM table_sources WHERE message IN (
    SELECT message FROM memory_messages JOIN memories ON memory = id WHERE {_PLACE}
)
"""  # noqa: S608
_OF_PLACES = ("settings", "choices", "memories")
_OF_SERVERS = ("personas", "changes", "cursors")


class PrivacyRecords(Records):
    """What must be shown, given out and forgotten on request."""

    # --- One person ------------------------------------------------------------------------------

    async def memories_of(self, user: int) -> tuple[Memory, ...]:
        """Every answer to this person that is kept, in all places, the oldest first."""
        found: list[Memory] = []
        for row in await self._database.read(_MEMORIES, user):
            sql = "SELECT message FROM memory_messages WHERE memory = $1 ORDER BY message"
            messages = [one[0] for one in await self._database.read(sql, row[0])]
            found += readable([row], partial(to_memory, messages=messages), "memories")
        return tuple(found)

    async def refuse_memory(self, user: int, *, refused: bool = True) -> None:
        """Note that answers to this person are not to be remembered, or may be again."""
        if refused:
            await self._database.write(Statement(_REFUSE, (user, self._clock())))
        else:
            await self._database.write(Statement("DELETE FROM refusals WHERE person = $1", (user,)))

    async def refuses_memory(self, user: int) -> bool:
        """Whether answers to this person are not to be remembered."""
        return bool(await self._database.read(REFUSED, user))

    # --- Places and time -------------------------------------------------------------------------

    async def forget_place(self, place: Place) -> None:
        """Forget everything of a channel, or of a whole server: memories, settings, choices, personas."""
        where = (place.guild, place.channel)
        gone = [Statement(_PLACE_TABLES, where)]
        gone += [Statement(f"DELETE FROM {table} WHERE {_PLACE}", where) for table in _OF_PLACES]  # noqa: S608
        if place.guild and not place.channel:
            one = (place.guild,)
            gone += [Statement(f"DELETE FROM {table} WHERE guild = $1", one) for table in _OF_SERVERS]  # noqa: S608
        await self._database.write(*gone)

    async def forget_before(self, at: float) -> int:
        """Forget answers and changes that are older than this moment; says how many answers."""
        changes = Statement("DELETE FROM changes WHERE at < $1", (at,))
        answers = Statement("DELETE FROM memories WHERE at < $1 RETURNING id", (at,))
        return len(await self._database.write(changes, answers))

    # --- Who changed what ------------------------------------------------------------------------

    async def note_change(self, change: Change) -> None:
        """Keep a change; of a server the newest 500 stay."""
        place = change.place
        kept = (place.guild, place.channel, change.user, storable(change.action), storable(change.detail))
        await self._database.write(
            Statement(_NOTE, (*kept, self._clock())), Statement(_BOUND, (place.guild,))
        )

    async def changes(self, guild: int, cap: int = 50) -> tuple[Change, ...]:
        """The last changes in a server, the newest first."""
        sql = f"{_CHANGES} WHERE guild = $1 ORDER BY at DESC LIMIT $2"
        return tuple(readable(await self._database.read(sql, guild, cap), _change, "changes"))

    async def changes_by(self, user: int) -> tuple[Change, ...]:
        """Every change that this person made and that is kept, the newest first."""
        sql = f"{_CHANGES} WHERE person = $1 ORDER BY at DESC"
        return tuple(readable(await self._database.read(sql, user), _change, "changes"))


def to_memory(row: Row, messages: Iterable[int]) -> Memory:
    """An answer as its row tells of it, and the messages in which it went out."""
    _, guild, channel, name, person, body, details, at = row
    notes = tuple(as_text(note) for note in json.loads(details))
    return Memory(as_text(name), Place(guild, channel), as_text(body), tuple(messages), notes, person, at)


def _change(row: Row) -> Change:
    guild, channel, person, action, detail, at = row
    return Change(Place(guild, channel), person, as_text(action), as_text(detail), float(at))
