"""Alarms for the operator in a Discord channel: a failing model, a used budget, a broken database, a full disk.

The conditions are looked at on a timer. Each has one message: it is sent when the condition begins, edited when it is
over, and used again if it comes back within an hour. So an unstable provider cannot fill the channel.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import discord

from streamcord import StoreError
from streamcord.store import Place, Store
from streamcord.utils import SecretFilter

from .budget.budget import Budget
from .budget.day import tomorrow
from .config import BotConfig
from .discord_requests import NO_PINGS, REQUEST_ERRORS
from .ops.resource_limits import Resources, find_shortages, read_resources
from .state import BotState

SCAN_INTERVAL_S = 30.0
REPEAT_S = 3600.0
"""A condition that comes back within this time uses its old message again."""
BUDGET_SHARE = 0.8
"""Share of a daily limit from which on the operator is told."""
STORE_TIMEOUT_S = 10.0
TEXT_LENGTH = 1500

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Alarm:
    """A condition that was posted."""

    text: str
    message: discord.Message
    # When the condition was found to be over; `None` while it lasts.
    ended_at: float | None = None


class Alarms:
    """Posts alarms to the channel of `[log] alarm_channel`; without one it does nothing.

    Args:
        config: names the channel, the database and the limits.
        client: sends the messages.
        store: is read to see whether it works.
        budget: knows which models fail and what is used.
        state: runs the scans.
        clock: returns the time in seconds since 1970.

    """

    def __init__(
        self,
        config: BotConfig,
        client: discord.Client,
        store: Store,
        budget: Budget,
        state: BotState,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._config = config
        self._client = client
        self._store = store
        self._budget = budget
        self._state = state
        self._clock = clock
        self._hide = SecretFilter(config.secrets).hide
        # What was posted, by condition.
        self._posted: dict[str, _Alarm] = {}
        # Whether the last message could not be sent, so that this is logged once.
        self._is_undelivered = False
        # The timer of the next scan.
        self._next: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Scan every half minute until `stop`."""
        if self._config.log.alarm_channel:
            self._state.run_later(self.scan())
            self._next = asyncio.get_running_loop().call_later(SCAN_INTERVAL_S, self.start)

    def stop(self) -> None:
        """Stop scanning."""
        if self._next is not None:
            self._next.cancel()

    async def scan(self) -> None:
        """Look at every condition, and post what has begun or ended since the last scan."""
        found, now = await self._find_conditions(), self._clock()
        for condition, text in found.items():
            known = self._posted.get(condition)
            if known is None or (known.ended_at is not None and now - known.ended_at > REPEAT_S):
                await self._post(condition, text)
            elif known.ended_at is not None:
                known.ended_at = None
                await self._edit(known, text)
        for condition, alarm in self._posted.items():
            if condition not in found and alarm.ended_at is None:
                alarm.ended_at = now
                await self._edit(alarm, f"{alarm.text}\n-# Over since <t:{now:.0f}:t>.")

    async def _find_conditions(self) -> Mapping[str, str]:
        """Return what is wrong now: a stable name and a text for each condition."""
        found = {
            f"model {name}": f"The model `{name}` failed {self._budget.config.errors} times in a row: people get a "
            "notice instead of an answer. The log has the reason."
            for name in self._budget.failing_models
        }
        if self._budget.is_used_up:
            until = tomorrow(self._budget.now)
            found["budget"] = f"Today's budget is used up: no one gets an answer until <t:{until:.0f}:t>."
        for unit, (used, limit) in self._budget.used_by_all().items():
            if 0 < limit * BUDGET_SHARE <= used:
                found[f"budget {unit}"] = (
                    f"{used / limit:.0%} of today's budget is used (`all_{unit}` in `[budget]`)."
                )
        resources = read_resources(self._config.store)
        disk = Resources(free_disk=resources.free_disk, is_read_only=resources.is_read_only)
        for line in find_shortages(disk):
            found["disk"] = f"{line[0].upper()}{line[1:]}."
        try:
            async with asyncio.timeout(STORE_TIMEOUT_S):
                await self._store.settings(Place())
        except (StoreError, TimeoutError) as error:
            reason = str(error) or f"it did not answer within {STORE_TIMEOUT_S:g} s."
            found["database"] = f"The database fails, so settings and memories are not used: {reason}"
        return found

    async def _post(self, condition: str, text: str) -> None:
        channel = self._client.get_partial_messageable(self._config.log.alarm_channel)
        try:
            message = await channel.send(self._shown(text), allowed_mentions=NO_PINGS)
        except REQUEST_ERRORS as error:
            # The next scan tries again.
            if not self._is_undelivered:
                _log.warning("posting alarms to channel %d failed, retrying: %s", channel.id, error)
            self._is_undelivered = True
            return
        self._is_undelivered = False
        self._posted[condition] = _Alarm(text, message)

    async def _edit(self, alarm: _Alarm, text: str) -> None:
        with suppress(*REQUEST_ERRORS):
            await alarm.message.edit(content=self._shown(text), allowed_mentions=NO_PINGS)

    def _shown(self, text: str) -> str:
        return f"⚠️ {self._hide(text)[:TEXT_LENGTH]}"
