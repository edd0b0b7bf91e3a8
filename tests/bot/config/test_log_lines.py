"""The log begins at the wished level, and discord.py's lines never hold what people say."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from streamcord._bot.config.log_lines import set_up_logs
from streamcord._bot.config.sections import LogConfig


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    names = ("discord", "aiohttp", "asyncio")
    root, levels = logging.getLogger(), [logging.getLogger(name).level for name in names]
    before, handlers = root.level, root.handlers[:]
    yield
    root.handlers[:] = handlers
    root.setLevel(before)
    for name, level in zip(names, levels, strict=True):
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize(
    ("level", "ours", "theirs"),
    [("debug", logging.DEBUG, logging.INFO), ("error", logging.ERROR, logging.ERROR)],
)
def test_levels(level: str, ours: int, theirs: int) -> None:
    set_up_logs(LogConfig(level=level))  # type: ignore[arg-type]

    assert logging.getLogger("streamcord._bot").getEffectiveLevel() == ours
    assert logging.getLogger("discord.http").getEffectiveLevel() == theirs
