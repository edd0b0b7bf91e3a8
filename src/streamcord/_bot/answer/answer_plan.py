"""Everything that is decided for an answer before its first word: speaker, settings, conversation, prompt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from typing import TypeVar

import discord

from streamcord import Emoji, Settings, SettingsError, Speaker, StoreError
from streamcord._cache import Recent
from streamcord.providers import Prompt, user

from ..conversation.build_prompt import CONTINUE, build_prompt, chain_of, instruct
from ..conversation.channel_config import Scene, place_of
from ..conversation.channel_history import Conversation, Listener
from ..conversation.channel_queue import Ask, Kind
from ..discord_requests import tell
from ..services import Services
from ..texts import translate

__all__ = ["AnswerPlan", "AnswerPlanner", "or_else"]

LOOK_AGE = 600.0
"""Seconds for which the last look is handed on to the next answer."""
LOOK_CAP = 1000

_log = logging.getLogger("streamcord.bot")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """A snapshot: what changes later changes the next turn."""

    turn: str
    ask: Ask
    channel: discord.abc.MessageableChannel
    scene: Scene
    talk: Conversation
    settings: Settings
    prompt: Prompt
    locale: str


class AnswerPlanner:
    """Plans the answers of one bot."""

    def __init__(self, services: Services, listener: Listener) -> None:
        self._services = services
        self._listener = listener
        self._looks: Recent[int, tuple[float, Speaker | None]] = Recent(LOOK_CAP)

    def note_look(self, channel: int, speaker: Speaker | None) -> None:
        """Remember in which look the last message of a channel was sent."""
        self._looks.keep(channel, (asyncio.get_running_loop().time(), speaker))

    async def plan(self, turn: str, ask: Ask, channel: discord.abc.MessageableChannel) -> AnswerPlan:
        """Read the channel and decide everything; if the store cannot be reached, people are told."""
        place, parent = place_of(channel)
        guild = getattr(channel, "guild", None)
        locale = self._services.locale(guild)
        scene, stored = await self._services.scenes.find_or_default(place, parent)
        if not stored:
            await tell(channel, translate(locale, "store"))
        talk = await self._listener.listen(channel, ask, scene.context)
        settings = self._settings(scene, talk, guild, ask)
        prompt = await self._prompt(ask, scene, talk, settings)
        return AnswerPlan(turn, ask, channel, scene, talk, settings, prompt, locale)

    def _settings(self, scene: Scene, talk: Conversation, guild: discord.Guild | None, ask: Ask) -> Settings:
        """The scene's settings with what this conversation adds: people, emoji, our last messages."""
        settings = scene.settings
        return replace(
            settings,
            people=talk.people,
            emoji=_emoji_of(guild),
            recent_messages=talk.recent(settings.emoji_unique_lookback),
            last_look=self._last_look(ask),
        )

    def _last_look(self, ask: Ask) -> Speaker | None:
        at, speaker = self._looks.find(ask.channel) or (0.0, None)
        fresh = asyncio.get_running_loop().time() - at < LOOK_AGE
        # Whoever asks wrote in between; only what is continued follows our own message.
        return speaker if fresh and ask.kind is Kind.CONTINUE else None

    async def _prompt(self, ask: Ask, scene: Scene, talk: Conversation, settings: Settings) -> Prompt:
        asked = [remark.id for remark in ask.remarks]
        remarks = list(talk.remarks)
        if scene.context.source == "replies" and ask.kind is Kind.ANSWER:
            known = {remark.id: remark for remark in remarks}
            remarks = [*(known[id_] for id_ in asked), *chain_of(known[asked[-1]], remarks)]
        # Of this channel alone: what was said in a closed one must not come up in another.
        memories = await or_else(self._services.store.recall(scene.persona.name, scene.place), ())
        memories = memories[-scene.context.memory :] if scene.context.memory else ()
        # An answer that is replaced is as good as gone.
        shown = {remark.id for remark in remarks} | set(ask.replaces)
        system = instruct(scene.persona, scene.speaker.prompt, memories, shown, settings.emoji)
        prompt = build_prompt(remarks, asked, scene.context, system)
        if ask.kind is Kind.CONTINUE:
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


async def or_else(action: Awaitable[T], otherwise: T) -> T:
    """What a store says, or this if it cannot."""
    try:
        return await action
    except StoreError as error:
        _log.warning("the store failed: %s", error)
        return otherwise
