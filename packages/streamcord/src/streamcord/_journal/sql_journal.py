"""The journal in the database of the store, on a connection of its own: SQLite, or PostgreSQL by URL.

With SQLite, rows of answers that are under way stand in a file beside it (`turn_log`), as long as there is
room. Else one writer takes all rows that wait in one transaction. What a database cannot take now (locked,
full) waits and is tried again, in its order; nobody's answer waits for it longer than a moment. What grows
too long is given up as a whole, so that no turn has a hole.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import Any

from .._exceptions import StoreError
from .._store.database import OUTDATED_WRITE_AHEAD_SUFFIX, Database, Row, Statement, outdated_error
from .._store.sql_store import open_database
from .ownership import Ownership
from .protocol import JournalRow
from .reconcile import SavedTurn, UnreadableTurn, read_turns
from .serialization import as_row, encode, encode_json, parse_row
from .turn_journal import TurnJournal
from .write_ahead_file import WRITE_AHEAD_SUFFIX, WriteAheadFile

__all__ = ["SqlJournal", "open_journal"]

GROUP = 0.05
"""Seconds for which rows are gathered that nobody waits for."""
PATIENCE = 0.25
"""Seconds that a message waits for its row, at most."""
RETRY = 0.5
UNREADABLE_LIFE = 86_400.0
"""Seconds for which rows are kept that this version cannot read."""
CAP = 4 * 1024 * 1024
"""Characters that may wait for a database that does not answer."""

_OFTEN = frozenset({"heard", "attempt", "arrived", "ended"})
"""Rows of every message; JSON takes them for certain, so they need not be made before somebody waits."""
_PUT = """
INSERT INTO journal (turn, number, kind, body, written_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (turn, number) DO UPDATE SET kind = excluded.kind, body = excluded.body,
    written_at = excluded.written_at
"""
_FORGET = "DELETE FROM journal WHERE turn = $1"
_CUT = "DELETE FROM journal WHERE turn = $1 AND number >= $2"
_ALL = "SELECT turn, number, kind, body, written_at FROM journal ORDER BY turn, number"

_log = logging.getLogger("streamcord")


async def open_journal(
    where: str | PathLike[str],
    *,
    timeout: float = 1.0,  # noqa: ASYNC109 - of the database, not of the call
    fsync: bool = False,
    clock: Callable[[], float] = time.time,
) -> SqlJournal:
    """Open the journal in a store's file, or on its server by `postgresql://…`.

    What is written survives the death of the process; with `fsync` also that of the machine, for the
    price of a wait for the disk at every message. `timeout` is how many seconds a write waits for a database
    that is locked, before it is tried again.
    """
    database = await open_database(fspath(where), timeout=timeout, fsync=fsync)
    if reserve := getattr(database, "reserve", None):
        with suppress(StoreError):
            await reserve()
    file = getattr(database, "file", "")
    if _has_outdated_file(file):
        await database.close()
        raise outdated_error(f"The file {file + OUTDATED_WRITE_AHEAD_SUFFIX!r} beside the database")
    # Where a disk is waited for, a thread does it; what was left in the file is found all the same.
    log = WriteAheadFile(file + WRITE_AHEAD_SUFFIX, encode_json, is_open=not fsync) if file else None
    journal = SqlJournal(database, clock, log)
    journal.acquire_write_ahead_file()
    return journal


def _has_outdated_file(file: str) -> bool:
    """Whether an earlier, unreleased version left running answers in a file beside the database."""
    outdated = Path(file + OUTDATED_WRITE_AHEAD_SUFFIX)
    return bool(file) and outdated.is_file() and outdated.stat().st_size > 0


class SqlJournal:
    """An open journal; `async with` closes it."""

    _is_steady = True
    """Whether all rows wait equally long for others."""

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.time, log: WriteAheadFile | None = None
    ) -> None:
        self.failures = 0
        """How often rows could not be written at once."""
        self.given_up = 0
        """Turns that are in no journal, because the database did not take their rows for too long."""
        self.is_successor = False
        """Whether this process answers in the place of any other: then what one has in the log is found."""
        self.unreadable: list[UnreadableTurn] = []
        self.claims = Ownership(database, clock)
        self._database = database
        self._clock = clock
        self._fresh: list[Row] = []
        self._waiting: list[Row] = []
        self._size = 0
        self._gone: dict[str, None] = {}
        self._kept: set[str] = set()
        self._lost: set[str] = set()
        self._asked = self._done = 0
        self._written = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._worker: asyncio.Task[None] | None = None
        self._hurried = self._failing = self._moving = self._leaving = self._closing = self._is_successor = (
            False
        )
        self._log = log

    @property
    def is_in_place(self) -> bool:
        """Whether what is written can be found again: nobody has deleted or moved its files."""
        return all(getattr(place, "is_in_place", True) for place in (self._database, self._log))

    def begin(self, *, held: bool = False, **about: Any) -> TurnJournal:  # noqa: ANN401 - JSON
        """A new turn for `say`; `about` is what you need to know to go on with it, as JSON can say it."""
        return TurnJournal(self, about, held=held, clock=self._clock)

    async def unfinished(self, *, held: bool = False) -> list[TurnJournal]:
        """The turns that broke off, oldest first; give each to `say`. What cannot be read is told of."""
        entries = await self.entries()
        turns, self.unreadable = read_turns(entries)
        await self._cut(turns, Counter(entry.turn for entry in entries))
        self._kept |= {*(saved.id for saved in turns), *(one.turn for one in self.unreadable)}
        for one in self.unreadable:
            _log.warning("an answer in the journal cannot be read and is left alone: %s", one.reason)
            # Somebody may want to look at it, but not for ever.
            if self._clock() - one.at > UNREADABLE_LIFE:
                self.forget(one.turn)
        return [TurnJournal(self, saved=saved, held=held, clock=self._clock) for saved in turns]

    async def _cut(self, turns: Iterable[SavedTurn], counts: Mapping[str, int]) -> None:
        """Remove what stands behind a gap: whoever goes on writes there, and must not be taken for that."""
        if cut := [Statement(_CUT, (one.id, one.rows)) for one in turns if counts[one.id] > one.rows]:
            await self._database.write(*cut)

    # --- Writing --------------------------------------------------------------------------------

    def write(self, entry: JournalRow) -> None:
        """Take a row."""
        if entry.turn in self._lost or self._closing:
            return
        if self.is_successor and self._log is not None:
            self._add(self._log.adopt(entry.turn, entry.number))
        # Made when it is written: then all of them at once, or none if the turn is over before.
        self._fresh.append(entry if entry.kind in _OFTEN else as_row(entry, encode))
        if self._moving or self._failing:
            self._make_rows()
        self._wake()

    def forget(self, turn: str) -> None:
        """Remove the rows of a turn."""
        self._lost.discard(turn)
        if self._log is not None:
            self._log.strike(turn)
        self._fresh = [row for row in self._fresh if row[0] != turn]
        if self._waiting:
            self._size -= sum(len(row[3]) for row in self._waiting if row[0] == turn)
            self._waiting = [row for row in self._waiting if row[0] != turn]
        self._gone[turn] = None
        self._wake()

    def _make_rows(self) -> None:
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            self._add([as_row(entry, encode_json) for entry in fresh])

    def _add(self, rows: list[Row]) -> None:
        self._waiting += rows
        self._size += sum([len(row[3]) for row in rows])
        if self._size > CAP:
            self._give_up()

    async def settled(self) -> bool:
        """Wait until every row so far is kept; false if that takes longer than a moment."""
        asked = self._asked
        # Where somebody has waited in vain already, the next message need not.
        if self._done >= asked or self._failing:
            return not self._failing
        # To let several messages share a write costs more than the writes: each wait is a turn of the loop.
        if self._flush_at_once():
            return True
        self._begin_work(hurried=True)
        try:
            async with asyncio.timeout(PATIENCE):
                while self._done < asked and not self._failing:
                    await self._written.wait()
        except TimeoutError:
            self.failures += 1
        return self._done >= asked

    async def entries(self) -> list[JournalRow]:
        """All rows, turn by turn; one that is no JSON is shown as such, and its turn ends before it."""
        if self._log is None:
            return [parse_row(row) for row in await self._database.read(_ALL)]
        self.acquire_write_ahead_file()
        # Read before the database: what is moved meanwhile is in one of the two.
        beside = self._log.peek() if self.is_successor else []
        rows, moves = {}, -1
        while moves != self._log.moves:
            # What is moved while we read may be seen in neither place.
            moves = self._log.moves
            rows = {row[:2]: row for row in await self._database.read(_ALL)}
        rows = {row[:2]: row for row in beside} | rows | {row[:2]: row for row in self._log.rows()}
        ordered = sorted(rows, key=lambda key: str(key[0]))
        return [parse_row(rows[key]) for key in ordered if key[0] not in self._gone]

    def acquire_write_ahead_file(self) -> None:
        """Take the file of a process that is gone; what it left goes into the database.

        It may be of another bot, which would not find it in a file that is ours.
        """
        if self._log is not None and not self._log.is_held and self._log.hold() and self._log.turns:
            self._is_successor = True
            self._begin_work(hurried=True)

    async def hand_over(self) -> None:
        """Move everything into the database, where another process finds it; nothing is logged any more."""
        self._leaving = True
        if self._has_work:
            self._begin_work(hurried=True)
        if self._worker is not None:
            await asyncio.wait({self._worker}, timeout=2 * PATIENCE)

    async def close(self) -> None:
        """Write what waits, then close the database."""
        await self.hand_over()
        self._closing = True
        if self._timer is not None:
            self._timer.cancel()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        if self._log is not None:
            self._log.close()
        await self._database.close()

    async def __aenter__(self) -> SqlJournal:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _wake(self) -> None:
        self._asked += 1
        # What is in hand already is enough, unless somebody is more in a hurry than others.
        if self._timer is None or not self._is_steady:
            self._arm()

    def _arm(self) -> None:
        """See to it that what waits is written in a moment."""
        # A worker takes along what waits for the database; what the log takes need not wait for it.
        if self._closing or (self._worker is not None and self._log is None):
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + self._pause()
        if self._timer is not None and self._timer.when() > at:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = loop.call_at(at, self._begin_soon)

    def _pause(self) -> float:
        """Seconds for which what waits now is gathered, if nobody waits for it."""
        return GROUP

    def _begin_soon(self) -> None:
        self._timer = None
        if self._has_work and not self._flush_at_once():
            self._begin_work()

    def _begin_work(self, *, hurried: bool = False) -> None:
        self._hurried = self._hurried or hurried
        if self._worker is None and not self._closing:
            self._worker = asyncio.create_task(self._work())

    async def _work(self) -> None:
        """Write all that waits, and once more if somebody waits for it."""
        try:
            while self._has_work:
                self._hurried = False
                await self._flush()
                if not self._hurried:
                    break
        finally:
            self._worker = None
            if self._has_work:
                self._arm()

    @property
    def _has_work(self) -> bool:
        # In the end everything is in the database, where any version finds it.
        left = (self._leaving or self._is_successor) and self._log is not None and self._log.turns
        return bool(self._fresh or self._waiting or self._gone or left)

    def _flush_at_once(self) -> bool:
        """Write everything that waits into the log, if there is one and nothing is wrong."""
        if self._moving or self._failing or not self._log_rows():
            return False
        if self._gone:
            self._begin_work()
        return True

    def _log_rows(self) -> bool:
        """Whether the log takes all rows; turns whose rows are in the database are forgotten there first."""
        if self._log is None or self._leaving or self._is_successor:
            return False
        over = [turn for turn in self._gone if turn not in self._kept] if self._gone else []
        if not self._log.write(self._waiting + self._fresh, over):
            return False
        self._waiting, self._fresh, self._size = [], [], 0
        for turn in over:
            del self._gone[turn]
        self._note_done(self._asked)
        return True

    async def _flush(self) -> None:
        """One transaction of everything that waits, unless the log takes it."""
        try:
            await (self._forget_kept() if self._log_rows() else self._move())
        except StoreError:
            await asyncio.sleep(RETRY)

    async def _forget_kept(self) -> None:
        """Remove from the database what is over; then the log may forget it, too."""
        if known := list(self._gone):
            await self._keep([], known)
            self._kept.difference_update(known)
            self._log_rows()

    async def _move(self) -> None:
        """Put what waits into the database, and with it what is in the log."""
        self._is_successor = False
        self._make_rows()
        rows, gone, asked = self._waiting, dict(self._gone), self._asked
        self._waiting, self._size = [], 0
        logged = self._log.rows(without=gone) if self._log is not None else []
        known = [turn for turn in gone if turn in self._kept]
        self._moving = True
        try:
            if logged or rows or known:
                await self._keep(logged + rows, known)
            if self._log is not None:
                self._log.empty()
        except StoreError as error:
            self._put_back(rows, gone, error)
            raise
        finally:
            self._moving = False
        self._kept.difference_update(gone)
        self._kept.update([row[0] for row in logged + rows])
        for turn in gone:
            self._gone.pop(turn, None)
        self._note_done(asked)

    def _note_done(self, asked: int) -> None:
        if self._failing:
            _log.info("the journal is written again")
            self._failing = False
        self._done = max(self._done, asked)
        self._tell()

    async def _keep(self, rows: list[Row], gone: list[str]) -> None:
        """Forget these turns and write these rows, all or nothing."""
        forget = [Statement(_FORGET, (turn,)) for turn in gone if turn in self._kept]
        await self._database.write(*forget, *(Statement(_PUT, row) for row in rows))

    def _put_back(self, rows: list[Row], gone: dict[str, None], error: StoreError) -> None:
        self.failures += 1
        if not self._failing:
            _log.warning("the journal cannot be written, answers go on without it: %s", error)
        self._failing = True
        # What was forgotten meanwhile need not be written any more.
        rows = [row for row in rows if row[0] not in self._gone]
        self._waiting = rows + self._waiting
        self._gone = gone | self._gone
        self._size = sum(len(row[3]) for row in self._waiting)
        self._tell()

    def _tell(self) -> None:
        self._written.set()
        self._written.clear()

    def _give_up(self) -> None:
        """Give up the turns that wait, as a whole."""
        turns = {row[0] for row in self._waiting}
        _log.error("the journal is full: %d answers cannot be gone on with after a restart", len(turns))
        self.given_up += len(turns)
        self._lost |= turns
        self._waiting, self._size = [], 0
        self._gone |= dict.fromkeys(turns)
