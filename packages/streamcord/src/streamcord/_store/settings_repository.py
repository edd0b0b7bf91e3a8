"""Settings of servers and channels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .database import (
    Repository,
    Statement,
    as_text,
    parse_rows,
)
from .models import Place

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
