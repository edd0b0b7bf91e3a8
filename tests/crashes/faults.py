"""What happens to the bot of the crash tests, and to what it needs."""

from __future__ import annotations

import asyncio
import resource
import signal
import sqlite3
import subprocess
from pathlib import Path
from random import Random

from crashes.matrix import Act, Meanwhile, Stand

FULL = 4096
"""Bytes that a file may have where nothing may grow."""


def kill(signal_: int = signal.SIGKILL, *, times: int = 1) -> Act:
    """End it and start it again, at once; a second time while it goes on."""

    async def act(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
        await made.kill(signal_)
        for _ in range(times - 1):
            await made.start()
            await asyncio.sleep(random.uniform(0.0, 2.0))
            await made.kill(signal_)
        meanwhile()
        await made.start()

    return act


async def kill_in_the_dark(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """Discord is out of reach when it dies, and still when it starts."""
    await made.twin.go_dark()
    await asyncio.sleep(random.uniform(0.0, 1.5))
    await made.kill()
    await made.start(waits=False)
    await asyncio.sleep(random.uniform(0.0, 3.0))
    meanwhile()
    await made.twin.come_back()
    await made.wait_until_ready()


async def kill_with_a_locked_database(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """Another program holds the database when it dies."""
    other = sqlite3.connect(made.store, isolation_level=None, timeout=10)
    other.execute("BEGIN IMMEDIATE")
    await asyncio.sleep(random.uniform(0.0, 1.5))
    await made.kill()
    other.execute("ROLLBACK")
    other.close()
    meanwhile()
    await made.start()


async def kill_with_a_full_disk(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """No file takes a byte more when it dies."""
    assert made.process is not None
    with FullDisk(made.store.parent, made.process.pid):
        await asyncio.sleep(random.uniform(0.0, 1.5))
        await made.kill()
    meanwhile()
    await made.start()


class FullDisk:
    """A small disk that is full where it is one of its own, else a process whose files may not grow."""

    def __init__(self, folder: Path, process: int) -> None:
        self._filler = folder / "filler"
        self._process = process
        self._own = folder.is_mount()

    def __enter__(self) -> FullDisk:
        if not self._own:
            resource.prlimit(self._process, resource.RLIMIT_FSIZE, (FULL, resource.RLIM_INFINITY))
            return self
        try:
            with self._filler.open("wb", buffering=0) as file:
                while True:
                    file.write(b"\0" * 4096)
        except OSError:
            return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._filler.unlink()


def mount_small_disk(folder: Path) -> bool:
    """A disk of eight megabytes in the place of a folder, if this user may do that."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def unmount(folder: Path) -> None:
    subprocess.run(["umount", str(folder)], check=False, capture_output=True)


def stop_for(seconds: float) -> Act:
    """It stands still for so long, and wakes."""

    async def act(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
        made.signal(signal.SIGSTOP)
        await asyncio.sleep(seconds * random.uniform(0.1, 0.9))
        meanwhile()
        await asyncio.sleep(seconds / 2)
        made.signal(signal.SIGCONT)

    return act


def outage(seconds: float, *, forgets: bool = False) -> Act:
    """Discord is out of reach for so long; it may come back without any session."""

    async def act(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
        await made.twin.go_dark()
        before = seconds * random.uniform(0.05, 0.95)
        await asyncio.sleep(before)
        meanwhile()
        await asyncio.sleep(seconds - before)
        if forgets:
            made.twin.gateway.sessions.clear()
        await made.twin.come_back()

    return act
