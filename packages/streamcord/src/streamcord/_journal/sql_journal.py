"""The journal in the store's database, on its own connection: SQLite, or PostgreSQL by URL.

With SQLite, rows of running turns go to a file next to the database (`write_ahead_file`) while they fit.
Otherwise one writer task writes all queued rows in one transaction (group commit). Rows that the database
cannot accept now, because it is locked or full, stay queued in their order and are tried again. An answer
waits for its rows only a moment. If the queue exceeds its limit, whole turns are given up, so that no turn has
a gap.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from .._exceptions import StoreError
from .._store.database import Database, Row, Statement
from .ownership import Ownership
from .protocol import JournalRow
from .reconcile import SavedTurn, UnreadableTurn, read_turns
from .serialization import as_row, parse_row
from .turn_journal import TurnJournal
from .write_ahead_file import WriteAheadFile

GROUP_COMMIT_S = 0.05
"""Seconds for which rows are collected into one write if no message waits for them."""
FLUSH_TIMEOUT_S = 0.25
"""Seconds that a message waits for its row, at most."""
RETRY_PAUSE_S = 0.5
"""Seconds until a failed write is tried again."""
UNREADABLE_LIFETIME_S = 86_400.0
"""Seconds for which turns are kept that this version cannot read."""
MAX_QUEUE_CHARS = 4 * 1024 * 1024
"""Characters that may be queued while the database cannot be written."""

_PUT = """
INSERT INTO journal (turn, number, kind, body, written_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (turn, number) DO UPDATE SET kind = excluded.kind, body = excluded.body,
    written_at = excluded.written_at
"""
_FORGET = "DELETE FROM journal WHERE turn = $1"
_CUT = "DELETE FROM journal WHERE turn = $1 AND number >= $2"
_ALL = "SELECT turn, number, kind, body, written_at FROM journal ORDER BY turn, number"

_log = logging.getLogger(__name__)


class _Phase(Enum):
    """The life of a journal."""

    OPEN = "rows may go to the write-ahead file"
    HANDING_OVER = "all rows go to the database, where another process finds them"
    CLOSED = "no more rows are accepted"


class SqlJournal:
    """An open journal; `async with` closes it.

    It has many attributes because it is a queue, a group-commit writer and an index of the turns in the
    database at once: all three change together with every write.

    Example:
        async with await open_journal("streamcord.db") as journal:
            for turn in await journal.unfinished():
                await say(channel, model(turn.about["question"], turn.text), journal=turn)

    """

    _has_fixed_pause = True
    """Whether `_pause` is constant; else a new row may need an earlier timer."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float] = time.time,
        write_ahead: WriteAheadFile | None = None,
    ) -> None:
        self.failures = 0
        """Number of writes that failed or took too long."""
        self.given_up = 0
        """Turns that cannot be resumed, because their rows could not be written for too long."""
        self.is_successor = False
        """Whether this process holds the bot's lease: then it also reads another process's write-ahead file."""
        self.unreadable: list[UnreadableTurn] = []
        """Turns that the last call of `unfinished` could not decode."""
        self.claims = Ownership(database, clock)
        self._database = database
        self._clock = clock
        # --- The queue ---
        # Rows that are not written yet.
        self._waiting: list[Row] = []
        # Characters in `_waiting`.
        self._size = 0
        # Turns whose rows are to be deleted; an ordered set.
        self._gone: dict[str, None] = {}
        # Turns with rows in the database.
        self._kept: set[str] = set()
        # Turns that were given up; their later rows are ignored.
        self._lost: set[str] = set()
        # --- The writer ---
        # Number of changes so far, and up to which one they are written.
        self._asked = 0
        self._done = 0
        # Pulsed after every write, successful or not.
        self._written = asyncio.Event()
        # Starts a write after `_pause` seconds.
        self._timer: asyncio.TimerHandle | None = None
        # The running write to the database.
        self._worker: asyncio.Task[None] | None = None
        # Whether a message waits for the running write, so that another one follows at once.
        self._urgent = False
        # Whether the last write failed.
        self._failing = False
        # Whether rows are on their way from the queue and the write-ahead file to the database.
        self._moving = False
        # Whether the write-ahead file contains turns of a dead process, which must go to the database.
        self._must_move_file = False
        self._phase = _Phase.OPEN
        self._write_ahead = write_ahead

    @property
    def _closing(self) -> bool:
        return self._phase is _Phase.CLOSED

    @property
    def is_in_place(self) -> bool:
        """Whether the files still exist under their names; otherwise new rows are lost with this process."""
        return all(getattr(place, "is_in_place", True) for place in (self._database, self._write_ahead))

    def begin(self, *, held: bool = False, **about: Any) -> TurnJournal:  # noqa: ANN401 - JSON
        """Return the journal of a new turn, for `say`.

        Args:
            held: whether the rows stay after the end of the turn until `TurnJournal.close`.
            about: what you need to resume the turn, as JSON values.

        """
        return TurnJournal(self, about, held=held, clock=self._clock)

    async def unfinished(self, *, held: bool = False) -> list[TurnJournal]:
        """Return the interrupted turns, oldest first; pass each to `say`. Unreadable turns are logged."""
        entries = await self.entries()
        turns, self.unreadable = read_turns(entries)
        await self._delete_after_gaps(turns, Counter(entry.turn for entry in entries))
        self._kept |= {*(saved.id for saved in turns), *(one.turn for one in self.unreadable)}
        for one in self.unreadable:
            _log.warning("ignoring a turn in the journal that cannot be decoded: %s", one.reason)
            # Kept for a day, so that an operator can look at it.
            if self._clock() - one.at > UNREADABLE_LIFETIME_S:
                self.forget(one.turn)
        return [TurnJournal(self, saved=saved, held=held, clock=self._clock) for saved in turns]

    async def _delete_after_gaps(self, turns: Iterable[SavedTurn], counts: Mapping[str, int]) -> None:
        """Delete rows after a gap: the process that resumes writes rows with the same numbers."""
        if cut := [Statement(_CUT, (one.id, one.rows)) for one in turns if counts[one.id] > one.rows]:
            await self._database.write(*cut)

    # --- Writing --------------------------------------------------------------------------------

    def write(self, entry: JournalRow) -> None:
        """Queue a row."""
        if entry.turn in self._lost or self._closing:
            return
        if self.is_successor and self._write_ahead is not None:
            # The first row of a turn that another process started: its earlier rows come along.
            self._add(self._write_ahead.adopt(entry.turn, entry.number))
        self._add([as_row(entry)])
        self._schedule()

    def forget(self, turn: str) -> None:
        """Delete the rows of a turn."""
        self._lost.discard(turn)
        if self._write_ahead is not None:
            self._write_ahead.mark_done(turn)
        self._waiting = [row for row in self._waiting if row[0] != turn]
        self._size = sum(len(row[3]) for row in self._waiting)
        self._gone[turn] = None
        self._schedule()

    def _add(self, rows: list[Row]) -> None:
        self._waiting += rows
        self._size += sum([len(row[3]) for row in rows])
        if self._size > MAX_QUEUE_CHARS:
            self._abandon()

    async def flush(self) -> bool:
        """Wait until every row so far is written; return false if that takes longer than `FLUSH_TIMEOUT_S`."""
        asked = self._asked
        # While writes fail, only the first message waits for its row.
        if self._done >= asked or self._failing:
            return not self._failing
        # Not grouped with rows of other turns: waiting for them costs more than a write to the file.
        if self._flush_to_file():
            return True
        self._start_worker(urgent=True)
        try:
            async with asyncio.timeout(FLUSH_TIMEOUT_S):
                while self._done < asked and not self._failing:
                    await self._written.wait()
        except TimeoutError:
            self.failures += 1
        return self._done >= asked

    async def entries(self) -> list[JournalRow]:
        """Return all rows, turn by turn; a row that is not valid JSON has the kind `DAMAGED`."""
        if self._write_ahead is None:
            return [parse_row(row) for row in await self._database.read(_ALL)]
        self.acquire_write_ahead_file()
        # Read before the database: rows that are moved meanwhile are then in one of the two.
        beside = self._write_ahead.peek() if self.is_successor else []
        rows, moves = {}, -1
        while moves != self._write_ahead.moves:
            # Rows that are moved during the read may be missed in both places, so read again.
            moves = self._write_ahead.moves
            rows = {row[:2]: row for row in await self._database.read(_ALL)}
        rows = {row[:2]: row for row in beside} | rows | {row[:2]: row for row in self._write_ahead.rows()}
        ordered = sorted(rows, key=lambda key: str(key[0]))
        return [parse_row(rows[key]) for key in ordered if key[0] not in self._gone]

    def acquire_write_ahead_file(self) -> None:
        """Acquire the write-ahead file if no process has it, and move the rows in it to the database.

        They may belong to another bot, which does not read a file that this process has.
        """
        if self._write_ahead is None or self._write_ahead.is_acquired or not self._write_ahead.acquire():
            return
        if self._write_ahead.turns:
            self._must_move_file = True
            self._start_worker(urgent=True)

    async def hand_over(self) -> None:
        """Move all rows to the database, where another process finds them; the file is not used any more."""
        if self._phase is _Phase.OPEN:
            self._phase = _Phase.HANDING_OVER
        if self._has_work:
            self._start_worker(urgent=True)
        if self._worker is not None:
            await asyncio.wait({self._worker}, timeout=2 * FLUSH_TIMEOUT_S)

    async def close(self) -> None:
        """Write the queued rows, then close the database."""
        await self.hand_over()
        self._phase = _Phase.CLOSED
        if self._timer is not None:
            self._timer.cancel()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        if self._write_ahead is not None:
            self._write_ahead.close()
        await self._database.close()

    async def __aenter__(self) -> SqlJournal:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _schedule(self) -> None:
        self._asked += 1
        # A running timer covers this change too, unless its pause may have become shorter.
        if self._timer is None or not self._has_fixed_pause:
            self._arm()

    def _arm(self) -> None:
        """Start or shorten the timer of the next write."""
        # Without a file, the worker takes new rows too. With one, they need not wait for the database.
        if self._closing or (self._worker is not None and self._write_ahead is None):
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + self._pause()
        if self._timer is not None and self._timer.when() > at:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = loop.call_at(at, self._on_timer)

    def _pause(self) -> float:
        """Return for how many seconds rows are collected if no message waits for them."""
        return GROUP_COMMIT_S

    def _on_timer(self) -> None:
        self._timer = None
        if self._has_work and not self._flush_to_file():
            self._start_worker()

    def _start_worker(self, *, urgent: bool = False) -> None:
        self._urgent = self._urgent or urgent
        if self._worker is None and not self._closing:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        """Write everything that is queued, and again while a message waits."""
        try:
            while self._has_work:
                self._urgent = False
                await self._flush()
                if not self._urgent:
                    break
        finally:
            self._worker = None
            if self._has_work:
                self._arm()

    @property
    def _has_work(self) -> bool:
        # At the end everything goes to the database, where any version finds it.
        left = (
            (self._phase is not _Phase.OPEN or self._must_move_file)
            and self._write_ahead is not None
            and self._write_ahead.turns
        )
        return bool(self._waiting or self._gone or left)

    def _flush_to_file(self) -> bool:
        """Write the queue to the file without waiting; return false if the database has to be used."""
        if self._moving or self._failing or not self._write_to_file():
            return False
        if self._gone:
            self._start_worker()
        return True

    def _write_to_file(self) -> bool:
        """Write all queued rows to the file and return whether it accepted them.

        Ended turns with rows in the database stay in the file until the database has deleted them.
        """
        if self._write_ahead is None or self._phase is not _Phase.OPEN or self._must_move_file:
            return False
        over = [turn for turn in self._gone if turn not in self._kept] if self._gone else []
        if not self._write_ahead.write(self._waiting, over):
            return False
        self._waiting, self._size = [], 0
        for turn in over:
            del self._gone[turn]
        self._mark_written(self._asked)
        return True

    async def _flush(self) -> None:
        """Write the queue, to the file if possible, else in one transaction to the database."""
        try:
            await (self._forget_kept() if self._write_to_file() else self._move_to_database())
        except StoreError:
            await asyncio.sleep(RETRY_PAUSE_S)

    async def _forget_kept(self) -> None:
        """Delete ended turns from the database, then from the file."""
        if known := list(self._gone):
            await self._keep([], known)
            self._kept.difference_update(known)
            self._write_to_file()

    async def _move_to_database(self) -> None:
        """Write the queue and the contents of the file to the database."""
        self._must_move_file = False
        rows, gone, asked = self._waiting, dict(self._gone), self._asked
        self._waiting, self._size = [], 0
        logged = self._write_ahead.rows(without=gone) if self._write_ahead is not None else []
        known = [turn for turn in gone if turn in self._kept]
        self._moving = True
        try:
            if logged or rows or known:
                await self._keep(logged + rows, known)
            if self._write_ahead is not None:
                self._write_ahead.empty()
        except StoreError as error:
            self._put_back(rows, gone, error)
            raise
        finally:
            self._moving = False
        self._kept.difference_update(gone)
        self._kept.update([row[0] for row in logged + rows])
        for turn in gone:
            self._gone.pop(turn, None)
        self._mark_written(asked)

    def _mark_written(self, asked: int) -> None:
        if self._failing:
            _log.info("the journal can be written again")
            self._failing = False
        self._done = max(self._done, asked)
        self._wake_waiters()

    async def _keep(self, rows: list[Row], gone: list[str]) -> None:
        """Delete these turns and write these rows in one transaction."""
        forget = [Statement(_FORGET, (turn,)) for turn in gone if turn in self._kept]
        await self._database.write(*forget, *(Statement(_PUT, row) for row in rows))

    def _put_back(self, rows: list[Row], gone: dict[str, None], error: StoreError) -> None:
        """Queue the rows of a failed transaction again, before newer ones."""
        self.failures += 1
        if not self._failing:
            _log.warning("writing the journal failed, answers continue without it: %s", error)
        self._failing = True
        # Turns that ended meanwhile need not be written any more.
        rows = [row for row in rows if row[0] not in self._gone]
        self._waiting = rows + self._waiting
        self._gone = gone | self._gone
        self._size = sum(len(row[3]) for row in self._waiting)
        self._wake_waiters()

    def _wake_waiters(self) -> None:
        self._written.set()
        self._written.clear()

    def _abandon(self) -> None:
        """Drop all queued rows and give up their turns."""
        turns = {row[0] for row in self._waiting}
        _log.error("the journal queue is full: %d answers cannot be resumed after a restart", len(turns))
        self.given_up += len(turns)
        self._lost |= turns
        self._waiting, self._size = [], 0
        self._gone |= dict.fromkeys(turns)
