"""Run recovery: after the start, after connection outages, and when another process ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ..coordination.base import Coordinator
from ..coordination.journal import is_durable
from ..ops.connectivity import DiscordClock
from ..state import BotState
from .missed_messages import MissedMessages
from .resume_answers import AnswerResumer
from .resume_asks import AskResumer


class RecoveryManager:
    """Resumes interrupted answers, finds missed questions, and keeps the right to answer."""

    def __init__(
        self,
        coordinator: Coordinator,
        state: BotState,
        clock: DiscordClock,
        resumer: AnswerResumer,
        missed: MissedMessages,
        asks: AskResumer,
    ) -> None:
        self.coordinator = coordinator
        # The scan that runs since the last new gateway session.
        self.scan_task: asyncio.Task[None] | None = None
        self._state = state
        self._clock = clock
        self._resumer = resumer
        self._missed = missed
        self._asks = asks
        # When the connection was lost; 0 while it is up.
        self._lost_at = 0.0
        # Heartbeat and scan timer; empty if answers are not recorded.
        self._background_tasks: list[asyncio.Task[None]] = []
        self._ask_timer: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Acquire the right to answer, before any message is received."""
        self._missed.start()
        # Questions with buttons expire also in a bot that resumes no answers.
        self._ask_timer = asyncio.create_task(self._asks.run_timer())
        # Without a journal there is nothing to compete for and nothing to resume.
        if is_durable(self.coordinator.journal):
            await self.coordinator.begin()
            self._background_tasks = [
                asyncio.create_task(self.coordinator.run()),
                asyncio.create_task(self._resumer.run_timer()),
            ]

    def on_ready(self) -> None:
        """Recover after a new session began: messages may have been missed since the last one."""
        since, self._lost_at = self._lost_at or self.coordinator.last_heartbeat, 0.0
        self.coordinator.on_ready()
        self.scan_task = self._state.run_later(self.recover(since))

    def on_disconnect(self) -> None:
        """Remember since when messages may be missed."""
        self._lost_at = self._lost_at or self._clock()

    async def on_resumed(self) -> None:
        """Deliver what could not be delivered meanwhile; a resumed session has missed no messages."""
        self._lost_at = 0.0
        if self._state.has_pending_recovery:
            await self._resumer.scan()

    def on_access_change(self, server: int) -> None:
        """Resume answers that waited for a permission, a thread or an invite."""
        self._resumer.on_access_change(server)

    async def stop(self) -> None:
        """Release the right to answer."""
        for task in (*self._background_tasks, self._ask_timer):
            if task is not None:
                task.cancel()
        await asyncio.gather(*self._background_tasks, return_exceptions=True)
        if self._background_tasks:
            await self.coordinator.release()

    async def recover(self, since: float, between: Callable[[], Awaitable[None]] | None = None) -> None:
        """Resume interrupted answers, then answer missed messages.

        Args:
            since: when messages may first have been missed; 0 if none were.
            between: called after the scan and before the search for missed messages.

        """
        if not is_durable(self.coordinator.journal):
            await self._asks.scan()
            return
        await self._clock.check()
        await self.coordinator.wait()
        # Before the answers that continue with them, which may be over soon.
        await self._asks.show_decisions()
        taken = await self._resumer.scan()
        await self._asks.scan()
        if between is not None:
            await between()
        if since:
            await self._missed.run(since, taken)
