"""State of one process that several parts of the bot share: running turns and background tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from .messages.seen_messages import SeenMessages

T = TypeVar("T")


class BotState:
    """The turns that this process runs, and the tasks that run beside them."""

    def __init__(self) -> None:
        # Channel and stop token of every turn that is being delivered, by the turn's id.
        self.running_turns: dict[str, tuple[int, int]] = {}
        # Ids of the journal's turns that this process is working on. A recovery scan skips them.
        self.owned_turn_ids: set[str] = set()
        # Whether this process left a turn unfinished, so that a recovery scan has something to do.
        self.has_pending_recovery = False
        # Last messages of answers that were already regenerated or continued: a second press does nothing.
        self.handled_button_messages = SeenMessages()
        # asyncio keeps only weak references to tasks, so we hold them until they are done.
        self._tasks: set[asyncio.Task[Any]] = set()

    @contextmanager
    def running(self, turn: str, channel: int, stop_token: int) -> Iterator[None]:
        """List a turn as running while the block runs."""
        self.running_turns[turn] = (channel, stop_token)
        try:
            yield
        finally:
            del self.running_turns[turn]

    def run_later(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine as a background task and return the task."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish_tasks(self, timeout_s: float) -> None:
        """Wait for the background tasks, then cancel those that are still running."""
        if self._tasks:
            _, left = await asyncio.wait(set(self._tasks), timeout=timeout_s)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
