"""The rows of answers that are under way, in a file beside the database of SQLite.

To append a line costs a fifth of what a transaction does, and waits for nobody who has locked the database. A
line holds rows, and names of turns that are over, behind a checksum, and begins where others end: half a line
of a process that died, or a damaged one, is passed over. When nothing in the file is needed any more it is
emptied; when it is full, the journal moves what is needed into the database.

One process has the file. If it is stopped but not dead, or has left a child that holds its files open,
whoever answers in its place may still read what was under way, and strike it out once it is over.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from zlib import crc32

from .._common.file_modes import PRIVATE, make_private
from .._exceptions import StoreError
from .._store.database import WRITE_AHEAD_SUFFIX, Row
from .serialization import as_row

try:
    import fcntl
except ImportError:  # not on Windows: there everything goes into the database
    fcntl = None  # type: ignore[assignment]

__all__ = ["ROOM", "WRITE_AHEAD_SUFFIX", "WriteAheadFile"]

ROOM = 256 * 1024
"""Bytes that the file may have."""
_WIDTH = len(f"{0:08x} ")
_READ_CAP = 2 * ROOM
"""Bytes that are read; others may have struck something out behind a file that is full."""
_NUMBER_CAP = 2**31
_SLOW, _SLOW_TIMES, _SLOW_FOR = 0.05, 3, 10.0
"""A disk that makes the event loop wait so many seconds, several times, is left alone for a while."""


class WriteAheadFile:
    """The file, if no other process has it; `encode` makes JSON of rows. It need not take any: `is_open`."""

    def __init__(self, path: str, encode: Callable[[object], str], *, is_open: bool = True) -> None:
        self.turns: dict[str, dict[int, Row]] = {}
        """The rows of each turn that is not over."""
        self.moves = 0
        """How often everything was moved away."""
        self._path = path
        self._is_open = is_open
        self._encode = encode
        self._file: int | None = None
        self._size = 0
        self._slow = 0
        self._slow_until = 0.0
        self._theirs: dict[str, dict[int, Row]] = {}
        """Rows of another process, which has the file."""
        self._taken: set[str] = set()
        """Its turns that were gone on with here, or ended: what it writes of them counts no more."""

    @property
    def is_in_place(self) -> bool:
        """Whether the file still has its name; one that is not ours is not missed."""
        if self._file is None:
            return True
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self._path))  # noqa: PTH116
        except OSError:
            return False

    @property
    def is_held(self) -> bool:
        """Whether this process has it."""
        return self._file is not None

    def hold(self) -> bool:
        """Take the file, with what a process that is gone left in it; false if another one has it."""
        if self._file is None and fcntl is not None:
            with suppress(OSError):
                file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, PRIVATE)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    self._size, self.turns = os.fstat(file).st_size, self._read(file)
                except OSError:
                    os.close(file)
                    raise
                make_private(self._path)
                self._file = file
        return self._file is not None

    def rows(self, without: Collection[str] = ()) -> list[Row]:
        """All rows of turns that are not over."""
        turns = (rows for turn, rows in self.turns.items() if turn not in without)
        return [as_row(row, self._encode) for rows in turns for row in rows.values()]

    def write(self, rows: Sequence[Row], over: Sequence[str]) -> bool:
        """Forget some turns and append rows, all or nothing; false if there is no room, or no file."""
        known = [turn for turn in over if turn in self.turns] if over else []
        if not rows and not known:
            return True
        began = time.monotonic()
        if self._file is None or not self._is_open or began < self._slow_until:
            return False
        try:
            if len(known) == len(self.turns):
                self._empty(self._file)
                known = []
            if (rows or known) and not self._append(self._file, [*known, *rows]):
                return False
        except OSError:
            return False
        self._note(known, rows)
        self._watch(began)
        return True

    def empty(self) -> None:
        """What is here is in the database now."""
        if self._file is not None:
            try:
                self._empty(self._file)
            except OSError as error:
                raise StoreError(f"{self._path} cannot be emptied: {error.strerror}.") from error
            self.moves += 1

    def close(self) -> None:
        """Let go of the file; what is in it stays."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    # --- What another process has there ---------------------------------------------------------

    def peek(self) -> list[Row]:
        """What stands in the file while another process has it."""
        self._theirs = {}
        if self._file is None and fcntl is not None:
            with suppress(OSError), self._opened(os.O_RDONLY) as file:
                self._theirs = self._read(file)
        return [row for rows in self._theirs.values() for row in rows.values()]

    def adopt(self, turn: str, before: int) -> list[Row]:
        """The rows of a turn with which this process goes on, up to the one that it writes next."""
        rows = self._theirs.pop(turn, None)
        if rows is None:
            return []
        self._taken.add(turn)
        return [row for number, row in rows.items() if number < before]

    def strike(self, turn: str) -> None:
        """A turn is over that another process has in the file, or had there."""
        if self._theirs.pop(turn, None) or turn in self._taken:
            self._taken.add(turn)
            with suppress(OSError), self._opened(os.O_WRONLY | os.O_APPEND) as file:
                os.write(file, self._line([turn]))

    @contextmanager
    def _opened(self, flags: int) -> Iterator[int]:
        file = os.open(self._path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            yield file
        finally:
            os.close(file)

    # --- Lines ----------------------------------------------------------------------------------

    def _empty(self, file: int) -> None:
        if self._size:
            os.ftruncate(file, 0)
        self.turns, self._size = {}, 0

    def _append(self, file: int, records: list[Any]) -> bool:
        line = self._line(records)
        if self._size + len(line) > ROOM:
            return False
        try:
            written = os.write(file, line)
        except OSError:
            written = -1
        if written != len(line):
            # Half a line must not stand before the next one.
            os.ftruncate(file, self._size)
            return False
        self._size += written
        return True

    def _note(self, over: Sequence[str], rows: Sequence[Row]) -> None:
        for turn in over:
            self.turns.pop(turn, None)
        for row in rows:
            self.turns.setdefault(row[0], {})[row[1]] = row

    def _watch(self, began: float) -> None:
        """Leave a disk that makes everybody wait alone; one slow write is only a busy machine."""
        now = time.monotonic()
        self._slow = self._slow + 1 if now - began > _SLOW else 0
        if self._slow >= _SLOW_TIMES:
            self._slow, self._slow_until = 0, now + _SLOW_FOR

    def _line(self, records: list[Any]) -> bytes:
        body = self._encode(records).encode("ascii")
        return b"\n%08x %b" % (crc32(body), body)

    def _read(self, file: int) -> dict[str, dict[int, Row]]:
        """The turns in a file that are not over, but for those that were taken."""
        turns: dict[str, dict[int, Row]] = {}
        for record in _records(os.pread(file, _READ_CAP, 0)):
            match record:
                case str():
                    turns.pop(record, None)
                case [str() as turn, int() as number, str(), str() | dict(), int() | float() as at] if (
                    0 <= number < _NUMBER_CAP and math.isfinite(at)
                ):
                    turns.setdefault(turn, {})[number] = as_row(tuple(record), self._encode)
                case _:
                    pass  # of another version
        return {turn: rows for turn, rows in turns.items() if turn not in self._taken}


def _records(text: bytes) -> Iterator[Any]:
    """Rows, and turns that are over, of all lines that are whole."""
    for line in text.split(b"\n"):
        body = line[_WIDTH:]
        if body and line[:_WIDTH] == b"%08x " % crc32(body):
            try:
                records = json.loads(body)
            except (ValueError, RecursionError):
                continue
            # What is no list is of another version.
            yield from records if isinstance(records, list) else ()
