"""Delete duplicates: messages that were sent again, while the first attempt arrives late.

Discord may carry out a request long after its connection was cut. A message that was sent again is watched
for two minutes: another message of the same webhook with the same text that is not accounted for is deleted.
Of two messages with the same tag the later one is deleted at once, also if another process sent it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ..._common.bounded_cache import BoundedCache
from ..._exceptions import DeliveryError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .cache import CachedWebhook
    from .pending import Attempt, PendingMessages, SeenMessage

__all__ = ["DuplicateRemover"]

CHECK_DELAYS_S = (5.0, 15.0, 30.0, 60.0, 120.0)
"""Seconds after which it is looked for."""
MAX_MESSAGES = 1000
"""Messages with a name that are remembered."""
_LOGGER = logging.getLogger(__name__)


class DuplicateRemover:
    """Watches messages that were sent twice, and deletes the later one."""

    def __init__(self, pending: PendingMessages) -> None:
        self.count = 0
        """Number of deleted duplicates."""
        self._pending = pending
        self._timers: set[asyncio.TimerHandle] = set()
        self._deleting: set[asyncio.Task[None]] = set()
        self._named: BoundedCache[tuple[int, str], tuple[int, CachedWebhook, dict[str, str]]] = BoundedCache(
            MAX_MESSAGES
        )

    def watch(self, attempt: Attempt, thread: dict[str, str]) -> None:
        """Check now and then whether the first of the two has arrived as well."""
        loop = asyncio.get_running_loop()
        self._timers = {one for one in self._timers if not one.cancelled() and one.when() > loop.time()}
        self._timers |= {loop.call_later(after, self._check, attempt, thread) for after in CHECK_DELAYS_S}

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
        for one in self._timers:
            one.cancel()

    def _check(self, attempt: Attempt, thread: dict[str, str]) -> None:
        for message_id in self._pending.find_unaccounted(attempt):
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
        if answer.ok or answer.status == 404:
            self._pending.mark_accounted(message_id)
        if answer.ok:
            self.count += 1
            _LOGGER.info("deleted message %d: duplicate of a message that was sent again", message_id)
