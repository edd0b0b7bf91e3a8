"""Keep the questions of answers: those of private answers in memory only, all others in the store.

A private answer leaves nothing in the database, and neither may what it asks: its row would hold the question, the
arguments of a tool and the results of all calls. So a restart forgets it, as it forgets the answer.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from streamcord import Decision, StoreError
from streamcord.store import AskRow, AskState, Change, Store
from streamcord.utils import BoundedCache

MAX_PRIVATE_CHARS = 16 * 1024 * 1024
"""What the rows of private answers may hold together; the oldest are forgotten."""
MAX_ALLOWED = 10_000

_log = logging.getLogger(__name__)


class BotAskStore:
    """The rows of one process; the methods are those of `Store`.

    Args:
        store: keeps the rows of public answers.
        clock: returns the time in seconds since 1970.

    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._private: BoundedCache[str, AskRow] = BoundedCache(MAX_PRIVATE_CHARS, size=_size_of)
        # When a decision in a private answer allowed something in a channel.
        self._allowed: BoundedCache[tuple[int, str], float] = BoundedCache(MAX_ALLOWED)

    async def open_ask(self, row: AskRow) -> None:
        """See `Store.open_ask`; a private row is kept in memory."""
        if not row.about.get("private"):
            await self._store.open_ask(row)
            return
        now = self._clock()
        for id_, old in self._private.items():
            if old.expires_at < now and old.state is AskState.OPEN:
                self._private.drop(id_)
        self._private.keep(row.id, replace(row, created_at=now, expires_at=now + row.ask.expires))

    async def find_ask(self, id_: str) -> AskRow | None:
        """See `Store.find_ask`."""
        return self._private.find(id_) or await self._store.find_ask(id_)

    async def place_ask(self, id_: str, message: int) -> None:
        """See `Store.place_ask`."""
        if not self._change(id_, message=message):
            await self._store.place_ask(id_, message)

    async def decide_ask(
        self,
        id_: str,
        decision: Decision,
        *,
        allows: str = "",
        change: Change | None = None,
        message: int = 0,
    ) -> bool:
        """See `Store.decide_ask`."""
        row = self._private.peek(id_)
        if row is None:
            return await self._store.decide_ask(id_, decision, allows=allows, change=change, message=message)
        if row.state is not AskState.OPEN or self._clock() >= row.expires_at:
            return False
        if change is not None:
            await self._record(change)
        if allows:
            self._allowed.keep((row.place.channel, allows), row.created_at)
        return self._change(id_, decision=decision, state=AskState.DECIDED, message=message or row.message)

    async def take_ask(self, id_: str, turn: str, *, before: str = "") -> bool:
        """See `Store.take_ask`."""
        row = self._private.peek(id_)
        if row is None:
            return await self._store.take_ask(id_, turn, before=before)
        is_free = row.state is AskState.DECIDED or (
            row.state is AskState.TAKEN and row.turn == (before or "-")
        )
        return is_free and self._change(id_, state=AskState.TAKEN, turn=turn)

    async def act_on_ask(self, id_: str, turn: str) -> bool:
        """See `Store.act_on_ask`."""
        row = self._private.peek(id_)
        if row is None:
            return await self._store.act_on_ask(id_, turn)
        may_act = row.state is AskState.TAKEN and row.turn == turn
        return may_act and self._change(id_, state=AskState.ACTING)

    async def close_ask(self, id_: str, *, about: Mapping[str, Any] | None = None) -> None:
        """See `Store.close_ask`; of a private row only the question is left."""
        row = self._private.peek(id_)
        if row is None:
            await self._store.close_ask(id_, about=about)
            return
        is_open = row.state is AskState.OPEN
        self._change(id_, state=AskState.CLOSED if is_open else AskState.DONE, about={"private": True})

    async def asks(self, bot: int, *states: str) -> tuple[AskRow, ...]:
        """See `Store.asks`; private rows have no successor, so no one has to find them."""
        return await self._store.asks(bot, *states)

    async def is_allowed(self, channel: int, what: str, since: float) -> bool:
        """See `Store.is_allowed`."""
        at = self._allowed.peek((channel, what))
        return (at is not None and at > since) or await self._store.is_allowed(channel, what, since)

    async def _record(self, change: Change) -> None:
        try:
            await self._store.record_change(change)
        except StoreError as error:
            _log.warning("audit log: could not record the decision of user %d: %s", change.user, error)

    def _change(self, id_: str, **values: Any) -> bool:  # noqa: ANN401 - fields of a row
        """Change a private row; false if there is none."""
        row = self._private.peek(id_)
        if row is not None:
            self._private.keep(id_, replace(row, **values))
        return row is not None


def _size_of(row: AskRow) -> int:
    return len(json.dumps(row.about, default=str)) + len(row.ask.question) + len(row.ask.state)
