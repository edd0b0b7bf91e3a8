"""What was said before a question: the channel's last messages, or the chain of replies, as remarks."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

import discord

from streamcord import Person, StoreError
from streamcord.discord import RequestPriority, wait_for_request_slot
from streamcord.store import Store

from ..answer.request_failures import TROUBLE
from ..config.sections import ContextConfig
from .channel_queue import Ask, Kind
from .message_reader import Reader, people_in
from .recent_messages import MESSAGE_CAP, Recollection
from .remark import Remark

__all__ = ["Conversation", "Listener"]

_log = logging.getLogger("streamcord._bot")


@dataclass(frozen=True, slots=True)
class Conversation:
    """What the model reads, who took part, and the message that is answered."""

    remarks: tuple[Remark, ...]
    people: tuple[Person, ...] = ()
    question: discord.Message | None = None

    def recent(self, count: int) -> tuple[str, ...]:
        """Our own last messages, the newest last."""
        own = [remark.text for remark in self.remarks if remark.own]
        return tuple(own[-count:]) if count else ()


class Listener:
    """Reads channels; what a store knows about our own messages is added."""

    def __init__(self, reader: Reader, store: Store, recollection: Recollection | None = None) -> None:
        self._reader = reader
        self._store = store
        self._recollection = recollection or Recollection()

    async def listen(self, channel: discord.abc.Messageable, ask: Ask, config: ContextConfig) -> Conversation:
        """The conversation up to the question, or up to the answer that is to be continued."""
        question = ask.remarks[-1]
        last = max(ask.replaces, default=0) if ask.kind is Kind.CONTINUE else 0
        messages = await self._fetch(channel, max(last, question.id), config)
        known = {message.id: message for message in messages}
        remarks = {message.id: self._reader.read(message) for message in messages}
        for one in ask.remarks:
            remarks.setdefault(one.id, one)
        remarks = await self._with_files(remarks, known, config)
        remarks = await self._with_labels(remarks)
        return Conversation(
            tuple(remarks[id_] for id_ in sorted(remarks)),
            people_in(messages, self._reader.is_own),
            known.get(question.id),
        )

    async def _fetch(
        self, channel: discord.abc.Messageable, last: int, config: ContextConfig
    ) -> list[discord.Message]:
        try:
            if config.source == "replies":
                return await self._fetch_chain(channel, last, config.messages)
            return await self._fetch_newest(channel, last, config.messages)
        except TROUBLE as error:
            # Without the right to read back, the question itself is all that we know.
            _log.debug("no history: %s", type(error).__name__)
            return []

    async def _fetch_newest(
        self, channel: discord.abc.Messageable, last: int, count: int
    ) -> list[discord.Message]:
        """The channel up to a message, from memory if it was ever read."""
        id_: int = channel.id  # type: ignore[attr-defined]
        known = self._recollection.find(id_, last, count)
        if known is not None:
            return known
        self._recollection.open(id_)
        await wait_for_request_slot(channel, RequestPriority.FIRST)
        newest = [one async for one in channel.history(limit=min(MESSAGE_CAP, max(count, 1)))]
        self._recollection.fill(id_, newest)
        return [one for one in newest if one.id <= last][:count]

    async def _fetch_chain(
        self, channel: discord.abc.Messageable, last: int, cap: int
    ) -> list[discord.Message]:
        chain = [await channel.fetch_message(last)]
        while len(chain) < cap and (before := await _find_target(channel, chain[-1])):
            chain.append(before)
        return chain

    async def _with_files(
        self, remarks: dict[int, Remark], known: dict[int, discord.Message], config: ContextConfig
    ) -> dict[int, Remark]:
        """The newest pictures, and the texts of files."""
        pictures = config.images
        for id_ in sorted(known, reverse=True):
            if known[id_].attachments:
                remarks[id_] = await self._reader.read_files(
                    known[id_], remarks[id_], pictures, config.file_length
                )
                pictures -= len(remarks[id_].images)
        return remarks

    async def _with_labels(self, remarks: dict[int, Remark]) -> dict[int, Remark]:
        """The looks that our own messages wore, and the tables behind our pictures."""
        own = [id_ for id_, remark in remarks.items() if remark.own]
        try:
            labels = await self._store.labels(own)
            tables = {id_: await self._store.find_table(id_) for id_ in own if remarks[id_].has_table}
        except StoreError as error:
            _log.warning("labels cannot be read: %s", error)
            return remarks
        for id_ in own:
            changes: dict[str, Any] = {"label": labels.get(id_, "")}
            if table := tables.get(id_):
                changes["text"] = table
            remarks[id_] = replace(remarks[id_], **changes)
        return remarks


async def _find_target(channel: discord.abc.Messageable, message: discord.Message) -> discord.Message | None:
    """What a message replies to, as Discord sent it along or as it is asked for."""
    reference = message.reference
    if reference is None or not _is_reply(message):
        return None
    resolved = reference.resolved
    # A reply that comes along with a reply may not say what it replies to itself.
    if isinstance(resolved, discord.Message) and (resolved.reference or not _is_reply(resolved)):
        return resolved
    if isinstance(resolved, discord.DeletedReferencedMessage) or reference.message_id is None:
        return None
    try:
        return await channel.fetch_message(reference.message_id)
    except TROUBLE:
        return None


def _is_reply(message: discord.Message) -> bool:
    return message.type is discord.MessageType.reply
