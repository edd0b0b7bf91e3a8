"""Variants of an answer: *Again* keeps the earlier texts, people choose one, and `/edit` changes the text.

A chosen or edited text takes the place of the shown one: the messages are edited, missing ones are sent and surplus
ones deleted. Memory, history and `/why` follow what is shown.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import discord

from streamcord import (
    Degree,
    Finish,
    Message,
    Moderator,
    Pipeline,
    ProviderEvent,
    Receipt,
    Settings,
    StoreError,
    StreamcordError,
    TextDelta,
    TurnResult,
    say,
)
from streamcord.discord import ReplacingChannel, WebhookSender
from streamcord.store import Memory, Store

from ..policy.channel_config import ChannelConfig, ChannelConfigs, place_of
from ..ui.buttons import AnyButton, answer_buttons, make_buttons
from ..ui.message_editor import MessageEditor
from .answer_memory import MAX_VARIANTS, AnswerMemory
from .recent_answers import RecentAnswer, RecentAnswers

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class AnswerVariants:
    """Puts another text into the place of an answer."""

    store: Store
    channel_configs: ChannelConfigs
    webhooks: WebhookSender
    moderators: tuple[Moderator, ...]
    editor: MessageEditor
    memory: AnswerMemory
    recent_answers: RecentAnswers
    secrets: tuple[str, ...]

    async def show(
        self,
        channel: discord.abc.MessageableChannel,
        pressed: discord.Message,
        number: int,
        owner: int,
        target: str,
        locale: str,
    ) -> str:
        """Show a variant of an answer; return the locale key of a refusal, or nothing.

        Args:
            channel: where the answer is.
            pressed: its last message.
            number: the variant, from 1.
            owner: the user who asked.
            target: the id of the question in hexadecimal.
            locale: the language of the buttons.

        """
        answer = await self._find_answer(pressed.id)
        if answer is None or not 1 <= number <= len(answer.variants):
            return "too_old"
        buttons = answer_buttons(owner, target, locale, number, len(answer.variants))
        known = self.recent_answers.find(pressed.id, owner)
        shown = known.result.receipts if known else await self._find_shown(channel, pressed, answer)
        chosen = replace(answer, text=answer.variants[number - 1])
        result = await self._put(channel, chosen, shown, chosen.text, buttons)
        if result is None:
            return "command_failed"
        if known is not None:
            self.recent_answers.keep(replace(known, result=result))
        return ""

    async def edit_last(
        self, channel: discord.abc.MessageableChannel, answered: RecentAnswer, text: str, locale: str
    ) -> str:
        """Change the text of an answer's last message; return the locale key of a refusal, or nothing."""
        before, last = answered.result.receipts[:-1], answered.result.receipts[-1]
        answer = await self._find_answer(last.id)
        said = "\n".join([*(_label_of(one) + one.message.content for one in before), text])
        variants = answer.variants if answer else ()
        number = variants.index(answer.text) + 1 if answer and answer.text in variants else 0
        if number:
            variants = (*variants[: number - 1], said, *variants[number:])
        place, _ = place_of(channel)
        unkept = Memory(answered.persona, place, said, answered.ids, user=answered.owner)
        changed = replace(answer or unkept, text=said, variants=variants)
        buttons = answer_buttons(answered.owner, f"{answered.asked[-1]:x}", locale, number, len(variants))
        result = await self._put(
            channel, changed, [last], text, buttons, before=before, keep=answer is not None
        )
        if result is None:
            return "command_failed"
        receipts = (*before, *result.receipts)
        self.recent_answers.keep(replace(answered, result=replace(result, receipts=receipts)))
        return ""

    async def _put(
        self,
        channel: discord.abc.MessageableChannel,
        answer: Memory,
        shown: Sequence[Receipt],
        text: str,
        buttons: Sequence[AnyButton],
        *,
        before: Sequence[Receipt] | None = None,
        keep: bool = True,
    ) -> TurnResult | None:
        """Say a text in the place of these messages and remember the answer; `None` if nothing could be said.

        Args:
            channel: where the answer is.
            answer: what is remembered.
            shown: the messages that are replaced, as far as they are known.
            text: the new text of these messages.
            buttons: the buttons below the last message.
            before: messages of the answer that stay as they are, if its last message is replaced.
            keep: whether the answer is remembered.

        """
        config = await self._find_config(channel, answer.persona)
        transport = ReplacingChannel(
            channel, replaced=shown, webhooks=self.webhooks, last_view=make_buttons(*buttons)
        )
        settings = self._settings_of(config)
        if before is not None:
            # One message stays one message.
            settings = replace(settings, degree=Degree.NONE)
        context = replace(config.answer_context, prefill="")
        try:
            result = await say(
                transport, _as_stream(text), settings=settings, context=context, moderators=self.moderators
            )
        except StreamcordError as error:
            _log.warning("channel %s: changing an answer failed: %s", channel.id, type(error).__name__)
            return None
        ids = tuple(one.id for one in (*(before or ()), *result.receipts) if one.id)
        if not result.receipts:
            return None
        if keep:
            try:
                await self.memory.store_labels(result.receipts)
                await self.store.remember(replace(answer, messages=ids))
            except StoreError as error:
                _log.warning("channel %s: remembering a changed answer failed: %s", channel.id, error)
        await self.editor.delete_messages(channel, sorted({*answer.messages, *transport.unused} - {*ids}))
        return result

    async def _find_shown(
        self, channel: discord.abc.MessageableChannel, pressed: discord.Message, answer: Memory
    ) -> tuple[Receipt, ...]:
        """Return the messages of an answer from before a restart, as far as they can be edited."""
        if pressed.webhook_id is None or pressed.attachments or answer.messages != (pressed.id,):
            return receipts_of(pressed, answer.messages)
        # Discord does not say which look a webhook's message has. The text that was remembered does.
        config = await self._find_config(channel, answer.persona)
        pipeline = Pipeline(
            self._settings_of(config), Random(0), context=replace(config.answer_context, prefill="")
        )
        planned = [
            one for one in (*pipeline.feed(answer.text), *pipeline.flush()) if isinstance(one, Message)
        ]
        if len(planned) != 1 or planned[0].content != pressed.content or planned[0].speaker is None:
            return ()
        return (Receipt(planned[0], pressed.id),)

    def _settings_of(self, config: ChannelConfig) -> Settings:
        """Return settings for a text that is as the pipeline left it: nothing is drawn again, no one is pinged."""
        return replace(
            config.settings,
            typing="off",
            humanize=False,
            mentions="nobody",
            speaker_guard="off",
            emoji_unique_lookback=0,
            secrets=self.secrets,
        )

    async def _find_answer(self, message: int) -> Memory | None:
        try:
            return await self.store.find_answer(message)
        except StoreError as error:
            _log.warning("reading the variants of an answer failed: %s", error)
            return None

    async def _find_config(self, channel: discord.abc.MessageableChannel, persona: str) -> ChannelConfig:
        place = place_of(channel)
        config, _ = await self.channel_configs.find_or_default(*place)
        if address := config.address(persona):
            config, _ = await self.channel_configs.find_or_default(*place, persona=address)
        return config


def receipts_of(pressed: discord.Message, ids: Sequence[int]) -> tuple[Receipt, ...]:
    """Return the messages of an answer from before a restart, if they can be edited without knowing more."""
    if tuple(ids) != (pressed.id,) or pressed.webhook_id is not None or pressed.attachments:
        return ()
    changes = ("v2",) if pressed.flags.components_v2 else ()
    return (Receipt(Message(pressed.content), pressed.id, changes=changes),)


def _label_of(receipt: Receipt) -> str:
    """Return the label of a message's speaker, as in the text of an answer."""
    return receipt.message.speaker.label if receipt.message.speaker else ""


async def _as_stream(text: str) -> AsyncIterator[ProviderEvent]:
    yield TextDelta(text)
    yield Finish()


assert MAX_VARIANTS <= 9, "the id of a button has one digit for it"
