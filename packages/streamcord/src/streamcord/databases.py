"""SQL building blocks for programs that keep tables of their own beside the store and the journal."""

from __future__ import annotations

from ._delivery.clock import LeakyBucket
from ._journal.ownership import OpenQuestion, Ownership, is_dead, process_name
from ._journal.serialization import parse_row
from ._journal.sql_journal import GROUP_COMMIT_S
from ._store.database import Database, Row, Statement, placeholders
from ._store.persona_repository import PLACE_READS
from ._store.postgres import PostgresDatabase, skip_reset, translate_errors
from ._store.privacy_repository import READ_OPT_OUT
from ._store.sql_store import SqlStore, open_database

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
