"""A message that was sent again because it had not arrived, and then arrives after all: the later one goes.

Discord may carry out a request long after its connection was cut. What is sent again is watched for two
minutes: a message of the same webhook that reads the same, and that nobody can explain, is deleted.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ...._errors import DeliveryError

if TYPE_CHECKING:
    from ..unconfirmed import Attempt, Unconfirmed

__all__ = ["LateTwins"]

LOOKS = (5.0, 15.0, 30.0, 60.0, 120.0)
"""Seconds after which it is looked for."""
_log = logging.getLogger("streamcord")


class LateTwins:
    """Watches what was sent twice."""

    def __init__(self, unconfirmed: Unconfirmed) -> None:
        self.count = 0
        """So many were deleted."""
        self._unconfirmed = unconfirmed
        self._looks: set[asyncio.TimerHandle] = set()
        self._deleting: set[asyncio.Task[None]] = set()

    def watch(self, attempt: Attempt, thread: dict[str, str]) -> None:
        """Look now and then whether the first of two arrives, too."""
        loop = asyncio.get_running_loop()
        self._looks = {one for one in self._looks if not one.cancelled() and one.when() > loop.time()}
        self._looks |= {loop.call_later(after, self._look, attempt, thread) for after in LOOKS}

    def stop(self) -> None:
        """Watch no longer."""
        for one in self._looks:
            one.cancel()

    def _look(self, attempt: Attempt, thread: dict[str, str]) -> None:
        for message_id in self._unconfirmed.find_unexplained(attempt):
            task = asyncio.create_task(self._delete(attempt, message_id, thread))
            self._deleting.add(task)
            task.add_done_callback(self._deleting.discard)

    async def _delete(self, attempt: Attempt, message_id: int, thread: dict[str, str]) -> None:
        hook = attempt.hook
        try:
            answer = await hook.http.request("DELETE", f"{hook.path}/messages/{message_id}", params=thread)
        except DeliveryError:
            return
        if answer.is_done or answer.status == 404:
            self._unconfirmed.explain(message_id)
        if answer.is_done:
            self.count += 1
            _log.info("message %d arrived late and twice, and is deleted", message_id)
