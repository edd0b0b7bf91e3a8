"""Coordination without a cluster: one process answers, a second one with the same store is its standby.

The process that answers holds a lease in the store's database and renews it with heartbeats. A second process
logs that it is on standby and takes over when the lease expires.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import aiohttp
import discord

from streamcord import RunningTurns, StopMode, StopOutcome, StopRequester, StoreError
from streamcord.store import TurnJournal

from ..listening.dispatcher import Dispatcher
from ..messages.question import Question
from ..ops.metrics import Metrics
from ..state import BotState
from .base import CoordinatedClient, Recover
from .journal import BotJournal, NullJournal

HEARTBEAT_INTERVAL_S = 5.0
CLAIM_TIMEOUT_S = 0.25
"""An answer begins without a confirmed claim if the database takes longer."""

_log = logging.getLogger(__name__)


class SingleProcess:
    """Coordinates a bot whose questions are all answered by one process."""

    has_peers = False

    def __init__(self, journal: BotJournal | None = None, store: str = "") -> None:
        self.journal: BotJournal = journal or NullJournal()
        self.stops = RunningTurns()
        # Whether this process holds the lease.
        self.is_ours = True
        # When an earlier process of this bot was last alive; 0 if there was none.
        self.last_heartbeat = 0.0
        # Address of the store, for log lines.
        self._store = store
        self._client: discord.Client
        self._state: BotState
        # Set while this process holds the lease.
        self._acquired = asyncio.Event()
        # Whether the log says that another process answers.
        self._logged_standby = False
        # Whether the log says that the database file is gone.
        self._logged_loss = False

    # --- Life cycle ------------------------------------------------------------------------------

    def request_trace(self) -> aiohttp.TraceConfig | None:
        """Return `None`: requests need no check."""
        return None

    def bind(self, bot: CoordinatedClient) -> None:
        """Set the client, before it connects."""
        self._client = bot

    def attach(self, dispatcher: Dispatcher, state: BotState, metrics: Metrics, recover: Recover) -> None:  # noqa: ARG002
        """Set the parts of the bot that exist after its login."""
        self._state = state

    @property
    def _bot(self) -> int:
        return self._client.user.id if self._client.user else 0

    async def begin(self) -> None:
        """Acquire the lease if it is free."""
        self.journal.claims.bot = self._bot
        try:
            self.last_heartbeat = await self.journal.claims.last_heartbeat(self._bot)
        except StoreError as error:
            _log.warning("reading the last heartbeat failed, missed messages are not searched: %s", error)
        await self._renew_lease()

    async def run(self) -> None:
        """Send heartbeats until cancelled."""
        while True:
            await asyncio.sleep(HEARTBEAT_INTERVAL_S)
            await self._renew_lease()

    async def wait(self) -> None:
        """Wait until this process holds the lease."""
        await self._acquired.wait()

    async def retire(self) -> None:
        """Do nothing: no other process receives messages before this one has ended."""

    async def release(self) -> None:
        """Release the lease, so that the next process need not wait until it expires."""
        if self.is_ours:
            # Write everything first: the successor must find exactly the unfinished turns.
            await self.journal.flush()
            await self.journal.hand_over()
            try:
                await self.journal.claims.release(self._bot)
            except StoreError as error:
                _log.warning("releasing the lease failed, the next process waits for its end: %s", error)

    async def _renew_lease(self) -> None:
        """Renew the lease, or find out who holds it."""
        journal = self.journal
        if not journal.is_in_place and not self._logged_loss:
            self._logged_loss = True
            _log.error(
                "the database %s was deleted or moved while it was in use: put it back or restart the bot, "
                "data written now is lost",
                self._store,
            )
        try:
            holder = await journal.claims.renew_lease(self._bot)
        except StoreError as error:
            # A database that does not answer says nothing about other processes: keep the role we have.
            _log.warning("renewing the lease failed, keeping the current role: %s", error)
            holder = journal.claims.owner if self.is_ours else "?"
        self.is_ours = journal.is_successor = holder == journal.claims.owner
        if self.is_ours:
            self._acquired.set()
            if self._logged_standby:
                _log.warning("the other process is gone: this one answers now")
        elif not self._logged_standby:
            _log.warning(
                "another process (%s) answers for this bot: this one stays quiet until it ends", holder
            )
            self._acquired.clear()
        self._logged_standby = not self.is_ours

    # --- Shards: discord.py manages them ---------------------------------------------------------

    def on_ready(self) -> None:
        """Do nothing; required by the coordinator interface."""

    def on_shard_ready(self, shard: int) -> None:
        """Do nothing; required by the coordinator interface."""

    async def launch_shards(self) -> bool:
        """Return false: discord.py connects all shards."""
        return False

    async def identify_pause_of(self, shard: int) -> float | None:  # noqa: ARG002
        """Return `None`: discord.py knows the pauses between logins of one process."""
        return None

    def owns_guild(self, guild: int) -> bool:  # noqa: ARG002
        """Return whether this process answers: on all servers or on none."""
        return self.is_ours

    def is_assigned(self, guild: int) -> bool:  # noqa: ARG002
        """Return true: there is no other process to recover answers."""
        return True

    def may_have_missed(self, guild: int) -> bool:  # noqa: ARG002
        """Return true: while this process was away, no other process received messages."""
        return True

    # --- Questions and answers -------------------------------------------------------------------

    async def claim(self, ids: list[int], question: Question) -> bool:
        """Claim the messages of a question; false if an earlier process has answered them."""
        claiming = self._state.run_later(self._claim(ids, question))
        await asyncio.wait({claiming}, timeout=CLAIM_TIMEOUT_S)
        # If the database is slow, answer anyway: the lease ensures that no other process does.
        return claiming.result() if claiming.done() else True

    async def _claim(self, ids: list[int], question: Question) -> bool:
        try:
            return await self.journal.claims.claim(ids, question.channel, question.owner)
        except StoreError as error:
            _log.warning(
                "claiming a question in channel %d failed, answering it anyway: %s", question.channel, error
            )
            return True

    async def may_resume(self, turn: TurnJournal) -> bool:  # noqa: ARG002
        """Return true: no other process resumes turns."""
        return True

    async def mark_answered(self, ids: list[int], timeout_s: float | None = None) -> None:
        """Record that these messages are answered; after the timeout it is finished in the background."""
        finishing = self._state.run_later(self._finish(ids))
        await asyncio.wait({finishing}, timeout=timeout_s)

    async def _finish(self, ids: list[int]) -> None:
        try:
            await self.journal.claims.finish(ids)
        except StoreError as error:
            _log.warning("recording answered questions failed, a restart may answer them again: %s", error)

    async def stop_elsewhere(
        self,
        channel: int,  # noqa: ARG002
        asker: StopRequester,  # noqa: ARG002
        mode: StopMode = StopMode.AFTER_THIS,  # noqa: ARG002
    ) -> StopOutcome:
        """Return that there is nothing to stop: all answers are written by this process."""
        return StopOutcome.NOTHING

    def follow_up(self, channel: int, author: int, message: int) -> None:
        """Do nothing: there is no other process to notify."""

    def forward(self, kind: str, channel: int, **message: Any) -> None:  # noqa: ANN401 - JSON
        """Do nothing: there is no other process to notify."""
