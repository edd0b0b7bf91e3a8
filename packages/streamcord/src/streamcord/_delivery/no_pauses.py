"""A switch for tests: messages need not wait as if they were typed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# How many blocks of `without_pauses` are open. A bot under test builds its turns itself, so it is one for the process.
_open_blocks = [0]


def has_typing_pauses() -> bool:
    """Return whether messages wait for the time that typing them would take."""
    return not _open_blocks[0]


@contextmanager
def without_pauses() -> Iterator[None]:
    """Send the messages of every answer in this process without typing pauses, until the block ends.

    The messages are the same, and so are waits for rate limits. `streamcord.pytest_plugin` has it as the fixture
    `no_pauses`.

    Example:
        with without_pauses():
            await say(channel, my_model(question))

    """
    _open_blocks[0] += 1
    try:
        yield
    finally:
        _open_blocks[0] -= 1
