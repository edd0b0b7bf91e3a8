"""A message that was sent again because it was lost, and then arrives after all: the later one is deleted.

Discord may carry out a request long after its connection was cut. What is sent again is watched for two
minutes: a message of the same webhook that reads the same, and that nobody can explain, is deleted. Of two
messages that carry one name the later one goes at once, also if another process had asked for it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ...._errors import DeliveryError
from ...._shared.bounded_cache import BoundedCache

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..unconfirmed import Attempt, SeenMessage, Unconfirmed
    from ..webhook_cache import CachedWebhook

__all__ = ["LateTwins"]

LOOKS = (5.0, 15.0, 30.0, 60.0, 120.0)
"""Seconds after which it is looked for."""
CAP = 1000
"""Messages with a name that are remembered."""
_log = logging.getLogger("streamcord")


class LateTwins:
    """Watches messages that were sent twice, and deletes the later one."""

    def __init__(self, unconfirmed: Unconfirmed) -> None:
        self.count = 0
        """So many were deleted."""
        self._unconfirmed = unconfirmed
        self._looks: set[asyncio.TimerHandle] = set()
        self._deleting: set[asyncio.Task[None]] = set()
        self._named: BoundedCache[tuple[int, str], tuple[int, CachedWebhook, dict[str, str]]] = BoundedCache(
            CAP
        )

    def watch(self, attempt: Attempt, thread: dict[str, str]) -> None:
        """Check now and then whether the first of the two has arrived as well."""
        loop = asyncio.get_running_loop()
        self._looks = {one for one in self._looks if not one.cancelled() and one.when() > loop.time()}
        self._looks |= {loop.call_later(after, self._look, attempt, thread) for after in LOOKS}

    def know(
        self, message: SeenMessage, hook: CachedWebhook, thread: dict[str, str], seen: Iterable[SeenMessage]
    ) -> None:
        """Note that a message with a number of its own has arrived; compare it with those `seen` before."""
        self._named.keep((message.channel_id, message.body), (message.id, hook, thread))
        for one in [*seen]:
            self.see(one)

    def see(self, message: SeenMessage) -> None:
        """Note a message that the gateway shows; of two with the same number the later one is deleted."""
        known = self._named.find((message.channel_id, message.body))
        if known is not None and known[0] != message.id and known[1].id == message.hook_id:
            older, later = sorted((known[0], message.id))
            self._named.keep((message.channel_id, message.body), (older, *known[1:]))
            self._begin_deleting(known[1], later, known[2])

    def stop(self) -> None:
        """Watch no longer."""
        for one in self._looks:
            one.cancel()

    def _look(self, attempt: Attempt, thread: dict[str, str]) -> None:
        for message_id in self._unconfirmed.find_unexplained(attempt):
            self._begin_deleting(attempt.hook, message_id, thread)

    def _begin_deleting(self, hook: CachedWebhook, message_id: int, thread: dict[str, str]) -> None:
        task = asyncio.create_task(self._delete(hook, message_id, thread))
        self._deleting.add(task)
        task.add_done_callback(self._deleting.discard)

    async def _delete(self, hook: CachedWebhook, message_id: int, thread: dict[str, str]) -> None:
        try:
            answer = await hook.http.request("DELETE", f"{hook.path}/messages/{message_id}", params=thread)
        except DeliveryError:
            return
        if answer.is_done or answer.status == 404:
            self._unconfirmed.explain(message_id)
        if answer.is_done:
            self.count += 1
            _log.info("message %d arrived late and twice, and is deleted", message_id)
