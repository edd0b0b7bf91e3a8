"""Everything that is decided for an answer before its first word: speaker, settings, conversation, prompt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import TypeVar

import discord

from streamcord import Emoji, Settings, SettingsError, Speaker, StoreError
from streamcord._shared.bounded_cache import BoundedCache
from streamcord.providers import Prompt, user

from ..conversation.build_prompt import CONTINUE, build_prompt, chain_of, write_instructions
from ..conversation.channel_config import ChannelConfig, place_of
from ..conversation.channel_history import ChannelHistory, Conversation
from ..conversation.channel_queue import AnswerKind, Question
from ..discord_requests import send_notice
from ..services import Services
from ..texts import translate

__all__ = ["AnswerPlan", "AnswerPlanner", "or_default"]

LOOK_AGE = 600.0
"""Seconds for which the last look is handed on to the next answer."""
LOOK_CAP = 1000

_log = logging.getLogger("streamcord.bot")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """Everything decided for one answer; settings that change later count for the next one."""

    turn: str
    question: Question
    channel: discord.abc.MessageableChannel
    channel_config: ChannelConfig
    conversation: Conversation
    settings: Settings
    prompt: Prompt
    locale: str


class AnswerPlanner:
    """Plans the answers of one bot."""

    def __init__(self, services: Services, history: ChannelHistory) -> None:
        self._services = services
        self._history = history
        self._looks: BoundedCache[int, tuple[float, Speaker | None]] = BoundedCache(LOOK_CAP)

    def note_look(self, channel: int, speaker: Speaker | None) -> None:
        """Remember the look of the last message in a channel."""
        self._looks.keep(channel, (asyncio.get_running_loop().time(), speaker))

    async def plan(
        self, turn: str, question: Question, channel: discord.abc.MessageableChannel
    ) -> AnswerPlan:
        """Read the channel and decide everything; tells people if the store cannot be reached."""
        place, parent = place_of(channel)
        guild = getattr(channel, "guild", None)
        locale = self._services.locale(guild)
        channel_config, stored = await self._services.channel_configs.find_or_default(place, parent)
        if not stored:
            await send_notice(channel, translate(locale, "store"))
        conversation = await self._history.read_conversation(channel, question, channel_config.context)
        settings = self._settings(channel_config, conversation, guild, question)
        prompt = await self._prompt(question, channel_config, conversation, settings)
        return AnswerPlan(turn, question, channel, channel_config, conversation, settings, prompt, locale)

    def _settings(
        self,
        channel_config: ChannelConfig,
        conversation: Conversation,
        guild: discord.Guild | None,
        question: Question,
    ) -> Settings:
        """The settings of the channel, with the people, emoji and last messages of this conversation."""
        settings = channel_config.settings
        return replace(
            settings,
            people=conversation.people,
            emoji=_emoji_of(guild),
            recent_messages=conversation.recent(settings.emoji_unique_lookback),
            last_look=self._last_look(question),
        )

    def _last_look(self, question: Question) -> Speaker | None:
        at, speaker = self._looks.find(question.channel) or (0.0, None)
        fresh = asyncio.get_running_loop().time() - at < LOOK_AGE
        # Whoever asks wrote in between; only what is continued follows our own message.
        return speaker if fresh and question.kind is AnswerKind.CONTINUE else None

    async def _prompt(
        self,
        question: Question,
        channel_config: ChannelConfig,
        conversation: Conversation,
        settings: Settings,
    ) -> Prompt:
        asked = [message.id for message in question.messages]
        messages = list(conversation.messages)
        if channel_config.context.source == "replies" and question.kind is AnswerKind.ANSWER:
            known = {message.id: message for message in messages}
            messages = [*(known[id_] for id_ in asked), *chain_of(known[asked[-1]], messages)]
        # Of this channel alone: what was said in a closed one must not come up in another.
        memories = await or_default(
            self._services.store.recall(channel_config.persona.name, channel_config.place), ()
        )
        memories = memories[-channel_config.context.memory :] if channel_config.context.memory else ()
        # An answer that is replaced is as good as gone.
        shown = {message.id for message in messages} | set(question.replaces)
        system = write_instructions(
            channel_config.persona, channel_config.speaker.prompt, memories, shown, settings.emoji
        )
        prompt = build_prompt(messages, asked, channel_config.context, system)
        if question.kind is AnswerKind.CONTINUE:
            prompt += user(CONTINUE)
        return replace(prompt, prefill=settings.prefill) if settings.prefill else prompt


def _emoji_of(guild: discord.Guild | None) -> tuple[Emoji, ...]:
    found = []
    for one in guild.emojis if guild else ():
        try:
            found.append(Emoji(one.name, one.id, one.animated))
        except SettingsError:
            continue
    return tuple(found)


async def or_default(action: Awaitable[T], otherwise: T) -> T:
    """The result of a call to the store, or a default if the store fails."""
    try:
        return await action
    except StoreError as error:
        _log.warning("the store failed: %s", error)
        return otherwise
