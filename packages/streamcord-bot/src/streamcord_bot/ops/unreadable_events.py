"""Skip gateway events that discord.py cannot read, instead of ending the bot.

discord.py calls a parser for each event while it reads from the gateway and catches no errors there. So one event with
an unexpected value (a new kind of channel, a timestamp in another form) would end the whole client.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import discord

ESSENTIAL_EVENTS = frozenset({"READY"})
"""Without these the client knows nothing; it ends and a supervisor restarts it."""

_log = logging.getLogger(__name__)


def skip_unreadable_events(client: discord.Client) -> None:
    """Log an event that discord.py cannot read in one line without its content, and skip it."""
    parsers = client._connection.parsers  # noqa: SLF001 - discord.py has no public hook before its parsers
    for name, parse in list(parsers.items()):
        if name not in ESSENTIAL_EVENTS:
            parsers[name] = _guarded(name, parse)


def _guarded(name: str, parse: Callable[[Any], None]) -> Callable[[Any], None]:
    @wraps(parse)
    def parse_safely(data: Any) -> None:  # noqa: ANN401 - what Discord sent
        try:
            parse(data)
        except Exception as error:
            # Only the type: the message of the error may quote the event.
            _log.warning("skipping an event %s that cannot be read: %s", name, type(error).__name__)
            _log.debug("the event %s cannot be read", name, exc_info=error)

    return parse_safely
