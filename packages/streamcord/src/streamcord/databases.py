"""SQL building blocks for programs that keep tables of their own beside the store and the journal.

`PostgresDatabase`, `skip_reset` and `translate_errors` need asyncpg, which is imported when one of them is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._delivery.leaky_bucket import LeakyBucket
from ._journal.ownership import OpenQuestion, Ownership, is_dead, process_name
from ._journal.serialization import parse_row
from ._journal.sql_journal import GROUP_COMMIT_S
from ._store.database import Database, Row, Statement, placeholders
from ._store.persona_repository import PLACE_READS
from ._store.privacy_repository import READ_OPT_OUT
from ._store.sql_store import SqlStore, open_database

if TYPE_CHECKING:
    from ._store.postgres import PostgresDatabase, skip_reset, translate_errors

__all__ = [
    "GROUP_COMMIT_S",
    "PLACE_READS",
    "READ_OPT_OUT",
    "Database",
    "LeakyBucket",
    "OpenQuestion",
    "Ownership",
    "PostgresDatabase",
    "Row",
    "SqlStore",
    "Statement",
    "is_dead",
    "open_database",
    "parse_row",
    "placeholders",
    "process_name",
    "skip_reset",
    "translate_errors",
]

_NEED_ASYNCPG = frozenset({"PostgresDatabase", "skip_reset", "translate_errors"})


def __getattr__(name: str) -> object:
    """Import PostgreSQL's names when they are used: asyncpg is an extra."""
    if name not in _NEED_ASYNCPG:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._store import postgres  # noqa: PLC0415

    return getattr(postgres, name)
