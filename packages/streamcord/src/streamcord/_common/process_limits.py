"""Limit the memory, the time and the files of a process that reads hostile input.

On Windows only the caller's clock limits such a process.
"""

from __future__ import annotations

import signal
from contextlib import suppress


def limit_memory(cap: int) -> None:
    """Let this process use a limited amount of memory, and write no files.

    Args:
        cap: Bytes of addresses.

    Example:
        limit_memory(256 * 1024 * 1024)

    """
    _limit(("AS", cap), ("CORE", 0), ("FSIZE", 0))


def limit_time(seconds: float) -> None:
    """End this process once it has used more processor time from now on.

    Args:
        seconds: The limit; 0 lifts it.

    Example:
        limit_time(1.8)

    """
    if hasattr(signal, "setitimer"):
        # The signal has no handler, so it ends the process, also in the middle of one long call.
        signal.setitimer(signal.ITIMER_PROF, seconds)


def close_files() -> None:
    """Let this process open no further file or socket: whatever its input asks for, it can only answer.

    Example:
        close_files()

    """
    _limit(("NOFILE", 3))


def _limit(*caps: tuple[str, int]) -> None:
    try:
        import resource  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return
    for kind, cap in caps:
        with suppress(ValueError, OSError):
            resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (cap, cap))
