"""Everything that lets the bot go on: at its start, over outages of its connection, and at its end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from streamcord import StopMode, StoreError
from streamcord.store import SqlJournal, open_journal

from .catching_up import CatchingUp, Hear
from .going_on import GoingOn
from .lease import Lease

if TYPE_CHECKING:
    from ..cluster.bot_cluster import BotCluster
    from ..config import BotConfig
    from ..conversation.chat_message import MessageReader
    from ..services import Services

__all__ = ["Continuity", "open_bot_journal"]

DROPPING = 1.0
"""Seconds after which answers that are not ours any more are left behind, whatever they wait for."""

_log = logging.getLogger("streamcord.bot")


async def open_bot_journal(config: BotConfig, clock: Callable[[], float] = time.time) -> SqlJournal | None:
    """The journal, in the store's own database; without one the bot runs as well, and says so."""
    if not config.durability.journal:
        return None
    try:
        return await open_journal(config.store, power_loss=config.durability.power_loss, clock=clock)
    except StoreError as error:
        _log.warning("answers will not go on after a restart, since there is no journal: %s", error)
        return None


class Continuity:
    """Goes on with answers, finds missed questions, and holds the right to answer."""

    def __init__(self, services: Services, reader: MessageReader, bot: int, hear: Hear) -> None:
        self.lease: Lease | BotCluster = services.cluster or Lease(services, bot)
        self.recovery: asyncio.Task[None] | None = None
        self._services = services
        self._going_on = GoingOn(services, reader)
        self._catching_up = CatchingUp(services, reader, hear)
        self._lost_at = 0.0
        self._watchers: list[asyncio.Task[None]] = []
        if services.cluster is not None:
            services.cluster.attach(services, self._recover)

    async def start(self) -> None:
        """Take the right to answer, before anybody is heard."""
        if self._services.journal is not None:
            await self.lease.begin()
            self._watchers = [
                asyncio.create_task(self.lease.run()),
                asyncio.create_task(self._going_on.run_timer()),
            ]

    def note_ready(self) -> None:
        """A new session has begun: something may have been missed since the last one."""
        since, self._lost_at = self._lost_at or self.lease.last_sign, 0.0
        self.lease.note_ready()
        self.recovery = self._services.run_later(self._recover(since))

    def note_lost(self) -> None:
        """The connection is lost: remember since when something may be missed."""
        self._lost_at = self._lost_at or self._services.clock()

    async def note_resumed(self) -> None:
        """Nothing was missed; what could not be delivered meanwhile is delivered now."""
        self._lost_at = 0.0
        if self._services.left_turns:
            await self._going_on.sweep()

    async def stop(self) -> None:
        """Give the right to answer up."""
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        if self._watchers:
            await self.lease.release()

    async def drop(self) -> None:
        """Drop all work at once: it belongs to another process, and what does not let go is left behind."""
        dropping = asyncio.ensure_future(self._drop())
        await asyncio.wait({dropping}, timeout=DROPPING)
        if dropping.done() and (error := dropping.exception()):
            _log.warning("not everything was dropped in order: %s", type(error).__name__)
        dropping.cancel()

    async def _drop(self) -> None:
        await self._services.dispatcher.close(0.0, StopMode.NOW)
        await self.stop()
        await self._services.finish_tasks(0.0)
        await self._services.file_reader.close()

    async def _recover(self, since: float, between: Callable[[], Awaitable[None]] | None = None) -> None:
        """Go on with answers that broke off, then with questions that nobody heard."""
        if self._services.journal is None:
            return
        await self._services.clock.check()
        await self.lease.wait()
        taken = await self._going_on.sweep()
        if between is not None:
            await between()
        if since:
            await self._catching_up.run(since, taken)
