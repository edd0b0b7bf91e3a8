"""Personas, sprites, settings and short-term memory: SQLite by default, PostgreSQL by URL.

    store = await open_store("streamcord.db")
    await store.save_persona(StoredPersona(Persona("Luna"), guild=1, prompt="You are Luna."))

`Store` is a protocol: a bot may bring its own, and `streamcord.testing.StoreContract` has the tests that it
must pass. Names of personas and sprites are compared without case. What goes wrong is a `StoreError` that
says what to do.
"""

from __future__ import annotations

from ._journal.open_journal import open_journal
from ._journal.protocol import Journal, JournalRow
from ._journal.reconcile import UnreadableTurn
from ._journal.sql_journal import SqlJournal
from ._journal.turn_journal import TurnJournal
from ._store.ask_repository import AskRow, AskState
from ._store.database import Schema
from ._store.memory_repository import MAX_MEMORIES
from ._store.message_repository import TABLE_SOURCE_LIFETIME_S
from ._store.models import (
    Account,
    Change,
    Memory,
    PersonaEntry,
    Picture,
    Place,
    Spending,
    StoredPersona,
    Trace,
)
from ._store.privacy_repository import MAX_CHANGES
from ._store.protocol import Store
from ._store.spending_repository import SPENDING_DAYS
from ._store.sql_store import find_schema, open_store

__all__ = [
    "MAX_CHANGES",
    "MAX_MEMORIES",
    "SPENDING_DAYS",
    "TABLE_SOURCE_LIFETIME_S",
    "Account",
    "AskRow",
    "AskState",
    "Change",
    "Journal",
    "JournalRow",
    "Memory",
    "PersonaEntry",
    "Picture",
    "Place",
    "Schema",
    "Spending",
    "SqlJournal",
    "Store",
    "StoredPersona",
    "Trace",
    "TurnJournal",
    "UnreadableTurn",
    "find_schema",
    "open_journal",
    "open_store",
]
