"""Waiting for what happens, without polling: whoever waits is woken by the event itself."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from typing import TYPE_CHECKING, TypeVar

from .state.model import SYSTEM_TYPES, MessageFlag

if TYPE_CHECKING:
    from collections.abc import Callable

    from .state.model import Channel, Message
    from .state.state import Event

__all__ = ["Mailbox"]

_Found = TypeVar("_Found")
_KEPT = 10_000


class Mailbox:
    """Messages of bots and webhooks that nobody has taken yet, per channel."""

    def __init__(self) -> None:
        self._unread: defaultdict[int, deque[Message]] = defaultdict(lambda: deque(maxlen=_KEPT))
        self._loading: set[int] = set()
        self._bell = asyncio.Event()

    def tell(self, event: Event) -> None:
        """See an event of the state."""
        message = event.message
        if message is not None and message.by_machine and message.type not in SYSTEM_TYPES:
            is_loading = bool(message.draft.flags & MessageFlag.LOADING)
            if event.name == "MESSAGE_CREATE" and is_loading:
                self._loading.add(message.id)
            elif event.name == "MESSAGE_CREATE" or (message.id in self._loading and not is_loading):
                self._loading.discard(message.id)
                self._unread[message.channel_id].append(message)
        self.ring()

    def ring(self) -> None:
        """Wake everybody who waits, to look again."""
        self._bell.set()
        self._bell = asyncio.Event()

    async def next_message(self, channel: Channel, within: float) -> Message:
        """The oldest message that was not taken yet."""
        unread = self._unread[channel.id]
        await self.until(lambda: unread or None, within, f"a message in #{channel.name or channel.id}")
        return unread.popleft()

    async def until(self, look: Callable[[], _Found | None], within: float, what: str = "it") -> _Found:
        """Wait until `look` finds something; it looks again after every event and every request."""
        end = asyncio.get_running_loop().time() + within
        while True:
            bell = self._bell
            found = look()
            if found:
                return found
            try:
                # wait_for of Python 3.11 forgets a cancellation that comes together with the bell.
                async with asyncio.timeout_at(end):
                    await bell.wait()
            except TimeoutError:
                raise TimeoutError(f"waited {within} s for {what}") from None
