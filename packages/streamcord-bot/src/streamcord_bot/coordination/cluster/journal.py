"""The journal and the claims of a cluster member; a member that was evicted writes nothing.

In a cluster, a message is sent only after its journal row is written, however long that takes: another member
may have to resume the answer from there at any moment.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable

from streamcord import StoreError
from streamcord.databases import GROUP_COMMIT_S, OpenQuestion, Ownership, Row, parse_row, placeholders
from streamcord.store import JournalRow, SqlJournal, TurnJournal
from streamcord.utils import BoundedCache

from .cluster_rows import LeaseLost
from .membership import Membership

RETRY_INTERVAL_S = 0.5
CONCURRENCY_PAUSE_S = 1.0
"""A question of a person with too many answers in other processes is tried again after this time."""
_UNLIMITED = 2**31 - 1
BATCH_DELAY_S = 0.4
"""Rows that no message waits for are collected for this long, to be written with one that cannot wait."""
_ENDING_KINDS = frozenset({"ended", "stopped"})
MAX_REMEMBERED = 10_000
"""Ended answers that this process remembers."""
_OWNER_ALIVE = "EXISTS (SELECT 1 FROM cluster_members m WHERE m.name = cluster_questions.owner)"
# The first row of a turn lists the messages of its question. Such an answer is resumed, not asked again.
_INTERRUPTED = """EXISTS (
    SELECT 1 FROM journal j WHERE j.number = 0 AND strpos(j.body, cluster_questions.message::text) > 0
)"""
# Claims nothing and returns a pause if the person or server has too many answers in all processes together, or
# gets them too quickly.
_CLAIM = f"""
WITH elsewhere AS (
    SELECT count(*) FILTER (WHERE c.user_id = $3) AS person,
        count(*) FILTER (WHERE c.guild = $6 AND $6 <> 0) AS guild, count(*) AS everybody
    FROM cluster_channels c JOIN cluster_members m ON m.name = c.owner
    WHERE c.owner <> $4 AND c.user_id <> 0 AND c.bot = (SELECT bot FROM cluster_members WHERE name = $4)
), begun AS (
    SELECT DISTINCT started_at FROM cluster_questions
    WHERE $12 AND user_id = $3 AND owner <> $4 AND started_at > now() - interval '1 hour'
), pause AS (
    SELECT greatest(
        CASE WHEN person > $7 OR guild > $8 OR everybody > $9 THEN {CONCURRENCY_PAUSE_S} ELSE 0 END,
        (SELECT 60 - extract(epoch FROM now() - started_at) FROM begun ORDER BY started_at DESC OFFSET $10 LIMIT 1),
        (SELECT $11::float8 - extract(epoch FROM now() - max(started_at)) FROM begun),
        0
    )::float8 AS seconds FROM elsewhere
), spoken AS (
    UPDATE cluster_channels SET user_id = $3, guild = $6
    WHERE channel = $2 AND owner = $4 AND (SELECT seconds FROM pause) = 0
), taken AS (
    INSERT INTO cluster_questions (message, channel, user_id, owner, done, taken_at, started_at)
    SELECT unnest($1::bigint[]), $2, $3, $4, FALSE, $5, now() WHERE (SELECT seconds FROM pause) = 0
    ON CONFLICT (message) DO UPDATE SET owner = excluded.owner, started_at = excluded.started_at
    WHERE cluster_questions.done = FALSE
        AND (cluster_questions.owner = excluded.owner OR NOT {_OWNER_ALIVE} AND NOT {_INTERRUPTED})
    RETURNING message
)
SELECT coalesce((SELECT array_agg(message) FROM taken), '{{}}'), (SELECT seconds FROM pause)
"""  # noqa: S608 - no word of it comes from outside
_COUNT_ROWS = """
SELECT count(*) FILTER (WHERE number < $2), count(*) FILTER (WHERE number = $2) FROM journal WHERE turn = $1
"""
_WRITE_CURSORS = """
INSERT INTO channel_cursors (channel, guild, message, received_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::float8[])
ON CONFLICT (channel) DO UPDATE SET message = excluded.message, received_at = excluded.received_at
WHERE channel_cursors.message < excluded.message
"""


_log = logging.getLogger(__name__)


class ClusterClaims(Ownership):
    """Questions that members have claimed; only those of dead members can be claimed again."""

    def __init__(self, member: Membership, clock: Callable[[], float]) -> None:
        super().__init__(member.rows.database, clock)
        self.owner = member.name
        self._member = member

    async def claim(self, messages: Iterable[int], channel: int, person: int) -> bool:
        """Claim a question for this process; false if other members answer, or have answered, all of it."""
        return bool(await self.claim_some(list(messages), channel, person))

    async def claim_some(self, messages: list[int], channel: int, person: int) -> set[int]:
        """Claim the messages of a question that no other member has, and return them; retries until it succeeds."""
        return (await self.claim_within_limits(messages, channel, person))[0]

    async def claim_within_limits(
        self,
        messages: list[int],
        channel: int,
        person: int,
        guild: int = 0,
        left: Iterable[int] = (-1, -1, -1, -1),
        cooldown: float = 0.0,
    ) -> tuple[set[int], float]:
        """Claim messages of a question if the limits of concurrent answers allow it.

        Args:
            messages: ids of the messages.
            channel: where they were written.
            person: who pays for the answer.
            guild: the server; 0 for direct messages.
            left: how many answers other members may be writing for the person, on the server and in all, and how many
                they may have begun for the person in the last minute; -1 is no limit.
            cooldown: seconds between two answers for the person.

        Returns:
            The claimed messages and the seconds to wait before the next attempt; one of both is empty.

        """
        limits = [one if one >= 0 else _UNLIMITED for one in left]
        is_timed = limits[-1] < _UNLIMITED or cooldown > 0
        while messages:
            try:
                rows = await self._database.read(
                    _CLAIM,
                    messages,
                    channel,
                    person,
                    self.owner,
                    self._clock(),
                    guild,
                    *limits,
                    cooldown,
                    is_timed,
                )
            except StoreError:
                await _wait_to_retry(self._member)
                continue
            return set(rows[0][0]), float(rows[0][1])
        return set(), 0.0

    async def claimed_elsewhere(self, messages: list[int]) -> set[int]:
        """Return those of these messages that other members have claimed and not answered yet."""
        sql = (
            "SELECT message FROM cluster_questions "
            "WHERE message = ANY($1::bigint[]) AND NOT done AND owner <> $2"
        )
        return {row[0] for row in await self._database.read(sql, messages, self.owner)}

    async def finish(self, messages: Iterable[int]) -> None:
        """Record that a question is answered."""
        sql = "UPDATE cluster_questions SET done = TRUE WHERE message = ANY($1::bigint[])"
        ids = list(messages)
        while True:
            try:
                await self._database.read(sql, ids)
            except StoreError:
                await _wait_to_retry(self._member)
                continue
            return

    async def answered(self, messages: Iterable[int]) -> set[int]:
        """Return those of these messages that are answered, are being answered, or have an interrupted answer."""
        ids = list(messages)
        if not ids:
            return set()
        these = placeholders(len(ids))
        sql = f"""
            SELECT message FROM cluster_questions
            WHERE message IN ({these}) AND (done OR {_OWNER_ALIVE} OR {_INTERRUPTED})
        """  # noqa: S608
        return {row[0] for row in await self._database.read(sql, *ids)}

    async def open_questions(self, since: float) -> list[OpenQuestion]:
        """Return the questions that dead members claimed since then and did not answer, the newest first."""
        sql = f"""
            SELECT message, channel, user_id, owner, taken_at FROM cluster_questions
            WHERE NOT done AND NOT {_OWNER_ALIVE} AND taken_at >= $1 ORDER BY message DESC
        """  # noqa: S608
        return [OpenQuestion(*row) for row in await self._database.read(sql, since)]

    async def write_cursors(self) -> None:
        """Write the last message of each channel with activity since the last call."""
        activity, self._activity = self._activity, {}
        if activity:
            now = self._clock()
            columns = zip(
                *((channel, guild, message, now) for channel, (guild, message) in activity.items()),
                strict=True,
            )
            await self._database.read(_WRITE_CURSORS, *(list(column) for column in columns))

    async def forget_old(self, seconds: float = 86_400.0) -> None:
        """Delete questions that were claimed more than `seconds` ago."""
        await self._database.read(
            "DELETE FROM cluster_questions WHERE taken_at < $1", self._clock() - seconds
        )


class ClusterJournal(SqlJournal):
    """A journal whose rows are written only while this process is a member."""

    claims: ClusterClaims
    _has_fixed_pause = False

    def __init__(self, member: Membership, clock: Callable[[], float] = time.time) -> None:
        super().__init__(member.rows.database, clock)
        self.claims = ClusterClaims(member, clock)
        self._member = member
        # Answered messages that are not written yet.
        self._answered: list[int] = []
        # Whether a waiting row ends a turn, so that it is written at once.
        self._has_ending = False
        # Messages that this process answered, written or not.
        self._answered_here: BoundedCache[int, None] = BoundedCache(MAX_REMEMBERED)
        # Turns that this process ended; rows of them that are still read are ignored.
        self._ended_turns: BoundedCache[str, None] = BoundedCache(MAX_REMEMBERED)

    async def flush(self) -> bool:
        """Wait until every row so far is written; false only if this process may write no more."""
        asked = self._asked
        while self._done < asked and not (self._member.is_evicted or self._closing):
            self._start_worker(urgent=True)
            try:
                async with asyncio.timeout(RETRY_INTERVAL_S):
                    await self._written.wait()
            except TimeoutError:
                continue
        return self._done >= asked and not self._member.is_evicted

    async def is_unchanged(self, turn: TurnJournal) -> bool:
        """Return whether no other process has resumed or ended a turn since it was read."""
        rows = turn.saved.rows if turn.saved else 0
        while True:
            try:
                found = await self._database.read(_COUNT_ROWS, turn.id, rows)
            except StoreError:
                await _wait_to_retry(self._member)
                continue
            return tuple(found[0]) == (rows, 0)

    async def entries(self) -> list[JournalRow]:
        """Return all rows except those of turns in channels that other members lease."""
        rows, elsewhere = await self._member.rows.entries(self._member.name)
        entries = [parse_row(row) for row in rows]
        first = {one.turn: one for one in entries if one.number == 0}
        # A statement that the network delayed may write rows after its turn was deleted: delete them, too.
        for turn in {one.turn for one in entries} - first.keys():
            self._kept.add(turn)
            self.forget(turn)
        free = {
            turn
            for turn, one in first.items()
            if turn not in self._ended_turns and _channel(one) not in elsewhere
        }
        return [one for one in entries if one.turn in free]

    def mark_answered(self, messages: Iterable[int]) -> None:
        """Record answered messages; written with the end of their turn, so that others see both or none."""
        for message in messages:
            self._answered.append(message)
            self._answered_here.keep(message, None)

    def was_answered(self, message: int) -> bool:
        """Return whether this process has answered a message, even if that is not written yet."""
        return message in self._answered_here

    def forget(self, turn: str) -> None:
        """Delete the rows of a turn; this process does not resume it, even if it reads its rows before that."""
        self._ended_turns.keep(turn, None)
        super().forget(turn)

    def write(self, entry: JournalRow) -> None:
        """Queue a row; the end of a turn is written without delay."""
        if self._member.is_evicted:
            return
        self._has_ending = self._has_ending or entry.kind in _ENDING_KINDS
        super().write(entry)

    def _pause(self) -> float:
        """Return how long rows are collected; most are written together with the next message."""
        return GROUP_COMMIT_S if self._has_ending or self._gone else BATCH_DELAY_S

    async def _keep(self, rows: list[Row], gone: list[str]) -> None:
        """Write all rows in one statement, if we are still a member."""
        self._has_ending = False
        answered, self._answered = self._answered, []
        try:
            await self._member.rows.write_journal(self._member.name, rows, gone, answered)
        except LeaseLost:
            self._member.mark_evicted()
            raise
        except StoreError:
            self._answered = answered + self._answered
            raise

    def _put_back(self, rows: list[Row], gone: dict[str, None], error: StoreError) -> None:
        """Queue rows again that could not be written, unless this member was evicted."""
        was_failing, self._failing = self._failing, True
        if self._member.is_evicted:
            self._wake_waiters()
            return
        if not was_failing:
            _log.warning("writing the journal failed, answers wait until it succeeds: %s", error)
        super()._put_back(rows, gone, error)


def _channel(first: JournalRow) -> object:
    about = first.body.get("about")
    return about.get("channel") if isinstance(about, dict) else None


async def _wait_to_retry(member: Membership) -> None:
    """Wait before the next attempt.

    Raises:
        LeaseLost: this member was evicted, so retrying is pointless.

    """
    if member.is_evicted:
        raise LeaseLost("this process was evicted from the cluster")
    await asyncio.sleep(RETRY_INTERVAL_S)
