"""The journal of a bot: SQL rows that survive the process, or a stand-in that keeps nothing."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from streamcord import StoreError
from streamcord.databases import OpenQuestion
from streamcord.store import SqlJournal, TurnJournal, open_journal

from ..config import BotConfig

_log = logging.getLogger(__name__)


class NullClaims:
    """Claims of a bot without a journal: every question is ours, and nothing is remembered."""

    owner = ""

    def __init__(self) -> None:
        self.bot = 0

    def record_activity(self, channel: int, guild: int, message: int) -> None:
        """Do nothing: the last message of a channel is not recorded."""

    async def claim(self, messages: Iterable[int], channel: int, person: int) -> bool:  # noqa: ARG002
        """Return true: no other process can have claimed the question."""
        return True

    async def finish(self, messages: Iterable[int]) -> None:
        """Do nothing: answered questions are not recorded."""

    async def answered(self, messages: Iterable[int]) -> set[int]:  # noqa: ARG002
        """Return no ids: no question is known to be answered."""
        return set()

    async def open_questions(self, since: float) -> list[OpenQuestion]:  # noqa: ARG002
        """Return no questions."""
        return []

    async def channels(self, since: float) -> list[Any]:  # noqa: ARG002
        """Return no channels."""
        return []

    async def last_heartbeat(self, bot: int) -> float:  # noqa: ARG002
        """Return 0: no earlier process is known."""
        return 0.0

    async def renew_lease(self, bot: int) -> str:  # noqa: ARG002
        """Return our own name: without a journal there is no competition for the lease."""
        return self.owner

    async def release(self, bot: int) -> None:
        """Do nothing: there is no lease."""


class NullJournal:
    """The journal of a bot that does not resume answers after a restart."""

    is_in_place = True

    def __init__(self) -> None:
        self.claims = NullClaims()
        self.is_successor = True

    def begin(self, *, held: bool = False, **about: Any) -> TurnJournal | None:  # noqa: ANN401, ARG002 - JSON
        """Return `None`: the turn is not recorded."""
        return None

    async def unfinished(self, *, held: bool = False) -> list[TurnJournal]:  # noqa: ARG002
        """Return no turns: nothing can be resumed."""
        return []

    async def flush(self) -> bool:
        """Return true: there is nothing to write."""
        return True

    async def hand_over(self) -> None:
        """Do nothing: there is nothing to hand over."""

    async def close(self) -> None:
        """Do nothing."""


BotJournal: TypeAlias = SqlJournal | NullJournal


def is_durable(journal: BotJournal) -> bool:
    """Return whether answers survive the process, so that they may be left to the next one."""
    return not isinstance(journal, NullJournal)


async def open_bot_journal(config: BotConfig, clock: Callable[[], float] = time.time) -> BotJournal:
    """Open the journal in the store's own database; the bot also runs without one, and logs that."""
    if not config.durability.journal:
        return NullJournal()
    try:
        return await open_journal(config.store, fsync=config.durability.fsync, clock=clock)
    except StoreError as error:
        _log.warning("opening the journal failed, answers are not resumed after a restart: %s", error)
        return NullJournal()
