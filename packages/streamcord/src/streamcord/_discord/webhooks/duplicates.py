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
from ..._delivery.error_codes import ErrorCode
from ..._exceptions import DeliveryError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .cache import CachedWebhook
    from .message_matching import SeenMessage
    from .pending_messages import Attempt, PendingMessages

CHECK_DELAYS_S = (5.0, 15.0, 30.0, 60.0, 120.0)
"""Seconds after a repeated message at which the channel is checked for the first one."""
MAX_MESSAGES = 1000
"""Tagged messages that are remembered."""
_log = logging.getLogger(__name__)


class DuplicateRemover:
    """Watches messages that were sent twice, and deletes the later one."""

    def __init__(self, pending: PendingMessages) -> None:
        self.count = 0
        """Number of deleted duplicates."""
        self._pending = pending
        # Checks that are still to come.
        self._timers: set[asyncio.TimerHandle] = set()
        # Running deletions; kept, because the event loop references tasks weakly.
        self._deleting: set[asyncio.Task[None]] = set()
        # By channel and message tag: message id, webhook and thread of the oldest message with this tag.
        self._tagged: BoundedCache[tuple[int, str], tuple[int, CachedWebhook, dict[str, str]]] = BoundedCache(
            MAX_MESSAGES
        )

    def watch(self, attempt: Attempt, thread: dict[str, str]) -> None:
        """Check several times whether the first of the two messages has arrived as well."""
        loop = asyncio.get_running_loop()
        self._timers = {one for one in self._timers if not one.cancelled() and one.when() > loop.time()}
        self._timers |= {loop.call_later(after, self._check, attempt, thread) for after in CHECK_DELAYS_S}

    def record_tagged(
        self, message: SeenMessage, hook: CachedWebhook, thread: dict[str, str], seen: Iterable[SeenMessage]
    ) -> None:
        """Record a delivered message with a tag, and compare it with the messages `seen` before."""
        self._tagged.keep((message.channel_id, message.body), (message.id, hook, thread))
        for one in [*seen]:
            self.see(one)

    def see(self, message: SeenMessage) -> None:
        """Compare a message of the gateway; of two with the same tag the later one is deleted."""
        known = self._tagged.find((message.channel_id, message.body))
        if known is not None and known[0] != message.id and known[1].id == message.hook_id:
            older, later = sorted((known[0], message.id))
            self._tagged.keep((message.channel_id, message.body), (older, *known[1:]))
            self._begin_deleting(known[1], later, known[2])

    def stop(self) -> None:
        """Cancel all checks."""
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
        if answer.ok or answer.code == ErrorCode.UNKNOWN_MESSAGE:
            self._pending.mark_accounted(message_id)
        if answer.ok:
            self.count += 1
            _log.info("deleted message %d: duplicate of a message that was sent again", message_id)
