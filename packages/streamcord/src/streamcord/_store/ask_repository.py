"""Questions with buttons, one row each: exactly one press decides, and exactly one turn acts on the decision, once.

Each step is one conditional UPDATE, so they hold for any number of processes, and a kill in between loses nothing:

| state | meaning | what a restart does |
|---|---|---|
| `open` | it waits for a press | nothing, until it expires |
| `decided` | a person has decided | acts on the decision |
| `taken` | a turn has the decision, and has done nothing yet | acts on the decision |
| `acting` | the turn has begun to act | tells that it is unknown how far it came |
| `done` | what was decided is done, or failed | nothing |
| `closed` | it expired or was withdrawn | nothing |
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .._events import Ask, Decision
from .._exceptions import StoreError
from .database import Repository, Row, Statement, as_text, parse_rows, placeholders, replace_unstorable
from .models import Change, Place

MAX_ABOUT_CHARS = 512 * 1024
"""What a row may hold besides the question: arguments of a tool, the state of an MCP server."""
ASK_LIFETIME_S = 30 * 86_400.0
"""How long a row is kept after it has expired: a late press should be told what became of the question."""
MAX_ROWS = 500

_COLUMNS = """id, bot, guild, channel, message, user_id, state, ask, about, decision, turn, allows, created_at,
    expires_at"""
_OPEN = f"INSERT INTO asks ({_COLUMNS}) VALUES ({placeholders(14)})"  # noqa: S608
_DECIDE = """
UPDATE asks SET state = 'decided', decision = $2, allows = $3,
    message = CASE WHEN CAST($5 AS BIGINT) = 0 THEN message ELSE $5 END
WHERE id = $1 AND state = 'open' AND expires_at > $4 RETURNING id
"""
_RECORD = """
INSERT INTO audit_log (guild, channel, user_id, action, detail, created_at)
SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT),
    CAST($6 AS DOUBLE PRECISION)
FROM asks WHERE id = $7 AND state = 'open' AND expires_at > $6
"""
_TAKE = """
UPDATE asks SET state = 'taken', turn = $2
WHERE id = $1 AND (state = 'decided' OR state = 'taken' AND turn = $3) RETURNING id
"""
_ACT = "UPDATE asks SET state = 'acting' WHERE id = $1 AND state = 'taken' AND turn = $2 RETURNING id"
_END = """
UPDATE asks SET state = CASE WHEN state IN ('open', 'closed') THEN 'closed' ELSE 'done' END,
    about = COALESCE($2, '{}') WHERE id = $1
"""
_OLD = "DELETE FROM asks WHERE expires_at < $1 AND state IN ('open', 'closed', 'done')"


class AskState(StrEnum):
    """How far a question is.

    Example:
        waiting = await store.asks(bot.user.id, AskState.OPEN)

    """

    OPEN = "open"
    DECIDED = "decided"
    TAKEN = "taken"
    ACTING = "acting"
    DONE = "done"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class AskRow:
    """A question that people are asked, and what became of it.

    Example:
        row = await store.find_ask(press.id)
        if row and row.decision:
            print(row.decision.text)

    """

    ask: Ask
    """The question; its id is the id of the row."""
    place: Place = field(default_factory=Place)
    owner: int = 0
    """Who is asked, or on whose behalf; their data includes the row."""
    bot: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)
    """What the caller needs to act on the decision, as JSON values."""
    state: AskState = AskState.OPEN
    decision: Decision | None = None
    turn: str = ""
    """Who acts on the decision."""
    message: int = 0
    """The message that shows the question; 0 until it was sent."""
    created_at: float = 0.0
    expires_at: float = 0.0

    @property
    def id(self) -> str:
        """The id of the row and of the question."""
        return self.ask.id


class AskRepository(Repository):
    """The questions of all bots that share the database."""

    async def open_ask(self, row: AskRow) -> None:
        """Save a question before it is sent, and delete rows that expired long ago."""
        now = self._clock()
        about = json.dumps(row.about)
        if len(about) > MAX_ABOUT_CHARS:
            raise StoreError("The question has too much data to be kept.", retryable=False)
        values = (
            row.id,
            row.bot,
            row.place.guild,
            row.place.channel,
            row.message,
            row.owner,
            AskState.OPEN.value,
            replace_unstorable(json.dumps(row.ask.to_dict())),
            replace_unstorable(about),
            "",
            "",
            "",
            now,
            now + row.ask.expires,
        )
        await self._database.write(Statement(_OLD, (now - ASK_LIFETIME_S,)), Statement(_OPEN, values))

    async def find_ask(self, id_: str) -> AskRow | None:
        """Return the question with this id."""
        found = await self._read(f"SELECT {_COLUMNS} FROM asks WHERE id = $1", id_)  # noqa: S608
        return found[0] if found else None

    async def place_ask(self, id_: str, message: int) -> None:
        """Record which message shows the question."""
        await self._database.write(Statement("UPDATE asks SET message = $2 WHERE id = $1", (id_, message)))

    async def decide_ask(
        self,
        id_: str,
        decision: Decision,
        *,
        allows: str = "",
        change: Change | None = None,
        message: int = 0,
    ) -> bool:
        """Make the decision if the question is open; return whether this call made it.

        The entry of the audit log is written with the decision, or neither is.
        """
        now = self._clock()
        body = replace_unstorable(
            json.dumps(
                {
                    "values": decision.values,
                    "labels": decision.labels,
                    "inputs": dict(decision.inputs),
                    "user": decision.user,
                    "at": decision.at,
                }
            )
        )
        deciding = Statement(_DECIDE, (id_, body, allows, now, message))
        if change is None:
            return bool(await self._database.write(deciding))
        place, words = change.place, map(replace_unstorable, (change.action, change.detail))
        recording = Statement(_RECORD, (place.guild, place.channel, change.user, *words, now, id_))
        return bool(await self._database.write(recording, deciding))

    async def take_ask(self, id_: str, turn: str, *, before: str = "") -> bool:
        """Take a decision over as this turn; return whether this call may."""
        # A turn without an id cannot have been interrupted, so it must match no row.
        return bool(await self._database.write(Statement(_TAKE, (id_, turn, before or "-"))))

    async def act_on_ask(self, id_: str, turn: str) -> bool:
        """Begin to act on a decision that this turn has taken; return whether it may."""
        return bool(await self._database.write(Statement(_ACT, (id_, turn))))

    async def close_ask(self, id_: str, *, about: Mapping[str, Any] | None = None) -> None:
        """End a question; `about` replaces what was needed to act on the decision, which is deleted without it."""
        body = None if about is None else replace_unstorable(json.dumps(about))
        await self._database.write(Statement(_END, (id_, body)))

    async def asks(self, bot: int, *states: str) -> tuple[AskRow, ...]:
        """Return the questions of a bot in these states, the oldest first."""
        wanted = placeholders(len(states), 2)
        sql = (
            f"SELECT {_COLUMNS} FROM asks WHERE bot = $1 AND state IN ({wanted}) "  # noqa: S608
            f"ORDER BY created_at, id LIMIT {MAX_ROWS}"
        )
        return tuple(await self._read(sql, bot, *(AskState(one).value for one in states)))

    async def asks_of(self, user: int) -> tuple[AskRow, ...]:
        """Return the stored questions that this person was asked, the oldest first."""
        sql = f"SELECT {_COLUMNS} FROM asks WHERE user_id = $1 ORDER BY created_at, id"  # noqa: S608
        return tuple(await self._read(sql, user))

    async def is_allowed(self, channel: int, what: str, since: float) -> bool:
        """Return whether a decision in this channel allows this from then on."""
        sql = "SELECT id FROM asks WHERE channel = $1 AND allows = $2 AND created_at > $3 LIMIT 1"
        return bool(what and await self._database.read(sql, channel, what, since))

    async def _read(self, sql: str, *arguments: object) -> list[AskRow]:
        return parse_rows(await self._database.read(sql, *arguments), _parse, "asks")


def _parse(row: Row) -> AskRow:
    _, bot, guild, channel, message, owner, state, ask, about, decided, turn, _, created_at, expires_at = row
    body = json.loads(as_text(decided)) if decided else None
    decision = (
        Decision(
            tuple(map(as_text, body["values"])),
            tuple(map(as_text, body["labels"])),
            {as_text(name): as_text(text) for name, text in body["inputs"].items()},
            int(body["user"]),
            float(body["at"]),
        )
        if body
        else None
    )
    known = json.loads(as_text(about))
    if not isinstance(known, dict):
        raise TypeError("not an object")
    return AskRow(
        Ask.from_dict(json.loads(as_text(ask))),
        Place(guild, channel),
        owner,
        bot,
        known,
        AskState(state),
        decision,
        as_text(turn),
        message,
        float(created_at),
        float(expires_at),
    )
