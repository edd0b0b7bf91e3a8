"""Time that goes on while this process works, and jumps while everybody in it waits.

So a day takes as long as its work, and what people wait for does not depend on how busy the machine is: a
second of waiting is a second on a machine with one free core. Only while something outside works (a thread,
the process that reads cards) it is the time on the wall.
"""

from __future__ import annotations

import asyncio
import selectors
import time

GRACE_S = 0.0003
"""Real seconds that bytes between two sockets of this process may take."""


class JumpingSelector(selectors.DefaultSelector):
    """Waits for nothing that is not on its way already."""

    def __init__(self):
        super().__init__()
        self.jumped = 0.0
        self.works_outside = lambda: False

    def select(self, timeout=None):
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None or self.works_outside():
            began = time.monotonic()
            ready = super().select(timeout)
            self.jumped += time.monotonic() - began
            return ready
        time.sleep(GRACE_S)
        ready = super().select(0)
        if not ready:
            self.jumped += timeout
        return ready


class DayLoop(asyncio.SelectorEventLoop):
    """An event loop on that time; `outside` counts what works elsewhere, besides its own threads."""

    def __init__(self):
        self._threads = 0
        self.outside = lambda: 0
        self._jumping = JumpingSelector()
        self._jumping.works_outside = lambda: self._threads or self.outside()
        super().__init__(self._jumping)

    def time(self):
        return time.process_time() + self._jumping.jumped

    def run_in_executor(self, executor, func, *args):
        future = super().run_in_executor(executor, func, *args)
        self._threads += 1
        future.add_done_callback(self._on_done)
        return future

    def _on_done(self, _):
        self._threads -= 1
