"""A file next to the SQLite database with the rows of running turns.

Appending a line costs a fifth of a transaction and does not wait for a locked database. A line contains rows
and ids of ended turns, after a checksum. Each line starts with its newline, so a line that was half written
by a dying process, or was damaged, does not affect the next one and is skipped. When no row in the file is
needed any more, the file is emptied; when it is full, the journal moves the needed rows to the database.

One process has the file, by `flock`. If that process is suspended, or has left a child that keeps the file
open, its successor can still read the running turns, and mark them as done when they are over.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from zlib import crc32

from .._common.file_modes import PRIVATE, make_private
from .._exceptions import StoreError
from .._store.database import Row
from .serialization import as_row, encode_json

try:
    import fcntl
except ImportError:  # Windows has no flock, so every row goes to the database
    fcntl = None  # type: ignore[assignment]

MAX_BYTES = 256 * 1024
"""Maximum size of the file."""
_CHECKSUM_CHARS = len(f"{0:08x} ")
_MAX_READ_BYTES = 2 * MAX_BYTES
"""Bytes that are read: a successor may have appended ids of ended turns to a file that was full."""
_MAX_ROW_NUMBER = 2**31
_SLOW_WRITE_S, _MAX_SLOW_WRITES, _SLOW_DISK_PAUSE_S = 0.05, 3, 10.0
"""After this many writes in a row that block the event loop this long, the file is not used for a while."""


class WriteAheadFile:
    """The write-ahead file of a database.

    Args:
        path: where the file is.
        is_open: whether new rows may be written; otherwise only the rows of earlier processes are read.

    """

    def __init__(self, path: str, *, is_open: bool = True) -> None:
        self.turns: dict[str, dict[int, Row]] = {}
        """The rows of each running turn, by number."""
        self.moves = 0
        """How often the rows were moved to the database."""
        self._path = path
        self._is_open = is_open
        # The file descriptor, while this process has the lock.
        self._file: int | None = None
        # Bytes in the file.
        self._size = 0
        # Slow writes in a row.
        self._slow_writes = 0
        # Time until which the file is not used, because the disk is slow.
        self._slow_until = 0.0
        # Rows of the other process that has the file, as last read.
        self._foreign_turns: dict[str, dict[int, Row]] = {}
        # Turns of that process that were resumed or ended here; its later rows of them are ignored.
        self._adopted: set[str] = set()

    @property
    def is_in_place(self) -> bool:
        """Whether the file still exists under its name; true if this process does not have it."""
        if self._file is None:
            return True
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self._path))  # noqa: PTH116
        except OSError:
            return False

    @property
    def is_acquired(self) -> bool:
        """Whether this process has the file."""
        return self._file is not None

    def acquire(self) -> bool:
        """Lock the file and read what a dead process left in it; return false if another process has it."""
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
        """Return the rows of all running turns, except those of the given ones."""
        turns = (rows for turn, rows in self.turns.items() if turn not in without)
        return [row for rows in turns for row in rows.values()]

    def write(self, rows: Sequence[Row], over: Sequence[str]) -> bool:
        """Delete ended turns and append rows, all or nothing; return false if the file cannot take them."""
        known = [turn for turn in over if turn in self.turns] if over else []
        if not rows and not known:
            return True
        began = time.monotonic()
        if self._file is None or not self._is_open or began < self._slow_until:
            return False
        try:
            if len(known) == len(self.turns):
                # No turn in the file is running any more.
                self._empty(self._file)
                known = []
            if (rows or known) and not self._append(self._file, [*known, *rows]):
                return False
        except OSError:
            return False
        self._apply(known, rows)
        self._check_speed(began)
        return True

    def empty(self) -> None:
        """Empty the file after its rows were moved to the database."""
        if self._file is not None:
            try:
                self._empty(self._file)
            except OSError as error:
                raise StoreError(
                    f"{self._path} cannot be emptied: {error.strerror}. Check its permissions and the disk."
                ) from error
            self.moves += 1

    def close(self) -> None:
        """Release the file; its contents stay."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    # --- The file of another process ------------------------------------------------------------

    def peek(self) -> list[Row]:
        """Return the rows in the file while another process has it."""
        self._foreign_turns = {}
        if self._file is None and fcntl is not None:
            with suppress(OSError), self._opened(os.O_RDONLY) as file:
                self._foreign_turns = self._read(file)
        return [row for rows in self._foreign_turns.values() for row in rows.values()]

    def adopt(self, turn: str, before: int) -> list[Row]:
        """Return the rows of a turn that this process resumes, up to the one that it writes next."""
        rows = self._foreign_turns.pop(turn, None)
        if rows is None:
            return []
        self._adopted.add(turn)
        return [row for number, row in rows.items() if number < before]

    def mark_done(self, turn: str) -> None:
        """Mark a turn of another process as ended in its file."""
        if self._foreign_turns.pop(turn, None) or turn in self._adopted:
            self._adopted.add(turn)
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
        if self._size + len(line) > MAX_BYTES:
            return False
        try:
            written = os.write(file, line)
        except OSError:
            written = -1
        if written != len(line):
            # Remove the incomplete line.
            os.ftruncate(file, self._size)
            return False
        self._size += written
        return True

    def _apply(self, over: Sequence[str], rows: Sequence[Row]) -> None:
        for turn in over:
            self.turns.pop(turn, None)
        for row in rows:
            self.turns.setdefault(row[0], {})[row[1]] = row

    def _check_speed(self, began: float) -> None:
        """Stop using the file for a while if several writes in a row block the event loop.

        A single slow write is only a busy machine.
        """
        now = time.monotonic()
        self._slow_writes = self._slow_writes + 1 if now - began > _SLOW_WRITE_S else 0
        if self._slow_writes >= _MAX_SLOW_WRITES:
            self._slow_writes = 0
            self._slow_until = now + _SLOW_DISK_PAUSE_S

    def _line(self, records: list[Any]) -> bytes:
        body = encode_json(records).encode("ascii")
        return b"\n%08x %b" % (crc32(body), body)

    def _read(self, file: int) -> dict[str, dict[int, Row]]:
        """Return the running turns in a file, except the adopted ones."""
        turns: dict[str, dict[int, Row]] = {}
        for record in _records(os.pread(file, _MAX_READ_BYTES, 0)):
            match record:
                case str():
                    turns.pop(record, None)
                case [str() as turn, int() as number, str(), str() | dict(), int() | float() as at] if (
                    0 <= number < _MAX_ROW_NUMBER and math.isfinite(at)
                ):
                    turns.setdefault(turn, {})[number] = as_row(tuple(record))
                case _:
                    pass  # written by another version
        return {turn: rows for turn, rows in turns.items() if turn not in self._adopted}


def _records(text: bytes) -> Iterator[Any]:
    """Yield the rows and the ids of ended turns of all intact lines."""
    for line in text.split(b"\n"):
        body = line[_CHECKSUM_CHARS:]
        if body and line[:_CHECKSUM_CHARS] == b"%08x " % crc32(body):
            try:
                records = json.loads(body)
            except (ValueError, RecursionError):
                continue
            # A line that is not a list was written by another version.
            yield from records if isinstance(records, list) else ()
