"""Settings of servers and channels, each value under its name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .database import Shelf, Statement
from .values import Place

__all__ = ["SettingsShelf"]

_SET = """
INSERT INTO settings (guild, channel, name, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (guild, channel, name) DO UPDATE SET value = excluded.value
"""
_UNSET = "DELETE FROM settings WHERE guild = $1 AND channel = $2 AND name = $3"


class SettingsShelf(Shelf):
    """The part of the store that knows what was set; what a value may be is for others to say."""

    async def settings(self, place: Place) -> dict[str, Any]:
        """What was set for exactly this place."""
        sql = "SELECT name, value FROM settings WHERE guild = $1 AND channel = $2 ORDER BY name"
        rows = await self._database.read(sql, place.guild, place.channel)
        return {name: json.loads(value) for name, value in rows}

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
