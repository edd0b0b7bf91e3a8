"""Store what later answers need to know of an answer: labels, table sources, memory; and post its thoughts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import discord

from streamcord import Attachment, Moderator, Receipt, StoreError, TurnResult, check_text
from streamcord.store import Memory, Store
from streamcord.utils import BoundedCache

from ..policy.permissions import PermissionChecker
from ..prompt.channel_history import ChannelHistory
from ..ui.message_editor import MessageEditor
from .answer_plan import AnswerPlan
from .thought_log import post_thoughts, shown_thoughts

_log = logging.getLogger(__name__)

MAX_TABLES = 20
"""Tables per channel whose source the tool `show_table_source` can post."""
MAX_CHANNELS = 1000
MAX_VARIANTS = 5
"""Texts of one answer that are kept."""
MAX_LABELLED = 10_000


@dataclass(eq=False, repr=False)
class AnswerMemory:
    """Stores what later answers need to know of an answer."""

    client: discord.Client
    store: Store
    history: ChannelHistory
    editor: MessageEditor
    permissions: PermissionChecker
    moderators: tuple[Moderator, ...]

    # Messages whose labels were stored when they were sent.
    _labelled: BoundedCache[int, None] = field(default_factory=lambda: BoundedCache(MAX_LABELLED), init=False)
    # Sources of the last tables of each channel.
    _tables: BoundedCache[int, list[str]] = field(
        default_factory=lambda: BoundedCache(MAX_CHANNELS), init=False
    )

    def tables_of(self, channel: int) -> list[str]:
        """Return the sources of the tables that were shown in a channel, the newest last."""
        return self._tables.peek(channel) or []

    async def store_label(self, receipt: Receipt) -> None:
        """Store the label of a message that was just sent in a sprite; an error is logged and the answer continues."""
        if label := _label_of(receipt):
            try:
                await self.store.label_messages({receipt.id: label})
            except StoreError as error:
                _log.warning(
                    "storing the label of message %d failed, trying again later: %s", receipt.id, error
                )
            else:
                self._labelled.keep(receipt.id, None)

    async def keep(self, plan: AnswerPlan, result: TurnResult) -> None:
        """Store labels, tables and memory, and post the thoughts; an error here never fails the answer."""
        if plan.question.discarded:
            # The question was edited: remove the messages that answer its old text.
            await self.editor.delete_messages(plan.channel, [one.id for one in result.receipts])
            return
        try:
            await self._write(plan, result)
        except StoreError as error:
            _log.warning("turn %s: storing labels, tables or memory failed, continuing: %s", plan.turn, error)
        thoughts = plan.channel_config.thought_log
        if (
            thoughts
            and plan.channel_config.place.guild
            and thoughts != plan.question.channel
            and await self.permissions.holds(
                plan.channel_config.set_by, "thought_log", thoughts, plan.channel
            )
        ):
            await self._post_thoughts(thoughts, plan, result)

    async def _post_thoughts(self, channel: int, plan: AnswerPlan, result: TurnResult) -> None:
        """Post the thoughts, unless a moderator blocks them; people read them like any other text."""
        text = shown_thoughts(result)
        if reason := await check_text(self.moderators, text, "answer"):
            _log.info("turn %s: a moderator blocked its thoughts: %s", plan.turn, reason)
            return
        name = plan.channel_config.persona.name
        await post_thoughts(self.client, channel, result, name, plan.locale, plan.settings)

    async def _write(self, plan: AnswerPlan, result: TurnResult) -> None:
        # A message that was deleted while it was sent has no id.
        store, receipts = self.store, [one for one in result.receipts if one.id]
        await self.store_labels(receipts)
        # The user opted out: labels are kept, since they hold no text.
        if await store.refuses_memory(plan.question.owner):
            return
        for one in receipts:
            for figure in one.message.files:
                if not isinstance(figure, Attachment):
                    self._remember_table(plan.question.channel, figure.source)
                    await store.save_table(one.id, figure.source)
        if receipts:
            ids = tuple(one.id for one in receipts)
            name, place = plan.channel_config.persona.name, plan.channel_config.place
            # Moderators have seen the answer only; `/memory show` shows its notes to everybody.
            notes = [one for one in result.details if not await check_text(self.moderators, one, "answer")]
            earlier = plan.question.variants
            variants = (*earlier, result.text)[-MAX_VARIANTS:] if earlier else ()
            memory = Memory(name, place, result.text, ids, tuple(notes), plan.question.owner)
            await store.remember(replace(memory, variants=variants))

    async def store_labels(self, receipts: Sequence[Receipt]) -> None:
        """Store the labels of messages.

        Raises:
            StoreError: the store failed.

        """
        labels = {one.id: label for one in receipts if (label := _label_of(one))}
        # Of an answer that was resumed, another process has sent some of the messages.
        if unstored := {id_: label for id_, label in labels.items() if id_ not in self._labelled}:
            await self.store.label_messages(unstored)
        self.history.record_labels({one.id: labels.get(one.id, "") for one in receipts})

    async def find_variants(self, messages: Sequence[int]) -> tuple[str, ...]:
        """Return the texts of the answer with these messages; empty if it is not remembered."""
        for message in messages:
            try:
                if (answer := await self.store.find_answer(message)) is not None:
                    return answer.variants or (answer.text,)
            except StoreError as error:
                _log.warning("reading the variants of an answer failed, they are lost: %s", error)
        return ()

    def _remember_table(self, channel: int, source: str) -> None:
        known = self._tables.find_or_make(channel, list)
        known.append(source)
        del known[:-MAX_TABLES]


def _label_of(receipt: Receipt) -> str:
    """Return the label of a message that was sent in a sprite; the bot's own messages cannot show one."""
    speaker = receipt.message.speaker
    is_sent = receipt.id and not {"no_webhook", "live"}.intersection(receipt.changes)
    return speaker.label if speaker and is_sent else ""
