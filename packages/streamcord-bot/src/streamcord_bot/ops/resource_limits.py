"""Say at the start what the machine is short of: descriptors, memory, or room on the disk of the database.

A bot that runs into such a limit in the middle of an answer cannot say so any more: it cannot open a connection.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

WANTED_DESCRIPTORS = 256
"""A bot with a dozen answers at once holds about 45; every answer may hold two connections more."""
MIN_MEMORY_MB = 512
"""What one process may have: an idle bot holds 80 MB, and every answer at once up to 0.4 MB."""
MIN_ADDRESS_SPACE_MB = 1024
"""Address space is reserved in larger pieces than are used: libraries, threads, the sandbox."""
MIN_FREE_MEMORY_MB = 128
MIN_DISK_MB = 100
_MB = 1 << 20
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class Resources:
    """What this process may use; `None` where there is no limit or the system does not say."""

    descriptors: int | None = None
    address_space: int | None = None
    """Bytes of address space (`ulimit -v`)."""
    container_memory: int | None = None
    """Bytes that the container may have."""
    free_memory: int | None = None
    """Bytes that are free on the machine."""
    free_disk: int | None = None
    """Bytes that are free where the database is."""
    is_read_only: bool = False
    """Whether the disk of the database is mounted read-only."""


def find_shortages(resources: Resources) -> list[str]:
    """Return one line for everything that is too little, with what to do."""
    lines = []
    if _is_below(resources.descriptors, WANTED_DESCRIPTORS):
        lines.append(
            f"only {resources.descriptors} files and connections may be open at once: answers fail when more are "
            f"needed; allow at least {WANTED_DESCRIPTORS} (ulimit -n)"
        )
    if _is_below(resources.address_space, MIN_ADDRESS_SPACE_MB * _MB):
        lines.append(
            f"only {_mb(resources.address_space)} MB of address space (ulimit -v): answers fail when more is "
            f"needed; allow at least {MIN_ADDRESS_SPACE_MB} MB"
        )
    if _is_below(resources.container_memory, MIN_MEMORY_MB * _MB):
        lines.append(
            f"only {_mb(resources.container_memory)} MB of memory for this container: the system may kill the bot; "
            f"allow at least {MIN_MEMORY_MB} MB"
        )
    if _is_below(resources.free_memory, MIN_FREE_MEMORY_MB * _MB):
        lines.append(
            f"only {_mb(resources.free_memory)} MB of memory are free on this machine: the system may kill the bot"
        )
    if resources.is_read_only:
        lines.append("the disk of the database is read-only: nothing is remembered, and no answer is resumed")
    elif _is_below(resources.free_disk, MIN_DISK_MB * _MB):
        lines.append(
            f"only {_mb(resources.free_disk)} MB are free on the disk of the database: when it is full, nothing is "
            "remembered, and no answer is resumed"
        )
    return lines


def _is_below(value: int | None, wanted: int) -> bool:
    return value is not None and value < wanted


def _mb(value: int | None) -> int:
    return (value or 0) // _MB


def raise_descriptor_limit() -> None:
    """Allow as many descriptors as the system lets this process have, up to the number wanted."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(WANTED_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def read_resources(store: str) -> Resources:
    """Read the limits of this process, and of the disk of a database file."""
    limits = _read_process_limits()
    free_disk, is_read_only = _read_disk(store)
    return Resources(
        limits.get("descriptors"),
        limits.get("address_space"),
        _read_container_memory(),
        _read_free_memory(),
        free_disk,
        is_read_only,
    )


def _read_process_limits() -> Mapping[str, int]:
    if sys.platform == "win32":
        return {}
    import resource  # noqa: PLC0415 - not on Windows

    kinds = {"descriptors": resource.RLIMIT_NOFILE, "address_space": resource.RLIMIT_AS}
    found = {name: resource.getrlimit(kind)[0] for name, kind in kinds.items()}
    return {name: limit for name, limit in found.items() if limit != resource.RLIM_INFINITY}


def _read_container_memory(file: Path = Path("/sys/fs/cgroup/memory.max")) -> int | None:
    """Return the limit of the control group (https://docs.kernel.org/admin-guide/cgroup-v2.html#memory)."""
    try:
        limit = file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return int(limit) if limit.isdecimal() else None


def _read_free_memory(file: Path = Path("/proc/meminfo")) -> int | None:
    try:
        lines = file.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return None
    found = (line.split() for line in lines if line.startswith("MemAvailable:"))
    return next((int(words[1]) * 1024 for words in found), None)


def _read_disk(store: str) -> tuple[int | None, bool]:
    """Return the free bytes of a database's disk, and whether the disk is read-only."""
    path = store.removeprefix(_SQLITE)
    if path == ":memory:" or "://" in path or not hasattr(os, "statvfs"):
        return None, False
    try:
        disk = os.statvfs(Path(path).parent)
    except OSError:
        return None, False
    return disk.f_bavail * disk.f_frsize, bool(disk.f_flag & os.ST_RDONLY)
