"""The checks of personas find what they are for: each planted fault is caught by a check of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from streamcord import Sprite, StoreError
from streamcord._store.sql_store import SqlStore
from streamcord._store.sqlite import open_sqlite
from streamcord._testing.persona_store_checks import PERSONA_CHECKS, assert_refused
from streamcord.store import PersonaEntry, Picture, StoredPersona


class MindsTheCase(SqlStore):
    async def find_persona(self, guild: int, name: str) -> StoredPersona | None:
        found = await super().find_persona(guild, name)
        return found if found and found.name == name else None


class ShortensPictures(SqlStore):
    async def save_sprite(self, guild: int, persona: str, sprite: Sprite, picture: Picture) -> None:
        await super().save_sprite(guild, persona, sprite, replace(picture, content=picture.content[:1024]))


class MixesServers(SqlStore):
    async def personas(self, guild: int) -> tuple[PersonaEntry, ...]:
        rows = await self._database.read("SELECT DISTINCT guild FROM personas ORDER BY guild DESC")
        return tuple(
            [one for (other,) in rows for one in await SqlStore.personas(self, other) if one.guild == other]
        )


class CountsNoCards(SqlStore):
    async def persona_bytes(self, guild: int) -> int:
        sql = "SELECT coalesce(sum(length(content)), 0) FROM sprites WHERE guild = $1"
        return int((await self._database.read(sql, guild))[0][0])


class SaysNothingOfNobody(SqlStore):
    async def _save_sprite(self, *sprite: Any) -> None:
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (MindsTheCase, "a_persona_comes_back_as_it_was"),
        (ShortensPictures, "pictures_are_kept_byte_for_byte"),
        (MixesServers, "personas_belong_to_their_server"),
        (CountsNoCards, "what_personas_take_is_counted"),
        (SaysNothingOfNobody, "a_sprite_needs_its_persona"),
    ],
)
async def test_a_faulty_store_is_found_out(kind: type[SqlStore], check: str, tmp_path: Path) -> None:
    async def store_factory(clock: Callable[[], float]) -> SqlStore:
        return kind(await open_sqlite(str(tmp_path / "x.db")), clock)

    (found,) = (one for one in PERSONA_CHECKS if one.__name__ == check)
    with pytest.raises(AssertionError):
        await found(store_factory)


async def fail(error: Exception | None) -> None:
    if error is not None:
        raise error


@pytest.mark.parametrize("error", [None, StoreError("no sentence")])
async def test_what_does_not_refuse_in_a_sentence_is_found_out(error: Exception | None) -> None:
    with pytest.raises(AssertionError):
        await assert_refused(fail(error))
