"""Personas, their looks and pictures, and who speaks where."""

from __future__ import annotations

import json
from collections import defaultdict

from .._cast import Sprite
from .._errors import StoreError
from .channel_records import READ_SETTINGS
from .database import Records, Row, Statement, fold, readable, storable
from .values import (
    BASE_LOOK,
    NO_CARD,
    PersonaEntry,
    Picture,
    Place,
    StoredPersona,
    to_entry,
    to_whole,
)

__all__ = ["PLACE_READS", "PersonaRecords"]


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
PLACE_READS = (READ_SETTINGS, _PERSONAS, _TEXTS, _LOOKS, _CHOICE)
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
