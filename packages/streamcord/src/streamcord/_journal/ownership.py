"""Which process answers for a bot, which questions were taken and answered, and where people were heard.

A process that answers says so every few seconds (the lease). A second one with the same bot and the same
database sees that, and stays quiet until the first one is gone: nobody is answered twice.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .._exceptions import StoreError
from .._store.database import Database, Row, Statement, placeholders

__all__ = ["ActiveChannel", "OpenQuestion", "Ownership", "is_dead", "process_name"]

LEASE_TIMEOUT_S = 15.0
"""Seconds after which a process that said nothing is taken for dead."""
QUESTION_LIFETIME_S = 86_400.0
"""Seconds for which it is known that a question was answered."""
LONG_AGO = 1.0
_BATCH = 500
MAX_UNWRITTEN_ANSWERS = 1000
"""Answered questions that are remembered while the database does not take them."""

_TAKE = """
INSERT INTO questions (bot, message, channel, user_id, owner, done, taken_at)
VALUES ($1, $2, $3, $4, $5, FALSE, $6)
ON CONFLICT (message, bot) DO UPDATE SET owner = excluded.owner
WHERE questions.done = FALSE
RETURNING message
"""
_FINISH = """
INSERT INTO questions (bot, message, channel, user_id, owner, done, taken_at) VALUES ($1, $2, 0, 0, $3, TRUE, $4)
ON CONFLICT (message, bot) DO UPDATE SET done = TRUE
"""
_LEASE = """
INSERT INTO bot_leases (bot, owner, heartbeat_at) VALUES ($1, $2, $3)
ON CONFLICT (bot) DO UPDATE SET owner = excluded.owner, heartbeat_at = excluded.heartbeat_at
WHERE bot_leases.owner IN (excluded.owner, $4, '') OR bot_leases.heartbeat_at < $5 OR bot_leases.heartbeat_at > $6
RETURNING owner
"""
_CURSOR = """
INSERT INTO channel_cursors (channel, guild, message, received_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (channel) DO UPDATE SET message = excluded.message, received_at = excluded.received_at
WHERE channel_cursors.message < excluded.message
"""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that was taken and never answered."""

    message: int
    channel: int
    person: int
    owner: str
    at: float


@dataclass(frozen=True, slots=True)
class ActiveChannel:
    """A channel in which somebody was heard, and the newest message of it; server 0 is a direct message."""

    channel: int
    guild: int
    message: int
    at: float


class Ownership:
    """The questions and the lease of a bot, in the database of its journal."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.owner = process_name()
        self.bot = 0
        """Whose questions these are: several bots may share a database, and be asked by one message."""
        self._database = database
        self._clock = clock
        self._heard: dict[int, tuple[int, int]] = {}
        self._untold: dict[int, None] = {}
        """Answered questions that the database could not be told of yet."""

    # --- Questions ------------------------------------------------------------------------------

    async def take(self, messages: Iterable[int], channel: int, person: int) -> bool:
        """Take a question for this process; false if it was answered before."""
        now = self._clock()
        taken = [
            await self._database.write(
                Statement(_TAKE, (self.bot, message, channel, person, self.owner, now))
            )
            for message in messages
        ]
        return any(taken) or not taken

    async def finish(self, messages: Iterable[int]) -> None:
        """Note that a question is answered; what was answered long ago is forgotten.

        If it cannot be written, that is tried again with every sign of life.
        """
        ids = list(messages)[:_BATCH]
        if not ids:
            return
        old = Statement("DELETE FROM questions WHERE taken_at < $1", (self._clock() - QUESTION_LIFETIME_S,))
        done = f"UPDATE questions SET done = TRUE WHERE bot = $1 AND message IN ({placeholders(len(ids), 2)})"  # noqa: S608
        try:
            await self._database.write(Statement(done, (self.bot, *ids)), old)
        except StoreError:
            room = MAX_UNWRITTEN_ANSWERS - len(self._untold)
            self._untold |= dict.fromkeys(ids[: max(0, room)])
            raise

    async def answered(self, messages: Iterable[int]) -> set[int]:
        """Those of these messages that were answered, or that this process is answering."""
        ids = list(messages)
        found: set[int] = set()
        for at in range(0, len(ids), _BATCH):
            some = ids[at : at + _BATCH]
            sql = f"""
                SELECT message FROM questions
                WHERE bot = $1 AND (done = TRUE OR owner = $2) AND message IN ({placeholders(len(some), 3)})
            """  # noqa: S608
            found |= {row[0] for row in await self._database.read(sql, self.bot, self.owner, *some)}
        return found

    async def open_questions(self, since: float) -> list[OpenQuestion]:
        """What other processes took since then and did not answer, the newest first."""
        sql = """
            SELECT message, channel, user_id, owner, taken_at FROM questions
            WHERE bot = $1 AND done = FALSE AND owner <> $2 AND taken_at >= $3 ORDER BY message DESC
        """
        return [OpenQuestion(*row) for row in await self._database.read(sql, self.bot, self.owner, since)]

    # --- Channels -------------------------------------------------------------------------------

    def hear(self, channel: int, guild: int, message: int) -> None:
        """Somebody was heard in a channel; it is written with the next sign of life."""
        self._heard[channel] = (guild, message)

    async def channels(self, since: float) -> list[ActiveChannel]:
        """The channels in which somebody was heard since then, the newest first."""
        sql = (
            "SELECT channel, guild, message, received_at FROM channel_cursors WHERE received_at >= $1 "
            "ORDER BY received_at DESC LIMIT 1000"
        )
        return [ActiveChannel(*row) for row in await self._database.read(sql, since)]

    # --- The lease ------------------------------------------------------------------------------

    async def last_heartbeat(self, bot: int) -> float:
        """When any process of this bot last gave a sign of life; 0 if none ever did."""
        rows = await self._database.read("SELECT heartbeat_at FROM bot_leases WHERE bot = $1", bot)
        at = rows[0][0] if rows else 0.0
        # A row that makes no sense says at least that there was one.
        return at if isinstance(at, int | float) else LONG_AGO

    async def hold(self, bot: int) -> str:
        """Give a sign of life, and take the place of one who is gone; whose place it is now."""
        rows = await self._database.read("SELECT owner FROM bot_leases WHERE bot = $1", bot)
        before = str(rows[0][0]) if rows else ""
        dead = before if before and is_dead(before) else self.owner
        now = self._clock()
        # A clock that was set back must not keep everybody quiet.
        limits = (now - LEASE_TIMEOUT_S, now + LEASE_TIMEOUT_S)
        rows = await self._write_notes(now, Statement(_LEASE, (bot, self.owner, now, dead, *limits)))
        return str(rows[0][0]) if rows else before

    async def release(self, bot: int) -> None:
        """Give the place up: this process ends; when it last lived stays known."""
        sql = "UPDATE bot_leases SET owner = '' WHERE bot = $1 AND owner = $2"
        await self._write_notes(self._clock(), Statement(sql, (bot, self.owner)))

    async def _write_notes(self, now: float, last: Statement) -> list[Row]:
        """Write where people were heard and what was answered, and with that this."""
        (heard, self._heard), (untold, self._untold) = (self._heard, {}), (self._untold, {})
        cursors = [Statement(_CURSOR, (channel, *told, now)) for channel, told in heard.items()]
        answered = [Statement(_FINISH, (self.bot, message, self.owner, now)) for message in untold]
        try:
            return await self._database.write(*cursors, *answered, last)
        except StoreError:
            self._heard, self._untold = heard | self._heard, untold | self._untold
            raise


# --- Who is alive ---------------------------------------------------------------------------------------


@cache
def process_name() -> str:
    """How this process is known among all: machine, number, and when it began."""
    return f"{socket.gethostname()}/{os.getpid()}/{_began(os.getpid())}"


def is_dead(name: str) -> bool:
    """Whether a process of this machine is gone; of other machines nobody can tell."""
    host, number, began = ([*name.rsplit("/", 2), "", ""])[:3]
    return host == socket.gethostname() and number.isdecimal() and _began(int(number)) != began


def _began(process: int) -> str:
    """When a process began, as the system counts; empty if there is none, or nobody can tell."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "" if Path("/proc/self/stat").exists() else _alive(process)
    # The name may hold blanks and brackets; behind it, the 20th field is the beginning.
    return stat.rpartition(")")[2].split()[19]


def _alive(process: int) -> str:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "?"
    return "?"
