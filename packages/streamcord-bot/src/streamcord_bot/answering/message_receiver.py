"""Receives messages: checks access, opens threads, and puts questions into the queue of their channel."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

import discord

from streamcord import Moderator, check_text

from ..budget.budget import Budget
from ..budget.limits import Payer
from ..config import AccessConfig
from ..discord_requests import REQUEST_ERRORS
from ..i18n import translate
from ..listening.channel_queue import QueueResult
from ..listening.conversation_thread import make_title, open_thread
from ..listening.dispatcher import Dispatcher, Reason, find_reason
from ..messages.chat_message import ChatMessage, MessageReader
from ..policy.access import DenialReason, Requester, ShownRefusals, find_refusal, requester_of
from ..policy.channel_config import ChannelConfig, ChannelConfigs, place_of
from ..policy.permissions import PermissionChecker, lacks_member
from ..policy.write_access import WriteAccess
from ..ui.notices import NoticeStyle, send_notice
from .reactions import ACKNOWLEDGED, Reactions

_ACCEPTED = frozenset({QueueResult.QUEUED, QueueResult.JOINED, QueueResult.INTERRUPTED})

_log = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class ThreadStarter:
    """Opens a thread for each conversation, where the configuration asks for it."""

    client: discord.AutoShardedClient
    dispatcher: Dispatcher
    budget: Budget
    moderators: tuple[Moderator, ...]

    async def open(
        self, message: discord.Message, chat_message: ChatMessage, config: ChannelConfig
    ) -> ChatMessage:
        """Return the message as the first one of a new thread, if the channel is configured so."""
        calls = find_reason(chat_message, config.listening, listeners=config.listeners) in {
            Reason.MENTION,
            Reason.TRIGGER,
        }
        if not config.answer.threads or not calls or chat_message.bot:
            return chat_message
        payer = Payer(chat_message.author, config.place.guild)
        # Do not open a thread for a question that is not going to be answered.
        if (
            self.dispatcher.is_crowded(payer.person)
            or await self.budget.check(payer)
            or await check_text(self.moderators, chat_message.text, "question")
        ):
            return chat_message
        title = make_title(chat_message.text, config.persona.name)
        thread = await open_thread(self.client, message, title)
        return replace(chat_message, channel=thread.id) if thread else chat_message


@dataclass(eq=False, repr=False)
class MessageReceiver:
    """Turns messages of people into questions."""

    reader: MessageReader
    access: AccessConfig
    channel_configs: ChannelConfigs
    dispatcher: Dispatcher
    budget: Budget
    refusals: ShownRefusals
    permissions: PermissionChecker
    threads: ThreadStarter
    style: NoticeStyle
    write_access: WriteAccess
    reactions: Reactions

    async def receive(self, message: discord.Message) -> QueueResult:
        """Queue the question of a message, new or missed, unless it was received before."""
        received_at = self.write_access.now()
        chat_message = self.reader.read(message)
        if not self.dispatcher.claim(chat_message):
            return QueueResult.IGNORED
        channel_config = await self.channel_configs.find_cached(*place_of(message.channel))
        if lacks_member(message):
            if not await self._add_member(message, chat_message, channel_config):
                return QueueResult.IGNORED
            chat_message = self.reader.read(message)
        # Access is checked before anything is sent or charged.
        requester = requester_of(message.author.id, chat_message.roles, message.channel)
        if refusal := find_refusal(self.access, requester):
            # Only people who addressed the bot see the notice that it does not answer them.
            if _is_called(chat_message, channel_config) and not self.write_access.find_obstacle(
                message.channel
            ):
                await self._refuse(message, refusal, requester)
            return QueueResult.IGNORED
        chat_message = await self.threads.open(message, chat_message, channel_config)
        # A thread was opened with its permissions checked. Where the bot may not write, it cannot even say so.
        is_called = chat_message.channel == message.channel.id and _is_called(chat_message, channel_config)
        by_webhook = any(persona.alter for persona in channel_config.listeners)
        if is_called and not self.write_access.is_open(message.channel, by_webhook=by_webhook):
            # The change that took the permission may have arrived after the message, and be handled right now. Then
            # the question is kept until the permission is back.
            await asyncio.sleep(0)
            if not self.write_access.has_changed(message.channel, received_at):
                return QueueResult.IGNORED
        result = self.dispatcher.receive(chat_message, channel_config)
        if channel_config.answer.acknowledge and result in _ACCEPTED:
            self.reactions.add(message.channel, message.id, ACKNOWLEDGED)
        locale, layout = self.style.locale(message.guild), self.style.layout
        if result is QueueResult.FULL:
            await send_notice(message.channel, translate(locale, "full"), message, layout)
        elif result is QueueResult.CROWDED and self.budget.should_notify_briefly(
            chat_message.author, "crowded"
        ):
            await send_notice(message.channel, translate(locale, "crowded"), message, layout)
        return result

    async def _add_member(
        self, message: discord.Message, chat_message: ChatMessage, channel_config: ChannelConfig
    ) -> bool:
        """Fetch the author of a missed message as a member, and return whether the message may be a question.

        A user whose roles are unknown is not answered.
        """
        # Most missed messages are no questions, so their authors are not fetched.
        if find_reason(chat_message, channel_config.listening) is None and not (
            self.dispatcher.has_question_of(message.channel.id, message.author.id)
        ):
            return False
        assert message.guild is not None
        try:
            member = await self.permissions.find_member(message.guild, message.author.id)
        except REQUEST_ERRORS as error:
            _log.warning(
                "fetching the author of missed message %s failed, ignoring it: %s",
                message.id,
                type(error).__name__,
            )
            return False
        if member is not None:
            message.author = member
        return member is not None

    async def _refuse(self, message: discord.Message, refusal: DenialReason, requester: Requester) -> None:
        """Send a person one notice that the bot does not answer them; other bots get none."""
        if not message.author.bot and self.refusals.is_first(refusal, requester):
            locale = self.style.locale(message.guild)
            layout = self.style.layout
            await send_notice(message.channel, translate(locale, refusal), message, layout)


def _is_called(message: ChatMessage, config: ChannelConfig) -> bool:
    return find_reason(message, config.listening, listeners=config.listeners) is not None
