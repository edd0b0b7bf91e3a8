"""What stays of an answer: labels of looks, sources of tables, memory, thoughts."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Awaitable
from typing import TypeVar

from streamcord import StoreError, Table, TurnResult
from streamcord.store import Memory

from ..services import Services
from .job import Job
from .thought_log import post_thoughts

__all__ = ["Keeper", "or_else"]

TABLE_CAP = 20
"""Tables of a channel whose source can be asked for."""
CHANNEL_CAP = 1000

_log = logging.getLogger("streamcord._bot")
T = TypeVar("T")


class Keeper:
    """Keeps what later answers need to know of this one."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._tables: OrderedDict[int, list[str]] = OrderedDict()

    def tables_of(self, channel: int) -> list[str]:
        """The sources of the tables that were shown in a channel, the newest last."""
        return self._tables.get(channel, [])

    async def keep(self, job: Job, result: TurnResult) -> None:
        """Labels, tables, memory and thoughts; none of them may spoil the answer that stands."""
        if job.ask.discarded:
            await self._services.hand.take_back(job.channel, [one.id for one in result.receipts])
            return
        await or_else(self._store(job, result), None)
        thoughts = job.scene.thought_log
        if thoughts and job.scene.place.guild and thoughts != job.ask.channel:
            name = job.scene.persona.name
            await post_thoughts(self._services.client, thoughts, result, name, job.locale)

    async def _store(self, job: Job, result: TurnResult) -> None:
        store, receipts = self._services.store, result.receipts
        labels = {
            one.id: one.message.speaker.label
            for one in receipts
            if one.message.speaker and one.message.speaker.label and "no_voice" not in one.changes
        }
        if labels:
            await store.label_messages(labels)
        for one in receipts:
            for table in one.message.files:
                if isinstance(table, Table):
                    self._note_table(job.ask.channel, table.source)
                    await store.keep_table(one.id, table.source)
        if receipts:
            ids = tuple(one.id for one in receipts)
            name, place = job.scene.persona.name, job.scene.place
            await store.remember(Memory(name, place, result.text, ids, result.details, job.ask.owner))

    def _note_table(self, channel: int, source: str) -> None:
        known = self._tables.setdefault(channel, [])
        known.append(source)
        del known[:-TABLE_CAP]
        self._tables.move_to_end(channel)
        if len(self._tables) > CHANNEL_CAP:
            self._tables.popitem(last=False)


async def or_else(action: Awaitable[T], otherwise: T) -> T:
    """What a store says, or this if it cannot."""
    try:
        return await action
    except StoreError as error:
        _log.warning("the store failed: %s", error)
        return otherwise
