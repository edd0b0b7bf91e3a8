"""The bot on one twin and one database, as often as wanted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bot.stage import Stage, make_config, on_stage
from discord_twin import Twin
from streamcord._journal.sql_journal import SqlJournal
from streamcord._journal.write_ahead_file import WriteAheadFile
from streamcord._store.database import WRITE_AHEAD_SUFFIX
from streamcord._store.sql_store import open_database
from streamcord.providers import Provider, Tool
from streamcord.store import open_store
from streamcord_bot.coordination.single_process import SingleProcess
from streamcord_bot.ops.connectivity import DiscordClock


@asynccontextmanager
async def life(
    twin: Twin,
    file: Path,
    model: Provider,
    clock: DiscordClock | None = None,
    owner: str = "",
    patience: float = 0.2,
    registered: Iterable[Tool] = (),
    **tables: Any,
) -> AsyncIterator[Stage]:
    """One life of the bot, from its start to an orderly end; the `clock` is that of its machine."""
    clock = clock or DiscordClock()
    tables = {"settings": {"typing": "off", "degree": 1}, "durability": {"grace": 0.3}, **tables}
    store = await open_store(file, timeout=patience, clock=clock)
    log = WriteAheadFile(f"{file}{WRITE_AHEAD_SUFFIX}")
    journal = SqlJournal(await open_database(str(file), timeout=patience), clock, log)
    journal.acquire_write_ahead_file()
    journal.claims.owner = owner or journal.claims.owner
    try:
        async with on_stage(
            model,
            config=make_config(**tables),
            twin=twin,
            store=store,
            coordinator=SingleProcess(journal, str(file)),
            clock=clock,
            tools=registered,
        ) as stage:
            yield stage
    finally:
        await journal.close()
        await store.close()


def off_by(seconds: float) -> DiscordClock:
    """The clock of a machine that is this many seconds ahead, and to which no one has said so."""
    return DiscordClock(lambda: time.time() + seconds)


async def recovered(stage: Stage) -> None:
    """Wait until everything that broke off is queued, and everything that was missed."""
    assert stage.bot.recovery.scan_task is not None
    await stage.bot.recovery.scan_task


async def left_by_a_kill(stage: Stage, file: Path, once: str = "turn", lost: int = 0) -> Path:
    """The database of a process that is killed once such a row is written; its log without the last bytes."""
    journal = stage.app.coordinator.journal
    assert isinstance(journal, SqlJournal)
    async with asyncio.timeout(10):
        while once not in {row.kind for row in await journal.entries()}:
            await journal.flush()
    assert await journal.flush()
    return _copy(file, lost)


def _copy(file: Path, lost: int) -> Path:
    copy = file.with_name("killed.db")
    for ending in ("", "-wal", WRITE_AHEAD_SUFFIX):
        written = Path(f"{file}{ending}").read_bytes()
        kept = len(written) - lost if ending == WRITE_AHEAD_SUFFIX else len(written)
        Path(f"{copy}{ending}").write_bytes(written[:kept])
    return copy
