"""Files that only their owner may read: databases, recordings, exports."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TextIO

__all__ = ["PRIVATE", "make_private", "open_private"]

PRIVATE = 0o600
"""Read and written by the owner, by nobody else."""


def open_private(path: str | Path) -> TextIO:
    """Open a text file for writing, empty, that others can read at no moment."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    # A file that was there keeps its rights unless they are changed.
    make_private(path)
    return os.fdopen(descriptor, "w", encoding="utf-8")


def make_private(path: str | Path) -> None:
    """Take a file away from everybody but its owner; one that is not ours, or a device, stays as it is."""
    if Path(path).is_file():
        with suppress(OSError):
            Path(path).chmod(PRIVATE)
