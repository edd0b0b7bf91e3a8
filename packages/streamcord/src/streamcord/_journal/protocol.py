"""The journal protocol: rows that are written before each action, so that another process can resume a turn.

A turn writes a row for every decision:

| kind | meaning |
|---|---|
| `turn` | the turn has started: settings, random seed, what it answers |
| `private` | only one person may see the answer |
| `received` | text and events from the model |
| `sending` | a message is about to be sent |
| `delivered`, `failed`, `cancelled` | the outcome of that message |
| `mark` | something else was put into the channel, such as a stop button |
| `stopped` | a user stopped the turn |
| `ended` | the turn is over |

The rows of a turn are deleted when it is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

VERSION = 2
"""Version of the row format; turns of another version are reported and left alone."""


DAMAGED = "damaged"
"""The kind of a row that cannot be decoded."""


class JournalRow(NamedTuple):
    """One row: the `number`-th of its turn, written at `at` (seconds since 1970).

    Example:
        newest = max((row.at for row in await journal.entries()), default=0.0)

    """

    turn: str
    number: int
    kind: str
    body: Mapping[str, Any] = {}
    at: float = 0.0


class Journal(Protocol):
    """Keeps the rows of turns. A bot may bring its own implementation.

    Example:
        journal = await open_journal("bot.db")
        await say(channel, source, journal=TurnJournal(journal, {"channel": channel.id}))

    """

    def write(self, entry: JournalRow) -> None:
        """Queue a row; rows are written in the order of the calls, after 250 ms at the latest."""

    async def flush(self) -> bool:
        """Wait until every row so far is written; return false if that takes too long."""

    def forget(self, turn: str) -> None:
        """Delete all rows of a turn that is over."""

    async def entries(self) -> list[JournalRow]:
        """Return all rows, turn by turn, in their order."""

    async def close(self) -> None:
        """Write the queued rows, then close the file or the connection."""
