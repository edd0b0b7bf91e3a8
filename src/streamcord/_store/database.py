"""What a shelf asks of a database: rows for a question, and statements that happen all or not at all.

SQL is written once, for SQLite and PostgreSQL alike, with arguments as `$1`, `$2`. No statement depends on
what another one answered: nothing is read, changed and written back, so no writer loses another's work.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

__all__ = ["Database", "Row", "Shelf", "Statement", "fold", "places", "storable"]

Row: TypeAlias = tuple[Any, ...]
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Statement(NamedTuple):
    """One piece of SQL and its arguments."""

    sql: str
    arguments: Row = ()


class Database(Protocol):
    """SQLite or PostgreSQL, open and up to date."""

    async def read(self, sql: str, *arguments: object) -> list[Row]:
        """The rows that a question has for an answer."""
        ...

    async def write(self, *statements: Statement) -> list[Row]:
        """Do all of them or none; the rows are those that the last one returns."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go of the files or connections."""
        ...


class Shelf:
    """A part of the store: a database and what time it is."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock


def fold(name: str) -> str:
    """The form in which names are compared: without case or extra spaces, accents in one spelling."""
    return storable(" ".join(unicodedata.normalize("NFC", name).casefold().split()))


def storable(text: str) -> str:
    """The text without what no database takes: NUL and halves of surrogate pairs become U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def places(count: int, first: int = 1) -> str:
    """Places for so many arguments, as in `IN ($1, $2)`."""
    return ", ".join(f"${number}" for number in range(first, first + count))
