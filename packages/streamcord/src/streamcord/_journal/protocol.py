"""What a journal is: rows that are written before the act, so that another process can go on with a turn.

A turn writes a row for every decision: what it is (`turn`), what the model said (`heard`), which message is
about to be sent (`attempt`), what became of it (`arrived`, `lost`, `void`), what was put into the channel
besides (`mark`), that somebody stopped it (`stopped`), and that it is over (`ended`). The rows of a turn are
forgotten when it is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

__all__ = ["DAMAGED", "VERSION", "Journal", "JournalRow"]

VERSION = 1
"""How rows are written; a journal of another version is told about and left alone."""


DAMAGED = "damaged"
"""The kind of a row that says nothing any more."""


class JournalRow(NamedTuple):
    """One row: the `number`-th of its turn, written at `at` (seconds since 1970)."""

    turn: str
    number: int
    kind: str
    body: Mapping[str, Any] = {}
    at: float = 0.0


class Journal(Protocol):
    """Keeps the rows of turns; a bot may bring its own."""

    def write(self, entry: JournalRow) -> None:
        """Take a row; rows are kept in the order of the calls, at the latest after 250 ms."""
        ...

    async def settled(self) -> bool:
        """Wait until every row so far is kept; false if that takes too long, so that nobody waits for it."""
        ...

    def forget(self, turn: str) -> None:
        """Remove all rows of a turn that is over."""
        ...

    async def entries(self) -> list[JournalRow]:
        """All rows that are kept, turn by turn, in their order."""
        ...

    async def close(self) -> None:
        """Keep what waits, then let go of the file or the connection."""
        ...
