"""Offer a new answer when someone edits a question that was answered."""

from __future__ import annotations

from dataclasses import dataclass

import discord

from ..policy.channel_config import ChannelConfigs, place_of
from ..ui.buttons import answer_buttons, make_buttons
from ..ui.message_editor import MessageEditor
from ..ui.notices import NoticeStyle
from .answer_memory import AnswerMemory
from .recent_answers import RecentAnswers


@dataclass(eq=False, repr=False)
class EditedQuestions:
    """Changes the *Again* button of an answer whose question was edited."""

    recent_answers: RecentAnswers
    channel_configs: ChannelConfigs
    memory: AnswerMemory
    editor: MessageEditor
    style: NoticeStyle

    async def offer(self, event: discord.RawMessageUpdateEvent) -> None:
        """Offer a new answer to an edited question; an edit that only adds a link preview changes nothing."""
        before, message = event.cached_message, event.message
        if before is None or before.content == message.content:
            return
        answered = self.recent_answers.find_by_question(message.id)
        if answered is None or answered.private or message.author.id != answered.owner:
            return
        if not (await self.channel_configs.find_cached(*place_of(message.channel))).answer.buttons:
            return
        count = len(await self.memory.find_variants(answered.ids[-1:]))
        last = answered.result.receipts[-1]
        buttons = answer_buttons(
            answered.owner,
            f"{answered.asked[-1]:x}",
            self.style.locale(message.guild),
            count,
            count,
            edited=True,
        )
        by_webhook = last.message.speaker is not None and "no_webhook" not in last.changes
        await self.editor.set_buttons(
            message.channel, last.id, make_buttons(*buttons), by_webhook=by_webhook, card=True
        )
