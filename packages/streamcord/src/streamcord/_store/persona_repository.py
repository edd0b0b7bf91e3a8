"""Personas, their sprites and images, and the persona that was chosen for each place."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping

from .._exceptions import StoreError
from .._personas import Sprite
from .database import Repository, Row, Statement, normalize_name, parse_rows, replace_unstorable
from .models import (
    BASE_SPRITE,
    NO_CARD,
    PersonaEntry,
    Picture,
    Place,
    StoredPersona,
    parse_entry,
    parse_persona,
)
from .settings_repository import READ_SETTINGS

# Without prompts and cards, which are large: this is read for every message.
_PERSONAS = """
SELECT guild, key, name, aliases, alter_ego FROM personas
WHERE guild IN ($1, 0) AND key = coalesce($2, key) ORDER BY guild DESC, key
"""
_TEXTS = """
SELECT prompt, greeting, card, adult, settings FROM personas WHERE guild = $1 AND key = $2
"""
_SPRITES = """
SELECT guild, persona, key, name, identity, url, length(content), instruction FROM sprites
WHERE guild IN ($1, 0) AND persona = coalesce($2, persona) ORDER BY guild DESC, persona, key
"""
_CHOICE = """
SELECT name FROM persona_choices WHERE guild = $1 AND (channel = $2 OR channel = 0 AND guild <> 0)
ORDER BY channel DESC LIMIT 1
"""
PLACE_READS = (READ_SETTINGS, _PERSONAS, _TEXTS, _SPRITES, _CHOICE)
"""The queries that run for every message. A cluster caches their rows."""
_BYTES = """
SELECT coalesce(sum(size), 0) FROM (
    SELECT length(content) AS size FROM sprites WHERE guild = $1
    UNION ALL SELECT length(prompt) + length(greeting) + length(card) FROM personas WHERE guild = $1
) AS kept
"""
_RENAME = (
    "UPDATE personas SET key = $3 WHERE guild = $1 AND key = $2",
    "UPDATE persona_choices SET persona = $3, name = $4 WHERE guild = $1 AND persona = $2",
    "UPDATE memories SET persona = $3, name = $4 WHERE guild = $1 AND persona = $2",
)
_SAVE = """
INSERT INTO personas (guild, key, name, aliases, alter_ego, prompt, greeting, card, adult, settings)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (guild, key) DO UPDATE SET name = excluded.name, aliases = excluded.aliases,
    alter_ego = excluded.alter_ego, prompt = excluded.prompt, greeting = excluded.greeting,
    card = excluded.card, adult = excluded.adult, settings = excluded.settings
"""
# The stored bytes stay valid as long as the URL is the same.
_SAVE_SPRITE_URL = """
INSERT INTO sprites (guild, persona, key, name, identity, url, media_type, content, instruction)
VALUES ($1, $2, $3, $4, $5, $6, '', $7, $8)
ON CONFLICT (guild, persona, key) DO UPDATE SET name = excluded.name, identity = excluded.identity,
    url = excluded.url, instruction = excluded.instruction,
    media_type = CASE WHEN sprites.url = excluded.url THEN sprites.media_type ELSE excluded.media_type END,
    content = CASE WHEN sprites.url = excluded.url THEN sprites.content ELSE excluded.content END
"""
# Inserts nothing if the persona does not exist: the SELECT returns no row then.
_SAVE_SPRITE = """
INSERT INTO sprites (guild, persona, key, name, identity, url, media_type, content, instruction)
SELECT guild, key, $3, $4, $5, $6, $7, $8, $9 FROM personas WHERE guild = $1 AND key = $2
ON CONFLICT (guild, persona, key) DO UPDATE SET name = excluded.name, identity = excluded.identity,
    url = excluded.url, media_type = excluded.media_type, content = excluded.content,
    instruction = excluded.instruction
RETURNING key
"""


class PersonaRepository(Repository):
    """Personas, their images, and the choices of places."""

    async def personas(self, guild: int) -> tuple[PersonaEntry, ...]:
        """Return the server's own personas, then the shared ones that it does not override."""
        found = await self._select(guild)
        own = {normalize_name(one.name) for one in found if one.guild == guild}
        return tuple(one for one in found if one.guild == guild or normalize_name(one.name) not in own)

    async def find_persona(self, guild: int, name: str) -> StoredPersona | None:
        """Return the server's own persona of that name, else the shared one."""
        found = await self._select(guild, normalize_name(name))
        texts = await self._database.read(_TEXTS, found[0].guild, normalize_name(name)) if found else []
        if not texts:
            return None
        whole = parse_rows(texts, lambda row: parse_persona(found[0], row), "personas")
        return whole[0] if whole else None

    async def persona_bytes(self, guild: int) -> int:
        """Return the approximate size of a server's personas: images, prompts and cards."""
        return int((await self._database.read(_BYTES, guild))[0][0])

    async def save_persona(self, stored: StoredPersona, *, was: str | None = None) -> None:
        """Save a persona and the URLs of its images; images without a URL, and all bytes, stay.

        Args:
            stored: The persona.
            was: Its previous name, if it is renamed.

        """
        persona, key = stored.persona, normalize_name(stored.name)
        statements = []
        if was is not None:
            renamed = (stored.guild, normalize_name(was), key, replace_unstorable(stored.name))
            statements = [
                Statement(_RENAME[0], renamed[:3]),
                *(Statement(sql, renamed) for sql in _RENAME[1:]),
            ]
        kept = (
            *(
                stored.guild,
                key,
                replace_unstorable(persona.name),
                json.dumps(persona.aliases),
                persona.alter,
            ),
            *(
                replace_unstorable(stored.prompt),
                replace_unstorable(stored.greeting),
                replace_unstorable(stored.card) or NO_CARD,
                stored.adult,
                json.dumps(dict(stored.settings)),
            ),
        )
        named = [(BASE_SPRITE, persona.name, False, persona.avatar, "")]
        named += [
            (
                normalize_name(one.name),
                replace_unstorable(one.name),
                one.identity,
                one.avatar,
                replace_unstorable(one.instruction),
            )
            for one in persona.sprites
        ]
        sprites = [
            Statement(
                _SAVE_SPRITE_URL,
                (
                    *(stored.guild, key, sprite, replace_unstorable(name), identity),
                    *(replace_unstorable(url), b"", instruction),
                ),
            )
            for sprite, name, identity, url, instruction in sorted(named, key=lambda one: one[0])
            if url
        ]
        await self._database.write(*statements, Statement(_SAVE, kept), *sprites)

    async def remove_persona(self, guild: int, name: str) -> bool:
        """Delete a persona of this server with its sprites; return whether it existed."""
        where = (guild, normalize_name(name))
        choice = Statement("DELETE FROM persona_choices WHERE guild = $1 AND persona = $2", where)
        memory = Statement("DELETE FROM memories WHERE guild = $1 AND persona = $2", where)
        persona = Statement("DELETE FROM personas WHERE guild = $1 AND key = $2 RETURNING key", where)
        return bool(await self._database.write(choice, memory, persona))

    # --- Sprites --------------------------------------------------------------------------------

    async def save_sprite(self, guild: int, persona: str, sprite: Sprite, picture: Picture) -> None:
        """Save a sprite and its image; one of the same name is replaced."""
        await self._save_sprite(guild, persona, normalize_name(sprite.name), sprite, picture)

    async def remove_sprite(self, guild: int, persona: str, sprite: str) -> bool:
        """Delete a sprite; return whether it existed."""
        sql = "DELETE FROM sprites WHERE guild = $1 AND persona = $2 AND key = $3 RETURNING key"
        return bool(
            await self._database.write(
                Statement(sql, (guild, normalize_name(persona), normalize_name(sprite)))
            )
        )

    async def save_avatar(self, guild: int, persona: str, picture: Picture) -> None:
        """Save the image of the base avatar."""
        await self._save_sprite(guild, persona, BASE_SPRITE, Sprite(persona), picture)

    async def find_picture(self, guild: int, persona: str, sprite: str = "") -> Picture | None:
        """Return the image of a sprite, or of the base avatar."""
        sql = "SELECT url, content, media_type FROM sprites WHERE guild = $1 AND persona = $2 AND key = $3"
        rows = await self._database.read(sql, guild, normalize_name(persona), normalize_name(sprite))
        return Picture(rows[0][0], bytes(rows[0][1]), rows[0][2]) if rows else None

    async def picture_urls(self) -> Mapping[str, frozenset[int]]:
        """Return the URLs of all images, each with the ids of the servers that use it."""
        users = defaultdict[str, set[int]](set)
        for url, guild in await self._database.read(
            "SELECT DISTINCT url, guild FROM sprites WHERE url <> ''"
        ):
            users[str(url)].add(int(guild))
        return {url: frozenset(guilds) for url, guilds in users.items()}

    async def remove_picture_url(self, url: str) -> None:
        """Remove a URL that no longer works from the images of every server; their bytes stay."""
        await self._database.write(Statement("UPDATE sprites SET url = '' WHERE url = $1", (url,)))

    async def _save_sprite(
        self, guild: int, persona: str, key: str, sprite: Sprite, picture: Picture
    ) -> None:
        kept = (
            *(guild, normalize_name(persona), key, replace_unstorable(sprite.name), sprite.identity),
            *(replace_unstorable(picture.url), replace_unstorable(picture.kind), picture.content),
            replace_unstorable(sprite.instruction),
        )
        if not await self._database.write(Statement(_SAVE_SPRITE, kept)):
            raise StoreError(f"There is no persona {persona!r} to give a picture to: save the persona first.")

    # --- Choices --------------------------------------------------------------------------------

    async def choose_persona(self, place: Place, name: str | None) -> None:
        """Choose the persona of a channel or server; `None` removes the choice."""
        where = (place.guild, place.channel)
        if name is None:
            sql = "DELETE FROM persona_choices WHERE guild = $1 AND channel = $2"
            await self._database.write(Statement(sql, where))
            return
        sql = (
            "INSERT INTO persona_choices (guild, channel, persona, name) VALUES ($1, $2, $3, $4) "
            "ON CONFLICT (guild, channel) DO UPDATE SET persona = excluded.persona, name = excluded.name"
        )
        await self._database.write(Statement(sql, (*where, normalize_name(name), replace_unstorable(name))))

    async def find_choice(self, place: Place) -> str | None:
        """Return the name of the persona that was chosen for the channel, else for its server."""
        rows = await self._database.read(_CHOICE, place.guild, place.channel)
        return str(rows[0][0]) if rows else None

    # --- Parsing rows ---------------------------------------------------------------------------

    async def _select(self, guild: int, key: str | None = None) -> list[PersonaEntry]:
        """Return personas, a server's own ones first; their sprites without the bytes, which are large."""
        rows = await self._database.read(_PERSONAS, guild, key)
        sprites = defaultdict[Row, list[Row]](list)
        for sprite in await self._database.read(_SPRITES, guild, key) if rows else ():
            sprites[sprite[:2]].append(sprite)
        return parse_rows(rows, lambda row: parse_entry(row, sprites[row[:2]]), "personas")
