"""The checks of a store find what they are for: each planted fault is caught by a check of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from streamcord._store.database import Statement
from streamcord._store.open_store import SqlStore
from streamcord._store.sqlite import open_sqlite
from streamcord._testing import persona_checks as store_personas
from streamcord._testing import store_checks as store
from streamcord._testing.store_checks import STORE_CHECKS
from streamcord.store import Memory, Place


class LosesUpdates(SqlStore):
    async def change_settings(self, place: Place, changes: Mapping[str, Any]) -> None:
        rows = [
            Statement(
                "INSERT INTO settings VALUES ($1, $2, $3, $4)", (place.guild, place.channel, name, str(value))
            )
            for name, value in {**await self.settings(place), **changes}.items()
        ]
        await self._database.write(Statement("DELETE FROM settings"), *rows)


class KeepsTablesForever(SqlStore):
    async def find_table(self, message: int) -> str | None:
        rows = await self._database.read("SELECT source FROM table_sources WHERE message = $1", message)
        return rows[0][0] if rows else None


class TellsDirectMessages(SqlStore):
    async def recall(self, persona: str, place: Place) -> tuple[Memory, ...]:
        sql = "SELECT DISTINCT guild, channel FROM memories WHERE guild = $1"
        rows = [] if place.channel else await self._database.read(sql, place.guild)
        found = [memory for row in rows for memory in await SqlStore.recall(self, persona, Place(*row))]
        return tuple(found) or await super().recall(persona, place)


class ForgetsNobody(SqlStore):
    async def forget_person(self, user: int) -> int:
        return len(await self._database.read("SELECT id FROM memories WHERE person = $1", user))


class KeepsDeletedAnswers(SqlStore):
    async def forget_messages(self, messages: Iterable[int]) -> None:
        await super().forget_messages([])


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (LosesUpdates, "fifty_writers_lose_nothing"),
        (KeepsTablesForever, "a_table_is_kept_for_two_hours"),
        (TellsDirectMessages, "direct_messages_stay_among_themselves"),
        (ForgetsNobody, "a_person_is_forgotten_everywhere"),
        (KeepsDeletedAnswers, "deleted_messages_never_happened"),
    ],
)
async def test_a_faulty_store_is_found_out(kind: type[SqlStore], check: str, tmp_path: Path) -> None:
    async def opener(clock: Callable[[], float]) -> SqlStore:
        return kind(await open_sqlite(str(tmp_path / "x.db")), clock)

    (found,) = (one for one in STORE_CHECKS if one.__name__ == check)
    with pytest.raises(AssertionError):
        await found(opener)


def test_every_check_says_what_it_is_about_and_none_is_left_out() -> None:
    written = [
        value
        for module in (store_personas, store)
        for value in vars(module).values()
        if asyncio.iscoroutinefunction(value)
        and value.__module__ == module.__name__
        # What the checks share is handed a store, never an opener.
        and "StoreOpener" in value.__annotations__.values()
    ]

    assert list(STORE_CHECKS) == written
    assert all(check.__doc__ for check in STORE_CHECKS)
