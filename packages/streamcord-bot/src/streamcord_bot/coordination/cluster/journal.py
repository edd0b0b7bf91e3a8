"""The journal and the claims of a member: nothing is written by somebody who was taken for dead.

In a cluster a message waits for its row until it is written, however long that takes: somebody else may have
to go on from there at any moment.
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

from .membership import Membership
from .tables import LeaseLost

__all__ = ["ClusterClaims", "ClusterJournal"]

RETRY = 0.5
FULL_PAUSE = 1.0
"""Seconds after which somebody who has too many answers in other processes looks again."""
_UNLIMITED = 2**31 - 1
UNHURRIED = 0.4
"""Seconds for which the beginning and the words of an answer wait for a row that cannot."""
_OVER = frozenset({"ended", "stopped"})
DONE_CAP = 10_000
"""Answers that this process remembers to have ended."""
_LIVE = "EXISTS (SELECT 1 FROM cluster_members m WHERE m.name = cluster_questions.owner)"
# The first row of a turn names what was asked; such a question is gone on with, and not asked again.
_BROKEN = """EXISTS (
    SELECT 1 FROM journal j WHERE j.number = 0 AND strpos(j.body, cluster_questions.message::text) > 0
)"""
# Who has too many answers at once in all processes together, or gets them too soon, takes nothing yet.
_TAKE = f"""
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
        CASE WHEN person > $7 OR guild > $8 OR everybody > $9 THEN {FULL_PAUSE} ELSE 0 END,
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
        AND (cluster_questions.owner = excluded.owner OR NOT {_LIVE} AND NOT {_BROKEN})
    RETURNING message
)
SELECT coalesce((SELECT array_agg(message) FROM taken), '{{}}'), (SELECT seconds FROM pause)
"""  # noqa: S608 - no word of it comes from outside
_ROWS = """
SELECT count(*) FILTER (WHERE number < $2), count(*) FILTER (WHERE number = $2) FROM journal WHERE turn = $1
"""
_CURSORS = """
INSERT INTO channel_cursors (channel, guild, message, received_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::float8[])
ON CONFLICT (channel) DO UPDATE SET message = excluded.message, received_at = excluded.received_at
WHERE channel_cursors.message < excluded.message
"""


_log = logging.getLogger("streamcord")


class ClusterClaims(Ownership):
    """Questions that members took; only those of the dead can be taken from them."""

    def __init__(self, member: Membership, clock: Callable[[], float]) -> None:
        super().__init__(member.rows.database, clock)
        self.owner = member.name
        self._member = member

    async def claim(self, messages: Iterable[int], channel: int, person: int) -> bool:
        """Take a question for this process; false if all of it was answered, or is, by another member."""
        return bool(await self.take_some(list(messages), channel, person))

    async def take_some(self, messages: list[int], channel: int, person: int) -> set[int]:
        """Take those messages of a question that nobody else has; waits for a database that is away."""
        return (await self.take_within(messages, channel, person))[0]

    async def take_within(
        self,
        messages: list[int],
        channel: int,
        person: int,
        guild: int = 0,
        left: Iterable[int] = (-1, -1, -1, -1),
        cooldown: float = 0.0,
    ) -> tuple[set[int], float]:
        """The same, if other members leave room for it; else nothing is taken, and the seconds to wait.

        `left` is how many answers others may be writing to the person, on the server and at all, and how many
        they may have begun for the person in the last minute; -1 is any number.
        """
        limits = [one if one >= 0 else _UNLIMITED for one in left]
        is_timed = limits[-1] < _UNLIMITED or cooldown > 0
        while messages:
            try:
                rows = await self._database.read(
                    _TAKE,
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
                await _wait(self._member)
                continue
            return set(rows[0][0]), float(rows[0][1])
        return set(), 0.0

    async def taken_elsewhere(self, messages: list[int]) -> set[int]:
        """Those of these messages that other members have and have not answered yet."""
        sql = (
            "SELECT message FROM cluster_questions "
            "WHERE message = ANY($1::bigint[]) AND NOT done AND owner <> $2"
        )
        return {row[0] for row in await self._database.read(sql, messages, self.owner)}

    async def finish(self, messages: Iterable[int]) -> None:
        """Note that a question is answered."""
        sql = "UPDATE cluster_questions SET done = TRUE WHERE message = ANY($1::bigint[])"
        ids = list(messages)
        while True:
            try:
                await self._database.read(sql, ids)
            except StoreError:
                await _wait(self._member)
                continue
            return

    async def answered(self, messages: Iterable[int]) -> set[int]:
        """Those of these messages that were answered, that a member is answering, or that it broke off at."""
        ids = list(messages)
        if not ids:
            return set()
        these = placeholders(len(ids))
        sql = f"""
            SELECT message FROM cluster_questions
            WHERE message IN ({these}) AND (done OR {_LIVE} OR {_BROKEN})
        """  # noqa: S608
        return {row[0] for row in await self._database.read(sql, *ids)}

    async def open_questions(self, since: float) -> list[OpenQuestion]:
        """What members that are gone took since then and did not answer, the newest first."""
        sql = f"""
            SELECT message, channel, user_id, owner, taken_at FROM cluster_questions
            WHERE NOT done AND NOT {_LIVE} AND taken_at >= $1 ORDER BY message DESC
        """  # noqa: S608
        return [OpenQuestion(*row) for row in await self._database.read(sql, since)]

    async def write_cursors(self) -> None:
        """Write where people were heard since the last time."""
        heard, self._activity = self._activity, {}
        if heard:
            now = self._clock()
            columns = zip(
                *((channel, guild, message, now) for channel, (guild, message) in heard.items()), strict=True
            )
            await self._database.read(_CURSORS, *(list(column) for column in columns))

    async def forget_old(self, seconds: float = 86_400.0) -> None:
        """Forget questions that were answered long ago."""
        await self._database.read(
            "DELETE FROM cluster_questions WHERE taken_at < $1", self._clock() - seconds
        )


class ClusterJournal(SqlJournal):
    """A journal whose rows are written under the name of a member."""

    claims: ClusterClaims
    _has_fixed_pause = False

    def __init__(self, member: Membership, clock: Callable[[], float] = time.time) -> None:
        super().__init__(member.rows.database, clock)
        self.claims = ClusterClaims(member, clock)
        self._member = member
        self._answered: list[int] = []
        self._soon = False
        self._done_here: BoundedCache[int, None] = BoundedCache(DONE_CAP)
        self._over: BoundedCache[str, None] = BoundedCache(DONE_CAP)

    async def flush(self) -> bool:
        """Wait until every row so far is kept; false only if this process may write no more."""
        asked = self._asked
        while self._done < asked and not (self._member.is_lost or self._closing):
            self._start_worker(urgent=True)
            try:
                async with asyncio.timeout(RETRY):
                    await self._written.wait()
            except TimeoutError:
                continue
        return self._done >= asked and not self._member.is_lost

    async def is_unchanged(self, turn: TurnJournal) -> bool:
        """Whether nobody has gone on with a turn, or ended it, since it was read."""
        rows = turn.saved.rows if turn.saved else 0
        while True:
            try:
                found = await self._database.read(_ROWS, turn.id, rows)
            except StoreError:
                await _wait(self._member)
                continue
            return tuple(found[0]) == (rows, 0)

    async def entries(self) -> list[JournalRow]:
        """All rows but those of turns that other members are busy with."""
        rows, elsewhere = await self._member.rows.entries(self._member.name)
        entries = [parse_row(row) for row in rows]
        first = {one.turn: one for one in entries if one.number == 0}
        # A statement that a cut network held back may write behind the end of its turn.
        for turn in {one.turn for one in entries} - first.keys():
            self._kept.add(turn)
            self.forget(turn)
        free = {
            turn for turn, one in first.items() if turn not in self._over and _channel(one) not in elsewhere
        }
        return [one for one in entries if one.turn in free]

    def mark_answered(self, messages: Iterable[int]) -> None:
        """A question is answered; it is written with the end of its turn, so that others see both or none."""
        for message in messages:
            self._answered.append(message)
            self._done_here.keep(message, None)

    def was_answered(self, message: int) -> bool:
        """Whether this process has answered a message, written or not."""
        return message in self._done_here

    def forget(self, turn: str) -> None:
        """Remove the rows of a turn; nobody here goes on with it, whatever is read until they are gone."""
        self._over.keep(turn, None)
        super().forget(turn)

    def write(self, entry: JournalRow) -> None:
        """Take a row; that a turn is over is worth a statement of its own."""
        if self._member.is_lost:
            return
        self._soon = self._soon or entry.kind in _OVER
        super().write(entry)

    def _pause(self) -> float:
        """Most rows come along with the next message."""
        return GROUP_COMMIT_S if self._soon or self._gone else UNHURRIED

    async def _keep(self, rows: list[Row], gone: list[str]) -> None:
        """All rows in one statement, if we are still a member."""
        self._soon = False
        answered, self._answered = self._answered, []
        try:
            await self._member.rows.keep(self._member.name, rows, gone, answered)
        except LeaseLost:
            self._member.note_lost()
            raise
        except StoreError:
            self._answered = answered + self._answered
            raise

    def _put_back(self, rows: list[Row], gone: dict[str, None], error: StoreError) -> None:
        """What could not be written is tried again, but not by the dead."""
        was_failing, self._failing = self._failing, True
        if self._member.is_lost:
            self._wake_waiters()
            return
        if not was_failing:
            _log.warning("the journal cannot be written, answers wait for it: %s", error)
        super()._put_back(rows, gone, error)


def _channel(first: JournalRow) -> object:
    about = first.body.get("about")
    return about.get("channel") if isinstance(about, dict) else None


async def _wait(member: Membership) -> None:
    """Wait a moment for the database; who was taken for dead waits for nothing."""
    if member.is_lost:
        raise LeaseLost("this process was taken for dead")
    await asyncio.sleep(RETRY)
