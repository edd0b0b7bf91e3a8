"""Feeds hostile files to the bot's reader and measures what each costs, and what the event loop notices."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from streamcord_bot.personas.character_cards import CardError
from streamcord_bot.personas.pictures import PictureError, plain_png
from streamcord_bot.sandbox.client import SandboxClient

__all__ = ["Costs", "LoopWatch", "fuzz"]

TICK = 0.005
PLAIN = plain_png(1, (0, 0, 0))


@dataclass(slots=True)
class Costs:
    """What a run of hostile files cost."""

    ends: Counter[str] = field(default_factory=Counter)
    """How many were taken, refused in words, or ended the process."""
    memory: int = 0
    """The most bytes that the process had at once."""
    seconds: float = 0.0
    """The most processor time for one file."""
    worst: tuple[str, int] = ("", 0)
    """The kind and length of that file."""


class LoopWatch:
    """Looks every five milliseconds how late it is, and how long the loop worked without a break."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self.busy: list[float] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LoopWatch:
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            due, used = time.perf_counter() + TICK, time.thread_time()
            await asyncio.sleep(TICK)
            self.late.append(time.perf_counter() - due)
            self.busy.append(time.thread_time() - used)


async def fuzz(file_reader: SandboxClient, files: Iterable[tuple[str, bytes]], costs: Costs) -> None:
    """Let the reader do what each file is for, and note what it cost."""
    do: Mapping[str, Callable[[bytes], Awaitable[object]]] = {
        "card": file_reader.read_card,
        "check": file_reader.check_picture,
        "shrink": file_reader.shrink,
    }
    for kind, content in files:
        # A process that has just started is not yet the file's cost.
        await file_reader.check_picture(PLAIN)
        meter = asyncio.create_task(_measure(file_reader.pid, (kind, len(content)), costs))
        try:
            await do[kind](content)
            end = "taken"
        except (CardError, PictureError) as error:
            end = "refused" if "more time or memory" not in str(error) else "too costly"
        meter.cancel()
        await asyncio.gather(meter, return_exceptions=True)
        costs.ends[end] += 1


async def _measure(pid: int, file: tuple[str, int], costs: Costs) -> None:
    """Look at the process until the file is read, and once more then."""
    before = _seconds_of(pid)
    try:
        while True:
            await asyncio.sleep(0.02)
            _note(pid, before, file, costs)
    finally:
        _note(pid, before, file, costs)


def _note(pid: int, before: float, file: tuple[str, int], costs: Costs) -> None:
    costs.memory = max(costs.memory, _memory_of(pid))
    seconds = _seconds_of(pid) - before
    if seconds > costs.seconds:
        costs.seconds, costs.worst = seconds, file


def _seconds_of(pid: int) -> float:
    """The processor time of a process, where /proc tells it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def _memory_of(pid: int) -> int:
    """The most memory that a process has had, where /proc tells it."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
