"""Handle presses of the buttons below an answer: stop, again, continue and the source of a table."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import discord

from streamcord import StopOutcome, StoreError
from streamcord.discord import with_buttons
from streamcord.store import Store

from ..answering.recent_answers import RecentAnswers, table_source
from ..answering.variants import AnswerVariants, receipts_of
from ..budget.budget import Budget
from ..budget.limits import Payer
from ..coordination.base import Coordinator
from ..discord_requests import NO_PINGS, REQUEST_ERRORS
from ..i18n import translate
from ..listening.channel_queue import QueueResult
from ..listening.dispatcher import Dispatcher
from ..messages.chat_message import MessageReader
from ..messages.question import AnswerKind, Question
from ..ops.metrics import Metrics
from ..policy.channel_config import ChannelConfigs, find_other_writer, place_of
from ..policy.permissions import stop_requester_of
from ..state import BotState
from ..ui.message_editor import MessageEditor
from ..ui.notices import refusal_text, reply_privately
from .base import stop_mode_in, with_permissions_of

# What the buttons ask for, by the action in their `custom_id`.
_KINDS = {"again": AnswerKind.REGENERATE, "more": AnswerKind.CONTINUE}
# Locale keys for questions that the queue did not accept.
_REFUSED = {QueueResult.FULL: "full", QueueResult.CROWDED: "crowded"}


class ButtonPresses:
    """Executes button presses, each at most once."""

    def __init__(  # noqa: PLR0913, PLR0917 - four buttons with little in common
        self,
        reader: MessageReader,
        coordinator: Coordinator,
        state: BotState,
        dispatcher: Dispatcher,
        channel_configs: ChannelConfigs,
        recent_answers: RecentAnswers,
        store: Store,
        budget: Budget,
        metrics: Metrics,
        editor: MessageEditor,
        variants: AnswerVariants,
    ) -> None:
        self._variants = variants
        self._reader = reader
        self._coordinator = coordinator
        self._state = state
        self._dispatcher = dispatcher
        self._channel_configs = channel_configs
        self._recent_answers = recent_answers
        self._store = store
        self._budget = budget
        self._metrics = metrics
        self._editor = editor
        # Messages whose button was pressed; each button works once.
        self._pressed = state.handled_button_messages

    async def press(
        self, interaction: discord.Interaction[Any], action: str, owner: int, target: str, number: int = 0
    ) -> None:
        """Execute a press by the answer's owner or a moderator.

        Args:
            interaction: the press.
            action: `stop`, `table`, `show`, `again` or `more`.
            owner: the user who asked.
            target: the turn to stop, or the id of the question in hexadecimal.
            number: the variant to show.

        """
        locale, asker = str(interaction.locale), stop_requester_of(interaction)
        if action == "stop":
            await self._stop(interaction, target, locale)
        elif action == "table":
            await self._show_table(interaction, locale)
        elif asker.id != owner and not asker.moderator:
            await reply_privately(interaction, translate(locale, "not_yours", owner=f"<@{owner}>"))
        elif action == "show":
            await self._show_variant(interaction, number, owner, target)
        else:
            await self._press_once(interaction, action, owner, int(target, 16))

    async def _stop(self, interaction: discord.Interaction[Any], turn: str, locale: str) -> None:
        # A turn that does not run here has channel 0, where `stops` finds nothing.
        channel, token = self._state.running_turns.get(turn, (0, 0))
        mode = await stop_mode_in(self._channel_configs, interaction)
        answer = await self._coordinator.stops.ask(channel, stop_requester_of(interaction), mode, token=token)
        # Another process of the cluster may be writing the answer.
        if turn not in self._state.running_turns:
            here = interaction.channel_id or 0
            answer = await self._coordinator.stop_elsewhere(here, stop_requester_of(interaction), mode)
        if answer is StopOutcome.ACCEPTED:
            await interaction.response.defer()
            return
        if answer is StopOutcome.NOTHING:
            await self._remove_dead_button(interaction)
        key = "nothing" if answer is StopOutcome.NOTHING else "not_yours"
        await reply_privately(interaction, translate(locale, key, owner=translate(locale, "who_asked")))

    async def _remove_dead_button(self, interaction: discord.Interaction[Any]) -> None:
        """Remove the pressed button: its answer ended without its process."""
        pressed = interaction.message
        if pressed is None:
            return
        view: Any = with_buttons(pressed, None) if pressed.flags.components_v2 else None
        # The response to a press may change the message also if its webhook is gone.
        with suppress(*REQUEST_ERRORS):
            await interaction.response.edit_message(view=view, allowed_mentions=NO_PINGS)

    async def _show_table(self, interaction: discord.Interaction[Any], locale: str) -> None:
        """Send the Markdown of a picture to any user who presses; after a restart it comes from the store."""
        pressed = interaction.message
        # The store may take longer than the three seconds that Discord waits.
        await interaction.response.defer(ephemeral=True, thinking=True)
        person = interaction.user.id
        answered = self._recent_answers.find(pressed.id, person) if pressed else None
        source = table_source(answered, pressed.id) if answered and pressed else ""
        if not source and pressed is not None:
            # Without the store the table is treated as too old.
            with suppress(StoreError):
                source = await self._store.find_table(pressed.id) or ""
        if not source:
            await reply_privately(interaction, translate(locale, "too_old"))
            return
        with suppress(*REQUEST_ERRORS):
            file = discord.File(io.BytesIO(source.encode("utf-8", "replace")), "source.md")
            await interaction.followup.send(file=file, ephemeral=True, allowed_mentions=NO_PINGS)

    async def _show_variant(
        self, interaction: discord.Interaction[Any], number: int, owner: int, target: str
    ) -> None:
        """Show another variant of an answer; while it changes, further presses do nothing."""
        pressed, channel, locale = interaction.message, interaction.channel, str(interaction.locale)
        await interaction.response.defer()
        if pressed is None or not isinstance(channel, discord.abc.Messageable):
            return
        if not self._pressed.claim(pressed.id):
            return
        try:
            reason = await self._variants.show(channel, pressed, number, owner, target, locale)
        finally:
            self._pressed.release(pressed.id)
        if reason:
            await reply_privately(interaction, translate(locale, reason))

    async def _press_once(
        self, interaction: discord.Interaction[Any], action: str, owner: int, question: int
    ) -> None:
        """Queue the question for the first press only; after a refusal the button works again."""
        pressed, person = interaction.message, interaction.user.id
        first = pressed is not None and self._pressed.claim(pressed.id)
        # Acknowledge at once: the rest may take longer than the three seconds that Discord waits.
        await interaction.response.defer()
        if pressed is None or not first:
            return
        locale, budget = str(interaction.locale), self._budget
        refusal = await budget.check(Payer(person, interaction.guild_id or 0))
        if refusal is not None:
            self._pressed.release(pressed.id)
            self._metrics.record_refusal(refusal.reason)
            if budget.should_notify(person, refusal):
                await reply_privately(interaction, refusal_text(locale, refusal))
            return
        reason = await self._ask(interaction, pressed, action, owner, question)
        if reason:
            self._pressed.release(pressed.id)
        if reason and budget.should_notify_briefly(person, reason):
            await reply_privately(interaction, translate(locale, reason))

    async def _ask(
        self,
        interaction: discord.Interaction[Any],
        pressed: discord.Message,
        action: str,
        owner: int,
        question: int,
    ) -> str:
        """Queue the question again, or the rest of its answer; return the locale key of a refusal, or nothing."""
        channel, person = interaction.channel, interaction.user.id
        if not isinstance(channel, discord.abc.Messageable):
            return ""
        try:
            message = await channel.fetch_message(question)
        except REQUEST_ERRORS:
            return "no_question"
        answered = self._recent_answers.find(pressed.id, person)
        ids = answered.ids if answered else await self._find_answer(owner, pressed.id)
        channel_config = await self._channel_configs.find_cached(*place_of(channel))
        # 0 means the owner; a moderator who presses is charged instead of the owner.
        asked_by = 0 if person == owner else person
        asked = with_permissions_of(interaction, self._reader.read(message))
        # After a restart, the name over the answer tells who gave it.
        shown_as = self._reader.read(pressed).shown_as
        persona = answered.persona if answered else find_other_writer(shown_as, channel_config)
        again = Question(owner, [asked], _KINDS[action], replaces=ids, asked_by=asked_by, persona=persona)
        if again.kind is AnswerKind.REGENERATE:
            again.earlier = answered.result.receipts if answered else receipts_of(pressed, ids)
            # They are newer than the question, so the conversation up to it does not contain them.
            again.steered = [*answered.steered] if answered else []
        outcome = self._dispatcher.put(again, channel_config)
        if outcome in _REFUSED:
            return _REFUSED[outcome]
        if again.kind is AnswerKind.CONTINUE:
            # Remove the buttons, which would do nothing any more. Another answer takes the place of its message.
            await self._editor.set_buttons(
                channel, pressed.id, None, by_webhook=pressed.webhook_id is not None, shown=pressed
            )
        return ""

    async def _find_answer(self, owner: int, pressed: int) -> tuple[int, ...]:
        """Return the ids of the messages of an answer from before a restart.

        The store knows them. They are not guessed from the channel: between a question and its answer there may be
        answers to other people, and a press must never delete those. An answer that is not in the store, such as
        that of a person who opted out of memory, is known by the pressed message alone.
        """
        try:
            memories = await self._store.memories_of(owner)
        except StoreError:
            memories = ()
        return next((one.messages for one in memories if pressed in one.messages), (pressed,))
