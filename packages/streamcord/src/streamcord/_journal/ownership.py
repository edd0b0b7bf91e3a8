"""Which process answers for a bot, which questions are claimed or answered, and which channels are active.

The process that answers renews a lease every few seconds. A second process with the same bot and the same
database sees the lease and stays passive until it expires, so no question is answered twice.
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

LEASE_TIMEOUT_S = 15.0
"""Seconds without a heartbeat after which the lease of a process has expired."""
QUESTION_LIFETIME_S = 86_400.0
"""Seconds for which the database remembers that a question was answered."""
UNKNOWN_HEARTBEAT = 1.0
"""Time of a heartbeat whose row is damaged: there was one, but long ago."""
QUERY_BATCH_SIZE = 500
"""Message ids in one statement."""
MAX_UNWRITTEN_ANSWERS = 1000
"""Answered questions that are kept in memory while the database cannot be written."""

_CLAIM = """
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
    """A question that a process claimed and never answered.

    Example:
        for question in await ownership.open_questions(since):
            print(question.channel, question.message)

    """

    message: int
    channel: int
    person: int
    owner: str
    """The process that claimed it."""
    at: float
    """When it was claimed, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class ActiveChannel:
    """A channel with a message from a user, and the newest such message; guild 0 is a direct message."""

    channel: int
    guild: int
    message: int
    at: float


class Ownership:
    """The questions and the lease of a bot, in the database of its journal.

    Args:
        database: The database of the journal.
        clock: Returns seconds since 1970.

    Example:
        ownership = Ownership(database)
        ownership.bot = client.user.id
        if await ownership.claim([message.id], message.channel.id, message.author.id):
            await answer(message)
            await ownership.finish([message.id])

    """

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.owner = process_name()
        self.bot = 0
        """The bot's user id: several bots may share a database, and one message may ask all of them."""
        self._database = database
        self._clock = clock
        # Guild and newest message of each active channel since the last heartbeat.
        self._activity: dict[int, tuple[int, int]] = {}
        # Answered questions that could not be written yet; an ordered set.
        self._unwritten_answers: dict[int, None] = {}

    # --- Questions ------------------------------------------------------------------------------

    async def claim(self, messages: Iterable[int], channel: int, person: int) -> bool:
        """Claim a question for this process; return false if it was answered before."""
        now = self._clock()
        claimed = [
            await self._database.write(
                Statement(_CLAIM, (self.bot, message, channel, person, self.owner, now))
            )
            for message in messages
        ]
        return any(claimed) or not claimed

    async def finish(self, messages: Iterable[int]) -> None:
        """Record that a question is answered, and delete questions that were answered long ago.

        Raises:
            StoreError: the database cannot be written. Every heartbeat tries again.

        """
        ids = list(messages)[:QUERY_BATCH_SIZE]
        if not ids:
            return
        now = self._clock()
        old = Statement("DELETE FROM questions WHERE taken_at < $1", (now - QUESTION_LIFETIME_S,))
        # Not an UPDATE: the row of the claim is missing if the database could not be written at that time.
        done = [Statement(_FINISH, (self.bot, message, self.owner, now)) for message in ids]
        try:
            await self._database.write(*done, old)
        except StoreError:
            free = MAX_UNWRITTEN_ANSWERS - len(self._unwritten_answers)
            self._unwritten_answers |= dict.fromkeys(ids[: max(0, free)])
            raise

    async def answered(self, messages: Iterable[int]) -> set[int]:
        """Return those of the messages that were answered, or that this process is answering."""
        ids = list(messages)
        found: set[int] = set()
        for at in range(0, len(ids), QUERY_BATCH_SIZE):
            some = ids[at : at + QUERY_BATCH_SIZE]
            sql = f"""
                SELECT message FROM questions
                WHERE bot = $1 AND (done = TRUE OR owner = $2) AND message IN ({placeholders(len(some), 3)})
            """  # noqa: S608
            found |= {row[0] for row in await self._database.read(sql, self.bot, self.owner, *some)}
        return found

    async def open_questions(self, since: float) -> list[OpenQuestion]:
        """Return what other processes claimed since then and did not answer, newest first."""
        sql = """
            SELECT message, channel, user_id, owner, taken_at FROM questions
            WHERE bot = $1 AND done = FALSE AND owner <> $2 AND taken_at >= $3 ORDER BY message DESC
        """
        return [OpenQuestion(*row) for row in await self._database.read(sql, self.bot, self.owner, since)]

    # --- Channels -------------------------------------------------------------------------------

    def record_activity(self, channel: int, guild: int, message: int) -> None:
        """Remember the newest message of a channel; the next heartbeat writes it."""
        self._activity[channel] = (guild, message)

    async def channels(self, since: float) -> list[ActiveChannel]:
        """Return the channels with messages since then, the most recent first."""
        sql = (
            "SELECT channel, guild, message, received_at FROM channel_cursors WHERE received_at >= $1 "
            "ORDER BY received_at DESC LIMIT 1000"
        )
        return [ActiveChannel(*row) for row in await self._database.read(sql, since)]

    # --- The lease ------------------------------------------------------------------------------

    async def last_heartbeat(self, bot: int) -> float:
        """Return the time of the last heartbeat of any process of this bot; 0 if there was none."""
        rows = await self._database.read("SELECT heartbeat_at FROM bot_leases WHERE bot = $1", bot)
        at = rows[0][0] if rows else 0.0
        # A damaged row still shows that there was a heartbeat.
        return at if isinstance(at, int | float) else UNKNOWN_HEARTBEAT

    async def renew_lease(self, bot: int) -> str:
        """Send a heartbeat, take over an expired lease, and return the process that has the lease now."""
        rows = await self._database.read("SELECT owner FROM bot_leases WHERE bot = $1", bot)
        before = str(rows[0][0]) if rows else ""
        dead = before if before and is_dead(before) else self.owner
        now = self._clock()
        # A heartbeat from the future means that the clock was set back; it must not block every process.
        limits = (now - LEASE_TIMEOUT_S, now + LEASE_TIMEOUT_S)
        rows = await self._write_pending(now, Statement(_LEASE, (bot, self.owner, now, dead, *limits)))
        return str(rows[0][0]) if rows else before

    async def release(self, bot: int) -> None:
        """Give up the lease because this process ends; the time of its last heartbeat stays."""
        sql = "UPDATE bot_leases SET owner = '' WHERE bot = $1 AND owner = $2"
        await self._write_pending(self._clock(), Statement(sql, (bot, self.owner)))

    async def _write_pending(self, now: float, last: Statement) -> list[Row]:
        """Write active channels, unwritten answers and the given statement in one transaction."""
        # Swapped before the write, because more may arrive while it runs.
        activity, self._activity = self._activity, {}
        unwritten, self._unwritten_answers = self._unwritten_answers, {}
        cursors = [Statement(_CURSOR, (channel, *newest, now)) for channel, newest in activity.items()]
        answered = [Statement(_FINISH, (self.bot, message, self.owner, now)) for message in unwritten]
        try:
            return await self._database.write(*cursors, *answered, last)
        except StoreError:
            # Newer entries win over the ones that failed.
            self._activity = activity | self._activity
            self._unwritten_answers = unwritten | self._unwritten_answers
            raise


# --- Processes ------------------------------------------------------------------------------------------


@cache
def process_name() -> str:
    """Return the unique name of this process: host name, process id and start time."""
    return f"{socket.gethostname()}/{os.getpid()}/{_started_at(os.getpid())}"


def is_dead(name: str) -> bool:
    """Return whether a process of this machine has ended; false for processes of other machines.

    Args:
        name: The name of the process, as `process_name` returned it there.

    Example:
        if is_dead(question.owner):
            await answer_again(question)

    """
    host, number, started = ([*name.rsplit("/", 2), "", ""])[:3]
    return host == socket.gethostname() and number.isdecimal() and _started_at(int(number)) != started


def _started_at(process: int) -> str:
    """Return when a process started, in clock ticks since boot; empty if it does not exist."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        # Without /proc (macOS, Windows) only its existence can be checked.
        return "" if Path("/proc/self/stat").exists() else _marker_if_alive(process)
    # The command name may contain spaces and brackets, so fields are counted after it; see proc_pid_stat(5).
    return stat.rpartition(")")[2].split()[19]


def _marker_if_alive(process: int) -> str:
    """Return a constant in place of the start time; empty if the process does not exist."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "?"
    return "?"
