"""What happens to the bot of the crash tests, and to what it needs."""

from __future__ import annotations

import asyncio
import resource
import signal
import sqlite3
import subprocess
from contextlib import suppress
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


async def kill_while_it_starts(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """End it, and four times more before or just after it is ready."""
    await made.kill()
    for _ in range(4):
        await made.start(waits=False)
        await asyncio.sleep(random.uniform(0.2, 2.5))
        await made.kill()
    meanwhile()
    await made.start()


async def kill_without_webhooks(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """The one who goes on, and the one who is killed next, finds no webhook and makes one."""
    await kill()(made, random, meanwhile)
    made.twin.state.webhooks.clear()


async def kill_in_the_dark(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """Discord is out of reach when it dies, and still when it starts."""
    await made.twin.go_offline()
    await asyncio.sleep(random.uniform(0.0, 1.5))
    await made.kill()
    await made.start(waits=False)
    await asyncio.sleep(random.uniform(0.0, 3.0))
    meanwhile()
    await made.twin.go_online()
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
    """The disk of the database, which is one of its own, takes no byte more when it dies."""
    filler = made.store.parent / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 4096)
    await asyncio.sleep(random.uniform(0.0, 1.5))
    await made.kill()
    filler.unlink()
    meanwhile()
    await made.start()


async def kill_where_nothing_is_written(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """Not even the room that it has may be written when it dies."""
    assert made.process is not None
    resource.prlimit(made.process.pid, resource.RLIMIT_FSIZE, (FULL, resource.RLIM_INFINITY))
    await asyncio.sleep(random.uniform(0.0, 1.5))
    await made.kill()
    meanwhile()
    await made.start()


async def kill_in_a_read_only_folder(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
    """Folder and files take no change any more when it dies, and again when it starts."""
    set_read_only(made.store.parent)
    try:
        await asyncio.sleep(random.uniform(0.0, 1.5))
        await made.kill()
    finally:
        set_read_only(made.store.parent, on=False)
    meanwhile()
    await made.start()


def set_read_only(folder: Path, *, on: bool = True) -> bool:
    """Whether a folder and its files could be made so that not even who has them open may write."""
    # What SQLite shares through memory stays: without that the system ends the process.
    names = [str(folder), *(str(one) for one in folder.iterdir() if not one.name.endswith("-shm"))]
    command = ["chattr", "+i" if on else "-i", *names]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


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
        before = seconds * random.uniform(0.05, 0.95)
        await asyncio.sleep(before)
        meanwhile()
        await asyncio.sleep(seconds - before)
        made.signal(signal.SIGCONT)

    return act


def outage(seconds: float) -> Act:
    """Discord is out of reach for so long."""

    async def act(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
        await made.twin.go_offline()
        before = seconds * random.uniform(0.05, 0.95)
        await asyncio.sleep(before)
        meanwhile()
        await asyncio.sleep(seconds - before)
        await made.twin.go_online()

    return act


def restart(*, forgets: bool) -> Act:
    """Discord itself ends and starts again, with or without what it knew of connections and keys."""

    async def act(made: Stand, random: Random, meanwhile: Meanwhile) -> None:
        await made.twin.stop()
        await asyncio.sleep(random.uniform(0.5, 4.0))
        meanwhile()
        await asyncio.sleep(random.uniform(0.5, 4.0))
        if forgets:
            made.twin.gateway.sessions.clear()
            made.twin.state.nonces.forget()
        await made.twin.start(made.twin.port)

    return act
