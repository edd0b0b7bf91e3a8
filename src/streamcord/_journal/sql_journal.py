"""The journal in the database of the store, on a connection of its own: SQLite, or PostgreSQL by URL.

One writer takes all rows that wait in one transaction. What a database cannot take now (locked, full) waits
and is tried again, in its order; nobody's answer waits for it longer than a moment. What grows too long is
given up as a whole, so that no turn has a hole.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import chain
from os import PathLike, fspath
from types import TracebackType
from typing import Any

from .._errors import StoreError
from .._store import open_database
from .._store.database import Batch, Database, Row, Statement, rows_of
from . import JournalRow
from .claims import Claims
from .recovery import UnreadableTurn, read_turns
from .turn_journal import TurnJournal

__all__ = ["SqlJournal", "as_entry", "open_journal"]

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
_AT_ONCE = 64
"""Rows that are put by one statement, at most."""
_FORGET = "DELETE FROM journal WHERE turn = $1"
_ALL = "SELECT turn, number, kind, body, at FROM journal ORDER BY turn, number"

_safely = json.JSONEncoder(separators=(",", ":"))
_encode = _safely.encode


def _quick_encoder() -> Callable[[object], str]:
    """The same for values that hold no circles: Python makes an encoder for each, which takes the longest."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _encode
    quote = json.encoder.encode_basestring_ascii
    encode = make(None, _safely.default, quote, None, ":", ",", False, False, True)
    return lambda value: "".join(encode(value, 0))


_encode_quickly = _quick_encoder()
_log = logging.getLogger("streamcord")


@cache
def _put(count: int = 1) -> str:
    """The statement for so many rows."""
    return f"""
        INSERT INTO journal (turn, number, kind, body, at) VALUES {rows_of(count, 5)}
        ON CONFLICT (turn, number) DO UPDATE SET kind = excluded.kind, body = excluded.body, at = excluded.at
    """  # noqa: S608 - no word of it comes from outside


async def open_journal(
    where: str | PathLike[str],
    *,
    patience: float = 1.0,
    power_loss: bool = False,
    clock: Callable[[], float] = time.time,
) -> SqlJournal:
    """Open the journal in a store's file, or on its server by `postgresql://…`.

    What is written survives the death of the process; with `power_loss` also that of the machine, for the
    price of a wait for the disk at every message. `patience` is how many seconds a write waits for a database
    that is locked, before it is tried again.
    """
    database = await open_database(fspath(where), patience=patience, power_loss=power_loss)
    if reserve := getattr(database, "reserve", None):
        with suppress(StoreError):
            await reserve()
    return SqlJournal(database, clock)


class SqlJournal:
    """An open journal; `async with` closes it."""

    _is_steady = True
    """Whether all rows wait equally long for others."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.failures = 0
        """How often rows could not be written at once."""
        self.given_up = 0
        """Turns that are in no journal, because the database did not take their rows for too long."""
        self.unreadable: list[UnreadableTurn] = []
        self.claims = Claims(database, clock)
        self._database = database
        self._clock = clock
        self._fresh: list[JournalRow] = []
        self._waiting: list[Row] = []
        self._size = 0
        self._gone: dict[str, None] = {}
        self._kept: set[str] = set()
        self._lost: set[str] = set()
        self._asked = self._done = 0
        self._written = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._worker: asyncio.Task[None] | None = None
        self._hurried = self._failing = self._closing = False
        self._write_at_once = getattr(database, "write_at_once", None)

    @property
    def is_in_place(self) -> bool:
        """Whether what is written can be found again: nobody has deleted or moved its file."""
        return bool(getattr(self._database, "is_in_place", True))

    def begin(self, *, held: bool = False, **about: Any) -> TurnJournal:  # noqa: ANN401 - JSON
        """A new turn for `say`; `about` is what you need to know to go on with it, as JSON can say it."""
        return TurnJournal(self, about, held=held, clock=self._clock)

    async def unfinished(self, *, held: bool = False) -> list[TurnJournal]:
        """The turns that broke off, oldest first; give each to `say`. What cannot be read is told of."""
        turns, self.unreadable = read_turns(await self.entries())
        self._kept |= {*(saved.id for saved in turns), *(one.turn for one in self.unreadable)}
        for one in self.unreadable:
            _log.warning("an answer in the journal cannot be read and is left alone: %s", one.reason)
            # Somebody may want to look at it, but not for ever.
            if self._clock() - one.at > UNREADABLE_LIFE:
                self.forget(one.turn)
        return [TurnJournal(self, saved=saved, held=held, clock=self._clock) for saved in turns]

    # --- Writing --------------------------------------------------------------------------------

    def write(self, entry: JournalRow) -> None:
        """Take a row."""
        if entry.turn in self._lost or self._closing:
            return
        if entry.kind in _OFTEN:
            # Made when it is written: then all of them at once, or none if the turn is over before.
            self._fresh.append(entry)
        else:
            row = _as_row(entry, _encode)
            self._make_rows()
            self._add([row])
        self._wake()

    def forget(self, turn: str) -> None:
        """Remove the rows of a turn."""
        self._lost.discard(turn)
        self._fresh = [entry for entry in self._fresh if entry.turn != turn]
        if self._waiting:
            self._size -= sum(len(row[3]) for row in self._waiting if row[0] == turn)
            self._waiting = [row for row in self._waiting if row[0] != turn]
        self._gone[turn] = None
        self._wake()

    def _make_rows(self) -> None:
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            self._add([_as_row(entry, _encode_quickly) for entry in fresh])

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
        rows = await self._database.read(_ALL)
        return [as_entry(row) for row in rows]

    async def close(self) -> None:
        """Write what waits, then close the database."""
        if self._done < self._asked and not self._flush_at_once():
            self._begin_work(hurried=True)
        if self._worker is not None:
            await asyncio.wait({self._worker}, timeout=2 * PATIENCE)
        self._closing = True
        if self._timer is not None:
            self._timer.cancel()
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
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
        if self._worker is not None or self._closing:
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
        return bool(self._fresh or self._waiting or self._gone)

    def _flush_at_once(self) -> bool:
        """Write everything that waits without asking a thread, if nobody else writes and nothing is wrong."""
        if self._write_at_once is None or self._worker is not None or self._failing or self._closing:
            return False
        self._make_rows()
        batches = []
        if self._gone and (known := [(turn,) for turn in self._gone if turn in self._kept]):
            batches.append(Batch(_FORGET, known))
        if 0 < len(self._waiting) <= _AT_ONCE:
            batches.append(Batch(_put(len(self._waiting)), [tuple(chain.from_iterable(self._waiting))]))
        elif self._waiting:
            batches.append(Batch(_put(), self._waiting))
        if batches and not self._write_at_once(batches):
            return False
        self._note_kept(self._waiting, self._gone, self._asked)
        self._waiting, self._gone, self._size = [], {}, 0
        return True

    async def _flush(self) -> None:
        """One transaction of everything that waits."""
        self._make_rows()
        rows, gone, asked = self._waiting, self._gone, self._asked
        self._waiting, self._gone, self._size = [], {}, 0
        known = [turn for turn in gone if turn in self._kept]
        try:
            if rows or known:
                await self._keep(rows, known)
        except StoreError as error:
            self._put_back(rows, gone, error)
            await asyncio.sleep(RETRY)
            return
        if self._failing:
            _log.info("the journal is written again")
            self._failing = False
        self._note_kept(rows, gone, asked)

    def _statements(self, rows: list[Row], gone: dict[str, None]) -> list[Statement]:
        statements = [Statement(_FORGET, (turn,)) for turn in gone if turn in self._kept]
        return statements + [Statement(_put(), row) for row in rows]

    def _note_kept(self, rows: list[Row], gone: dict[str, None], asked: int) -> None:
        self._kept.difference_update(gone)
        self._kept.update([row[0] for row in rows])
        self._done = asked
        self._tell()

    async def _keep(self, rows: list[Row], gone: list[str]) -> None:
        """Forget these turns and write these rows, all or nothing."""
        await self._database.write(*self._statements(rows, dict.fromkeys(gone)))

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


def _as_row(entry: JournalRow, encode: Callable[[object], str]) -> Row:
    return entry.turn, entry.number, entry.kind, encode(entry.body), entry.at


def as_entry(row: Row) -> JournalRow:
    """A row of the table as a row of the journal."""
    turn, number, kind, body, at = row
    try:
        return JournalRow(turn, number, kind, json.loads(body), at)
    except ValueError:
        # Not a kind that anybody reads: the rows before it still count.
        return JournalRow(turn, number, "damaged", {}, at)
