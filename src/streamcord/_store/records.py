"""What the store keeps: settings of servers and channels, what is known of messages, memory, and personas.

Of a message it is known under which label it was sent and which table its picture shows; of each persona the
last answers, as they were sent.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import Any

from .._cast import Sprite
from .._errors import StoreError
from .database import Records, Row, Statement, as_text, fold, places, readable, rows_of, storable
from .privacy.privacy_records import to_memory
from .values import (
    BASE_LOOK,
    NO_CARD,
    Memory,
    PersonaEntry,
    Picture,
    Place,
    StoredPersona,
    to_entry,
    to_whole,
)

__all__ = [
    "LABEL_LIFE",
    "MEMORY_CAP",
    "PLACE_READS",
    "TABLE_LIFE",
    "MemoryRecords",
    "MessageRecords",
    "PersonaRecords",
    "SettingRecords",
]


_SETTINGS = "SELECT name, value FROM settings WHERE guild = $1 AND channel = $2 ORDER BY name"
_SET = """
INSERT INTO settings (guild, channel, name, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (guild, channel, name) DO UPDATE SET value = excluded.value
"""
_UNSET = "DELETE FROM settings WHERE guild = $1 AND channel = $2 AND name = $3"


class SettingRecords(Records):
    """The settings of servers and channels; values are not checked here."""

    async def settings(self, place: Place) -> dict[str, Any]:
        """What was set for exactly this place."""
        rows = await self._database.read(_SETTINGS, place.guild, place.channel)
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


# --- Personas, their looks, and which of them speaks where ---------------------------------------------


# Without texts and cards, which are large: this is read for every message.
_PERSONAS = """
SELECT guild, key, name, aliases, alter_ego FROM personas
WHERE guild IN ($1, 0) AND key = coalesce($2, key) ORDER BY guild DESC, key
"""
_TEXTS = """
SELECT prompt, greeting, card, adult FROM personas WHERE guild = $1 AND key = $2
"""
_LOOKS = """
SELECT guild, persona, key, name, identity, url, length(content) FROM looks
WHERE guild IN ($1, 0) AND persona = coalesce($2, persona) ORDER BY guild DESC, persona, key
"""
_CHOICE = """
SELECT name FROM choices WHERE guild = $1 AND (channel = $2 OR channel = 0 AND guild <> 0)
ORDER BY channel DESC LIMIT 1
"""
PLACE_READS = (_SETTINGS, _PERSONAS, _TEXTS, _LOOKS, _CHOICE)
"""What is asked for every message: who speaks in a place, and how."""
_BYTES = """
SELECT coalesce(sum(size), 0) FROM (
    SELECT length(content) AS size FROM looks WHERE guild = $1
    UNION ALL SELECT length(prompt) + length(greeting) + length(card) FROM personas WHERE guild = $1
) AS kept
"""
_RENAME = (
    "UPDATE personas SET key = $3 WHERE guild = $1 AND key = $2",
    "UPDATE choices SET persona = $3, name = $4 WHERE guild = $1 AND persona = $2",
    "UPDATE memories SET persona = $3, name = $4 WHERE guild = $1 AND persona = $2",
)
_SAVE = """
INSERT INTO personas (guild, key, name, aliases, alter_ego, prompt, greeting, card, adult)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (guild, key) DO UPDATE SET name = excluded.name, aliases = excluded.aliases,
    alter_ego = excluded.alter_ego, prompt = excluded.prompt, greeting = excluded.greeting,
    card = excluded.card, adult = excluded.adult
"""
# Bytes are kept as long as they are those of the same address.
_NAME_LOOK = """
INSERT INTO looks (guild, persona, key, name, identity, url, kind, content)
VALUES ($1, $2, $3, $4, $5, $6, '', $7)
ON CONFLICT (guild, persona, key) DO UPDATE SET name = excluded.name, identity = excluded.identity,
    url = excluded.url,
    kind = CASE WHEN looks.url = excluded.url THEN looks.kind ELSE excluded.kind END,
    content = CASE WHEN looks.url = excluded.url THEN looks.content ELSE excluded.content END
"""
# A look of nobody is not kept: the select finds no persona and inserts no row.
_SAVE_LOOK = """
INSERT INTO looks (guild, persona, key, name, identity, url, kind, content)
SELECT guild, key, $3, $4, $5, $6, $7, $8 FROM personas WHERE guild = $1 AND key = $2
ON CONFLICT (guild, persona, key) DO UPDATE SET name = excluded.name, identity = excluded.identity,
    url = excluded.url, kind = excluded.kind, content = excluded.content
RETURNING key
"""


class PersonaRecords(Records):
    """Personas, their pictures, and who speaks where."""

    async def personas(self, guild: int) -> tuple[PersonaEntry, ...]:
        """The server's own personas, then the common ones that it has no own one for; each by name."""
        found = await self._select(guild)
        own = {fold(one.name) for one in found if one.guild == guild}
        return tuple(one for one in found if one.guild == guild or fold(one.name) not in own)

    async def find_persona(self, guild: int, name: str) -> StoredPersona | None:
        """The server's own persona of that name, else the common one."""
        found = await self._select(guild, fold(name))
        texts = await self._database.read(_TEXTS, found[0].guild, fold(name)) if found else []
        if not texts:
            return None
        whole = readable(texts, lambda row: to_whole(found[0], row), "personas")
        return whole[0] if whole else None

    async def persona_bytes(self, guild: int) -> int:
        """How much the personas of a server take: pictures, texts and cards."""
        return int((await self._database.read(_BYTES, guild))[0][0])

    async def save_persona(self, stored: StoredPersona, *, was: str | None = None) -> None:
        """Save a persona and those of its pictures that have an address; other pictures and all bytes stay.

        `was` is the name that it had until now, if it changes.
        """
        persona, key = stored.persona, fold(stored.name)
        statements = []
        if was is not None:
            renamed = (stored.guild, fold(was), key, storable(stored.name))
            statements = [
                Statement(_RENAME[0], renamed[:3]),
                *(Statement(sql, renamed) for sql in _RENAME[1:]),
            ]
        kept = (
            *(stored.guild, key, storable(persona.name), json.dumps(persona.aliases), persona.alter),
            *(
                storable(stored.prompt),
                storable(stored.greeting),
                storable(stored.card) or NO_CARD,
                stored.adult,
            ),
        )
        named = [(BASE_LOOK, persona.name, False, persona.avatar)]
        named += [
            (fold(look.name), storable(look.name), look.identity, look.avatar) for look in persona.sprites
        ]
        looks = [
            Statement(_NAME_LOOK, (stored.guild, key, look, storable(name), identity, storable(url), b""))
            for look, name, identity, url in sorted(named)
            if url
        ]
        await self._database.write(*statements, Statement(_SAVE, kept), *looks)

    async def remove_persona(self, guild: int, name: str) -> bool:
        """Forget a persona of this server with its looks; says whether there was one."""
        where = (guild, fold(name))
        choice = Statement("DELETE FROM choices WHERE guild = $1 AND persona = $2", where)
        memory = Statement("DELETE FROM memories WHERE guild = $1 AND persona = $2", where)
        persona = Statement("DELETE FROM personas WHERE guild = $1 AND key = $2 RETURNING key", where)
        return bool(await self._database.write(choice, memory, persona))

    # --- Looks ----------------------------------------------------------------------------------

    async def save_sprite(self, guild: int, persona: str, sprite: Sprite, picture: Picture) -> None:
        """Keep a sprite and its picture; one of the same name is replaced."""
        await self._save_look(guild, persona, fold(sprite.name), sprite, picture)

    async def remove_sprite(self, guild: int, persona: str, sprite: str) -> bool:
        """Forget a sprite; says whether there was one."""
        sql = "DELETE FROM looks WHERE guild = $1 AND persona = $2 AND key = $3 RETURNING key"
        return bool(await self._database.write(Statement(sql, (guild, fold(persona), fold(sprite)))))

    async def save_avatar(self, guild: int, persona: str, picture: Picture) -> None:
        """Keep the picture of the base look."""
        await self._save_look(guild, persona, BASE_LOOK, Sprite(persona), picture)

    async def find_picture(self, guild: int, persona: str, sprite: str = "") -> Picture | None:
        """The picture of a sprite, or of the base look."""
        sql = "SELECT url, content, kind FROM looks WHERE guild = $1 AND persona = $2 AND key = $3"
        rows = await self._database.read(sql, guild, fold(persona), fold(sprite))
        return Picture(rows[0][0], bytes(rows[0][1]), rows[0][2]) if rows else None

    async def picture_addresses(self) -> frozenset[str]:
        """The addresses of all pictures that a look has, on any server."""
        rows = await self._database.read("SELECT DISTINCT url FROM looks WHERE url <> ''")
        return frozenset(str(url) for (url,) in rows)

    async def _save_look(self, guild: int, persona: str, key: str, sprite: Sprite, picture: Picture) -> None:
        kept = (
            *(guild, fold(persona), key, storable(sprite.name), sprite.identity),
            *(storable(picture.url), storable(picture.kind), picture.content),
        )
        if not await self._database.write(Statement(_SAVE_LOOK, kept)):
            raise StoreError(f"There is no persona {persona!r} to give a picture to: save the persona first.")

    # --- Who speaks -----------------------------------------------------------------------------

    async def choose_persona(self, place: Place, name: str | None) -> None:
        """Choose the persona of a channel or server; `None` removes the choice."""
        where = (place.guild, place.channel)
        if name is None:
            sql = "DELETE FROM choices WHERE guild = $1 AND channel = $2"
            await self._database.write(Statement(sql, where))
            return
        sql = (
            "INSERT INTO choices (guild, channel, persona, name) VALUES ($1, $2, $3, $4) "
            "ON CONFLICT (guild, channel) DO UPDATE SET persona = excluded.persona, name = excluded.name"
        )
        await self._database.write(Statement(sql, (*where, fold(name), storable(name))))

    async def find_choice(self, place: Place) -> str | None:
        """The name of the persona that was chosen for the channel, else for its server."""
        rows = await self._database.read(_CHOICE, place.guild, place.channel)
        return str(rows[0][0]) if rows else None

    # --- Rows into values -----------------------------------------------------------------------

    async def _select(self, guild: int, key: str | None = None) -> list[PersonaEntry]:
        """Personas, a server's own ones first; their looks without bytes, which are large."""
        rows = await self._database.read(_PERSONAS, guild, key)
        looks = defaultdict[Row, list[Row]](list)
        for look in await self._database.read(_LOOKS, guild, key) if rows else ():
            looks[look[:2]].append(look)
        return readable(rows, lambda row: to_entry(row, looks[row[:2]]), "personas")
