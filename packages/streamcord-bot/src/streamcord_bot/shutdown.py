"""End the bot: let running answers finish or hand them over, keep waiting questions for the next process.

A question that waits has its row in the journal since it was queued, and a message that no process has claimed is
found as a missed one, so a shutdown only has to stop in the right order. `run.py` says which signals begin it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from streamcord import StopMode

from .alarms import Alarms
from .answering.mcp_tools import McpToolbox
from .coordination.base import Coordinator
from .coordination.journal import is_durable
from .listening.dispatcher import Dispatcher
from .privacy.retention import Retention
from .recovery.manager import RecoveryManager
from .sandbox.client import SandboxClient
from .state import BotState

DROP_TIMEOUT_S = 1.0
"""After an eviction, answers that do not end within this time are abandoned."""
FINISH_TIMEOUT_S = 1.0
"""At the end, background tasks have this long to finish."""

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class Shutdown:
    """Stops the parts of a bot in order, once."""

    coordinator: Coordinator
    dispatcher: Dispatcher
    recovery: RecoveryManager
    retention: Retention
    alarms: Alarms
    state: BotState
    files: SandboxClient
    mcp: McpToolbox
    # Whether `drain` or `abandon` was called; the second call does nothing.
    has_begun: bool = field(default=False, init=False)

    async def drain(self, grace_s: float, *, has_started: bool) -> None:
        """Let running answers deliver what they have, and leave the rest to the next process.

        Args:
            grace_s: seconds that running answers have to finish.
            has_started: whether the login is over, so that there is something to hand over.

        """
        if self._begin():
            if has_started:
                await self.coordinator.retire()
                mode = StopMode.HAND_OVER if is_durable(self.coordinator.journal) else StopMode.FLUSH
                await self.dispatcher.close(grace_s, mode)
                await self.recovery.stop()
            await self._close_tools(FINISH_TIMEOUT_S)

    async def abandon(self) -> bool:
        """Stop all work at once, because another process resumes it; return false if the end has begun before.

        Tasks that do not end in time are abandoned.
        """
        if not self._begin():
            return False
        dropping = asyncio.ensure_future(self._drop_all())
        await asyncio.wait({dropping}, timeout=DROP_TIMEOUT_S)
        if dropping.done() and (error := dropping.exception()):
            _log.warning("shutdown after eviction was incomplete: %s", type(error).__name__)
        dropping.cancel()
        return True

    def _begin(self) -> bool:
        """Stop the timers; return false if that was done before."""
        if self.has_begun:
            return False
        self.has_begun = True
        self.retention.stop()
        self.alarms.stop()
        return True

    async def _drop_all(self) -> None:
        await self.dispatcher.close(0.0, StopMode.INTERRUPT)
        await self.recovery.stop()
        await self._close_tools(0.0)

    async def _close_tools(self, timeout_s: float) -> None:
        await self.state.finish_tasks(timeout_s)
        await self.files.close()
        await self.mcp.close()
