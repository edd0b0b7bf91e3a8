"""Sends what waits in the outbox, one message at a time, at a human pace.

A delay is counted from the message before, so the time that the model took is credit. Every wait ends at once
when somebody is in a hurry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from .delivery import Transport
from .errors import DeliveryError
from .events import Message, Receipt
from .outbox import Outbox

__all__ = ["Draw", "Pace", "Sender", "Sleep"]

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
Draw: TypeAlias = Callable[[Message], Awaitable[list[Message]]]

REFRESH = 8.0
"""Discord shows typing for ten seconds; asking more often than this is of no use."""
PATIENCE = 0.5
"""A model that takes longer than this for its first words is shown as typing."""
TYPING_TIMEOUT = 2.0
"""Typing is a courtesy: it may not hold up a message for longer."""


class Pace:
    """A clock and a sleep that belong together.

    Without a clock of its own, a given sleep is the only thing that makes time pass.
    """

    def __init__(self, sleep: Sleep | None, clock: Callable[[], float] | None) -> None:
        self._sleep = sleep or asyncio.sleep
        self._clock = clock
        if sleep is None and clock is None:
            self._clock = asyncio.get_running_loop().time
        self._slept = 0.0

    def now(self) -> float:
        """How late it is."""
        return self._clock() if self._clock else self._slept

    async def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        await self._sleep(seconds)
        self._slept += seconds


class Sender:
    """Empties an outbox into a transport; `sent` hears of every receipt."""

    def __init__(
        self,
        transport: Transport,
        outbox: Outbox,
        pace: Pace,
        sent: Callable[[Receipt], None],
        draw: Draw,
        *,
        typing: bool = True,
    ) -> None:
        self.in_flight = False
        self._transport = transport
        self._outbox = outbox
        self._pace = pace
        self._sent = sent
        self._draw = draw
        self._typing = typing
        self._hurry = asyncio.Event()
        self._free = asyncio.Event()
        self._free.set()
        self._last: float | None = None

    def hurry(self) -> None:
        """From now on nothing waits and nobody is shown as typing."""
        self._hurry.set()

    def hold(self) -> None:
        """Begin nothing new until `release`."""
        self._free.clear()

    def release(self) -> None:
        """Go on."""
        self._free.set()

    async def run(self) -> None:
        """Send until the outbox is closed and empty."""
        while await self._wait_for_message():
            message = self._outbox.find_first()
            if message is None:
                continue
            if message.delay > 0:
                await self._wait_as_if_typing(message)
            await self._free.wait()
            # It may have been taken out while we waited.
            if self._outbox.find_first() is message:
                await self._send(message)

    async def _send(self, message: Message) -> None:
        self.in_flight = True
        try:
            first, *more = await self._draw(message)
            receipt = await self._transport.send(first)
            for rest in more:
                await self._transport.send(rest)
        finally:
            self.in_flight = False
        # It leaves the outbox when it has arrived, so that whoever sums up accounts for the one that failed.
        self._outbox.done()
        # The books keep what was planned: the model is to remember its table, not our picture of it.
        self._sent(receipt if first is message else replace(receipt, message=message))
        self._last = self._pace.now()

    async def _wait_for_message(self) -> bool:
        """Whether there is a message; while the model is slow, people see that somebody is typing."""
        patience = PATIENCE
        while not (self._outbox.find_first() or self._outbox.closed):
            if not self._typing or self._hurry.is_set():
                await self._outbox.wait_for_news()
                break
            try:
                async with asyncio.timeout(patience):
                    await self._outbox.wait_for_news()
            except TimeoutError:
                await self._or_hurry(self._show_typing())
                patience = REFRESH
        return self._outbox.find_first() is not None

    async def _wait_as_if_typing(self, message: Message) -> None:
        due = (self._pace.now() if self._last is None else self._last) + message.delay
        while not self._hurry.is_set() and self._left(due):
            if self._typing:
                await self._or_hurry(self._show_typing())
            # Counted anew, since what the indicator took is part of the wait.
            await self._or_hurry(self._pace.sleep(min(self._left(due), REFRESH)))

    def _left(self, due: float) -> float:
        # Rounded, so that sums of seconds do not leave a wait of nothing.
        return max(0.0, round(due - self._pace.now(), 6))

    async def _show_typing(self) -> None:
        with suppress(DeliveryError, TimeoutError):
            async with asyncio.timeout(TYPING_TIMEOUT):
                await self._transport.typing()

    async def _or_hurry(self, action: Coroutine[Any, Any, None]) -> None:
        """Do it, unless or until somebody is in a hurry."""
        doing = asyncio.ensure_future(action)
        hurried = asyncio.ensure_future(self._hurry.wait())
        try:
            await asyncio.wait({doing, hurried}, return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                doing.result()
        finally:
            for task in (doing, hurried):
                task.cancel()
            await asyncio.gather(doing, hurried, return_exceptions=True)
