"""What the bot writes for its operator: one line per event, with the turn's id, and no words of anybody.

discord.py writes whole requests at its debug level, which are full of words and of the tokens of webhooks, so
its own lines begin at INFO.
"""

from __future__ import annotations

import logging

from .sections import LogConfig

__all__ = ["set_up_logs"]

FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_TALKATIVE = ("discord", "aiohttp", "asyncio")


def set_up_logs(config: LogConfig) -> None:
    """Write to standard error, from the wished level on."""
    level = logging.getLevelNamesMapping()[config.level.upper()]
    logging.basicConfig(level=level, format=FORMAT, force=True)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.INFO))
