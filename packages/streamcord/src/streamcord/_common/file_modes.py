"""Files that only their owner may read: databases, recordings, exports."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TextIO

PRIVATE = 0o600
"""The owner may read and write; no other user may do either."""


def open_private(path: str | Path) -> TextIO:
    r"""Create or truncate a text file that other users can never read, not even for a moment.

    Args:
        path: The path of the file.

    Returns:
        The open file, in UTF-8.

    Example:
        with open_private("secrets.env") as file:
            file.write(f"DISCORD_TOKEN={token}\n")

    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
    # An existing file keeps its mode, so it is changed too.
    make_private(path)
    return os.fdopen(descriptor, "w", encoding="utf-8")


def make_private(path: str | Path) -> None:
    """Remove the access of other users to a file; leave devices and files of other owners as they are.

    Args:
        path: The path of the file.

    Example:
        make_private("bot.db")

    """
    if Path(path).is_file():
        with suppress(OSError):
            Path(path).chmod(PRIVATE)
